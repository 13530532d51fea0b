/** C10, C11, C14, C15, C21: the roles on a model under the whole contract; whatever it says, what is committed passes every rule. */
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Exit, Layer, Stream } from "effect"
import type { Incomplete } from "../../src/domain/Errors.ts"
import type { Event } from "../../src/domain/Event.ts"
import type { Evidence } from "../../src/domain/Evidence.ts"
import { DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { ModelFault, modelAdvice } from "../../src/domain/ModelError.ts"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import type { Policy } from "../../src/domain/Policy.ts"
import { type Said, type Scripted, scripted, layer as scriptedModel } from "../../src/layers/model/Scripted.ts"
import { readingOf } from "../../src/layers/roles/model/ReaderModel.ts"
import * as Ask from "../../src/programs/Ask.ts"
import { ModelRoles, RoleContract } from "../../src/testing.ts"
import { latest, people, policy, questions, scope, seen, sensible, world } from "../support/ModelWorld.ts"

const [person] = people
if (person === undefined) throw new Error("there are people")
const question = `Where was the director of ${person.film} born?`

/** One question, and everything that it left. */
const asked = (model: Scripted, changes: Partial<Policy> = {}, put = question) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Ask.ask(put, { scope, policy: { ...policy, ...changes } }))
    return { exit, events: yield* latest, requests: model.asked() }
  }).pipe(Effect.provide(world(model)))
type Asked = Effect.Effect.Success<ReturnType<typeof asked>>

const failure = ({ exit }: Asked): Incomplete | undefined => {
  const found = Exit.isFailure(exit) ? exit.cause : undefined
  return found !== undefined && found._tag === "Fail" && found.error._tag === "Incomplete" ? found.error : undefined
}
const of = <T extends Event["tag"]>(events: ReadonlyArray<Event>, tag: T) =>
  events.filter((event): event is Extract<Event, { readonly tag: T }> => event.tag === tag)
const isFirst = ({ messages }: ModelRequest) => messages.length === 1

/** The honest model, one role of which says something else: always, or the first time alone. */
const saying = (role: string, change: (said: ReturnType<typeof JSON.parse>) => unknown, once = false) =>
  scripted((request): Said => {
    const text = sensible(request)
    if (request.role !== role || (once && !isFirst(request))) return text
    return JSON.stringify(change(JSON.parse(text)))
  })

describe("C10 roles on a model keep the contract", () => {
  it.live("as the contract's own check finds, whichever roles are on it", () =>
    Effect.gen(function* () {
      const model = scripted(sensible)
      const everything = Layer.mergeAll(ModelRoles.navigator(), ModelRoles.retriever()).pipe(
        Layer.provide(scriptedModel(model)),
        Layer.provideMerge(world(model))
      )
      for (const roles of [world(model), everything]) {
        const put = questions.filter((_, i) => i % 23 === 0)
        expect(yield* RoleContract.check(put, { scope, policy }).pipe(Effect.provide(roles))).toEqual([])
      }
      expect(new Set(model.asked().map(({ role }) => role))).toEqual(
        new Set(["Planner", "Navigator", "Retriever", "Verifier", "Reader"])
      )
    })
  )

  it.live("each on a model of its own", () =>
    Effect.gen(function* () {
      const [large, small] = [scripted(sensible, "large"), scripted(sensible, "small")]
      const roles = Layer.mergeAll(
        ModelRoles.planner().pipe(Layer.provide(scriptedModel(large))),
        ModelRoles.reader({ form: "short" }).pipe(Layer.provide(scriptedModel(small)))
      ).pipe(Layer.provideMerge(world(scripted(sensible, "other"))))
      const answer = yield* Ask.ask(question, { scope, policy }).pipe(Effect.zip(latest), Effect.provide(roles))
      const calls = of(answer[1], "ModelCalled").map(({ call }) => [call.role, call.model])
      expect(calls).toContainEqual(["Planner", "large"])
      expect(calls).toContainEqual(["Verifier", "other"])
      expect(calls).toContainEqual(["Reader", "small"])
      expect(answer[0].answer).toContain(`was born in ${person.town}`)
    })
  )
})

/** What a model says, and the rule that objects. */
const refused: ReadonlyArray<
  readonly [says: string, role: string, rule: string, change: (said: ReturnType<typeof JSON.parse>) => unknown]
> = [
  [
    "an unknown passage fills a slot",
    "Planner",
    "KnownIsVerbatim",
    (said) => ({ ...said, bindings: [{ slot: "director", passage: "p99", quotation: "It is Ada." }] })
  ],
  [
    "words that no passage says fill a slot",
    "Planner",
    "KnownIsVerbatim",
    (said) => ({ ...said, bindings: [{ slot: "director", passage: "p1", quotation: "It is Ada." }] })
  ],
  [
    "nothing fills a slot",
    "Planner",
    "KnownIsVerbatim",
    (said) => ({ ...said, bindings: [{ slot: "director", passage: "p1", quotation: "" }] })
  ],
  [
    "a slot that the plan lacks is filled",
    "Planner",
    "KnownAreSlots",
    (said) => ({ ...said, bindings: [{ slot: "s77", passage: "p1", quotation: "It is Ada." }] })
  ],
  [
    "a slot without a name is asked for and filled by nobody",
    "Planner",
    "KnownAreSlots",
    (said) => ({ ...said, bindings: [{ slot: "", passage: "", quotation: "" }] })
  ],
  [
    "an unknown passage supports",
    "Verifier",
    "SupportIsHeld",
    (said) => ({ ...said, filled: [{ slot: "s1", passage: "p99", quotation: "so it is" }] })
  ],
  [
    "words that no passage says support",
    "Verifier",
    "SupportIsVerbatim",
    (said) => ({ ...said, filled: [{ slot: "s1", passage: "p1", quotation: "so it is" }] })
  ],
  [
    "a slot that the plan lacks is supported",
    "Verifier",
    "LacksAreSlots",
    (said) => ({
      ...said,
      filled: [{ slot: "s77", passage: "p1", quotation: "" }],
      verdict: "Fail",
      justification: "why"
    })
  ],
  [
    "a slot that the plan lacks is missing",
    "Verifier",
    "LacksAreSlots",
    (said) => ({ ...said, missing: ["everything"], verdict: "Fail", justification: "why" })
  ],
  [
    "Fail, and no word of why",
    "Verifier",
    "FailSaysWhy",
    (said) => ({ ...said, missing: [], verdict: "Fail", justification: " " })
  ],
  [
    "Pass, and yet something is missing",
    "Verifier",
    "PassLacksNothing",
    (said) => ({ ...said, missing: ["s1"], verdict: "Pass" })
  ]
]

describe("C10 what the controller would refuse", () => {
  it.live.each(refused)(
    "%s: the %s is shown that, once; then it is refused by %s, and nothing of it is committed",
    ([, role, rule, change]) =>
      Effect.gen(function* () {
        const model = saying(role, change)
        const result = yield* asked(model)
        expect(failure(result)).toMatchObject({ stage: role, cause: { _tag: "ProposalRefused", rule } })
        expect(of(result.events, "ProposalRefused")).toMatchObject([{ role, rule }])
        const committed = { Planner: "PlanCommitted", Verifier: "VerificationCommitted" } as const
        expect(of(result.events, role === "Planner" ? committed.Planner : committed.Verifier)).toEqual([])
        expect(of(result.events, "ReaderAdmitted")).toEqual([])
        const own = result.requests.filter((request) => request.role === role)
        expect(own.map(({ messages }) => messages.length)).toEqual([1, 3])
        const { data } = seen(own[1]?.messages[2]?.text ?? "")
        expect(data.get("reason")).toMatch(new RegExp(`^${rule}: `))
        // both are metered, with the version of the prompt
        const metered = of(result.events, "ModelCalled").filter(({ call }) => call.role === role)
        expect(metered.map(({ call }) => call.promptVersion)).toEqual(own.map(({ promptVersion }) => promptVersion))
      })
  )

  it.live.each(refused)("%s: the %s mends it where it is shown why", ([, role, , change]) =>
    Effect.gen(function* () {
      const result = yield* asked(saying(role, change, true))
      expect(Exit.isSuccess(result.exit)).toBe(true)
      expect(of(result.events, "ProposalRefused")).toEqual([])
      expect(result.requests.filter((request) => !isFirst(request)).length).toBeGreaterThan(0)
    })
  )

  it.live("is not asked again where the policy allows no repair, and as often as it does else", () =>
    Effect.gen(function* () {
      const [, , , change] = refused[1] ?? []
      if (change === undefined) throw new Error("there are refusals")
      for (const repairAttempts of [0, 3]) {
        const result = yield* asked(saying("Planner", change), { repairAttempts })
        expect(failure(result)).toMatchObject({ cause: { rule: "KnownIsVerbatim" } })
        expect(result.requests.map(({ messages }) => messages.length)).toEqual(
          Array.from({ length: repairAttempts + 1 }, (_, i) => 1 + 2 * i)
        )
      }
    })
  )

  it.live("Navigator and Retriever: a trace and a passage that were not offered", () =>
    Effect.gen(function* () {
      for (const [role, rule, said] of [
        ["Navigator", "NodesExist", { trace: "t99" }],
        ["Navigator", "NodesExist", { trace: "" }],
        ["Retriever", "WithinRegion", { passages: ["p1", "p99"] }]
      ] as const) {
        const model = saying(role, () => said)
        const result = yield* Effect.gen(function* () {
          const exit = yield* Effect.exit(Ask.ask(question, { scope, policy }))
          return { exit, events: yield* latest, requests: model.asked() }
        }).pipe(
          Effect.provide(
            Layer.mergeAll(ModelRoles.navigator(), ModelRoles.retriever()).pipe(
              Layer.provide(scriptedModel(model)),
              Layer.provideMerge(world(model))
            )
          )
        )
        expect(failure(result)).toMatchObject({ stage: role, cause: { _tag: "ProposalRefused", rule } })
        expect(result.requests.filter((request) => request.role === role)).toHaveLength(2)
      }
    })
  )
})

describe("C15 Pass needs words of the evidence for what is asked for", () => {
  it.live("else it is asked for once more, and is a Fail that says so: the next cycle is told", () =>
    Effect.gen(function* () {
      const result = yield* asked(saying("Verifier", (said) => ({ ...said, filled: [], missing: [], verdict: "Pass" })))
      const verifications = of(result.events, "VerificationCommitted").map(({ verification }) => verification)
      expect(verifications).toHaveLength(3)
      for (const { justification, verdict } of verifications) {
        expect(verdict).toBe("Fail")
        expect(justification.text).toMatch(/no words of the evidence were quoted/)
        expect(justification.missing).toEqual(["what is asked for"])
      }
      expect(result.requests.filter(({ role }) => role === "Verifier")).toHaveLength(6)
      const later = result.requests.filter(({ role }) => role === "Planner")[1]
      const { data, outside } = seen(later?.messages[0].text ?? "")
      expect(data.get("verification")).toMatch(/no words of the evidence were quoted/)
      expect(outside).toContain("The last search failed.")
    })
  )
})

describe("C11 the plan", () => {
  it.live("holds the sub-questions as slots and weighed queries, and what is bound stays bound", () =>
    Effect.gen(function* () {
      const model = scripted((request) => {
        const said = JSON.parse(sensible(request))
        // what is bound once is not bound again
        const isBound = /s1 is filled/.test(seen(request.messages[0].text).outside)
        if (request.role === "Planner") return JSON.stringify(isBound ? { ...said, bindings: [] } : said)
        return request.role === "Verifier"
          ? JSON.stringify({ ...said, filled: [], missing: ["s1"], justification: "not yet", verdict: "Fail" })
          : sensible(request)
      })
      const { events, requests } = yield* asked(model)
      const plans = of(events, "PlanCommitted").map(({ plan }) => plan)
      expect(plans).toHaveLength(3)
      for (const plan of plans) {
        expect(plan.slots.map(({ name }) => name)).toEqual(["director", "detail", "what is asked for"])
        const [bound] = plan.known
        expect(bound).toMatchObject({ slot: "director", text: `${person.film} was directed by ${person.name}.` })
        expect(plan.missing).toEqual(["detail", "what is asked for"])
        const query = plan.hypotheses.find((hypothesis) => hypothesis.query === `${person.name} born`)
        expect(query).toMatchObject({ from: null, weight: 1 })
        expect(query?.best).toBeGreaterThan(0)
        expect(query?.terms.length).toBeGreaterThan(1)
        expect(plan.frontier.map(({ name }) => name)).toContain(person.name)
        // the question's own query is still there
        expect(plan.hypotheses[0]?.query).toBe(question)
        expect(plan.hypotheses[0]?.weight).toBeLessThan(1)
      }
      // the binding is shown on Revise, in words of the corpus
      const { data, outside } = seen(requests.filter(({ role }) => role === "Planner")[1]?.messages[0].text ?? "")
      expect(data.get("s1")).toContain(`${person.film} was directed by ${person.name}.`)
      expect(outside).toContain("s1 is filled")
      expect(outside).toContain("The last search failed.")
      expect(data.get("verification")).toBe("not yet")
    })
  )

  it.live("of a model that has nothing to say is that of the Planner beneath", () =>
    Effect.gen(function* () {
      const { events } = yield* asked(saying("Planner", () => ({ bindings: [], subquestions: [], names: [] })))
      const [plan] = of(events, "PlanCommitted").map(({ plan }) => plan)
      expect(plan?.slots.map(({ name }) => name)).toEqual(["what is asked for"])
      expect(plan?.hypotheses.length).toBeGreaterThan(1)
    })
  )

  it.live("keeps its bounds whatever a model asks for", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 8 }, (_, i) => i)
      let call = 0
      const { events, exit } = yield* asked(
        scripted((request) => {
          if (request.role === "Verifier")
            return '{"filled": [], "missing": ["s1"], "justification": "more", "verdict": "Fail"}'
          if (request.role !== "Planner") return sensible(request)
          call++
          return JSON.stringify({
            bindings: [],
            subquestions: many.map((i) => ({
              slot: `${"x".repeat(100)} ${call}.${i}`,
              question: "q",
              // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant as it stands
              query: 'was {born} ${in} "AND" NEAR('
            })),
            names: many.map((i) => `${i} `.repeat(30))
          })
        }),
        { maxCycles: 6 }
      )
      expect(Exit.isSuccess(exit)).toBe(true)
      for (const { plan } of of(events, "PlanCommitted")) {
        expect(plan.slots.length).toBeLessThanOrEqual(32)
        expect(plan.hypotheses.length).toBeLessThanOrEqual(16)
        expect(plan.slots.at(-1)?.name).toBe("what is asked for")
      }
    })
  )
})

describe("C3, C21 the reader", () => {
  it.live("is given the question and the terminal evidence, and nothing else", () =>
    Effect.gen(function* () {
      const { events, requests } = yield* asked(scripted(sensible))
      const [request] = requests.filter(({ role }) => role === "Reader")
      const { data } = seen(request?.messages[0].text ?? "")
      const [selected] = of(events, "EvidenceSelected")
      expect([...data.keys()]).toEqual(["question", ...(selected?.evidence ?? []).map((_, i) => `p${i + 1}`)])
      expect(data.get("question")).toBe(question)
      for (const [i, item] of (selected?.evidence ?? []).entries()) expect(data.get(`p${i + 1}`)).toContain(item.text)
    })
  )

  it.live("a quotation that the evidence does not say is removed with its marker, and counted", () =>
    Effect.gen(function* () {
      const { events, exit } = yield* asked(
        saying("Reader", (said) => ({
          ...said,
          citations: [
            ...said.citations,
            { passage: "p1", quotation: "as everybody knows" },
            { passage: "p99", quotation: "Paris is the capital of France." }
          ],
          answer: "In Adastad [1], as everybody knows [2] and [3] says, and [7]."
        }))
      )
      expect(Exit.isSuccess(exit) && exit.value.answer).toBe("In Adastad [1], as everybody knows and says, and.")
      expect(Exit.isSuccess(exit) && exit.value.citations.map(({ marker, text }) => [marker, text])).toEqual([
        [1, `${person.name} was born in ${person.town} in ${person.year}.`]
      ])
      expect(of(events, "AnswerRead")).toMatchObject([{ unsupported: 2 }])
    })
  )

  it.live(
    "an answer without words of the evidence is asked for once more, and is then no answer; a small model may do without",
    () =>
      Effect.gen(function* () {
        const hearsay = (said: object) => ({
          ...said,
          citations: [{ passage: "p1", quotation: "so they say" }],
          answer: "Rome [1]"
        })
        const mended = yield* asked(saying("Reader", hearsay, true))
        expect(Exit.isSuccess(mended.exit) && mended.exit.value.answer).toContain(person.town)
        const { events, exit, requests } = yield* asked(saying("Reader", hearsay))
        expect(Exit.isSuccess(exit) && exit.value).toMatchObject({ answered: false, answer: null, citations: [] })
        expect(of(events, "AnswerRead")).toMatchObject([{ unsupported: 1 }])
        const readers = requests.filter(({ role }) => role === "Reader")
        expect(readers.map(({ messages }) => messages.length)).toEqual([1, 3])
        const ungrounded = yield* Ask.ask(question, { scope, policy }).pipe(
          Effect.provide(world(saying("Reader", hearsay), undefined, { grounded: false }))
        )
        expect(ungrounded).toMatchObject({ answered: true, answer: "Rome", citations: [] })
      })
  )

  it.live("an honest 'not found' is an answer, and the justification says what is missing", () =>
    Effect.gen(function* () {
      const put = `Which instrument did ${person.name} play?`
      const { exit, requests } = yield* asked(scripted(sensible), {}, put)
      expect(Exit.isSuccess(exit) && exit.value).toMatchObject({ answered: false, answer: null, outcome: "Fallback" })
      expect(Exit.isSuccess(exit) && exit.value.missing).toMatch(/nothing says it/)
      expect(requests).toHaveLength(7)
    })
  )

  it.live("its answer is shown as it is written, and nothing else of what it writes is", () =>
    Effect.gen(function* () {
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(Ask.askStream(question, { scope, policy })))
      const deltas = of(events, "AnswerDelta").map(({ text }) => text)
      expect(deltas.length).toBeGreaterThan(2)
      const [read] = of(events, "AnswerRead")
      expect(deltas.join("")).toBe(read?.reading.text)
      expect(of(yield* latest, "AnswerDelta")).toEqual([])
    }).pipe(Effect.provide(world(scripted(sensible))))
  )

  it.live("an answer that is asked for again is shown as another attempt; the last is the one that is read", () => {
    const replies = ["no JSON at all", JSON.stringify({ citations: [], found: true, answer: "Hearsay." })]
    const model = scripted((request) =>
      request.role === "Reader" ? (replies.shift() ?? sensible(request)) : sensible(request)
    )
    return Effect.gen(function* () {
      const events = Chunk.toReadonlyArray(yield* Stream.runCollect(Ask.askStream(question, { scope, policy })))
      const deltas = of(events, "AnswerDelta")
      const shown = (attempt: number) =>
        deltas
          .filter((delta) => delta.attempt === attempt)
          .map(({ text }) => text)
          .join("")
      expect([shown(0), shown(1)]).toEqual(["", "Hearsay."])
      expect(shown(2)).toBe(of(events, "AnswerRead")[0]?.reading.text)
      expect(shown(2)).toContain(person.town)
      expect(deltas.map(({ attempt }) => attempt)).toEqual(deltas.map(({ attempt }) => attempt).sort())
    }).pipe(Effect.provide(world(model)))
  })
})

describe("C14, C21 what a reader's model said, as a reading", () => {
  const item = (name: string, start: number, text: string): Evidence[number] => ({
    passage: PassageId.make(name),
    document: DocumentId.make(`${name}.md`),
    title: name,
    start,
    end: start + text.length,
    line: 3,
    text,
    score: 1,
    cycle: 1
  })
  const evidence = [
    item("a", 10, "Ada was born in London.\nShe wrote the \u201cNotes\u201d."),
    item("b", 0, "Ada was born in London.")
  ]
  const said = (answer: string, ...citations: ReadonlyArray<readonly [string, string]>) => ({
    citations: citations.map(([passage, quotation]) => ({ passage, quotation })),
    found: true,
    answer
  })
  it("each quotation stands where the evidence says it, in the passage that is named, and in its words", () => {
    expect(
      readingOf(
        "sentence",
        said("London [1], and the Notes [2].", ["p2", "born in London"], ["p1", 'she wrote the "notes"']),
        evidence
      )
    ).toEqual({
      text: "London [1], and the Notes [2].",
      citations: [
        { marker: 1, document: "b.md", start: 8, end: 22, line: 3, text: "born in London" },
        { marker: 2, document: "a.md", start: 34, end: 55, line: 4, text: "She wrote the \u201cNotes\u201d" }
      ]
    })
  })
  it("a passage misnamed is found by its words; one place is cited once; what has no marker gets one", () => {
    const reading = readingOf(
      "long",
      said("London [1] and again [2].", ["p9", "She wrote"], ["p1", "She wrote"], ["p1", "Ada was born"]),
      evidence
    )
    expect(reading.text).toBe("London [1] and again [1]. [3]")
    expect(reading.citations.map(({ document, marker }) => [marker, document])).toEqual([
      [1, "a.md"],
      [3, "a.md"]
    ])
  })
  it("a short answer stands alone above its quotations", () => {
    expect(
      readingOf("short", said("London [1]", ["p1", "born in London"], ["p1", "nowhere said"]), evidence).text
    ).toBe('London\n"born in London" [1]')
  })
  it("nothing found is no text, whatever else was said", () => {
    for (const found of [
      { ...said("London", ["p1", "born in London"]), found: false },
      said("  ", ["p1", "born in London"])
    ])
      expect(readingOf("sentence", found, evidence)).toEqual({ text: null, citations: [] })
  })
})

describe("C10, C28 a model that does not answer", () => {
  const passing = new Set(["RateLimited", "Unavailable", "Unreachable", "TimedOut", "Stalled", "Cut", "Malformed"])
  const faults = ModelFault.literals.filter((fault) => fault !== "Interrupted")
  it.live("ends the run with its fault and what to do, at the role that asked; every attempt is metered", () =>
    Effect.gen(function* () {
      for (const [i, fault] of faults.entries()) {
        const role = (["Planner", "Verifier", "Reader"] as const)[i % 3] ?? "Planner"
        let failed = false
        const model = scripted((request) => {
          if (request.role !== role || failed) return sensible(request)
          failed = true
          model.failNext(2, fault)
          return Effect.map(model.provider.complete(request), ({ text }) => text)
        })
        const result = yield* asked(model)
        // passing faults are tried twice more: two fail, the third answers
        if (passing.has(fault)) expect(Exit.isSuccess(result.exit), fault).toBe(true)
        else {
          expect(failure(result), fault).toMatchObject({
            stage: role,
            cause: { _tag: "RoleFailed", role, reason: "Failed", fault }
          })
          expect(failure(result)?.advice).toBe(modelAdvice(fault))
          expect(of(result.events, "RunEnded")).toMatchObject([{ outcome: "Incomplete" }])
        }
        expect(
          of(result.events, "ModelCalled").filter(({ call }) => call.fault === fault).length,
          fault
        ).toBeGreaterThan(0)
      }
    })
  )
})
