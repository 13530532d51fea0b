/**
 * Schemas compiled to closures for the controller's hot path: one pass that checks an unknown value, refuses excess properties, and copies
 * what it accepts into frozen objects, so that nobody who made the value can change it afterwards.
 *
 * Only schemas without transformations compile (their two sides are the same); anything else throws where it is compiled, at start-up.
 */
import { type SchemaAST as AST, Option, type Schema } from "effect"

/** What a check yields for a value that does not fit. */
const misfit: unique symbol = Symbol("misfit")
const firstError = { errors: "first" } as const
type Check = (input: unknown) => unknown

interface KnownField {
  readonly name: string
  readonly check: Check
}

/** The loop over any fields: what {@link object} falls back to where code may not be made at run time. */
const generic =
  (fields: ReadonlyArray<KnownField>): Check =>
  (input) => {
    if (typeof input !== "object" || input === null || Array.isArray(input)) return misfit
    const given = input as Record<string, unknown>
    const copy: Record<string, unknown> = {}
    for (const { check, name } of fields) {
      if (!Object.hasOwn(given, name)) return misfit
      const value = check(given[name])
      if (value === misfit) return misfit
      copy[name] = value
    }
    return countKeys(given) === fields.length ? Object.freeze(copy) : misfit
  }
const countKeys = (input: object): number => {
  let keys = 0
  for (const _ in input) keys++
  return keys
}

/**
 * The same loop written out for these fields. The engine learns one layout for each place in the code, so that a function of its own for
 * each schema halves the time of a proposal; the only text that enters the code is the fields' names, as JSON.
 */
const object = (ast: AST.TypeLiteral): Check => {
  const fields = ast.propertySignatures.map(({ isOptional, name, type }): KnownField => {
    if (typeof name !== "string" || isOptional) throw new Error("only required string keys compile")
    return { name, check: compileAst(type) }
  })
  if (ast.indexSignatures.length > 0) throw new Error("records do not compile")
  const names = fields.map(({ name }) => JSON.stringify(name))
  const reads = names.map(
    (name, i) => `if (!hasOwn(input, ${name})) return misfit
      const v${i} = checks[${i}](input[${name}])
      if (v${i} === misfit) return misfit`
  )
  const code = `return (input) => {
      if (typeof input !== "object" || input === null || isArray(input)) return misfit
      ${reads.join("\n      ")}
      return countKeys(input) === ${names.length} ? freeze({ ${names.map((name, i) => `${name}: v${i}`).join(", ")} }) : misfit
    }`
  const checks = fields.map(({ check }) => check)
  try {
    const make = new Function("misfit", "isArray", "hasOwn", "freeze", "countKeys", "checks", code)
    return make(misfit, Array.isArray, Object.hasOwn, Object.freeze, countKeys, checks)
  } catch (refused) {
    if (refused instanceof EvalError) return generic(fields)
    throw refused
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

/** A chain of refinements as one check, innermost first. */
const refined = (ast: AST.Refinement): Check => {
  const chain: Array<AST.Refinement> = []
  let from: AST.AST = ast
  for (; from._tag === "Refinement"; from = from.from) chain.unshift(from)
  const inner = compileAst(from)
  return (input) => {
    const value = inner(input)
    if (value === misfit) return misfit
    for (const each of chain) if (Option.isSome(each.filter(value, firstError, each))) return misfit
    return value
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
    case "Refinement":
      return refined(ast)
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
