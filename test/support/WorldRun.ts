/**
 * A whole run over a {@link World}: its corpus and graph behind the tags, the in-memory journal and pool, and scripted roles that say what
 * the contract accepts unless a test makes them say something else.
 */
import { Effect, Layer, Option } from "effect"
import type { Reading } from "../../src/domain/Answer.ts"
import { spanKey } from "../../src/domain/Corpus.ts"
import type { Evidence } from "../../src/domain/Evidence.ts"
import { fingerprint } from "../../src/domain/Fingerprint.ts"
import { ContentHash, CorpusRevision, type NodeId, type PassageId, RunId, ScopeKey } from "../../src/domain/Ids.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import { propose } from "../../src/domain/Proposal.ts"
import { edgeKey, type NodeType } from "../../src/domain/Tam.ts"
import * as Memory from "../../src/layers/memory/Memory.ts"
import * as RunStores from "../../src/layers/memory/RunStores.ts"
import { type Script, script } from "../../src/layers/testing/Script.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Digest } from "../../src/services/Digest.ts"
import {
  CompactEvidenceCheck,
  Initializer,
  Navigator,
  Planner,
  Reader,
  Retriever,
  Verifier
} from "../../src/services/Roles.ts"
import { UnknownScope } from "../../src/services/StoreError.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { TokenCounter } from "../../src/services/TokenCounter.ts"
import { paths, type World } from "./Worlds.ts"

export const scope = ScopeKey.make("world")
export const revision = CorpusRevision.make("revision-1")
export const question = "Who wrote the parser?"

type Asked<S> = S extends { readonly propose: (turn: infer T) => Effect.Effect<infer A, infer E> }
  ? Script<T, A, E>
  : never

/** Scripted roles; each is asked through a script that a test can make fail, and reads back what it was asked. */
export interface Roles {
  readonly planner: Asked<typeof Planner.Service>
  readonly navigator: Asked<typeof Navigator.Service>
  readonly retriever: Asked<typeof Retriever.Service>
  readonly verifier: Asked<typeof Verifier.Service>
  readonly initializer: Script<
    string,
    Effect.Effect.Success<ReturnType<typeof Initializer.Service.rank>>,
    Effect.Effect.Error<ReturnType<typeof Initializer.Service.rank>>
  >
  readonly check: Script<
    string,
    Effect.Effect.Success<ReturnType<typeof CompactEvidenceCheck.Service.check>>,
    Effect.Effect.Error<ReturnType<typeof CompactEvidenceCheck.Service.check>>
  >
  readonly reader: Script<
    { readonly question: string; readonly evidence: Evidence },
    Reading,
    Effect.Effect.Error<ReturnType<typeof Reader.Service.read>>
  >
}

/** What a role would not say by itself: any value, where a proposal is expected. */
export const forge = <A>(value: unknown): A => value as A

const justified = { text: "something is missing", missing: [], supported: [] }

/** Roles that keep the contract; the Verifier says `verdicts[cycle - 1]`, or the last of them. */
export const honest = (world: World, verdicts: ReadonlyArray<"Pass" | "Fail">): Roles => {
  const routes = paths(world.tam)
  const passages = [...world.passages.values()]
  return {
    planner: script((turn) => {
      const before = Option.match(turn.state.plan, { onNone: () => [], onSome: (plan) => plan.visited })
      const last = Option.map(turn.state.path, (path) => path[path.length - 1] as NodeId)
      const visited = Option.match(last, {
        onNone: () => before,
        onSome: (node) => [...before, { node, abstraction: fingerprint(node) }]
      })
      return Effect.succeed(propose("plan", { ...world.valid.plan, visited }))
    }),
    navigator: script((turn) =>
      Effect.succeed(propose("path", routes[turn.cycle % routes.length] ?? world.valid.path))
    ),
    retriever: script((turn) =>
      Effect.succeed(
        propose(
          "evidence",
          turn.region.map(({ document, end, id, line, start, text, title }, i) => ({
            passage: id,
            document,
            title,
            start,
            end,
            line,
            text,
            score: 1 / (i + 1),
            cycle: turn.cycle
          }))
        )
      )
    ),
    verifier: script((turn) => {
      const verdict = verdicts[turn.cycle - 1] ?? verdicts[verdicts.length - 1] ?? "Pass"
      return Effect.succeed(
        propose("verification", {
          verdict,
          justification: { ...justified, text: verdict === "Fail" ? justified.text : "" }
        })
      )
    }),
    initializer: script(() =>
      Effect.succeed(
        passages
          .slice(0, 3)
          .map((passage, i) => ({ passage, score: 1 - i / 10, parts: { lexical: 1, dense: 0, links: 0 } }))
      )
    ),
    check: script(() => Effect.succeed({ matched: false as const, reason: "not of that kind" })),
    reader: script(({ evidence }) => {
      const [first] = evidence
      return Effect.succeed(
        first === undefined
          ? { text: null, citations: [] }
          : {
              text: `${first.text} [1]`,
              citations: [
                {
                  marker: 1,
                  document: first.document,
                  start: first.start,
                  end: first.end,
                  line: first.line,
                  text: first.text
                }
              ]
            }
      )
    })
  }
}

/** A revision that a test can move on. */
export interface Clockwork {
  revision: CorpusRevision
}

const found = <K, V>(all: ReadonlyMap<K, V>, keys: ReadonlyArray<K>): ReadonlyArray<V> =>
  keys.flatMap((key) => all.get(key) ?? [])

/** Everything that `Controller.make` needs. */
export const layer = (world: World, roles: Roles, clockwork: Clockwork = { revision }) => {
  const ids = new Set(world.raw.edges.map((edge) => edgeKey(edge.from, edge.to)))
  const corpus = Layer.mock(CorpusStore, {
    revision: (key) =>
      key === scope
        ? Effect.sync(() => ({ revision: clockwork.revision, embedding: "none", dimensions: 1, indexedAt: 0 }))
        : Effect.fail(new UnknownScope({ scope: key, known: [scope] })),
    documents: () =>
      Effect.succeed(world.documents.map(({ text, ...document }) => ({ ...document, length: text.length }))),
    hashes: (_, documents) =>
      Effect.succeed(
        new Map(
          world.documents
            .filter((document) => documents.includes(document.id))
            .map((document) => [document.id, document.hash])
        )
      ),
    passages: (_, wanted) =>
      Effect.succeed(
        found<PassageId, typeof world.passages extends ReadonlyMap<PassageId, infer P> ? P : never>(
          world.passages,
          wanted
        )
      ),
    slices: (_, spans) =>
      Effect.succeed(
        new Map(
          spans.flatMap((span) => {
            const text = world.documents.find((document) => document.id === span.document)?.text
            return text === undefined || span.end > text.length
              ? []
              : [[spanKey(span), text.slice(span.start, span.end)] as const]
          })
        )
      )
  })
  const tam = Layer.mock(TamStore, {
    region: (_, node) => Effect.succeed(world.tam.regions.get(node) ?? []),
    nodes: (_, wanted) => Effect.succeed(found(world.tam.nodes, wanted)),
    evidenceOf: () => Effect.succeed(new Map()),
    ground: (_, path) =>
      Effect.sync(() => {
        const types = new Map<NodeId, NodeType>()
        for (const id of path) {
          const type = world.tam.nodes.get(id)?.type
          if (type !== undefined) types.set(id, type)
        }
        return { root: world.tam.root, types, edges: ids }
      })
  })
  return Layer.mergeAll(
    RunStores.layer,
    Layer.succeed(Planner, { propose: roles.planner.call }),
    Layer.succeed(Navigator, { propose: roles.navigator.call }),
    Layer.succeed(Retriever, { propose: roles.retriever.call }),
    Layer.succeed(Verifier, { propose: roles.verifier.call }),
    Layer.succeed(Initializer, { rank: (inquiry) => roles.initializer.call(inquiry.question) }),
    Layer.succeed(CompactEvidenceCheck, { check: (inquiry) => roles.check.call(inquiry.question) }),
    Layer.succeed(Reader, { read: (asked, evidence) => roles.reader.call({ question: asked, evidence }) }),
    Layer.succeed(TokenCounter, { counter: Effect.succeed((text: string) => text.length) }),
    Layer.succeed(Digest, {
      hash: (...parts) => ContentHash.make(Buffer.from(parts.join("|")).toString("hex").slice(-64).padStart(8, "0"))
    }),
    tam
  ).pipe(Layer.provideMerge(corpus), Layer.provide(Memory.layer))
}

/** One run, and everything it left. */
export const run = (policy: Policy = defaultPolicy, observe?: Controller.Request["observe"]) =>
  Effect.flatMap(Controller.make, (controller) => controller.run({ question, scope, policy, observe }))

export const noRun = RunId.make("none")
