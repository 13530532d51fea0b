/**
 * A small corpus of questions in two steps, and roles on a scripted model over it. The script reads its prompt as a model would: what stands
 * inside the fence, by name, and what stands outside.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { type Scripted, layer as scriptedModel } from "../../src/layers/model/Scripted.ts"
import type { Options } from "../../src/layers/roles/model/ReaderModel.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import { Journal } from "../../src/services/Journal.ts"
import { layer, ModelRoles } from "../../src/testing.ts"

export const scope = ScopeKey.make("model")
/** Without the compact-evidence check: every question goes through its cycles. */
export const policy: Policy = { ...defaultPolicy, compactEvidence: "off" }

export interface Doc {
  readonly id: string
  readonly title: string
  readonly text: string
}

const names = "Ada Bora Cato Dana Egon Fay Gil Hana Igor Jo Kemal Lena Milo Nora Otto Pia Quinn Rosa Sven Tove".split(
  " "
)
export const people = names.map((name, i) => ({
  name: `${name} Lindqvist-${i}`,
  film: `The ${name} Paradox`,
  town: `${name}stad`,
  year: 1900 + i
}))

/** Of each person a film, a life and a town: the film's page names its director, the director's page the town. */
export const corpus: ReadonlyArray<Doc> = people.flatMap(({ film, name, town, year }, i) => [
  { id: `film-${i}`, title: film, text: `${film} is a drama of ${year + 50}. ${film} was directed by ${name}.` },
  { id: `life-${i}`, title: name, text: `${name} was a director. ${name} was born in ${town} in ${year}.` },
  { id: `town-${i}`, title: town, text: `${town} is a town on the coast. It has ${1000 + i} inhabitants.` }
])

export const questions: ReadonlyArray<string> = Array.from({ length: 200 }, (_, i) => {
  const { film, name, town } = people[i % people.length] ?? { film: "", name: "", town: "" }
  const round = Math.floor(i / people.length)
  return (
    [
      `Where was the director of ${film} born?`,
      `When was the director of ${film} born?`,
      `Who directed ${film}?`,
      `Where was ${name} born?`,
      `How many inhabitants has ${town}?`,
      `Which instrument did ${name} play?`,
      `In which year was ${film} made?`,
      `What is ${town}?`,
      `Was ${name} born in ${town}?`,
      `How many inhabitants has the town where the director of ${film} was born?`
    ][round] ?? ""
  )
})

/** What stands in a prompt's last message: our own lines, and what is fenced, by name. */
export interface Seen {
  readonly outside: string
  readonly data: ReadonlyMap<string, string>
  readonly tag: string
}

export const seen = (text: string): Seen => {
  const tag = /^Everything between <data-([0-9a-f]+)>/.exec(text)?.[1] ?? ""
  const data = new Map<string, string>()
  const fence = new RegExp(`<data-${tag} name="([^"]+)">\n([\\s\\S]*?)\n</data-${tag}>`, "g")
  const outside = text.replace(fence, (_, name: string, inside: string) => {
    data.set(name, data.has(name) && data.get(name) !== inside ? `${data.get(name)}\n${inside}` : inside)
    return "…"
  })
  return { outside, data, tag }
}

/** The passages of a prompt, by handle. */
export const shown = ({ data }: Seen): ReadonlyArray<readonly [handle: string, text: string]> =>
  [...data].filter(([name]) => /^p\d+$/.test(name))

const sentenceOf = (text: string, wanted: RegExp): string | undefined =>
  text.split(/(?<=\.)\s+/).find((sentence) => wanted.test(sentence) && !sentence.startsWith("Title:"))

const found = (prompt: Seen, wanted: RegExp) =>
  shown(prompt).flatMap(([passage, text]) => {
    const quotation = sentenceOf(text.replace(/^Title: .*\n\n/, ""), wanted)
    return quotation === undefined ? [] : [{ passage, quotation }]
  })

/** Words that the last step of a question needs. */
const last = (question: string): RegExp =>
  /instrument/.test(question)
    ? /played/
    : /inhabitants/.test(question)
      ? /inhabitants/
      : /born/.test(question)
        ? /was born in/
        : /made|year/.test(question)
          ? /is a drama of/
          : /What is/.test(question)
            ? /is a town/
            : /was directed by/

const firstRequest = ({ messages }: ModelRequest): string => messages[0].text

/** An honest model, which knows what the questions want and reads its passages. */
export const sensible = (request: ModelRequest): string => {
  const prompt = seen(firstRequest(request))
  const question = prompt.data.get("question") ?? ""
  const film = /(The \w+ Paradox)/.exec(question)?.[1]
  const director = found(prompt, /was directed by/)[0]
  const name = /was directed by (.+)\.$/.exec(director?.quotation ?? "")?.[1]
  switch (request.role) {
    case "Planner": {
      const needsDirector = film !== undefined && /director of/.test(question)
      const isKnown = director !== undefined
      return JSON.stringify({
        bindings: needsDirector && isKnown ? [{ slot: "director", ...director }] : [],
        subquestions: [
          ...(needsDirector
            ? [{ slot: "director", question: `Who directed ${film}?`, query: `${film} directed by` }]
            : []),
          { slot: "detail", question, query: name === undefined ? question : `${name} born` }
        ],
        names: name === undefined ? [] : [name]
      })
    }
    case "Verifier": {
      const slots = [...prompt.data].filter(([slot]) => /^s\d+$/.test(slot))
      const asked = slots.find(([, text]) => text.startsWith("what is asked for"))?.[0] ?? "s1"
      const [said] = found(prompt, last(question))
      return JSON.stringify({
        filled: said === undefined ? [] : [{ slot: asked, ...said }],
        missing: said === undefined ? [asked] : [],
        justification: said === undefined ? `nothing says it of ${name ?? "anybody"}` : "",
        verdict: said === undefined ? "Fail" : "Pass"
      })
    }
    case "Reader": {
      const [said] = found(prompt, last(question))
      return JSON.stringify(
        said === undefined
          ? { citations: [], found: false, answer: "" }
          : { citations: [said], found: true, answer: `${said.quotation.replace(/\.$/, "")} [1].` }
      )
    }
    case "Navigator":
      return '{"trace": "t1"}'
    default:
      return JSON.stringify({
        passages: shown(prompt)
          .slice(0, 3)
          .map(([handle]) => handle)
      })
  }
}

/** The product in memory over `documents`, with Planner, Verifier and Reader on `model`. */
export const world = (model: Scripted, documents: ReadonlyArray<Doc> = corpus, options: Options = {}) => {
  const roles = ModelRoles.layer(options).pipe(
    Layer.provide(scriptedModel(model, { pacing: { backoff: "1 millis", deadline: "10 seconds" } })),
    Layer.provideMerge(layer)
  )
  const indexed = Layer.effectDiscard(
    Effect.acquireUseRelease(
      Effect.sync(() => {
        const folder = mkdtempSync(join(tmpdir(), "staterag-model-"))
        writeFileSync(join(folder, "corpus.jsonl"), documents.map((each) => JSON.stringify(each)).join("\n"))
        return folder
      }),
      (folder) => IndexCorpus.indexCorpus({ scope, paths: [join(folder, "corpus.jsonl")] }),
      (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
    )
  )
  return Layer.provideMerge(indexed, roles)
}

/** The events of the newest run. */
export const latest = Effect.gen(function* () {
  const journal = yield* Journal
  const [summary] = yield* journal.runs(scope, { limit: 1 })
  return summary === undefined ? [] : yield* journal.events(scope, summary.run)
})
