/** The two forms of a compiled check, written as code and closed over, are one check; both are the schema's. */
import { Arbitrary, FastCheck, Option, Schema } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { compile } from "../../src/domain/Compiled.ts"
import { Evidence } from "../../src/domain/Evidence.ts"
import { Plan } from "../../src/domain/Plan.ts"
import { Path } from "../../src/domain/Tam.ts"
import { Verification } from "../../src/domain/Verification.ts"

/** Every construct that compiles, and refinements that are not among the common ones. */
const Odd = Schema.Struct({
  'a "key"\n': Schema.Union(Schema.Literal("x", 1, true, null), Schema.Boolean),
  pattern: Schema.String.pipe(Schema.pattern(/^[a-c]*$/)),
  between: Schema.Number.pipe(Schema.between(-1, 1)),
  even: Schema.Int.pipe(Schema.filter((n) => n % 2 === 0)),
  pair: Schema.Tuple(Schema.String, Schema.Positive),
  either: Schema.Union(Schema.Struct({ a: Schema.String }), Schema.Array(Schema.Number).pipe(Schema.minItems(1)))
})
const schemas: ReadonlyArray<readonly [string, Schema.Schema.AnyNoContext]> = [
  ["Plan", Schema.typeSchema(Plan)],
  ["Path", Schema.typeSchema(Path)],
  ["Evidence", Schema.typeSchema(Evidence)],
  ["Verification", Schema.typeSchema(Verification)],
  ["every construct", Schema.typeSchema(Odd)]
]

/** The value with one place in it replaced, or one property added. */
const spoiled = (value: unknown, place: number, by: unknown): unknown => {
  if (Array.isArray(value) && value.length > 0) {
    const at = place % value.length
    return value.map((item, i) => (i === at ? spoiled(item, Math.floor(place / value.length), by) : item))
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const keys = Object.keys(value)
    const at = place % (keys.length + 1)
    const key = keys[at]
    return key === undefined
      ? { ...value, extra: by }
      : { ...value, [key]: spoiled(Reflect.get(value, key), Math.floor(place / (keys.length + 1)), by) }
  }
  return by
}

const withoutCode = <A>(make: () => A): A => {
  vi.stubGlobal(
    "Function",
    class {
      constructor() {
        throw new EvalError("code from text is forbidden here")
      }
    }
  )
  try {
    return make()
  } finally {
    vi.unstubAllGlobals()
  }
}
afterEach(() => vi.unstubAllGlobals())

describe("C2 compiled checks, with code and without", () => {
  it.each(schemas)("%s", (_, schema) => {
    const written = compile(schema)
    const closed = withoutCode(() => {
      const made = compile(schema)
      // a schema is compiled when it is first asked
      made(undefined)
      return made
    })
    const is = Schema.is(schema, { onExcessProperty: "error" })
    const met = { fits: 0, misfits: 0 }
    const agree = (value: unknown): void => {
      const expected = is(value)
      met[expected ? "fits" : "misfits"]++
      const [a, b] = [written(value), closed(value)]
      expect(Option.isSome(a)).toBe(expected)
      expect(a).toEqual(b)
      if (Option.isSome(a)) {
        expect(a.value).toEqual(value)
        expect(Object.isFrozen(a.value)).toBe(true)
      }
    }
    FastCheck.assert(
      FastCheck.property(
        Arbitrary.make(schema),
        FastCheck.nat(),
        FastCheck.oneof(
          FastCheck.jsonValue(),
          FastCheck.constant(undefined),
          FastCheck.constantFrom(0.5, -1, 1e300, NaN, "")
        ),
        (value, place, by) => {
          agree(value)
          agree(spoiled(value, place, by))
        }
      ),
      { numRuns: 400, seed: 7 }
    )
    expect(met.fits).toBeGreaterThanOrEqual(300)
    expect(met.misfits).toBeGreaterThanOrEqual(200)
  })

  it("names that would change an object's prototype do not compile", () => {
    expect(() => compile(Schema.Struct({ ["__proto__"]: Schema.String }))).toThrow("only required string keys")
  })
})
