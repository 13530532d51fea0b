/** The JSON Schema of an Effect Schema, in the form that servers take: without references where it can be, closed objects. */
import { JSONSchema, Option, Predicate, type Schema, SchemaAST } from "effect"
import type { Shape } from "../../domain/ModelRequest.ts"
import type { Bounds } from "../../domain/prompts/Bounds.ts"

type Json = Readonly<Record<string, unknown>>
const isJson = (value: unknown): value is Json => Predicate.isRecord(value)

/** Every schema below one, changed; `change` sees a schema after its parts. */
const rewritten = (value: unknown, change: (schema: Json) => Json): unknown => {
  if (Array.isArray(value)) return value.map((part) => rewritten(part, change))
  if (!isJson(value)) return value
  return change(
    Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        // what stands under these names is data or names, not schemas
        key === "enum" || key === "const" || key === "default" || key === "required" || key === "examples"
          ? part
          : key === "properties" && isJson(part)
            ? Object.fromEntries(Object.entries(part).map(([name, schema]) => [name, rewritten(schema, change)]))
            : rewritten(part, change)
      ])
    )
  )
}

const definition = /^#\/(?:\$defs|definitions)\/(.+)$/

/** Puts definitions where they are referred to; those that refer to themselves stay. */
const inlined = (schema: Json): Json => {
  const found = isJson(schema.$defs) ? schema.$defs : {}
  const recursive = new Set<string>()
  const put = (value: unknown, within: ReadonlyArray<string>): unknown => {
    if (Array.isArray(value)) return value.map((part) => put(part, within))
    if (!isJson(value)) return value
    const name = typeof value.$ref === "string" ? definition.exec(value.$ref)?.[1] : undefined
    if (name === undefined)
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, put(part, within)]))
    if (within.includes(name)) {
      recursive.add(name)
      return value
    }
    const { $ref: _, ...beside } = value
    const whole = put(found[name], [...within, name])
    return recursive.has(name) ? value : isJson(whole) ? { ...whole, ...beside } : whole
  }
  const { $defs: _, $schema: __, ...root } = schema
  const whole = put(root, [])
  if (!isJson(whole)) return root
  if (recursive.size === 0) return whole
  return { ...whole, $defs: Object.fromEntries([...recursive].map((name) => [name, put(found[name], [name])])) }
}

/** Objects take no other properties; titles, which a Schema makes up for its checks, say nothing to a model. */
const closed = ({ title: _, ...schema }: Json): Json =>
  schema.type === "object" && !("additionalProperties" in schema) && "properties" in schema
    ? { ...schema, additionalProperties: false }
    : schema

const nameOf = ({ ast }: Schema.Schema.All): string => {
  const names = [
    SchemaAST.getJSONIdentifierAnnotation(ast),
    SchemaAST.getIdentifierAnnotation(ast),
    SchemaAST.getTitleAnnotation(ast)
  ].flatMap(Option.toArray)
  return (names[0] ?? "").replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64) || "answer"
}

const shapes = new WeakMap<object, Shape>()

/** The shape of what `schema` decodes from. Made once a schema. A schema that JSON Schema cannot say is a mistake in the program. */
export const shapeOf = <A, I>(schema: Schema.Schema<A, I>): Shape => {
  const known = shapes.get(schema.ast)
  if (known !== undefined) return known
  const made = rewritten(inlined({ ...JSONSchema.make(schema) }), closed)
  const shape: Shape = { name: nameOf(schema), schema: isJson(made) ? made : {} }
  shapes.set(schema.ast, shape)
  return shape
}

/** Texts and lists no longer than `bounds` says, for a model that writes until it may not. The Schema still takes what it takes. */
export const tightened = (schema: Json, { items, text }: Bounds): Json => {
  const made = rewritten(schema, (part) => {
    const { maxItems, maxLength, minItems } = part
    return {
      ...part,
      ...(typeof maxLength === "number" ? { maxLength: Math.min(maxLength, text) } : {}),
      ...(typeof maxItems === "number"
        ? { maxItems: Math.max(typeof minItems === "number" ? minItems : 0, Math.min(maxItems, items)) }
        : {})
    }
  })
  return isJson(made) ? made : schema
}

const bounds = ["minLength", "maxLength", "pattern", "format", "minProperties", "maxProperties", "uniqueItems"]

const plain = new WeakMap<object, Json>()

/** Without the keywords that a strict server may not know. The Schema still checks them. */
export const withoutBounds = (schema: Json): Json => {
  const known = plain.get(schema)
  if (known !== undefined) return known
  const made = rewritten(schema, (part) =>
    Object.fromEntries(Object.entries(part).filter(([key]) => !bounds.includes(key)))
  )
  const found = isJson(made) ? made : schema
  plain.set(schema, found)
  return found
}

const strictness = new WeakMap<object, boolean>()

/** Whether every object names all of its properties as required and takes no others: what `strict` demands. */
export const isStrict = (schema: Json): boolean => {
  const known = strictness.get(schema)
  if (known !== undefined) return known
  let strict = schema.type === "object"
  rewritten(schema, (part) => {
    if (part.type === "object") {
      const properties = isJson(part.properties) ? Object.keys(part.properties) : undefined
      const required = Array.isArray(part.required) ? part.required : []
      if (properties === undefined || part.additionalProperties !== false) strict = false
      else if (properties.some((name) => !required.includes(name))) strict = false
    }
    return part
  })
  strictness.set(schema, strict)
  return strict
}
