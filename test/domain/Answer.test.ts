/** L3: citations ⊆ E*. A wrong citation, or a marker of something that was never given, does not reach the caller. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { type Citation, type Reading, supportedCitations, withoutUnsupported } from "../../src/domain/Answer.ts"
import { lineAt } from "../../src/domain/Corpus.ts"
import type { EvidenceItem } from "../../src/domain/Evidence.ts"
import { DocumentId } from "../../src/domain/Ids.ts"
import { type Random, random } from "../support/Random.ts"
import { cuts, world } from "../support/Worlds.ts"

const quote = (r: Random, item: EvidenceItem, marker: number): Citation => {
  const places = cuts(item.text)
  const from = r.int(places.length - 1)
  const start = places[from] ?? 0
  const end = places[from + 1 + r.int(places.length - 1 - from)] ?? item.text.length
  return {
    marker,
    document: item.document,
    start: item.start + start,
    end: item.start + end,
    line: item.line + lineAt(item.text, start) - 1,
    text: item.text.slice(start, end)
  }
}
const wrong = (r: Random, it: Citation, item: EvidenceItem): Citation =>
  r.pick([
    { ...it, text: `${it.text}.` },
    { ...it, document: DocumentId.make("docs/none.md") },
    { ...it, line: it.line + 1 },
    { ...it, end: it.start, text: "" },
    { ...it, end: item.end + 1, text: `${item.text.slice(it.start - item.start)}x` },
    { ...it, start: it.start + 1 }
  ])

interface Case {
  readonly evidence: ReadonlyArray<EvidenceItem>
  readonly reading: Reading
  readonly good: ReadonlyArray<Citation>
  readonly bad: ReadonlyArray<Citation>
}
const cases: FastCheck.Arbitrary<Case> = FastCheck.integer({ min: 0, max: 9_999 }).map((seed) => {
  const r = random(seed)
  const { evidence } = world(seed % 500).valid
  const citations = Array.from({ length: 1 + r.int(5) }, (_, i) => {
    const item = r.pick(evidence)
    const it = quote(r, item, i + 10)
    return r.chance(0.5) ? { it, good: true } : { it: wrong(r, it, item), good: false }
  })
  const markers = citations.map(({ it }) => `[${it.marker}]`)
  const text = `It is so ${markers.join(" and ")}, as ${markers[0]} says [99].`
  const of = (good: boolean) => citations.filter((one) => one.good === good).map(({ it }) => it)
  return { evidence, reading: { text, citations: citations.map(({ it }) => it) }, good: of(true), bad: of(false) }
})

describe("L3 only what the evidence bears out is cited", () => {
  it("a citation with a wrong place, document, line or text is told apart from a right one", () => {
    const seen = { good: 0, bad: 0 }
    FastCheck.assert(
      FastCheck.property(cases, ({ bad, evidence, good, reading }) => {
        seen.good += good.length
        seen.bad += bad.length
        expect(supportedCitations(reading, evidence)).toEqual({ supported: good, unsupported: bad })
      }),
      { numRuns: 600, seed: 61 }
    )
    expect(seen.good).toBeGreaterThan(300)
    expect(seen.bad).toBeGreaterThan(300)
  })

  it("what is not borne out is gone from the citations and from the text", () => {
    FastCheck.assert(
      FastCheck.property(cases, ({ bad, evidence, good, reading }) => {
        const kept = withoutUnsupported(reading, evidence)
        expect(kept.citations).toEqual(good)
        for (const { marker } of good) expect(kept.text).toContain(`[${marker}]`)
        for (const { marker } of bad) expect(kept.text).not.toContain(`[${marker}]`)
        expect(kept.text).not.toContain("[99]") // cited by nobody
        expect(kept.text).toMatch(/^It is so/)
        expect(withoutUnsupported(kept, evidence)).toEqual(kept)
      }),
      { numRuns: 600, seed: 62 }
    )
  })

  it("brackets that the evidence itself has are no markers", () => {
    const { evidence } = world(0).valid
    const [item] = evidence
    if (item === undefined) throw new Error("the world has evidence")
    const code = { ...item, text: "set x[0] = y[12]", end: item.start + 16 }
    expect(withoutUnsupported({ text: "x[0] is y[12] [3]", citations: [] }, [code]).text).toBe("x[0] is y[12]")
  })

  it("no answer stays no answer, and nothing can be cited from no evidence", () => {
    const none = withoutUnsupported({ text: null, citations: [] }, [])
    expect(none).toEqual({ text: null, citations: [] })
    FastCheck.assert(
      FastCheck.property(cases, ({ reading }) => supportedCitations(reading, []).supported.length === 0),
      { numRuns: 50, seed: 63 }
    )
  })
})
