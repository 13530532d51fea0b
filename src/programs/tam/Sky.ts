/** The Topics as the placing of Relations sees them: what is below each, the vectors of centres, and what Topics say. */
import { Effect } from "effect"
import type { NodeId } from "../../domain/Ids.ts"
import type { TamNode } from "../../domain/Tam.ts"
import { cosines } from "../../domain/tam/Cosines.ts"
import { nameIn } from "../../domain/tam/Relations.ts"
import { type Centre, centreOf, isTopic, levelOf, shownOf, topicAbstraction, topicOf } from "../../domain/tam/Topics.ts"
import { TamStore } from "../../services/TamStore.ts"
import { VectorStore } from "../../services/VectorStore.ts"
import type { Run } from "./Run.ts"

const pageSize = 1000
const batchSize = 256

export const skyOf = Effect.fnUntraced(function* ({ fresh, lost, renamed, scope }: Run) {
  const tam = yield* TamStore
  const store = yield* VectorStore
  const { keep, of: nearTo } = cosines()
  /** Where the vectors of centres are kept. */
  const places = new Map<NodeId, number>()
  /** Centres that hang below each Topic, as they were and as they are. */
  const were = new Map<string, ReadonlySet<NodeId>>()
  const are = new Map<string, Set<NodeId>>()
  /** What has come and gone below each Topic. */
  const changes = new Map<NodeId, { readonly come: Set<NodeId>; readonly gone: Set<NodeId> }>()

  const change = (topic: NodeId) => {
    const known = changes.get(topic) ?? { come: new Set<NodeId>(), gone: new Set<NodeId>() }
    changes.set(topic, known)
    return known
  }
  const nothing: ReadonlySet<NodeId> = new Set()

  const needBelow = Effect.fnUntraced(function* (topics: Iterable<string>) {
    if (fresh) return
    const missing = [...new Set(topics)].filter((topic) => !were.has(topic)) as Array<NodeId>
    if (missing.length === 0) return
    for (const topic of missing) were.set(topic, new Set())
    const found = new Map<string, Set<NodeId>>(missing.map((topic) => [topic, new Set()]))
    for (const { from, to } of yield* tam.children(scope, missing)) if (isTopic(to)) found.get(from)?.add(centreOf(to))
    for (const [topic, own] of found) {
      were.set(topic, own)
      const now = new Set(own)
      const change = changes.get(topic as NodeId)
      for (const id of change?.come ?? []) if (isTopic(id)) now.add(centreOf(id))
      for (const id of change?.gone ?? []) if (isTopic(id)) now.delete(centreOf(id))
      are.set(topic, now)
    }
  })

  /** Names of Relations, as they are now. */
  const namesOf = Effect.fnUntraced(function* (ids: ReadonlyArray<NodeId>) {
    const missing = [...new Set(ids)].filter((id) => !renamed.has(id))
    const names = new Map((yield* tam.nodes(scope, missing)).map(({ abstraction, id }) => [id, nameIn(abstraction)]))
    return (id: NodeId): string => renamed.get(id) ?? names.get(id) ?? ""
  })

  /** Writes what the Topics say that have gained or lost members, or of which a member has another name. */
  const tell = Effect.fnUntraced(function* (gone: ReadonlySet<NodeId>) {
    if (!fresh) {
      const bearers = [...renamed.keys()].flatMap((id) => [
        id,
        ...Array.from({ length: levelOf(id) + 1 }, (_, level) => topicOf(level + 1, id))
      ])
      for (let at = 0; at < bearers.length; at += pageSize)
        for (const { from } of yield* tam.parents(scope, bearers.slice(at, at + pageSize)))
          if (isTopic(from)) change(from)
    }
    const topics = [...changes.keys()].filter((id) => isTopic(id) && !gone.has(id)).sort()
    for (let at = 0; at < topics.length; at += batchSize) {
      const batch = topics.slice(at, at + batchSize)
      const members = new Map<NodeId, Set<NodeId>>(batch.map((id) => [id, new Set()]))
      for (const { from, to } of fresh ? [] : yield* tam.children(scope, batch)) members.get(from)?.add(to)
      const shown = batch.map((id) => {
        const own = members.get(id) ?? new Set<NodeId>()
        for (const other of changes.get(id)?.gone ?? []) own.delete(other)
        for (const other of changes.get(id)?.come ?? []) own.add(other)
        return shownOf(
          centreOf(id),
          Array.from(own, (other) => (isTopic(other) ? centreOf(other) : other))
        )
      })
      const name = yield* namesOf(shown.flat())
      yield* tam.change(scope, {
        nodes: batch.map(
          (id, n): TamNode => ({ id, type: "Topic", abstraction: topicAbstraction((shown[n] ?? []).map(name)) })
        )
      })
    }
  })

  return {
    needBelow,
    tell,
    below: (topic: string): ReadonlySet<NodeId> => are.get(topic) ?? nothing,
    /** What is below a Topic, and what was. */
    belowEver: (topic: string): Iterable<NodeId> => [...(were.get(topic) ?? []), ...(are.get(topic) ?? [])],
    needCentres: Effect.fnUntraced(function* (ids: Iterable<NodeId>) {
      const missing = [...new Set(ids)].filter((id) => !places.has(id))
      if (missing.length === 0) return
      for (const { id, vector } of yield* store.get(scope, "Relation", missing)) places.set(id as NodeId, keep(vector))
    }),
    centres: (ids: Iterable<NodeId>): ReadonlyArray<Centre> =>
      Array.from(ids).flatMap((id) => {
        const place = places.get(id)
        return place === undefined ? [] : [{ id, place }]
      }),
    /** How near a vector is to the centres, until another is asked for. */
    nearTo,
    join: (topic: NodeId, member: NodeId): void => {
      const { come, gone } = change(topic)
      if (!gone.delete(member)) come.add(member)
      if (isTopic(member)) are.set(topic, (are.get(topic) ?? new Set<NodeId>()).add(centreOf(member)))
    },
    leave: (topic: NodeId, member: NodeId): void => {
      const { come, gone } = change(topic)
      if (!come.delete(member)) gone.add(member)
      if (isTopic(member)) are.get(topic)?.delete(centreOf(member))
    },
    /** Every Topic that is stored. */
    topics: Effect.gen(function* () {
      const found: Array<NodeId> = []
      for (let after = ""; ; ) {
        const page = yield* tam.page(scope, "Topic", after, pageSize)
        const last = page.at(-1)
        if (last === undefined) return found
        for (const { id } of page) found.push(id)
        after = last.id
      }
    }),
    /** Every Relation that may be a centre of a level: those ids come first. */
    candidates: Effect.fnUntraced(function* (level: number) {
      const found: Array<NodeId> = []
      for (let after = ""; ; ) {
        const page = yield* tam.page(scope, "Relation", after, pageSize)
        const last = page.at(-1)
        if (last === undefined) return found
        for (const { id } of page) {
          if (found.length > 0 && levelOf(id) < level) return found
          if (!lost.has(id)) found.push(id)
        }
        after = last.id
      }
    })
  }
})

export type Sky = Effect.Effect.Success<ReturnType<typeof skyOf>>
