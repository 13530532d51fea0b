/**
 * Last step: which Topics there are, and under which of them each Relation hangs.
 *
 * Level by level from the top. A member is placed again where it is new, where its vector has changed, or where on its way down the choice
 * has become another; the notes `route` and `via` tell who came by way of which Topic.
 */
import { Effect, Option } from "effect"
import type { NodeId } from "../../domain/Ids.ts"
import { rootId } from "../../domain/Tam.ts"
import type { NoteRow } from "../../domain/tam/Graph.ts"
import { centreOf, levelOf, nearestOf, parentsOf, topicOf } from "../../domain/tam/Topics.ts"
import { Progress } from "../../services/Progress.ts"
import { TamStore } from "../../services/TamStore.ts"
import { VectorStore } from "../../services/VectorStore.ts"
import { pause } from "../IndexPassages.ts"
import type { Run } from "./Run.ts"
import { type Sky, skyOf } from "./Sky.ts"

const batchSize = 512

/** The centres of the highest level, and that level: those whose ids come first. The first Relation, where there is no centre. */
const summit = Effect.fnUntraced(function* ({ lost, scope }: Run) {
  const tam = yield* TamStore
  const top: Array<NodeId> = []
  let height = 0
  for (let after = ""; ; ) {
    const page = yield* tam.page(scope, "Relation", after, 64)
    const last = page.at(-1)
    if (last === undefined) return { height, top }
    for (const { id } of page) {
      if (lost.has(id)) continue
      if (top.length > 0 && (levelOf(id) < height || levelOf(id) === 0)) return { height, top }
      height = Math.max(1, levelOf(id))
      top.push(id)
    }
    after = last.id
  }
})

/** Where a member came from, and where it belongs. */
interface Place {
  readonly id: NodeId
  readonly via: string
  readonly parents: ReadonlyArray<NodeId>
}

/** The ways of members of one level down to the level above theirs. */
const placesOf = Effect.fnUntraced(function* (
  { height, top }: { readonly height: number; readonly top: ReadonlyArray<NodeId> },
  sky: Sky,
  level: number,
  members: ReadonlyMap<NodeId, Float32Array>
) {
  let here = new Map(Array.from(members.keys(), (id) => [id, { via: "", open: top }]))
  yield* sky.needCentres(top)
  for (let above = height; above > level + 1; above--) {
    const next = new Map<NodeId, string>()
    for (const [id, { open }] of here) {
      const vector = members.get(id)
      const nearest = vector === undefined ? undefined : nearestOf(sky.centres(open), vector)
      if (nearest !== undefined) next.set(id, topicOf(above, nearest))
    }
    yield* sky.needBelow(next.values())
    here = new Map(Array.from(next, ([id, via]) => [id, { via, open: [...sky.below(via)] }]))
    yield* sky.needCentres([...here.values()].flatMap(({ open }) => open))
  }
  return Array.from(here, ([id, { open, via }]): Place => {
    const vector = members.get(id) ?? new Float32Array()
    const parents = parentsOf(id, level === 0, sky.centres(open), vector)
    return { id, via, parents: parents.map((parent) => topicOf(level + 1, parent)) }
  })
})

export const place = Effect.fnUntraced(function* (run: Run) {
  const { board, edges, fresh, lost, moved, scope, unbound } = run
  const tam = yield* TamStore
  const vectors = yield* VectorStore
  const progress = yield* Progress
  const peak = yield* summit(run)
  const { height, top } = peak
  const summitWas = fresh ? [] : (yield* tam.children(scope, [rootId])).map(({ to }) => to)
  const summitIs = top.map((id) => topicOf(height, id)).sort()
  const isAll = summitWas.join(" ") !== summitIs.join(" ") || top.some((id) => moved.has(id))
  const sky = yield* skyOf(run)
  const only = new Set(top)
  const isCentre = (id: NodeId, level: number) =>
    level <= height && (levelOf(id) >= level || (level === 1 && only.has(id)))
  const node = (level: number, id: NodeId): NodeId => (level === 0 ? id : topicOf(level, id))

  /** Topics below which the choice has become another. */
  const shaken = new Set<string>()
  const parentsWere = Effect.fnUntraced(function* (ids: ReadonlyArray<NodeId>) {
    const found = new Map<NodeId, Array<NodeId>>(ids.map((id) => [id, []]))
    if (fresh || ids.length === 0) return found
    for (const { from, to } of yield* tam.parents(scope, ids))
      if (from === rootId || from.startsWith("T:")) found.get(to)?.push(from)
    return found
  })

  // ---- what is gone
  const oldHeight = Math.max(0, ...summitWas.map((id) => Number(id.slice(2, id.indexOf(":", 2)))))
  const goneTopics = new Set<NodeId>()
  const stale = isAll && !fresh ? yield* sky.topics : []
  for (const id of stale) {
    const level = Number(id.slice(2, id.indexOf(":", 2)))
    if (lost.has(centreOf(id)) || !isCentre(centreOf(id), level)) goneTopics.add(id)
  }
  for (const id of lost)
    for (let level = 1; level <= Math.min(levelOf(id), oldHeight); level++) goneTopics.add(topicOf(level, id))
  for (const [to, parents] of yield* parentsWere([...lost, ...goneTopics])) {
    for (const from of parents) {
      unbound.push({ from, to })
      sky.leave(from, to)
      if (goneTopics.has(to)) shaken.add(from)
    }
  }
  yield* board.via.need(scope, [...lost, ...Array.from(goneTopics, centreOf)])
  const gone: Array<readonly [id: NodeId, level: number]> = [
    ...Array.from(lost, (id) => [id, 0] as const),
    ...Array.from(goneTopics, (id) => [centreOf(id), Number(id.slice(2, id.indexOf(":", 2)))] as const)
  ]
  const erased: Array<Pick<NoteRow, "item" | "key" | "kind">> = []
  for (const [id, level] of gone) {
    const via = board.via.get(id, String(level))
    if (via === undefined) continue
    board.via.delete(id, String(level))
    erased.push({ kind: "route", key: via, item: `${level} ${id}` })
  }
  yield* tam.change(scope, { erased })

  // ---- who is placed again
  const settle = Effect.fnUntraced(function* (level: number, members: ReadonlyMap<NodeId, Float32Array>) {
    yield* pause
    const places =
      level === height
        ? [...members.keys()].map((id): Place => ({ id, via: "", parents: [rootId] }))
        : yield* placesOf(peak, sky, level, members)
    const was = yield* parentsWere(places.map(({ id }) => node(level, id)))
    if (!fresh) yield* board.via.need(scope, members.keys())
    const notes: Array<NoteRow> = []
    const left: Array<Pick<NoteRow, "item" | "key" | "kind">> = []
    for (const { id, parents, via } of places) {
      const own = node(level, id)
      const before = new Set(was.get(own))
      const after = new Set(parents)
      for (const from of after) {
        if (before.has(from)) continue
        edges.push({ from, to: own })
        sky.join(from, own)
        if (level > 0) shaken.add(from)
      }
      for (const from of before) {
        if (after.has(from)) continue
        unbound.push({ from, to: own })
        sky.leave(from, own)
        if (level > 0) shaken.add(from)
      }
      if (level > 0 && moved.has(id)) for (const from of [...before, ...after]) shaken.add(from)
      const item = String(level)
      const last = fresh ? undefined : board.via.get(id, item)
      if (last === via) continue
      if (last !== undefined) left.push({ kind: "route", key: last, item: `${item} ${id}` })
      notes.push(
        { kind: "via", key: id, item, value: via },
        { kind: "route", key: via, item: `${item} ${id}`, value: "" }
      )
    }
    yield* tam.change(scope, { notes, erased: left })
  })
  const settleAll = Effect.fnUntraced(function* (level: number, ids: ReadonlyArray<NodeId>) {
    for (let at = 0; at < ids.length; at += batchSize) {
      const batch = ids.slice(at, at + batchSize)
      const found = yield* vectors.get(scope, "Relation", batch)
      yield* settle(level, new Map(found.map(({ id, vector }) => [id as NodeId, vector])))
    }
  })
  /** By way of which Topics members of a level come for whom the choice may have become another. */
  let open = new Set<string>()
  for (let level = height; level >= 0; level--) {
    // the Topics two levels above: those that were shaken, and all that are below such
    const passed = new Set<string>()
    for (const topic of open) for (const id of sky.belowEver(topic)) passed.add(topicOf(level + 2, id))
    for (const topic of shaken) if (topic.startsWith(`T:${level + 2}:`)) passed.add(topic)
    open = passed
    if (!isAll) yield* sky.needBelow(open)
    if (isAll && level === 0) break
    const again = new Set<NodeId>()
    if (isAll) for (const id of yield* sky.candidates(level)) again.add(id)
    else {
      for (const id of moved) if (level === 0 || isCentre(id, level)) again.add(id)
      yield* board.route.need(scope, open)
      for (const topic of open)
        for (const item of board.route.of(topic).keys())
          if (item.startsWith(`${level} `)) again.add(item.slice(item.indexOf(" ") + 1) as NodeId)
    }
    yield* settleAll(level, [...again].filter((id) => !lost.has(id) && (level === 0 || isCentre(id, level))).sort())
  }
  if (isAll) {
    const total = yield* vectors.count(scope, "Relation")
    for (let after = Option.none<string>(), done = 0; ; ) {
      const page = yield* vectors.page(scope, "Relation", after, batchSize)
      const last = page.at(-1)
      if (last === undefined) break
      yield* settle(0, new Map(page.map(({ id, vector }) => [id as NodeId, vector])))
      after = Option.some(last.id)
      done += page.length
      yield* progress.report({ label: "placing relations", done, total })
    }
  }
  yield* sky.tell(goneTopics)
  return { height, goneTopics }
})
