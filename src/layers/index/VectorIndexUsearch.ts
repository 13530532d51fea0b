/**
 * Nearest vectors with USearch, over files that can be thrown away: the {@link VectorStore} is the truth, and on any doubt (a file that is
 * missing, damaged, of another revision, or of another count than the store) the index is made again from it.
 *
 * Candidates come from 8-bit vectors (below {@link Settings.graphFrom}) or from a graph; they are scored on the stored vectors, so the score
 * is the cosine and ties go by id. Where the files cannot be written, the index lives in memory and nobody is bothered.
 */
import { type FileSystem, Path } from "@effect/platform"
import { Effect, Layer, Option } from "effect"
import type { ScopeKey } from "../../domain/Ids.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { StoreError } from "../../services/StoreError.ts"
import { type VectorChange, VectorIndex } from "../../services/VectorIndex.ts"
import { type VectorKind, VectorStore } from "../../services/VectorStore.ts"
import { type Loaded, make as nearestIn } from "./Nearest.ts"
import { addAll, emptyGraph, exact, overGraph, quantise, type Searcher, scan, type Usearch } from "./Searchers.ts"
import * as VectorFiles from "./VectorFiles.ts"

export interface Settings {
  /** From this many vectors of a kind on, a graph is searched and not every vector (default 1,000,000: see `docs/scale.md`). */
  readonly graphFrom?: number
}
export interface Options extends Settings {
  /** The state folder; the files lie in `vectors/` below it. */
  readonly directory: string
}

const pageSize = 1000
/** Indexes held in memory, over all scopes. */
const mostHeld = 16
const kinds: ReadonlyArray<VectorKind> = ["Passage", "Relation"]

const nothing: Searcher = {
  count: 0,
  dimensions: 0,
  error: 0,
  most: 0,
  propose: () => ({ places: [], near: [] })
}

const unreadable = (method: string, detail: string): StoreError =>
  new StoreError({ reason: "Unreadable", method: `VectorIndex.${method}`, detail, cause: undefined })

const make = Effect.fnUntraced(function* (files: VectorFiles.VectorFiles, { graphFrom = 1_000_000 }: Settings) {
  const store = yield* VectorStore
  const corpus = yield* CorpusStore
  const held = new Map<string, Loaded>()
  const mutex = yield* Effect.makeSemaphore(1)
  // absent where USearch ships no binary for the machine
  const native: Effect.Effect<Option.Option<Usearch>> = yield* Effect.cached(
    Effect.option(Effect.tryPromise(() => import("usearch")))
  )

  const searcherOf = (usearch: Option.Option<Usearch>, matrix: Int8Array, count: number, dimensions: number) =>
    count === 0
      ? nothing
      : Option.match(usearch, {
          onNone: () => scan(matrix, count, dimensions),
          onSome: (module) => exact(module, matrix, count, dimensions)
        })

  /** From the files, if they are whole, of this revision, and hold as many vectors as the store. */
  const fromFiles = Effect.fnUntraced(function* (scope: ScopeKey, kind: VectorKind, revision: string) {
    const found = yield* files.read(scope, kind, revision)
    if (Option.isNone(found)) return Option.none<Loaded>()
    const { ids, path, sidecar, vectors } = found.value
    const { count, dimensions, scalar } = sidecar
    if (count !== (yield* store.count(scope, kind))) return Option.none<Loaded>()
    const usearch = yield* native
    if (scalar === "i8") {
      const matrix = new Int8Array(vectors.length)
      matrix.set(vectors)
      return Option.some<Loaded>({ revision, ids, searcher: searcherOf(usearch, matrix, count, dimensions) })
    }
    if (Option.isNone(usearch)) return Option.none<Loaded>()
    const graph = emptyGraph(usearch.value, dimensions)
    const opened = yield* Effect.option(Effect.try(() => graph.load(path)))
    if (Option.isNone(opened) || graph.dimensions() !== dimensions || graph.size() !== count)
      return Option.none<Loaded>()
    return Option.some<Loaded>({ revision, ids, searcher: overGraph(graph, count, dimensions) })
  })

  const revisionOf = (scope: ScopeKey) =>
    corpus.revision(scope).pipe(
      Effect.map(({ revision }) => Option.some<string>(revision)),
      Effect.catchTag("UnknownScope", () => Effect.succeedNone)
    )

  /** The vectors of a kind, read page by page. */
  const gather = Effect.fnUntraced(function* (scope: ScopeKey, kind: VectorKind) {
    const count = yield* store.count(scope, kind)
    const usearch = yield* native
    const ids: Array<string> = []
    let dimensions = 0
    let matrix = new Int8Array(0)
    let graph: ReturnType<typeof emptyGraph> | undefined
    for (;;) {
      const page = yield* store.page(scope, kind, Option.fromNullable(ids.at(-1)), pageSize)
      const [first] = page
      if (first === undefined) break
      if (ids.length === 0) {
        dimensions = first.vector.length
        if (count >= graphFrom && Option.isSome(usearch)) graph = emptyGraph(usearch.value, dimensions)
        else matrix = new Int8Array(count * dimensions)
      }
      const row = new Int8Array(dimensions)
      for (const { id, vector } of page) {
        const fits = vector.length === dimensions && ids.length < count
        if (!fits || !quantise(vector, graph === undefined ? matrix : row, graph === undefined ? ids.length : 0))
          return yield* unreadable("build", `the vector of ${id} does not fit the others, is zero or is not finite`)
        ids.push(id)
      }
      if (graph !== undefined)
        yield* addAll(
          graph,
          page.map(({ vector }) => vector),
          ids.length - page.length
        )
    }
    if (ids.length !== count) return yield* unreadable("build", `${ids.length} of ${count} vectors could be read`)
    return { ids, dimensions, matrix, graph }
  })

  /** From the store; written to the files where that is possible. None where the corpus is not of that revision, or no longer at the end. */
  const fromStore = Effect.fnUntraced(function* (scope: ScopeKey, kind: VectorKind, revision: string) {
    const gathered = yield* Effect.either(gather(scope, kind))
    // read between two commits it may be anything, and would pass for that revision ever after
    if (!Option.contains(yield* revisionOf(scope), revision)) return Option.none<Loaded>()
    const { dimensions, graph, ids, matrix } = yield* gathered
    const count = ids.length
    const about = { revision, count, dimensions }
    const writing =
      graph === undefined
        ? files.write(scope, kind, { ...about, scalar: "i8" }, ids, new Uint8Array(matrix.buffer))
        : files.write(scope, kind, { ...about, scalar: "f16" }, ids, (path) => graph.save(path))
    yield* writing.pipe(
      Effect.catchAll((cause) => Effect.logDebug("the vector index stays in memory: it cannot be written", cause))
    )
    const searcher =
      graph === undefined ? searcherOf(yield* native, matrix, count, dimensions) : overGraph(graph, count, dimensions)
    return Option.some<Loaded>({ revision, ids, searcher })
  })

  /** The files of the revision before, with what has changed. False where they have to be written whole. */
  const amended = Effect.fnUntraced(function* (
    scope: ScopeKey,
    kind: VectorKind,
    revision: string,
    { ids, since }: VectorChange
  ) {
    const asked = [...ids[kind]].sort()
    const found = yield* store.get(scope, kind, asked)
    const count = yield* store.count(scope, kind)
    if (!Option.contains(yield* revisionOf(scope), revision)) return false
    const dimensions = found[0]?.vector.length ?? (yield* store.page(scope, kind, Option.none(), 1))[0]?.vector.length
    if (dimensions === undefined) return false
    const rows = new Int8Array(found.length * dimensions)
    for (const [place, { vector }] of found.entries())
      if (vector.length !== dimensions || !quantise(vector, rows, place)) return false
    const here = new Set(found.map(({ id }) => id))
    return yield* files
      .amend(
        scope,
        kind,
        since,
        { revision, count, dimensions },
        {
          gone: asked.filter((id) => !here.has(id)),
          ids: [...here],
          rows: new Uint8Array(rows.buffer)
        }
      )
      .pipe(Effect.catchAll(() => Effect.succeed(false)))
  })

  const hold = (scope: ScopeKey, kind: VectorKind, loaded: Loaded): Loaded => {
    const key = `${kind}\u0000${scope}`
    held.delete(key)
    held.set(key, loaded)
    for (const oldest of held.keys()) {
      if (held.size <= mostHeld) break
      held.delete(oldest)
    }
    return loaded
  }

  const current = Effect.fnUntraced(function* (scope: ScopeKey, kind: VectorKind, revision: string) {
    const known = held.get(`${kind}\u0000${scope}`)
    if (known?.revision === revision) return Option.some(known)
    return yield* mutex.withPermits(1)(
      Effect.gen(function* () {
        const meanwhile = held.get(`${kind}\u0000${scope}`)
        if (meanwhile?.revision === revision) return Option.some(meanwhile)
        const found = yield* fromFiles(scope, kind, revision)
        const loaded = Option.isSome(found) ? found : yield* fromStore(scope, kind, revision)
        return Option.map(loaded, (whole) => hold(scope, kind, whole))
      })
    )
  })

  const { nearest, nearestOf, placesOf } = nearestIn(store, revisionOf)

  return VectorIndex.of({
    search: Effect.fnUntraced(function* (scope, kind, queries, limit, among) {
      const none = queries.map(() => [])
      if (limit <= 0) return none
      let loaded = Option.none<Loaded>()
      while (Option.isNone(loaded)) {
        const revision = yield* revisionOf(scope)
        if (Option.isNone(revision)) return none
        loaded = yield* current(scope, kind, revision.value)
      }
      const whole = loaded.value
      const { count, dimensions } = whole.searcher
      if (count === 0) return none
      const misfit = queries.find((query) => query.length !== dimensions)
      if (misfit !== undefined)
        return yield* unreadable("search", `a query of ${misfit.length} dimensions meets vectors of ${dimensions}`)
      if (among === undefined)
        return yield* Effect.forEach(queries, (query) => nearest(scope, kind, whole, query, limit))
      const places = placesOf(whole, among)
      return yield* Effect.forEach(queries, (query) => nearestOf(scope, kind, whole, query, limit, places))
    }),
    build: Effect.fnUntraced(function* (scope, revision, change) {
      for (const kind of kinds) {
        yield* mutex.withPermits(1)(
          Effect.gen(function* () {
            if (change !== undefined && (yield* amended(scope, kind, revision, change))) return
            const loaded = yield* fromStore(scope, kind, revision)
            if (Option.isSome(loaded)) hold(scope, kind, loaded.value)
          })
        )
      }
    }),
    status: Effect.fnUntraced(function* (scope) {
      const revision = yield* revisionOf(scope)
      let fresh = true
      let vectors = 0
      let bytes = 0
      for (const kind of kinds) {
        const count = yield* store.count(scope, kind)
        const found = Option.isNone(revision) ? Option.none() : yield* files.read(scope, kind, revision.value)
        const inMemory = held.get(`${kind}\u0000${scope}`)
        if (Option.isSome(found) && found.value.sidecar.count === count) {
          const { change, ids, vectors: matrix } = found.value.sidecar
          bytes += matrix.bytes + ids.bytes + (change?.bytes ?? 0)
          vectors += count
        } else if (inMemory?.revision === Option.getOrUndefined(revision) && inMemory?.searcher.count === count) {
          vectors += count
        } else fresh = false
      }
      return { fresh, vectors, bytes }
    })
  })
})

/** The index over files in a folder; they are made where they are not there. */
export const layer = (
  options: Options
): Layer.Layer<VectorIndex, never, VectorStore | CorpusStore | FileSystem.FileSystem | Path.Path> =>
  Layer.effect(
    VectorIndex,
    Effect.gen(function* () {
      const path = yield* Path.Path
      return yield* make(yield* VectorFiles.make(path.join(options.directory, "vectors")), options)
    })
  )

/** The same without files: made from the store when it is first needed, and kept in memory. */
export const layerWithoutFiles = (
  settings: Settings = {}
): Layer.Layer<VectorIndex, never, VectorStore | CorpusStore> =>
  Layer.effect(VectorIndex, make(VectorFiles.none, settings))
