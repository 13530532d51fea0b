/**
 * Last step: which Topics there are, and under which of them each Relation hangs.
 *
 * Level by level from the top. A member is looked at again where it is new, where its vector has changed, or where a Topic on its way down
 * has gained or lost a centre; the notes `route` and `via` tell who came by way of which Topics. As long as it takes the way that it took,
 * it is enough to compare what it chose with what has come: the others have lost against that before.
 */
import { Effect, Option } from "effect"
import type { NodeId } from "../../domain/Ids.ts"
import { rootId } from "../../domain/Tam.ts"
import type { NoteRow } from "../../domain/tam/Graph.ts"
import { type Centre, centreOf, levelOf, nearestOf, parentsOf, topicOf } from "../../domain/tam/Topics.ts"
import { Progress } from "../../services/Progress.ts"
import type { StoreError } from "../../services/StoreError.ts"
import { TamStore } from "../../services/TamStore.ts"
import { VectorStore } from "../../services/VectorStore.ts"
import { pause } from "../IndexPassages.ts"
import { encodeWay } from "./Board.ts"
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

/** Where a member belongs, and its way there: a Topic of each level from the highest down to two above its own. */
interface Place {
  readonly id: NodeId
  readonly way: ReadonlyArray<string>
  readonly before: ReadonlyArray<NodeId>
  readonly parents: ReadonlyArray<NodeId>
}

/** Centres that are no longer below a Topic, and those that are new there; one that has moved is both. */
interface Shift {
  readonly come: Set<NodeId>
  readonly gone: Set<NodeId>
}

/** A member on its way down. */
interface Walker {
  readonly id: NodeId
  readonly vector: Float32Array
  /** How it came before. */
  readonly was: ReadonlyArray<string>
  readonly way: Array<string>
  /** Whether it has come as it came before. */
  isSame: boolean
}

const root = ""
const last = ({ way }: Walker): string => way.at(-1) ?? root

/** Places members of one level anew; leaves out those whose place cannot be another. */
const placesOf = Effect.fnUntraced(function* (
  { height, top }: { readonly height: number; readonly top: ReadonlyArray<NodeId> },
  sky: Sky,
  shaken: ReadonlyMap<string, Shift>,
  level: number,
  members: ReadonlyMap<NodeId, Float32Array>,
  wayWas: (id: NodeId) => ReadonlyArray<string> | undefined,
  parentsWere: (
    ids: ReadonlyArray<NodeId>
  ) => Effect.Effect<ReadonlyMap<NodeId, ReadonlyArray<NodeId>>, StoreError, TamStore>
) {
  const below = (topic: string): Iterable<NodeId> => (topic === root ? top : sky.below(topic))
  /** What has to be compared below the Topic where each stands, whose choice there was `chosen`. */
  const choices = Effect.fnUntraced(function* (
    walkers: ReadonlyArray<Walker>,
    chosen: (walker: Walker) => ReadonlyArray<NodeId>
  ) {
    const few = new Map<Walker, ReadonlyArray<NodeId>>()
    for (const walker of walkers) {
      if (!walker.isSame) continue
      const before = chosen(walker)
      const shift = shaken.get(last(walker))
      if (before.length === 0 || before.some((id) => shift?.gone.has(id))) continue
      few.set(walker, [...new Set([...before, ...(shift?.come ?? [])])])
    }
    const whole = new Set(walkers.filter((walker) => !few.has(walker)).map(last))
    whole.delete(root)
    yield* sky.needBelow(whole)
    for (const topic of whole) yield* sky.needCentres(below(topic))
    yield* sky.needCentres([...few.values()].flat())
    const held = new Map<string, ReadonlyArray<Centre>>()
    return (walker: Walker) => {
      const own = few.get(walker)
      if (own !== undefined) return sky.centres(own)
      const topic = last(walker)
      const all = held.get(topic) ?? sky.centres(below(topic))
      held.set(topic, all)
      return all
    }
  })

  yield* sky.needCentres(top)
  const steps = Math.max(0, height - level - 1)
  const walkers = Array.from(members, ([id, vector]): Walker => {
    const was = wayWas(id)
    return { id, vector, was: was ?? [], way: [], isSame: was?.length === steps }
  })
  for (let step = 0; step < steps; step++) {
    const was = (walker: Walker) => walker.was[step] ?? root
    const unsettled = walkers.filter((walker) => {
      if (!walker.isSame || shaken.has(last(walker))) return true
      walker.way.push(was(walker))
      return false
    })
    const centres = yield* choices(unsettled, (walker) => [centreOf(was(walker))])
    for (const walker of unsettled) {
      const nearest = nearestOf(centres(walker), sky.nearTo(walker.vector))
      const topic = nearest === undefined ? root : topicOf(height - step, nearest)
      walker.isSame &&= topic === was(walker)
      walker.way.push(topic)
    }
  }
  const open = walkers.filter((walker) => !walker.isSame || shaken.has(last(walker)))
  const node = (id: NodeId): NodeId => (level === 0 ? id : topicOf(level, id))
  const were = yield* parentsWere(open.map(({ id }) => node(id)))
  const before = ({ id }: Walker) => were.get(node(id)) ?? []
  const centres = yield* choices(open, (walker) => before(walker).map(centreOf))
  return open.map((walker): Place => {
    const parents = parentsOf(walker.id, level === 0, centres(walker), sky.nearTo(walker.vector))
    return {
      id: walker.id,
      way: walker.way,
      before: before(walker),
      parents: parents.map((parent) => topicOf(level + 1, parent))
    }
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

  const shaken = new Map<string, Shift>()
  const shift = (topic: string): Shift => {
    const known = shaken.get(topic) ?? { come: new Set<NodeId>(), gone: new Set<NodeId>() }
    shaken.set(topic, known)
    return known
  }
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
      if (goneTopics.has(to)) shift(from).gone.add(centreOf(to))
    }
  }
  yield* board.via.need(scope, [...lost, ...Array.from(goneTopics, centreOf)])
  const gone: Array<readonly [id: NodeId, level: number]> = [
    ...Array.from(lost, (id) => [id, 0] as const),
    ...Array.from(goneTopics, (id) => [centreOf(id), Number(id.slice(2, id.indexOf(":", 2)))] as const)
  ]
  const erased: Array<Pick<NoteRow, "item" | "key" | "kind">> = []
  for (const [id, level] of gone) {
    const way = board.via.get(id, String(level))
    if (way === undefined) continue
    board.via.delete(id, String(level))
    erased.push({ kind: "route", key: way.at(-1) ?? root, item: `${level} ${id}` })
  }
  yield* tam.change(scope, { erased })

  // ---- who is placed again
  const settle = Effect.fnUntraced(function* (level: number, members: ReadonlyMap<NodeId, Float32Array>) {
    yield* pause
    const item = String(level)
    if (!fresh) yield* board.via.need(scope, members.keys())
    const wayWas = (id: NodeId) => (fresh ? undefined : board.via.get(id, item))
    const comparable = (id: NodeId) => (moved.has(id) || oldHeight !== height ? undefined : wayWas(id))
    const atTop = Effect.map(
      parentsWere(Array.from(members.keys(), (id) => node(level, id))),
      (were): ReadonlyArray<Place> =>
        [...members.keys()].map((id) => ({
          id,
          way: [],
          before: were.get(node(level, id)) ?? [],
          parents: [rootId]
        }))
    )
    const places =
      level === height ? yield* atTop : yield* placesOf(peak, sky, shaken, level, members, comparable, parentsWere)
    const notes: Array<NoteRow> = []
    const left: Array<Pick<NoteRow, "item" | "key" | "kind">> = []
    for (const place of places) {
      const { id, way } = place
      const own = node(level, id)
      const before = new Set(place.before)
      const after = new Set(place.parents)
      for (const from of after) {
        if (before.has(from)) continue
        edges.push({ from, to: own })
        sky.join(from, own)
        if (level > 0) shift(from).come.add(id)
      }
      for (const from of before) {
        if (after.has(from)) continue
        unbound.push({ from, to: own })
        sky.leave(from, own)
        if (level > 0) shift(from).gone.add(id)
      }
      if (level > 0 && moved.has(id)) {
        for (const from of before) shift(from).gone.add(id)
        for (const from of after) shift(from).come.add(id)
      }
      const was = wayWas(id)
      const value = encodeWay(way)
      if (was !== undefined && encodeWay(was) === value) continue
      const via = way.at(-1) ?? root
      notes.push({ kind: "via", key: id, item, value })
      const viaWas = was === undefined ? undefined : (was.at(-1) ?? root)
      if (viaWas === via) continue
      if (viaWas !== undefined) left.push({ kind: "route", key: viaWas, item: `${item} ${id}` })
      notes.push({ kind: "route", key: via, item: `${item} ${id}`, value: "" })
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
  const topWas = new Set(oldHeight === height ? summitWas.map(centreOf) : [])
  if (isAll) {
    const own = shift(root)
    for (const id of top) if (!topWas.has(id) || moved.has(id)) own.come.add(id)
    for (const id of topWas) if (moved.has(id) || !top.includes(id)) own.gone.add(id)
  }
  /** By way of which Topics members of a level come for whom the choice may have become another. */
  let open = new Set<string>()
  for (let level = height; level >= 0; level--) {
    // the Topics two levels above: those that were shaken, and all that are below such
    const passed = new Set<string>()
    for (const topic of open) for (const id of sky.belowEver(topic)) passed.add(topicOf(level + 2, id))
    for (const topic of shaken.keys()) if (topic.startsWith(`T:${level + 2}:`)) passed.add(topic)
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
