/** C31: each switch of the carrier alone changes what is committed for a hostile proposal; the product's own carrier refuses all of them. */
import { describe, expect, it, vi } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { check, decode, type Grounds, rules } from "../../src/domain/Rules.ts"
import type { RunView } from "../../src/domain/Run.ts"
import { type Field, type State, stages } from "../../src/domain/State.ts"
import { inIsolation } from "../../src/programs/baselines/OneQuestion.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { type Bend, sent } from "../../src/programs/experiments/Bent.ts"
import {
  type CarrierName,
  carriage,
  carrierNames,
  carriers,
  carrying
} from "../../src/programs/experiments/Carriers.ts"
import { forgetful } from "../../src/programs/experiments/FaultCurves.ts"
import { read } from "../../src/programs/experiments/FreeForm.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { spoil } from "../support/Mutations.ts"
import { random } from "../support/Random.ts"
import { library, scope, shelf } from "../support/Shelf.ts"
import { type World, world } from "../support/Worlds.ts"

// a test is a score of whole runs
vi.setConfig({ testTimeout: 120_000 })

const question = "In which city was the drummer on the album Counterparts born?"
const withoutMemory: Policy = { ...forgetful(defaultPolicy), maxCycles: 1 }

const asked = (
  carrier: CarrierName | undefined,
  bend?: Bend,
  policy = withoutMemory
): Effect.Effect<Either.Either<RunView, string>, unknown> => {
  const run = Effect.flatMap(Controller.make, (controller) => controller.run({ question, scope, policy }))
  return (carrier === undefined ? run : Effect.provide(run, carrying(carriers[carrier], bend))).pipe(
    inIsolation,
    Effect.map(Either.right),
    Effect.catchTag("Incomplete", ({ cause }) =>
      Effect.succeed(Either.left(cause._tag === "ProposalRefused" ? cause.rule : cause._tag))
    ),
    Effect.provide(shelf(library))
  )
}

/** In the first cycle, this role says this instead. */
const says =
  (who: string, what: (honest: { readonly field: Field; readonly value: unknown }, state: State) => unknown): Bend =>
  (role, turn, said) =>
    role === who ? Effect.map(said, (honest) => sent<typeof honest>(what(honest, turn.state))) : said

const cycleOf = (ended: Either.Either<RunView, string>) => (Either.isRight(ended) ? ended.right.cycles[0] : undefined)

/** A proposal that one switch lets in, and how what was committed tells. */
const hostile: ReadonlyArray<{
  readonly name: string
  readonly lets: "typed" | "owned" | "validated"
  readonly rule: string
  readonly bend: Bend
  readonly landed: (ended: Either.Either<RunView, string>, honest: RunView) => boolean
}> = [
  {
    name: "a path in words",
    lets: "typed",
    rule: "FitsSchema",
    bend: says("Navigator", ({ field, value }) => ({ field, value: Array.isArray(value) ? value.join(" > ") : "" })),
    landed: (ended, honest) => {
      const path = cycleOf(ended)?.path
      return path !== undefined && JSON.stringify(path) === JSON.stringify(honest.cycles[0]?.path)
    }
  },
  {
    name: "evidence of the Verifier",
    lets: "owned",
    rule: "OwnsField",
    bend: says("Verifier", (_, { evidence }) => ({ field: "evidence", value: evidence.slice(1, 2) })),
    landed: (ended, honest) =>
      JSON.stringify(cycleOf(ended)?.evidence) === JSON.stringify(honest.cycles[0]?.evidence.slice(1, 2))
  },
  {
    name: "a text that nobody wrote",
    lets: "validated",
    rule: "IsVerbatim",
    bend: says("Retriever", ({ field, value }) => ({
      field,
      value: sent<ReadonlyArray<{ readonly text: string }>>(value).map((item) => ({
        ...item,
        text: item.text.replaceAll("e", "o")
      }))
    })),
    landed: (ended, honest) =>
      cycleOf(ended)?.evidence[0]?.text === honest.cycles[0]?.evidence[0]?.text.replaceAll("e", "o")
  }
]

describe("C31 the carrier as three switches", () => {
  it("has every combination once, under its name", () => {
    const shown = carrierNames.map((name) => JSON.stringify(carriers[name]))
    expect(new Set(shown).size).toBe(8)
    for (const name of carrierNames) {
      const { owned, typed, validated } = carriers[name]
      const off = [typed ? [] : "free", owned ? [] : "shared", validated ? [] : "unvalidated"].flat().join("-")
      expect(name).toBe(off === "" ? "contract" : `carrier-${off}`)
    }
  })

  it.effect("honest roles fare alike in all of them, as in the product", () =>
    Effect.gen(function* () {
      const product = Either.getOrThrow(yield* asked(undefined))
      expect(product.cycles).toHaveLength(1)
      for (const name of carrierNames) {
        const view = Either.getOrThrow(yield* asked(name))
        expect(view.cycles, name).toEqual(product.cycles)
        expect(view.reading, name).toEqual(product.reading)
      }
    })
  )

  for (const { bend, landed, lets, name: what, rule } of hostile)
    it.effect(`${what} lands where a carrier is not ${lets}, and nowhere else`, () =>
      Effect.gen(function* () {
        const honest = Either.getOrThrow(yield* asked(undefined))
        for (const name of carrierNames)
          expect(landed(yield* asked(name, bend), honest), name).toBe(!carriers[name][lets])
        expect(yield* asked("contract", bend)).toEqual(Either.left(rule))
      })
    )

  it.effect("what stands for another's field is judged by that field's rules, where there is validation", () =>
    Effect.gen(function* () {
      const forged: Bend = says("Verifier", (_, { evidence }) => ({
        field: "evidence",
        value: evidence.map((item) => ({ ...item, text: "Nobody wrote this." }))
      }))
      expect(yield* asked("carrier-shared", forged)).toEqual(Either.left("IsVerbatim"))
      const ended = yield* asked("carrier-shared-unvalidated", forged)
      expect(cycleOf(ended)?.evidence[0]?.text).toBe("Nobody wrote this.")
      // nobody has judged it since
      expect(cycleOf(ended)?.verification.verdict).toBe("Pending")
      expect(cycleOf(ended)?.action).toBe("Fallback")
    })
  )

  it.effect("the pool is no part of the carrier: what it is given to quote it checks itself (C24)", () =>
    Effect.gen(function* () {
      const [, , lie] = hostile
      expect(yield* asked("carrier-unvalidated", lie?.bend, { ...defaultPolicy, maxCycles: 1 })).toEqual(
        Either.left("RoleFailed")
      )
    })
  )

  it.effect("silence is ⊥ where somebody validates, and leaves the field as it was where nobody does", () =>
    Effect.gen(function* () {
      const silent = says("Retriever", () => null)
      for (const name of carrierNames) {
        const ended = yield* asked(name, silent)
        if (carriers[name].validated) expect(Either.isLeft(ended), name).toBe(true)
        else {
          const view = Either.getOrThrow(ended)
          expect(view.initial.length).toBeGreaterThan(0)
          expect(view.cycles[0]?.evidence, name).toEqual(view.initial)
        }
      }
    })
  )

  it.effect("with all switches on it is the product's carrier, proposal by proposal", () =>
    Effect.gen(function* () {
      const { carrier } = carriage(carriers.contract, yield* CorpusStore, yield* TamStore)
      let refused = 0
      const same = <F extends Field>(at: World, field: F, proposal: unknown, grounds: Grounds[F]) => {
        const mine = carrier.decode(field, proposal)
        const theirs = decode(field, proposal)
        expect(mine).toEqual(theirs)
        if (Either.isLeft(theirs) || Either.isLeft(mine)) return void refused++
        const objection = check(field, theirs.right, at.staged[field], grounds)
        expect(carrier.check(field, mine.right, at.staged[field], grounds)).toEqual(objection)
        if (Option.isSome(objection)) refused++
      }
      for (let seed = 0; seed < 40; seed++)
        for (const { field } of stages) {
          const at = world(seed)
          same(at, field, { field, value: at.valid[field] }, at.grounds[field])
          for (const rule of ["OwnsField", "FitsSchema", ...rules[field].map(({ name }) => name)]) {
            const mutant = spoil(field, rule, at, random(seed))
            if (mutant !== undefined) same(at, field, mutant.proposal, at.grounds[field])
          }
        }
      expect(refused).toBeGreaterThan(200)
    }).pipe(Effect.provide(shelf([])))
  )
})

describe("C31 a free-form field is read as well as it can be", () => {
  it("what fits is taken as it is", () => {
    for (let seed = 0; seed < 40; seed++) {
      const { valid } = world(seed)
      for (const { field } of stages) expect(read(field, valid[field])).toEqual(Option.some(valid[field]))
    }
  })
  it("words are read", () => {
    expect(Option.getOrThrow(read("path", "root > a → b"))).toEqual(["root", "a", "b"])
    expect(Option.getOrThrow(read("plan", "Look for Ada."))).toMatchObject({ objective: "Look for Ada.", missing: [] })
    expect(Option.getOrThrow(read("verification", "I think that this passes: PASS"))).toMatchObject({ verdict: "Pass" })
    expect(Option.getOrThrow(read("verification", { verdict: "fails" }))).toMatchObject({ verdict: "Fail" })
  })
  it("what was not said is filled in, what does not fit is left out", () => {
    const [item] = Option.getOrThrow(read("evidence", [{ text: "Ada wrote it.", title: "Ada", start: -1, page: 3 }, 7]))
    expect(item).toMatchObject({ text: "Ada wrote it.", title: "Ada", start: 0, end: 13, line: 1, document: "?" })
    expect(item).not.toHaveProperty("page")
  })
  it("what is nothing of the kind is not read", () => {
    for (const { field } of stages) expect(read(field, null)).toEqual(Option.none())
    expect(read("plan", ["root"])).toEqual(Option.none())
    expect(read("path", { objective: "Ada" })).toEqual(Option.none())
    expect(read("evidence", { verdict: "Pass" })).toEqual(Option.none())
    expect(read("verification", "it is unclear")).toEqual(Option.none())
  })
})
