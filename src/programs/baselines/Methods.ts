/** The methods of `staterag eval` by name, and what each needs made ready before its first question. */
import { Effect } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { StoreError } from "../../services/StoreError.ts"
import * as Ablated from "./Ablated.ts"
import * as Agentic from "./Agentic.ts"
import * as Bm25 from "./Bm25.ts"
import * as Governed from "./Governed.ts"
import { type Library, type Make, type Method, reading, type Services, type Setting, type Unready } from "./Method.ts"
import * as Oracles from "./Oracles.ts"
import * as Rankings from "./Rankings.ts"
import * as Structured from "./Structured.ts"
import * as TwoHop from "./TwoHop.ts"

export type { Library, Services } from "./Method.ts"

const shelfOf = ({ passages }: Library): Effect.Effect<Oracles.Shelf, StoreError> =>
  Effect.map(passages, (all) => {
    const shelf = new Map<string, Array<Passage>>()
    for (const passage of all) {
      const known = shelf.get(passage.document)
      if (known === undefined) shelf.set(passage.document, [passage])
      else known.push(passage)
    }
    for (const own of shelf.values()) own.sort((x, y) => x.start - y.start)
    return shelf
  })

const makers = {
  bm25: (setting, { passages }) => Effect.map(passages, (all) => reading(setting, Bm25.ofDocuments(all))),
  dense: (setting) => Effect.map(Rankings.dense(setting), (rank) => reading(setting, rank)),
  hybrid: (setting, { passages }) =>
    Effect.map(
      Effect.flatMap(passages, (all) => Rankings.hybrid(setting, Bm25.ofPassages(all))),
      (rank) => reading(setting, rank)
    ),
  dos: (setting) => Effect.map(Rankings.documentOrder(setting), (rank) => reading(setting, rank)),
  first: (setting) => Effect.map(Rankings.first(setting), (rank) => reading(setting, rank)),
  "two-hop": (setting) => Effect.map(TwoHop.rank(setting), (rank) => reading(setting, rank)),
  ...Structured.makers,
  ...Agentic.makers,
  staterag: (setting) => Effect.map(Governed.ask(setting), (answer) => ({ answer })),
  ...Ablated.makers,
  "oracle-plan": (setting, library) =>
    Effect.map(Effect.all([Governed.ask(setting), shelfOf(library)]), ([answer, shelf]) => ({
      answer: (question) => Effect.provide(answer(question), Oracles.plan(setting.scope, shelf, question))
    })),
  "oracle-verdict": (setting) =>
    Effect.map(Governed.ask(setting), (answer) => ({
      answer: (question) => Effect.provide(answer(question), Oracles.verdict(question))
    })),
  "oracle-region": (setting) =>
    Effect.map(Governed.ask(setting), (answer) => ({
      answer: (question) => Effect.provide(answer(question), Oracles.region(question))
    })),
  "oracle-evidence": (setting, library) =>
    Effect.map(Effect.all([Governed.ask(setting), shelfOf(library)]), ([answer, shelf]) => ({
      answer: (question) => Effect.provide(answer(question), Oracles.evidence(shelf, question))
    }))
} as const satisfies Readonly<Record<string, Make>>

export type MethodName = keyof typeof makers
export const isMethod = (name: string): name is MethodName => Object.hasOwn(makers, name)
/** In the order of a report. */
export const methodNames: ReadonlyArray<MethodName> = Object.keys(makers).filter(isMethod)

const asking: ReadonlySet<string> = new Set<string>([...Structured.asking, ...Agentic.asking, ...Ablated.asking])
/** Those that need no language model. */
export const plainNames: ReadonlyArray<MethodName> = methodNames.filter((name) => !asking.has(name))

/** Those that keep to the documents that a question is asked of. */
export const confinable: ReadonlySet<MethodName> = new Set<MethodName>([
  "bm25",
  "dense",
  "hybrid",
  "dos",
  "first",
  "two-hop",
  "staterag",
  "oracle-verdict",
  ...Structured.confined,
  ...Agentic.asking
])

/** A method made ready. */
export const make = (
  name: MethodName,
  setting: Setting,
  library: Library
): Effect.Effect<Method<Services>, Unready, Services> => makers[name](setting, library)
