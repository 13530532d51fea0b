/**
 * Schemas compiled to closures for the controller's hot path: one pass that checks an unknown value, refuses excess properties, and copies
 * what it accepts into frozen objects, so that nobody who made the value can change it afterwards.
 *
 * Only schemas without transformations compile (their two sides are the same); anything else throws where it is compiled, at start-up.
 */
import { type SchemaAST as AST, Option, type Schema } from "effect"

/** What a check yields for a value that does not fit. */
const misfit: unique symbol = Symbol("misfit")
type Check = (input: unknown) => unknown

const object = (ast: AST.TypeLiteral): Check => {
  const fields = ast.propertySignatures.map((signature) => {
    if (typeof signature.name !== "string" || signature.isOptional) throw new Error("only required string keys compile")
    return [signature.name, compileAst(signature.type)] as const
  })
  if (ast.indexSignatures.length > 0) throw new Error("records do not compile")
  return (input) => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return misfit
    const copy: Record<string, unknown> = {}
    for (const [name, check] of fields) {
      if (!Object.hasOwn(input, name)) return misfit
      const value = check(Reflect.get(input, name))
      if (value === misfit) return misfit
      copy[name] = value
    }
    return Object.keys(input).length === fields.length ? Object.freeze(copy) : misfit
  }
}

const tuple = (ast: AST.TupleType): Check => {
  const heads = ast.elements.map((element) => compileAst(element.type))
  const rest = ast.rest[0] === undefined ? undefined : compileAst(ast.rest[0].type)
  if (ast.rest.length > 1 || ast.elements.some((element) => element.isOptional))
    throw new Error("only plain arrays and tuples compile")
  return (input) => {
    if (!Array.isArray(input) || input.length < heads.length || (rest === undefined && input.length > heads.length))
      return misfit
    const copy: Array<unknown> = []
    for (let i = 0; i < input.length; i++) {
      const check = heads[i] ?? rest
      const value = check === undefined ? misfit : check(input[i])
      if (value === misfit) return misfit
      copy.push(value)
    }
    return Object.freeze(copy)
  }
}

const compileAst = (ast: AST.AST): Check => {
  switch (ast._tag) {
    case "StringKeyword":
      return (input) => (typeof input === "string" ? input : misfit)
    case "NumberKeyword":
      return (input) => (typeof input === "number" ? input : misfit)
    case "BooleanKeyword":
      return (input) => (typeof input === "boolean" ? input : misfit)
    case "Literal":
      return (input) => (input === ast.literal ? input : misfit)
    case "Union": {
      const members = ast.types.map(compileAst)
      return (input) => {
        for (const member of members) {
          const value = member(input)
          if (value !== misfit) return value
        }
        return misfit
      }
    }
    case "Refinement": {
      const inner = compileAst(ast.from)
      return (input) => {
        const value = inner(input)
        return value === misfit || Option.isSome(ast.filter(value, { errors: "first" }, ast)) ? misfit : value
      }
    }
    case "TypeLiteral":
      return object(ast)
    case "TupleType":
      return tuple(ast)
    default:
      throw new Error(`${ast._tag} does not compile`)
  }
}

/** Compiles `schema` once; the result accepts exactly what the schema accepts with `onExcessProperty: "error"`. */
export const compile = <A>(schema: Schema.Schema<A>): ((input: unknown) => Option.Option<A>) => {
  const check = compileAst(schema.ast)
  return (input) => {
    const value = check(input)
    return value === misfit ? Option.none() : Option.some(value as A)
  }
}
