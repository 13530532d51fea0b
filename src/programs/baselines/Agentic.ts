/**
 * Methods that decide, question by question, what to look for next. The plain name is what the method found, read by the common reader; `-own`
 * is its own answer.
 */
import { Effect } from "effect"
import * as ARag from "./ARag.ts"
import * as Blackboard from "./Blackboard.ts"
import * as Corag from "./Corag.ts"
import * as Crag from "./Crag.ts"
import * as Ircot from "./Ircot.ts"
import type { Make } from "./Method.ts"
import * as ReAct from "./ReAct.ts"
import * as SelfRag from "./SelfRag.ts"
import * as StateFlow from "./StateFlow.ts"
import { byItself, byReader } from "./Walk.ts"

const prompted = "prompted, without the trained weights"
const read = { answers: false } as const
const own = { answers: true } as const

export const makers = {
  react: (setting, library) => Effect.map(ReAct.make("react", setting, library), (walk) => byReader(setting, walk)),
  "react-own": (setting, library) => Effect.map(ReAct.make("react-own", setting, library), (walk) => byItself(walk)),
  "self-rag": (setting, library) =>
    Effect.map(SelfRag.make("self-rag", setting, library, read), (walk) => byReader(setting, walk, prompted)),
  "self-rag-own": (setting, library) =>
    Effect.map(SelfRag.make("self-rag-own", setting, library, own), (walk) => byItself(walk, prompted)),
  ircot: (setting, library) => Effect.map(Ircot.make("ircot", setting, library), (walk) => byReader(setting, walk)),
  crag: (setting, library) =>
    Effect.map(Crag.make("crag", setting, library), (walk) => byReader(setting, walk, `${prompted}; ${Crag.note}`)),
  corag: (setting, library) =>
    Effect.map(Corag.make("corag", setting, library), (walk) => byReader(setting, walk, prompted)),
  "a-rag": (setting, library) =>
    Effect.map(ARag.make("a-rag", setting, library, read), (walk) => byReader(setting, walk, ARag.note)),
  "a-rag-own": (setting, library) =>
    Effect.map(ARag.make("a-rag-own", setting, library, own), (walk) => byItself(walk, ARag.note)),
  stateflow: (setting, library) =>
    Effect.map(StateFlow.make("stateflow", setting, library), (walk) => byReader(setting, walk)),
  "stateflow-own": (setting, library) =>
    Effect.map(StateFlow.make("stateflow-own", setting, library), (walk) => byItself(walk)),
  blackboard: (setting, library) =>
    Effect.map(Blackboard.make("blackboard", setting, library), (walk) => byReader(setting, walk)),
  "blackboard-own": (setting, library) =>
    Effect.map(Blackboard.make("blackboard-own", setting, library), (walk) => byItself(walk))
} as const satisfies Readonly<Record<string, Make>>

const isOurs = (name: string): name is keyof typeof makers => Object.hasOwn(makers, name)
/** Those of them that ask a model: all. */
export const asking: ReadonlyArray<keyof typeof makers> = Object.keys(makers).filter(isOurs)
