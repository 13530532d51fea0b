/** L3, C20: E* is a pure function of branch, policy and committed cycles. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { spanKey } from "../../src/domain/Corpus.ts"
import { type Evidence, type EvidenceItem, mostItems } from "../../src/domain/Evidence.ts"
import { DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { merge, mergeOrder, terminalEvidence } from "../../src/domain/TerminalEvidence.ts"
import { random } from "../support/Random.ts"
import { slice, world } from "../support/Worlds.ts"

const orders = ["oldestFirst", "newestFirst", "roundRobin", "score", "document"] as const
/** A token count that is no sum over parts, as no real one is. */
const tokens = (text: string): number => Math.ceil(text.length / 3) + (text.includes("\n") ? 1 : 0)

interface Case {
  readonly seed: number
  readonly cycles: ReadonlyArray<Evidence>
  readonly budget: number
}
/** One to four cycles over one small world, so that spans repeat and overlap. */
const cases: FastCheck.Arbitrary<Case> = FastCheck.integer({ min: 0, max: 9_999 }).map((seed) => {
  const r = random(seed)
  const { passages } = world(seed % 300)
  const some = [...passages.values()].slice(0, 2)
  const cycles = Array.from({ length: 1 + r.int(4) }, (_, c) => {
    const items = Array.from({ length: r.int(5) }, () => ({ ...slice(r, r.pick(some), c + 1), score: r.int(4) / 4 }))
    return [...new Map(items.map((item) => [spanKey(item), item])).values()]
  })
  return { seed, cycles, budget: r.pick([0, 3, 10, 25, 60, 2_048]) }
})
const runs = { numRuns: 1_500, seed: 51 }
const source = (seed: number, item: EvidenceItem): string =>
  world(seed % 300)
    .documents.find(({ id }) => id === item.document)
    ?.text.slice(item.start, item.end) ?? ""
const overlap = (a: EvidenceItem, b: EvidenceItem) => a.document === b.document && a.start < b.end && b.start < a.end
const cost = (items: Evidence) => items.reduce((sum, item) => sum + tokens(item.text), 0)
const covered = (items: Evidence): ReadonlySet<string> =>
  new Set(
    items.flatMap((item) =>
      Array.from({ length: item.end - item.start }, (_, i) => `${item.start + i}@${item.document}`)
    )
  )

describe("L3 merge", () => {
  it("never exceeds the budget, keeps whole items, each span once, overlaps joined, all equal to the source", () => {
    const seen = { cut: 0, joined: 0, repeated: 0 }
    FastCheck.assert(
      FastCheck.property(cases, ({ budget, cycles, seed }) => {
        const offered = cycles.flat()
        const merged = merge(offered, budget, tokens)
        expect(cost(merged)).toBeLessThanOrEqual(budget)
        for (const [i, item] of merged.entries()) {
          expect(item.text).toBe(source(seed, item))
          expect(offered.some((other) => other.document === item.document && other.start === item.start)).toBe(true)
          expect(offered.some((other) => other.document === item.document && other.end === item.end)).toBe(true)
          for (const other of merged.slice(i + 1)) expect(overlap(item, other)).toBe(false)
        }
        if (merged.length < offered.length && cost(offered) > budget) seen.cut++
        if (merged.some((item) => !offered.some((other) => spanKey(other) === spanKey(item)))) seen.joined++
        if (new Set(offered.map(spanKey)).size < offered.length) seen.repeated++
      }),
      runs
    )
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(100)
  })

  it("keeps exactly the longest prefix of what is offered that fits", () => {
    let cut = 0
    FastCheck.assert(
      FastCheck.property(cases, ({ budget, cycles }) => {
        const offered = cycles.flat()
        const merged = merge(offered, budget, tokens)
        // without a budget, each prefix merges to what it covers; the first that costs too much is where the cut falls
        const fits = (n: number) => cost(merge(offered.slice(0, n), Number.MAX_SAFE_INTEGER, tokens)) <= budget
        let n = 0
        while (n < offered.length && fits(n + 1)) n++
        if (n < offered.length) cut++
        expect(merged).toEqual(merge(offered.slice(0, n), Number.MAX_SAFE_INTEGER, tokens))
        expect(covered(merged)).toEqual(covered(offered.slice(0, n)))
      }),
      runs
    )
    expect(cut).toBeGreaterThan(200)
  })

  it("a larger budget keeps what a smaller one kept", () => {
    FastCheck.assert(
      FastCheck.property(cases, ({ budget, cycles }) => {
        const offered = cycles.flat()
        const more = covered(merge(offered, budget + 20, tokens))
        return [...covered(merge(offered, budget, tokens))].every((place) => more.has(place))
      }),
      runs
    )
  })

  it("a joined item has the better score, the older cycle and the place of the earlier one", () => {
    const passage = { passage: PassageId.make("p"), document: DocumentId.make("d"), title: "T" }
    const a = { ...passage, start: 4, end: 9, line: 2, text: "45678", score: 0.25, cycle: 2 }
    const b = { ...passage, start: 0, end: 6, line: 1, text: "012345", score: 0.75, cycle: 1 }
    const c = { ...passage, start: 9, end: 11, line: 3, text: "9x", score: 0.5, cycle: 1 }
    const joined = { ...passage, start: 0, end: 9, line: 1, text: "012345678", score: 0.75, cycle: 1 }
    expect(merge([a, b], 100, tokens)).toEqual([joined])
    expect(merge([b, a], 100, tokens)).toEqual([joined])
    expect(merge([a, c, b], 100, tokens)).toEqual([joined, c]) // what only touches is not joined
    const bridge = { ...passage, start: 8, end: 10, line: 2, text: "89", score: 0, cycle: 3 }
    const whole = { ...joined, end: 11, text: "0123456789x" }
    expect(merge([b, c, { ...a, text: "45678" }, bridge], 100, tokens)).toEqual([whole])
    expect(merge([{ ...a, start: 0, text: "012345678" }, b], 100, tokens)).toEqual([{ ...joined, line: 2 }])
  })
})

describe("C20 more items than evidence can hold", () => {
  it("are cut at whole items; what is joined takes no place of its own", () => {
    const whole = Array.from(
      { length: mostItems + 40 },
      (_, i): EvidenceItem => ({
        passage: PassageId.make(`p${i}`),
        document: DocumentId.make("d"),
        title: "d",
        start: i * 10,
        end: i * 10 + 5,
        line: 1,
        text: "words",
        score: 1,
        cycle: 1
      })
    )
    expect(merge(whole, 1_000_000, tokens)).toEqual(whole.slice(0, mostItems))
    const [first] = whole
    if (first === undefined) throw new Error("there are items")
    const longer = { ...first, end: first.end + 2, text: "words w" }
    expect(merge([...whole.slice(0, mostItems), longer], 1_000_000, tokens)).toHaveLength(mostItems)
    expect(merge([...whole.slice(0, mostItems), longer], 1_000_000, tokens)[0]?.text).toBe("words w")
  })
})

describe("C20 the order in which cycles are offered", () => {
  it("each order, and no item lost or made", () => {
    FastCheck.assert(
      FastCheck.property(cases, ({ cycles }) => {
        const key = (item: EvidenceItem) => `${item.cycle} ${spanKey(item)}`
        const all = cycles.flat().map(key).sort()
        for (const order of orders) expect(mergeOrder(order, cycles).map(key).sort()).toEqual(all)
        const adjacent = (order: Policy["mergeOrder"], right: (a: EvidenceItem, b: EvidenceItem) => boolean) => {
          const offered = mergeOrder(order, cycles)
          for (const [i, b] of offered.slice(1).entries()) {
            const a = offered[i]
            if (a !== undefined) expect(right(a, b), `${order} at ${i}`).toBe(true)
          }
        }
        adjacent("oldestFirst", (a, b) => a.cycle < b.cycle || (a.cycle === b.cycle && a.score >= b.score))
        adjacent("newestFirst", (a, b) => a.cycle > b.cycle || (a.cycle === b.cycle && a.score >= b.score))
        adjacent("score", (a, b) => a.score >= b.score)
        adjacent("document", (a, b) => a.document < b.document || (a.document === b.document && a.start <= b.start))
        const firsts = mergeOrder("roundRobin", cycles).slice(0, cycles.filter((cycle) => cycle.length > 0).length)
        expect(new Set(firsts.map((item) => item.cycle)).size).toBe(firsts.length)
      }),
      { numRuns: 400, seed: 52 }
    )
  })

  it("does not depend on the order of the items within a cycle", () => {
    let ties = 0
    FastCheck.assert(
      FastCheck.property(cases, ({ budget, cycles, seed }) => {
        const r = random(seed)
        const shuffled = cycles.map((cycle) => r.shuffled(cycle))
        if (cycles.some((cycle) => new Set(cycle.map((item) => item.score)).size < cycle.length)) ties++
        for (const mergeOrderName of orders) {
          const policy: Policy = { ...defaultPolicy, mergeOrder: mergeOrderName, evidenceTokens: Math.max(1, budget) }
          const star = (from: ReadonlyArray<Evidence>) =>
            terminalEvidence({ branch: "Fallback", bypass: [], cycles: from }, policy, tokens)
          expect(star(shuffled)).toEqual(star(cycles))
        }
      }),
      { numRuns: 500, seed: 53 }
    )
    expect(ties).toBeGreaterThan(100)
  })
})

describe("C20 equation (7)", () => {
  it("Bypass and Release hand over what was selected, untouched; Fallback merges every cycle", () => {
    FastCheck.assert(
      FastCheck.property(cases, cases, ({ budget, cycles }, { cycles: others }) => {
        const bypass = others[0] ?? []
        const policy: Policy = { ...defaultPolicy, evidenceTokens: Math.max(1, budget) }
        const star = (branch: "Bypass" | "Release" | "Fallback") =>
          terminalEvidence({ branch, bypass, cycles }, policy, tokens)
        expect(star("Bypass")).toBe(bypass)
        expect(star("Release")).toBe(cycles[cycles.length - 1])
        expect(star("Fallback")).toEqual(merge(mergeOrder("roundRobin", cycles), policy.evidenceTokens, tokens))
        // the same arguments give the same evidence, and are left alone
        expect(star("Fallback")).toEqual(star("Fallback"))
      }),
      { numRuns: 400, seed: 54 }
    )
  })

  it("what no cycle committed is never handed over", () => {
    expect(terminalEvidence({ branch: "Release", bypass: [], cycles: [] }, defaultPolicy, tokens)).toEqual([])
    expect(terminalEvidence({ branch: "Fallback", bypass: [], cycles: [] }, defaultPolicy, tokens)).toEqual([])
  })

  it("the union extension offers the terminal cycle first, then the ones before it", () => {
    FastCheck.assert(
      FastCheck.property(cases, ({ cycles }) => {
        const policy: Policy = { ...defaultPolicy, releaseEvidence: "union", evidenceTokens: 100_000 }
        const union = terminalEvidence({ branch: "Release", bypass: [], cycles }, policy, tokens)
        expect(covered(union)).toEqual(covered(cycles.flat()))
        const tight: Policy = { ...policy, evidenceTokens: Math.max(1, cost(cycles[cycles.length - 1] ?? [])) }
        const kept = covered(terminalEvidence({ branch: "Release", bypass: [], cycles }, tight, tokens))
        const last = cycles[cycles.length - 1] ?? []
        const apart = last.every((a, i) => last.slice(i + 1).every((b) => !overlap(a, b)))
        if (apart) for (const place of covered(last)) expect(kept.has(place)).toBe(true)
      }),
      { numRuns: 400, seed: 55 }
    )
  })
})
