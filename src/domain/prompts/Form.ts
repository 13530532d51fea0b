/**
 * The form that an answer is wanted in, said to the model: the fields of a Schema with their descriptions and bounds. A server that enforces a
 * schema need not show it to its model, so the prompt does.
 *
 *     {
 *       "answer": text, up to 300 characters (what the evidence says)
 *     }
 */
import { SchemaAST as AST, Option, type Schema } from "effect"

const bound = (ast: AST.AST, name: string): number | undefined => {
  const json: object = Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({}))
  const own: unknown = Reflect.get(json, name)
  if (typeof own === "number") return own
  return ast._tag === "Refinement" ? bound(ast.from, name) : undefined
}

/** Descriptions of effect's own schemas ("a string …") say nothing that the form does not. */
const described = (ast: AST.AST): string => {
  const own = Option.getOrElse(AST.getDescriptionAnnotation(ast), () => "")
  return own === "" || /^an? (?:string|number|boolean|integer|non|positive)/.test(own) ? "" : ` (${own})`
}

const kind = (ast: AST.AST, indent: string): string => {
  switch (ast._tag) {
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return "number"
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return ast.types.map((type) => kind(type, indent)).join(" or ")
    case "Refinement": {
      const characters = bound(ast, "maxLength")
      const inner = kind(ast.from, indent)
      return inner === "text" && characters !== undefined ? `text, up to ${characters} characters` : inner
    }
    case "TypeLiteral":
      return `{\n${ast.propertySignatures
        .map(({ name, type }) => `${indent}  ${JSON.stringify(String(name))}: ${item(type, `${indent}  `)}`)
        .join("\n")}\n${indent}}`
    default:
      return "value"
  }
}

const elementOf = (ast: AST.AST): AST.AST | undefined =>
  ast._tag === "Refinement" ? elementOf(ast.from) : ast._tag === "TupleType" ? ast.rest[0]?.type : undefined

const item = (ast: AST.AST, indent: string): string => {
  const element = elementOf(ast)
  if (element === undefined) return `${kind(ast, indent)}${described(ast)}`
  const most = bound(ast, "maxItems")
  return `list${most === undefined ? "" : ` of up to ${most}`}${described(ast)}, each ${kind(element, indent)}`
}

/** The form of what `schema` takes. */
export const formOf = <A, I>(schema: Schema.Schema<A, I>): string =>
  `Answer with one JSON object of this form and nothing else:\n${kind(schema.ast, "")}`
