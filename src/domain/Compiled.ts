/**
 * Schemas compiled for the controller's hot path: one pass that checks an unknown value, refuses excess properties, and copies what it
 * accepts into frozen objects, so that nobody who made the value can change it afterwards.
 *
 *     schema ──▶ a function a schema, written as code ──▶ where code may not be made at run time: the same as nested closures
 *
 * The engine learns one layout for each place in the code, so that code of its own makes a schema several times as fast as closures that
 * all schemas share. What enters the code are names and numbers of our schemas, as JSON, and never a value.
 *
 * Only schemas without transformations compile (their two sides are the same); anything else throws where it is compiled, at start-up. The
 * code itself is made when a value is first checked: most commands check a few of the schemas that they load.
 */
import { SchemaAST as AST, Option, Schema } from "effect"

/** What a check yields for a value that does not fit. */
const misfit: unique symbol = Symbol("misfit")
const firstError = { errors: "first" } as const
type Check = (input: unknown) => unknown

const countKeys = (input: object): number => {
  let keys = 0
  for (const _ in input) keys++
  return keys
}

/** A function of `input` with this body, which may call `checks`; undefined where the environment forbids code from text. */
const written = (body: string, checks: ReadonlyArray<Check>): Check | undefined => {
  try {
    const make = new Function("misfit", "freeze", "hasOwn", "countKeys", "checks", `return (input) => { ${body} }`)
    return make(misfit, Object.freeze, Object.hasOwn, countKeys, checks)
  } catch (refused) {
    if (refused instanceof EvalError) return undefined
    throw refused
  }
}

/** What a refinement asks of a value, as an expression; undefined for those that are not the common ones. */
const demand = (ast: AST.Refinement, value: string): string | undefined => {
  const id = ast.annotations[AST.SchemaIdAnnotationId]
  const json: object = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({}))
  const limit = (name: string): string => String(Number(Reflect.get(json, name)))
  switch (id) {
    case Schema.MinLengthSchemaId:
      return `${value}.length >= ${limit("minLength")}`
    case Schema.MaxLengthSchemaId:
      return `${value}.length <= ${limit("maxLength")}`
    case Schema.GreaterThanOrEqualToSchemaId:
      return `${value} >= ${limit("minimum")}`
    case Schema.GreaterThanSchemaId:
      return `${value} > ${limit("exclusiveMinimum")}`
    case Schema.FiniteSchemaId:
      return `Number.isFinite(${value})`
    case Schema.IntSchemaId:
      return `Number.isSafeInteger(${value})`
    default:
      return undefined
  }
}

/** A schema of primitive values as an expression that is true of what fits; undefined for all others. */
const condition = (ast: AST.AST, value: string): string | undefined => {
  switch (ast._tag) {
    case "StringKeyword":
      return `typeof ${value} === "string"`
    case "NumberKeyword":
      return `typeof ${value} === "number"`
    case "BooleanKeyword":
      return `typeof ${value} === "boolean"`
    case "Literal":
      return typeof ast.literal === "bigint" ? undefined : `${value} === ${JSON.stringify(ast.literal)}`
    case "Union": {
      const members = ast.types.map((type) => condition(type, value))
      return members.includes(undefined) ? undefined : `(${members.join(" || ")})`
    }
    case "Refinement": {
      const from = condition(ast.from, value)
      const own = demand(ast, value)
      return from === undefined || own === undefined ? undefined : `${from} && ${own}`
    }
    default:
      return undefined
  }
}

interface KnownField {
  readonly name: string
  readonly type: AST.AST
  readonly check: Check
}

const objectWritten = (fields: ReadonlyArray<KnownField>): Check | undefined => {
  const reads = fields.map(({ name, type }, i) => {
    const key = JSON.stringify(name)
    const test = condition(type, `v${i}`)
    return test === undefined
      ? `if (!hasOwn(input, ${key})) return misfit; const v${i} = checks[${i}](input[${key}]); if (v${i} === misfit) return misfit;`
      : `if (!hasOwn(input, ${key})) return misfit; const v${i} = input[${key}]; if (!(${test})) return misfit;`
  })
  const copy = fields.map(({ name }, i) => `${JSON.stringify(name)}: v${i}`)
  return written(
    `if (typeof input !== "object" || input === null || Array.isArray(input)) return misfit;
     ${reads.join("\n     ")}
     return countKeys(input) === ${fields.length} ? freeze({ ${copy.join(", ")} }) : misfit`,
    fields.map(({ check }) => check)
  )
}

const objectClosed =
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

const object = (ast: AST.TypeLiteral): Check => {
  const fields = ast.propertySignatures.map(
    ({ name, type }): KnownField => ({ name: String(name), type, check: compileAst(type) })
  )
  return objectWritten(fields) ?? objectClosed(fields)
}

const tuple = (ast: AST.TupleType): Check => {
  const heads = ast.elements.map((element) => compileAst(element.type))
  const rest = ast.rest[0] === undefined ? undefined : compileAst(ast.rest[0].type)
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

const refined = (ast: AST.Refinement): Check => {
  const inner = compileAst(ast.from)
  return (input) => {
    const value = inner(input)
    return value === misfit || Option.isSome(ast.filter(value, firstError, ast)) ? misfit : value
  }
}

const closed = (ast: AST.AST): Check => {
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

const compileAst = (ast: AST.AST): Check => {
  const test = condition(ast, "input")
  return (test === undefined ? undefined : written(`return ${test} ? input : misfit`, [])) ?? closed(ast)
}

/** What a schema is made of; throws where it is of a kind that does not compile. */
const partsOf = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "StringKeyword":
    case "NumberKeyword":
    case "BooleanKeyword":
    case "Literal":
      return []
    case "Union":
      return ast.types
    case "Refinement":
      return [ast.from]
    case "TypeLiteral":
      for (const { isOptional, name } of ast.propertySignatures)
        if (typeof name !== "string" || name === "__proto__" || isOptional)
          throw new Error("only required string keys compile")
      if (ast.indexSignatures.length > 0) throw new Error("records do not compile")
      return ast.propertySignatures.map(({ type }) => type)
    case "TupleType":
      if (ast.rest.length > 1 || ast.elements.some((element) => element.isOptional))
        throw new Error("only plain arrays and tuples compile")
      return [...ast.elements, ...ast.rest].map(({ type }) => type)
    default:
      throw new Error(`${ast._tag} does not compile`)
  }
}

const refuseOthers = (ast: AST.AST): void => {
  for (const part of partsOf(ast)) refuseOthers(part)
}

/** Compiles `schema` once; the result accepts exactly what the schema accepts with `onExcessProperty: "error"`. */
export const compile = <A>(schema: Schema.Schema<A>): ((input: unknown) => Option.Option<A>) => {
  refuseOthers(schema.ast)
  let check: Check | undefined
  return (input) => {
    check ??= compileAst(schema.ast)
    const value = check(input)
    return value === misfit ? Option.none() : Option.some(value as A)
  }
}
