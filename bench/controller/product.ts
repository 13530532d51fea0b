/**
 * The product's controller over the same world: instant scripted roles, instant stores and an in-memory journal behind the tags of
 * `src/services`, all through one ManagedRuntime.
 */
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import type { Event } from "../../src/domain/Event.ts"
import { ContentHash, type NodeId } from "../../src/domain/Ids.ts"
import type { Policy } from "../../src/domain/Policy.ts"
import type { Proposal } from "../../src/domain/Proposal.ts"
import type { RunView } from "../../src/domain/Run.ts"
import type { Field } from "../../src/domain/State.ts"
import { edgeKey, type NodeType } from "../../src/domain/Tam.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Digest } from "../../src/services/Digest.ts"
import { FencingToken, Journal } from "../../src/services/Journal.ts"
import {
  CompactEvidenceCheck,
  Initializer,
  Navigator,
  Planner,
  Reader,
  Retriever,
  Verifier
} from "../../src/services/Roles.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { StaleWriter, StoreError } from "../../src/services/StoreError.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { TokenCounter } from "../../src/services/TokenCounter.ts"
import {
  artifacts,
  edges,
  nodes,
  passages,
  question,
  ranked,
  reading,
  regions,
  revision,
  root,
  said,
  scope,
  slices,
  tokens
} from "./world.ts"

const spoken = <F extends Field>(cycle: number, field: F): Effect.Effect<Proposal<F>> => {
  const proposals: { readonly [G in Field]: Proposal<G> } | undefined = said[cycle - 1]
  return proposals === undefined ? Effect.dieMessage(`cycle ${cycle} has no script`) : Effect.succeed(proposals[field])
}

const Roles = Layer.mergeAll(
  Layer.succeed(Planner, { propose: ({ cycle }) => spoken(cycle, "plan") }),
  Layer.succeed(Navigator, { propose: ({ cycle }) => spoken(cycle, "path") }),
  Layer.succeed(Retriever, { propose: ({ cycle }) => spoken(cycle, "evidence") }),
  Layer.succeed(Verifier, { propose: ({ cycle }) => spoken(cycle, "verification") }),
  Layer.succeed(Initializer, { rank: () => Effect.succeed(ranked) }),
  Layer.succeed(CompactEvidenceCheck, {
    check: () => Effect.succeed({ matched: false, reason: "the question is of another kind" })
  }),
  Layer.succeed(Reader, { read: () => Effect.succeed(reading) })
)

const found = <K, V>(all: ReadonlyMap<K, V>, keys: ReadonlyArray<K>): ReadonlyArray<V> => {
  const values: Array<V> = []
  for (const key of keys) {
    const value = all.get(key)
    if (value !== undefined) values.push(value)
  }
  return values
}

const Lookups = Layer.mergeAll(
  Layer.mock(CorpusStore, {
    revision: () => Effect.succeed({ revision, embedding: "none", dimensions: 1, indexedAt: 0 }),
    slices: () => Effect.succeed(slices),
    passages: (_, ids) => Effect.sync(() => found(passages, ids))
  }),
  Layer.mock(TamStore, {
    region: (_, node) => Effect.sync(() => regions.get(node) ?? []),
    nodes: (_, ids) => Effect.sync(() => found(nodes, ids)),
    ground: (_, path) =>
      Effect.sync(() => {
        const types = new Map<NodeId, NodeType>()
        const taken = new Set<string>()
        for (const [i, id] of path.entries()) {
          const type = nodes.get(id)?.type
          if (type !== undefined) types.set(id, type)
          const key = i === 0 ? "" : edgeKey(path[i - 1] ?? id, id)
          if (edges.has(key)) taken.add(key)
        }
        return { root: root.id, types, edges: taken }
      })
  }),
  Layer.mock(SharedMemoryPool, { expose: () => Effect.succeed(artifacts) }),
  Layer.succeed(TokenCounter, { counter: Effect.succeed(tokens) }),
  Layer.succeed(Digest, { hash: () => ContentHash.make("0123456789abcdef") })
)

/** The journal's two tables: the newest token of each run, and its events. */
export interface Tables {
  tokens: Map<string, FencingToken>
  events: Map<string, Array<Event>>
}

const journalOver = (tables: Tables): Layer.Layer<Journal> =>
  Layer.mock(Journal, {
    begin: (events) =>
      Effect.sync(() => {
        const { run } = events[0]
        const token = FencingToken.make((tables.tokens.get(run) ?? 0) + 1)
        tables.tokens.set(run, token)
        tables.events.set(run, [...events])
        return token
      }),
    commit: (run, token, events) =>
      Effect.suspend((): Effect.Effect<void, StaleWriter | StoreError> => {
        const stored = tables.events.get(run)
        if (stored === undefined || tables.tokens.get(run) !== token) return new StaleWriter({ run, token })
        for (const event of events) {
          if (event.sequence !== stored.length || event.run !== run) {
            const detail = `gap at ${event.sequence}`
            return new StoreError({ reason: "Unreadable", method: "Journal.commit", detail, cause: detail })
          }
          stored.push(event)
        }
        return Effect.void
      })
  })

class Conductor extends Context.Tag("bench/Conductor")<Conductor, Effect.Effect.Success<typeof Controller.make>>() {}

/** A function that runs the world's question once, and how to put it away. */
export const product = (policy: Policy, tables: Tables) => {
  const live = Layer.effect(Conductor, Controller.make).pipe(
    Layer.provide(Layer.mergeAll(Roles, Lookups, journalOver(tables)))
  )
  const runtime = ManagedRuntime.make(live)
  const program = Effect.flatMap(Conductor, (controller) => controller.run({ question, scope, policy }))
  return { run: (): Promise<RunView> => runtime.runPromise(program), dispose: () => runtime.dispose() }
}
