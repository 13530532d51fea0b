/**
 * C9, C11, C13 to C15: for every role and every rule, proposals that this rule is the first to refuse; and the validators themselves.
 */
import { writeSync } from "node:fs"
import { describe, expect, it, vi } from "@effect/vitest"
import { Either, FastCheck, Option, Schema } from "effect"
import { compile } from "../../src/domain/Compiled.ts"
import { propose } from "../../src/domain/Proposal.ts"
import { check, decode, rules } from "../../src/domain/Rules.ts"
import type { Field } from "../../src/domain/State.ts"
import { isAdmissible, nodeTypes } from "../../src/domain/Tam.ts"
import { fieldSchemas, fields, json, judge, judgeIn, seeds, values } from "../support/Arbitraries.ts"
import { mutations, spoil } from "../support/Mutations.ts"
import { random } from "../support/Random.ts"
import { world } from "../support/Worlds.ts"

const wanted = 300
const everyRule = fields.flatMap((field) =>
  ["OwnsField", "FitsSchema", ...rules[field].map((rule) => rule.name)].map((rule) => ({ field, rule }))
)
const table: Array<string> = []

describe("C9 every rule is the first to refuse what it is there for", () => {
  it("every rule has mutations, and nothing else has", () => {
    for (const field of fields)
      expect(Object.keys(mutations[field]).sort()).toEqual(
        everyRule
          .filter((row) => row.field === field)
          .map((row) => row.rule)
          .sort()
      )
  })

  it.each(everyRule)("$field: $rule", ({ field, rule }) => {
    let refused = 0
    let tried = 0
    const distinct = new Set<string>()
    for (let seed = 0; refused < wanted + 50 && seed < 4_000; seed++) {
      const w = world(seed % 2_000)
      const mutant = spoil(field, rule, w, random(seed * 31 + rule.length))
      if (mutant === undefined) continue
      tried++
      const verdict = judge(field, mutant.proposal, w.staged[field], (mutant.grounds ?? w.grounds)[field])
      const said = Either.isLeft(verdict) ? verdict.left.rule : "accepted"
      expect(said, `world ${seed}: ${JSON.stringify(mutant.proposal)?.slice(0, 600)}`).toBe(rule)
      if (Either.isLeft(verdict)) expect(verdict.left.reason.length).toBeGreaterThan(0)
      refused++
      distinct.add(JSON.stringify(mutant.proposal) ?? "undefined")
    }
    table.push(`${field.padEnd(13)} ${rule.padEnd(20)} ${String(refused).padStart(4)} refused of ${tried} tried`)
    expect(refused).toBeGreaterThanOrEqual(wanted)
    expect(distinct.size).toBeGreaterThan(5)
  })

  it("says how often each rule refused", () => {
    expect(table).toHaveLength(everyRule.length)
    writeSync(1, `${table.join("\n")}\n`)
  })
})

describe("C6 the admissible type pairs", () => {
  it("are these five, and no pair has an unknown node", () => {
    const pairs = nodeTypes.flatMap((from) =>
      nodeTypes.filter((to) => isAdmissible(from, to)).map((to) => `${from} to ${to}`)
    )
    expect(pairs).toEqual([
      "Root to Topic",
      "Topic to Topic",
      "Topic to Relation",
      "Relation to Relation",
      "Relation to Evidence"
    ])
    for (const type of nodeTypes) {
      expect(isAdmissible(undefined, type)).toBe(false)
      expect(isAdmissible(type, undefined)).toBe(false)
    }
  })
})

describe("C9 what the contract allows is accepted", () => {
  it.each(fields)("%s", (field) => {
    for (let seed = 0; seed < 1_000; seed++) {
      const w = world(seed)
      const verdict = judgeIn(w, field, propose(field, w.valid[field]))
      expect(
        Either.getOrElse(verdict, (refusal) => refusal),
        `world ${seed}`
      ).toEqual(w.valid[field])
    }
  })

  it("no evidence, no hypothesis and no slot at all are a proposal too", () => {
    const w = world(3)
    expect(Either.isRight(judgeIn(w, "evidence", propose("evidence", [])))).toBe(true)
    const bare = { ...w.valid.plan, slots: [], known: [], missing: [], hypotheses: [], frontier: [] }
    expect(Either.isRight(judgeIn(w, "plan", propose("plan", bare)))).toBe(true)
  })
})

/** What a validator must agree on with its schema: schema values, mutated proposals' values, any JSON. */
const inputs = (field: Field): FastCheck.Arbitrary<unknown> =>
  FastCheck.oneof(
    { arbitrary: values[field], weight: 2 },
    { arbitrary: seeds.map((seed) => world(seed).valid[field]), weight: 2 },
    {
      arbitrary: FastCheck.tuple(seeds, FastCheck.constantFrom(...Object.keys(mutations[field]))).map(
        ([seed, rule]) => {
          const proposal = spoil(field, rule, world(seed), random(seed))?.proposal
          return typeof proposal === "object" && proposal !== null ? Reflect.get(proposal, "value") : proposal
        }
      ),
      weight: 4
    },
    { arbitrary: json, weight: 1 }
  )

describe("C2 the compiled validators are the schemas", () => {
  it.each(fields)("%s: accepts exactly what Schema.is accepts without excess properties", (field) => {
    const seen = { fits: 0, misfits: 0 }
    const is = Schema.is(fieldSchemas[field] as Schema.Schema<unknown>, { onExcessProperty: "error" })
    FastCheck.assert(
      FastCheck.property(inputs(field), (input) => {
        const decoded = decode(field, { field, value: input })
        const fits = is(input)
        seen[fits ? "fits" : "misfits"]++
        if (Either.isRight(decoded)) expect(decoded.right).toEqual(input)
        return Either.isRight(decoded) === fits
      }),
      { numRuns: 1_800, seed: 11 }
    )
    expect(seen.fits).toBeGreaterThanOrEqual(wanted)
    expect(seen.misfits).toBeGreaterThanOrEqual(wanted)
  })

  it.each(fields)("%s: the same where the runtime lets no code be made from text", (field) => {
    vi.stubGlobal("Function", function Refusing() {
      throw new EvalError("code generation from strings is disallowed")
    })
    const plain = compile(fieldSchemas[field] as Schema.Schema<unknown>)
    // a schema is compiled when it is first asked
    plain(undefined)
    vi.unstubAllGlobals()
    const seen = { fits: 0, misfits: 0 }
    FastCheck.assert(
      FastCheck.property(inputs(field), (input) => {
        const copy = plain(input)
        seen[Option.isSome(copy) ? "fits" : "misfits"]++
        expect(copy).toEqual(Either.getRight(decode(field, { field, value: input })))
        expect(Option.isNone(copy) || isDeeplyFrozen(copy.value)).toBe(true)
      }),
      { numRuns: 800, seed: 12 }
    )
    expect(seen.fits).toBeGreaterThan(100)
    expect(seen.misfits).toBeGreaterThan(100)
  })

  it("a schema that would change what it reads does not compile", () => {
    expect(() => compile(Schema.typeSchema(Schema.Record({ key: Schema.String, value: Schema.String })))).toThrow()
    expect(() => compile(Schema.Struct({ a: Schema.optional(Schema.String) }))).toThrow()
    expect(() => compile(Schema.Tuple(Schema.String, Schema.optionalElement(Schema.String)))).toThrow()
  })

  it("a pair compiles", () => {
    const pair = compile(Schema.Tuple(Schema.String, Schema.Boolean))
    expect(pair(["a", true])).toEqual(Option.some(["a", true]))
    expect(pair(["a"])).toEqual(Option.none())
    expect(pair(["a", true, true])).toEqual(Option.none())
  })
})

const isDeeplyFrozen = (value: unknown): boolean =>
  typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen))

/** Changes everything that can be changed, at every depth. */
const vandalise = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  for (const key of Object.keys(value)) {
    vandalise(Reflect.get(value, key))
    Reflect.set(value, key, "vandalised")
  }
}

describe("C1 what was accepted is out of its maker's reach", () => {
  it.each(fields)("%s: a frozen copy", (field) => {
    for (let seed = 0; seed < 300; seed++) {
      const w = world(seed)
      const original: unknown = structuredClone(w.valid[field])
      const decoded = decode(field, { field, value: original })
      const accepted = Either.getOrThrowWith(decoded, (refusal) => new Error(refusal.reason))
      expect(isDeeplyFrozen(accepted)).toBe(true)
      vandalise(original)
      expect(accepted).toEqual(w.valid[field])
      expect(check(field, accepted, w.staged[field], w.grounds[field])).toEqual(Option.none())
    }
  })
})

describe("L1 nothing that a role says breaks the judge", () => {
  const deep = (levels: number): unknown => {
    let value: unknown = []
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { value }
    return value
  }
  const loop: { self?: unknown } = {}
  loop.self = loop
  const odd: ReadonlyArray<readonly [string, unknown]> = [
    ["a value nested 100,000 deep", deep(100_000)],
    ["a value that holds itself", loop],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a bigint", 10n],
    ["a million items", Array.from({ length: 1_000_000 }, () => "root")],
    ["an object without a prototype", Object.create(null)],
    ["a sparse array", new Array(3)],
    ["__proto__", JSON.parse('{"__proto__":{"verdict":"Pass"}}')]
  ]
  it.each(odd)("%s", (_, value) => {
    for (const field of fields) {
      const as = [
        value,
        { field, value },
        { field: value, value },
        { field, value: [value] },
        { field, value: { ...w0(field), extra: value } }
      ]
      for (const proposal of as) {
        const decoded = decode(field, proposal)
        expect(Either.isLeft(decoded) ? decoded.left.reason.length : -1).toBeLessThanOrEqual(2_100)
        expect(Either.isLeft(decoded)).toBe(true)
      }
    }
  })
  const w0 = (field: Field): object => world(0).valid[field]
})
