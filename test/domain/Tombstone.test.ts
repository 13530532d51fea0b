/** C34 on journals of every ending: what is forgotten is gone, the rest is as it was, and everything folds. */
import { describe, expect, it } from "@effect/vitest"
import { Either } from "effect"
import type { Event } from "../../src/domain/Event.ts"
import { decodeEvent, encodeEvent } from "../../src/domain/EventJson.ts"
import type { DocumentId, PassageId, SlotName } from "../../src/domain/Ids.ts"
import { statesOf } from "../../src/domain/Report.ts"
import { fold } from "../../src/domain/Run.ts"
import { bury, type Forgotten, isForgotten, shingles, speaksOf, tombstone } from "../../src/domain/Tombstone.ts"
import { journal } from "../support/Journals.ts"
import { random } from "../support/Random.ts"

const nothing: Forgotten = { documents: new Set(), passages: new Set(), distinctive: new Set() }
const itemsOf = (seed: number) => journal(seed).events.flatMap((event) => ("evidence" in event ? event.evidence : []))

describe("C34, L2 tombstones", () => {
  it("300 journals: they fold to the same phases and as many states, hold nothing of it, and what else there was", () => {
    let buried = 0
    for (let seed = 0; seed < 300; seed++) {
      const { events } = journal(seed)
      const r = random(seed)
      const all: ReadonlyArray<DocumentId> = [...new Set(itemsOf(seed).map(({ document }) => document))].sort()
      const documents = new Set(all.filter(() => r.chance(0.4)))
      const passages = new Set(itemsOf(seed).flatMap((item) => (documents.has(item.document) ? [item.passage] : [])))
      const forgotten = { ...nothing, documents, passages }
      const after = bury(events, forgotten)
      expect(after.map(({ sequence, tag }) => [sequence, tag])).toEqual(
        events.map(({ sequence, tag }) => [sequence, tag])
      )
      const [view, old] = [Either.getOrThrow(fold(after)), Either.getOrThrow(fold(events))]
      expect([view.phase, view.outcome, view.branch, view.cycles.length]).toEqual([
        old.phase,
        old.outcome,
        old.branch,
        old.cycles.length
      ])
      expect(Either.getOrThrow(statesOf(after)).length).toBe(Either.getOrThrow(statesOf(events)).length)
      for (const [i, event] of after.entries()) {
        expect(Either.getOrThrow(Either.flatMap(encodeEvent(event), decodeEvent))).toEqual(event)
        const before = events[i]
        if (!("evidence" in event) || before === undefined || !("evidence" in before)) continue
        expect(event.evidence.length).toBe(before.evidence.length)
        for (const [n, item] of event.evidence.entries()) {
          const was = before.evidence[n]
          if (was === undefined) throw new Error("as many items as before")
          if (documents.has(was.document) || passages.has(was.passage)) {
            expect(item).toEqual({
              passage: tombstone,
              document: tombstone,
              title: tombstone,
              start: 0,
              end: 0,
              line: 1,
              text: tombstone,
              score: was.score,
              cycle: was.cycle
            })
            buried++
          } else expect(item).toBe(was)
        }
      }
      const json = JSON.stringify(after)
      for (const passage of passages) expect(json).not.toContain(JSON.stringify(passage))
      // once more changes nothing
      expect(bury(after, forgotten)).toBe(after)
      expect(bury(events, nothing)).toBe(events)
    }
    expect(buried).toBeGreaterThan(200)
  })

  it("what was made of it goes by its words, wherever it stands; the question's own words stay", () => {
    const forgotten: Forgotten = { ...nothing, distinctive: new Set(shingles("the zanzibarian clockmaker of Kelm")) }
    expect(speaksOf(forgotten, "A Zanzibarian thing")).toBe(true)
    expect(speaksOf(forgotten, "a thing of the sea")).toBe(false)
    expect(speaksOf(forgotten, "of the")).toBe(false)
    const { events } = journal(3)
    const [first, ...rest] = events
    if (first?.tag !== "RunStarted") throw new Error("a journal starts with RunStarted")
    const asked = [
      { ...first, question: "Who is the clockmaker?" },
      ...rest.map((event) => (event.tag === "BypassDeclined" ? { ...event, reason: "no clockmaker is near" } : event))
    ]
    const told = [first, ...asked.slice(1)]
    const reason = (of: ReturnType<typeof bury>) =>
      of.flatMap((event) => (event.tag === "BypassDeclined" ? [event.reason] : []))
    expect(reason(told).length).toBe(1)
    expect(reason(bury(told, forgotten))).toEqual([tombstone])
    expect(reason(bury(asked, forgotten))).toEqual(["no clockmaker is near"])
    expect(bury(asked, forgotten)[0]).toBe(asked[0])
    expect(isForgotten({ document: tombstone as DocumentId })).toBe(true)
    // a text that the journal has cut off may end within a word
    const cut = (length: number) => [
      first,
      ...rest.map((event) =>
        event.tag === "BypassDeclined" ? { ...event, reason: `${"-".repeat(length - 7)} zanzib` } : event
      )
    ]
    expect(reason(bury(cut(160), forgotten))).toEqual([tombstone])
    expect(reason(bury(cut(150), forgotten))).not.toEqual([tombstone])
  })

  it("a plain word that the run took from it goes where the run says it, and stays in other documents", () => {
    const seeds = Array.from({ length: 300 }, (_, seed) => seed)
    const seed = seeds.find((n) => {
      const { events } = journal(n)
      return (
        events.some(({ tag }) => tag === "VerificationCommitted") && events.some(({ tag }) => tag === "PlanCommitted")
      )
    })
    const { events } = journal(seed ?? 0)
    const document = "d-forgotten" as DocumentId
    const binding = { slot: "year" as SlotName, span: { document, start: 0, end: 4 }, text: "1871" }
    const told = events.map((event): Event => {
      if (event.tag === "PlanCommitted") return { ...event, plan: { ...event.plan, known: [binding] } }
      if (event.tag !== "VerificationCommitted") return event
      const justification = { ...event.verification.justification, text: "born in 1871, it says", supported: [] }
      return { ...event, verification: { ...event.verification, justification } }
    })
    const after = bury(told, { ...nothing, documents: new Set([document]) })
    for (const event of after) {
      if (event.tag === "PlanCommitted")
        expect(event.plan.known).toEqual([
          { slot: "year", span: { document: tombstone, start: 0, end: 0 }, text: tombstone }
        ])
      if (event.tag === "VerificationCommitted") expect(event.verification.justification.text).toBe(tombstone)
    }
    const others = bury(told, { ...nothing, documents: new Set(["another" as DocumentId]) })
    expect(others).toBe(told)
  })

  it("what a Verifier quotes of it goes, with the words that it took; what is quoted of others stays", () => {
    const seed = Array.from({ length: 300 }, (_, n) => n).find((n) =>
      journal(n).events.some(({ tag }) => tag === "VerificationCommitted")
    )
    const [document, other] = ["d-forgotten" as DocumentId, "d-kept" as DocumentId]
    const quoted = (of: DocumentId, passage: string, text: string) => ({
      slot: "year" as SlotName,
      passage: passage as PassageId,
      span: { document: of, start: 0, end: text.length },
      text
    })
    const supported = [quoted(document, "p-forgotten", "1871"), quoted(other, "p-kept", "a clock")]
    const told = journal(seed ?? 0).events.map((event): Event => {
      if (event.tag !== "VerificationCommitted") return event
      const justification = { text: "it was 1871", missing: [], supported }
      return { ...event, verification: { ...event.verification, justification } }
    })
    const after = bury(told, { ...nothing, documents: new Set([document]) })
    for (const event of after)
      if (event.tag === "VerificationCommitted")
        expect(event.verification.justification).toEqual({
          text: tombstone,
          missing: [],
          supported: [
            { slot: "year", passage: tombstone, span: { document: tombstone, start: 0, end: 0 }, text: tombstone },
            supported[1]
          ]
        })
    expect(bury(told, { ...nothing, documents: new Set(["another" as DocumentId]) })).toBe(told)
  })
})
