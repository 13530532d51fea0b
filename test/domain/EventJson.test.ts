/** Events as the journal keeps them. */
import { createHash } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck } from "effect"
import { Event } from "../../src/domain/Event.ts"
import {
  attachEvent,
  decodeEvent,
  detachEvent,
  encodeEvent,
  progress,
  shownQuestion,
  unfit
} from "../../src/domain/EventJson.ts"
import { DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { cycle, ended, facts, nasty, runId, scopeKey, stamped, started } from "../support/Runs.ts"

const run = runId("run")
const sha = (text: string): string => createHash("sha256").update(text).digest("hex")

describe("C30, L2 events as JSON", () => {
  it("decode(encode(e)) is e, for every kind of event that is stored", () => {
    const seen = new Set<string>()
    FastCheck.assert(
      FastCheck.property(facts, (fact) => {
        seen.add(fact.tag)
        const [event] = stamped(run, 3, [fact])
        if (event === undefined) return false
        expect(Either.flatMap(encodeEvent(event), decodeEvent)).toEqual(Either.right(event))
      }),
      { numRuns: 600, seed: 31 }
    )
    const stored = Event.members.flatMap((member): ReadonlyArray<string> => member.fields.tag.literals)
    expect([...seen, "RunStarted", "AnswerDelta"].sort()).toEqual([...stored].sort())
    for (const question of nasty) {
      const first = started(run, scopeKey("s"), question)
      expect(Either.flatMap(encodeEvent(first), decodeEvent)).toEqual(Either.right(first))
    }
  })

  it("one line each, without what the schema does not name", () => {
    const [event] = stamped(run, 0, [{ tag: "BypassDeclined", reason: nasty.join("\n") }])
    if (event === undefined) throw new Error("there is one")
    const line = Either.getOrThrow(encodeEvent(Object.assign({ secret: "gold answer" }, event)))
    expect(line).not.toMatch(/\n|gold answer/)
  })

  it("what does not fit is said, not thrown and not written", () => {
    for (const wrong of [
      { tag: "ReaderAdmitted", items: -1 },
      { tag: "ActionSelected", action: "Retreat", reason: "" },
      { tag: "EvidenceInitialized", evidence: [{ passage: "p", score: Number.NaN }] },
      { tag: "Dreamt" }
    ])
      expect(Either.isLeft(encodeEvent({ ...started(run, scopeKey("s")), ...wrong } as Event))).toBe(true)
    for (const json of ["", "{", "null", "[]", `{"tag":"Dreamt"}`, 7, null, undefined])
      expect(Either.isLeft(decodeEvent(json))).toBe(true)
  })
})

describe("pain 21 evidence is kept apart from the events that quote it", () => {
  const item = {
    passage: PassageId.make("p"),
    document: DocumentId.make("d"),
    title: nasty.join(""),
    start: 3,
    end: 4,
    line: 2,
    text: nasty.join("\n"),
    score: 0.5,
    cycle: 0
  }
  const evidence = [item, { ...item, start: 2 }]
  const [initial, selected] = stamped(run, 1, [
    { tag: "EvidenceInitialized", evidence },
    { tag: "EvidenceSelected", branch: "Release", evidence: [{ ...item, score: 2, cycle: 1 }] }
  ])

  it("attach(detach(e)) is e, for every kind of event that is stored", () => {
    FastCheck.assert(
      FastCheck.property(facts, (fact) => {
        const [event] = stamped(run, 3, [fact])
        if (event === undefined) return false
        const { items, payload } = Either.getOrThrow(detachEvent(event, sha))
        expect(attachEvent(payload, items)).toEqual(Either.right(event))
        expect(attachEvent(Either.getOrThrow(encodeEvent(event)), new Map())).toEqual(Either.right(event))
      }),
      { numRuns: 300, seed: 32 }
    )
  })

  it("what two items say alike is one, whatever they score, and stands in no event", () => {
    if (initial === undefined || selected === undefined) throw new Error("there are two")
    const [first, second] = [initial, selected].map((event) => Either.getOrThrow(detachEvent(event, sha)))
    expect(first?.items.size).toBe(2)
    expect([...(second?.items.keys() ?? [])]).toEqual([[...(first?.items.keys() ?? [])][0]])
    for (const { items, payload } of [first, second].flatMap((one) => one ?? [])) {
      expect(payload).not.toMatch(/TABLE|emoji/)
      expect([...items.values()].every((said) => said.includes("TABLE"))).toBe(true)
    }
    expect(attachEvent(second?.payload, first?.items ?? new Map())).toEqual(Either.right(selected))
  })

  it("an item that is lost or damaged is said", () => {
    if (initial === undefined) throw new Error("there is one")
    const { items, payload } = Either.getOrThrow(detachEvent(initial, sha))
    const [key = ""] = items.keys()
    for (const wrong of [undefined, "{", "[]", "null"]) {
      const held = new Map(items)
      held.delete(key)
      if (wrong !== undefined) held.set(key, wrong)
      const read = attachEvent(payload, held)
      expect(Either.isLeft(read)).toBe(true)
      if (wrong !== "[]") expect(read).toEqual(Either.left(expect.stringContaining(key)))
    }
  })
})

describe("C30 what may follow", () => {
  const events = [started(run, scopeKey("s")), ...stamped(run, 1, [...cycle, ...cycle, ended("Release")])]
  it("any cut of a journal follows what stands before it, and nothing else", () => {
    for (let cut = 0; cut <= events.length; cut++)
      for (let held = 0; held <= events.length; held++) {
        const rest = events.slice(cut)
        expect(unfit(run, held, rest) === undefined).toBe(held === cut || rest.length === 0)
      }
  })
  it("counts cycles by their actions, and takes the outcome from the end", () => {
    expect(progress(events)).toEqual({ cycles: 2, outcome: "Release" })
    expect(progress(events.slice(0, 4))).toEqual({ cycles: 1, outcome: undefined })
    expect(progress([])).toEqual({ cycles: 0, outcome: undefined })
  })
  it("a question is shown whole but for halves of surrogate pairs", () => {
    expect(shownQuestion("a\ud800b 👩 \udc00")).toBe("a\ufffdb 👩 \ufffd")
  })
})
