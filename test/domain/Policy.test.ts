/** The policies: their defaults, and what `--set NAME=VALUE` makes of text. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck, Schema } from "effect"
import { defaultPolicy, Policy, policyNames, setPolicy, settled } from "../../src/domain/Policy.ts"

const set = (name: string, value: string) => setPolicy(defaultPolicy, name, value)
const said = (name: string, value: string): string =>
  Either.match(set(name, value), { onLeft: (error) => error.message, onRight: () => "accepted" })

describe("the defaults", () => {
  it("are the papers' system: three cycles, 2,048 tokens, both extensions off", () => {
    expect(defaultPolicy).toMatchObject({
      maxCycles: 3,
      evidenceTokens: 2048,
      compactEvidence: "rule",
      navigator: "indexed",
      regionWidth: 16,
      mergeOrder: "roundRobin",
      regionIncludesInitial: false,
      releaseEvidence: "last",
      repairAttempts: 1,
      readerIterations: 1,
      budget: { tokens: null, calls: null, money: null, time: null }
    })
  })

  it("each policy encodes and decodes", () => {
    const encode = Schema.encodeSync(Policy)
    const decode = Schema.decodeUnknownSync(Policy, { onExcessProperty: "error" })
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(Policy)), (policy) => {
        expect(decode(JSON.parse(JSON.stringify(encode(policy))))).toEqual(policy)
      }),
      { numRuns: 300, seed: 71 }
    )
  })
})

describe("a policy is set by its name", () => {
  it.each([
    ["maxCycles", "2", { maxCycles: 2 }],
    ["itemsPerCycle", "5, 2,1", { itemsPerCycle: [5, 2, 1] }],
    ["itemsPerCycle", "4", { itemsPerCycle: [4] }],
    ["compactEvidence", "off", { compactEvidence: "off" }],
    ["compactEvidence", "300", { compactEvidence: 300 }],
    ["regionIncludesInitial", "true", { regionIncludesInitial: true }],
    ["mergeOrder", "roundRobin", { mergeOrder: "roundRobin" }],
    ["budget.tokens", "5000", { budget: { ...defaultPolicy.budget, tokens: 5000 } }],
    ["budget.money", "0.25", { budget: { ...defaultPolicy.budget, money: 0.25 } }],
    ["budget.time", "none", { budget: { ...defaultPolicy.budget, time: null } }]
  ] as const)("%s=%s", (name, value, change) => {
    expect(set(name, value)).toEqual(Either.right({ ...defaultPolicy, ...change }))
  })

  it("nested ones too, and the others keep their value", () => {
    const next = Either.getOrThrow(set("persistence.Bridge.days", "30"))
    expect(next.persistence).toEqual({
      ...defaultPolicy.persistence,
      Bridge: { ...defaultPolicy.persistence.Bridge, days: 30 }
    })
  })

  it("every policy takes its own default back", () => {
    for (const name of policyNames) {
      const value: unknown = Reflect.get(defaultPolicy, name)
      if (typeof value === "object" && !Array.isArray(value)) continue
      expect(set(name, String(value)), name).toEqual(Either.right(defaultPolicy))
    }
  })
})

describe("an unknown name is an error that names the nearest", () => {
  it.each([
    ["maxCycle", "maxCycles"],
    ["MAXCYCLES", "maxCycles"],
    ["evidenceToken", "evidenceTokens"],
    ["mergeorder", "mergeOrder"],
    ["budget.token", "budget.tokens"],
    ["regionwidht", "regionWidth"]
  ])("%s: %s", (typed, meant) => {
    expect(said(typed, "1")).toContain(`Did you mean ${meant}?`)
  })

  it.each([
    "",
    ".",
    "budget.",
    "maxCycles.x",
    "__proto__",
    "constructor",
    "budget.__proto__",
    "toString",
    "budget.tokens.x"
  ])("%j sets nothing", (name) => {
    expect(said(name, "1")).toContain(`there is no policy ${name}.`)
  })
})

describe("a value that does not fit is an error that says so", () => {
  it.each([
    ["maxCycles", "0"],
    ["maxCycles", "-1"],
    ["maxCycles", "1.5"],
    ["maxCycles", "many"],
    ["maxCycles", ""],
    ["maxCycles", "none"],
    ["maxCycles", "99999999999999999999"],
    ["itemsPerCycle", ""],
    ["itemsPerCycle", "5,,1"],
    ["itemsPerCycle", "5,x"],
    ["mergeOrder", "newest"],
    ["regionIncludesInitial", "yes"],
    ["readerIterations", "2"],
    ["budget", "5000"],
    ["budget.tokens", "0"],
    ["persistence.Bridge.scope", "everywhere"]
  ])("%s=%s", (name, value) => {
    expect(said(name, value)).toContain("does not fit")
  })

  it("any name and any text: a policy or a typed error, never a throw", () => {
    const seen = { set: 0, refused: 0 }
    const names = FastCheck.oneof(FastCheck.constantFrom(...policyNames, "budget.calls"), FastCheck.string())
    const texts = FastCheck.oneof(
      FastCheck.string(),
      FastCheck.integer().map(String),
      FastCheck.constantFrom("true", "off")
    )
    FastCheck.assert(
      FastCheck.property(names, texts, (name, text) => {
        const result = set(name, text)
        seen[Either.isRight(result) ? "set" : "refused"]++
        if (Either.isLeft(result)) expect(result.left._tag).toBe("PolicyError")
        else expect(Schema.is(Schema.typeSchema(Policy))(result.right)).toBe(true)
      }),
      { numRuns: 1_000, seed: 72 }
    )
    expect(seen.set).toBeGreaterThan(50)
    expect(seen.refused).toBeGreaterThan(300)
  })
})

describe("names that every object answers to are no policies", () => {
  it.each([
    "__proto__",
    "constructor",
    "toString",
    "budget.__proto__",
    "budget.constructor.name",
    "itemsPerCycle.length",
    "",
    "."
  ])("%s", (name) => {
    expect(said(name, "1")).not.toBe("accepted")
    expect(Object.prototype).not.toHaveProperty("maxCycles")
  })
})

describe("C16 what no run can keep is refused before it", () => {
  it.each([
    ["maxCycles", "1000", true],
    ["maxCycles", "1001", false],
    ["maxCycles", "0", false],
    ["itemsPerCycle", "128", true],
    ["itemsPerCycle", "5,129", false],
    ["evidenceTokens", "1", true],
    ["evidenceTokens", "0", false],
    ["budget.time", "0", false],
    ["repairAttempts", "-1", false]
  ])("%s=%s", (name, value, accepted) => {
    expect(Either.isRight(set(name, value))).toBe(accepted)
  })
})

describe("C2 a policy as a run holds it", () => {
  const frozen = (value: unknown): boolean =>
    typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen))

  it("is frozen throughout, and so are the defaults", () => {
    expect(frozen(defaultPolicy)).toBe(true)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Schema.typeSchema(Policy)), (policy) => {
        const held = Either.getOrThrow(settled(policy))
        expect(held).toEqual(policy)
        expect(held).not.toBe(policy)
        return frozen(held)
      }),
      { numRuns: 100, seed: 72 }
    )
  })
  it("says its settings in one order, whoever wrote them down: equal policies have one hash", () => {
    const backwards = Object.fromEntries(Object.entries(defaultPolicy).reverse()) as Policy
    expect(JSON.stringify(Either.getOrThrow(settled(backwards)))).toBe(JSON.stringify(defaultPolicy))
  })
  it("is an error that says what does not fit", () => {
    const wrong = { ...defaultPolicy, evidenceTokens: Number.NaN }
    expect(Either.getOrThrow(Either.flip(settled(wrong))).message).toMatch(/^policy: (.|\n)*evidenceTokens/)
  })
})
