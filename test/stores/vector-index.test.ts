/** The vector index on every layer, and what only files can get wrong (pain 36): a damaged file would end the process, so it must not be read. */
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime, Option } from "effect"
import { CorpusRevision, ScopeKey } from "../../src/domain/Ids.ts"
import { scan } from "../../src/layers/index/Searchers.ts"
import * as VectorIndexUsearch from "../../src/layers/index/VectorIndexUsearch.ts"
import * as VectorIndexMemory from "../../src/layers/memory/VectorIndexMemory.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as CorpusStores from "../../src/layers/sql/CorpusStores.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { VectorIndex } from "../../src/services/VectorIndex.ts"
import { VectorStore } from "../../src/services/VectorStore.ts"
import { clustered, contract, dimensions, filled, oracle, revise } from "../contracts/VectorIndex.contract.ts"

const root = mkdtempSync(join(tmpdir(), "staterag-vectors-"))
process.once("exit", () => rmSync(root, { recursive: true, force: true }))
let made = 0
const fresh = (): string => join(root, String(++made))

const platform = Layer.merge(NodeFileSystem.layer, NodePath.layer)
const stores = (filename: string) => CorpusStores.layer.pipe(Layer.provide(Client.layer({ filename, create: true })))
const over = (directory: string, filename = ":memory:", graphFrom?: number) =>
  VectorIndexUsearch.layer({ directory, ...(graphFrom === undefined ? {} : { graphFrom }) }).pipe(
    Layer.provide(platform),
    Layer.provideMerge(stores(filename))
  )

contract("VectorIndex by scanning the store", VectorIndexMemory.layer.pipe(Layer.provideMerge(stores(":memory:"))))
contract("VectorIndex over files", over(fresh()))
contract(
  "VectorIndex without files",
  VectorIndexUsearch.layerWithoutFiles().pipe(Layer.provideMerge(stores(":memory:")))
)
contract("VectorIndex over a graph", over(fresh(), ":memory:", 1), 0.98)

const scope = ScopeKey.make("docs")
const vectors = clustered(20, 120)
const query = clustered(21, 1).flatMap(({ vector }) => [vector])
const expected = oracle(vectors, query[0] ?? new Float32Array(), 5).map(({ id }) => id)

const search = Effect.gen(function* () {
  const [found] = yield* (yield* VectorIndex).search(scope, "Passage", query, 5)
  return (found ?? []).map(({ id }) => id)
})

const filesOf = (directory: string): ReadonlyArray<string> =>
  readdirSync(join(directory, "vectors"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** A folder with the files of one revision, and the database that they come from. */
const indexed = async (graphFrom: number) => {
  const directory = fresh()
  const database = join(root, `${made}.db`)
  const runtime = ManagedRuntime.make(over(directory, database, graphFrom))
  await runtime.runPromise(
    Effect.gen(function* () {
      yield* filled(scope, "Passage", vectors, "r1")
      yield* (yield* VectorIndex).build(scope, CorpusRevision.make("r1"))
    })
  )
  await runtime.dispose()
  return { directory, database }
}

/** Opens the folder anew, as the next command does. */
const reopened = async <A>(
  { database, directory }: { readonly database: string; readonly directory: string },
  graphFrom: number,
  effect: Effect.Effect<A, unknown, VectorIndex | VectorStore>
): Promise<A> => {
  const runtime = ManagedRuntime.make(over(directory, database, graphFrom))
  try {
    return await runtime.runPromise(effect)
  } finally {
    await runtime.dispose()
  }
}

const damages: Record<string, (file: string) => void> = {
  "cut by one byte": (file) => truncateSync(file, statSync(file).size - 1),
  "cut in half": (file) => truncateSync(file, statSync(file).size >> 1),
  emptied: (file) => writeFileSync(file, ""),
  "garbage of the same length": (file) => writeFileSync(file, Buffer.alloc(statSync(file).size, 0xa5)),
  "one bit turned": (file) => {
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    writeFileSync(file, bytes)
  },
  removed: (file) => rmSync(file),
  "longer by one byte": (file) => writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from([0])]))
}

describe.each([
  ["8-bit matrix", 1000],
  ["graph", 1]
])("pain 36: the files of a %s", (_, graphFrom) => {
  for (const suffix of [".vectors", ".ids", "Passage.json"]) {
    for (const [name, damage] of Object.entries(damages)) {
      it(`are made again when ${suffix} is ${name}`, async () => {
        const folder = await indexed(graphFrom)
        const before = filesOf(folder.directory).map((file) => [file, readFileSync(file, "utf8")])
        const target = filesOf(folder.directory).find((file) => /Passage/.test(file) && file.endsWith(suffix))
        if (target === undefined) throw new Error(`no file ${suffix}`)
        damage(target)
        const status = Effect.flatMap(VectorIndex, (index) => index.status(scope))
        expect((await reopened(folder, graphFrom, status)).fresh).toBe(false)
        expect(await reopened(folder, graphFrom, search)).toEqual(expected)
        // byte for byte what they were: a build is a function of what is stored
        expect(filesOf(folder.directory).map((file) => [file, readFileSync(file, "utf8")])).toEqual(before)
      })
    }
  }

  it("are read, not made again, when nothing is wrong with them", async () => {
    const folder = await indexed(graphFrom)
    const times = filesOf(folder.directory).map((file) => statSync(file).mtimeMs)
    expect(await reopened(folder, graphFrom, search)).toEqual(expected)
    expect(filesOf(folder.directory).map((file) => statSync(file).mtimeMs)).toEqual(times)
    expect(filesOf(folder.directory).every((file) => (statSync(file).mode & 0o077) === 0)).toBe(true)
  })

  it("are made again when the store holds another number of vectors under the same revision", async () => {
    const folder = await indexed(graphFrom)
    const gone = expected.slice(0, 1)
    await reopened(
      folder,
      graphFrom,
      Effect.flatMap(VectorStore, (store) => store.remove(scope, "Passage", gone))
    )
    expect(await reopened(folder, graphFrom, search)).not.toContain(gone[0])
  })

  it("are made again when a sidecar speaks of other dimensions, and stay inside their folder", async () => {
    for (const change of [{ dimensions: 32 }, { count: 119 }, { scalar: graphFrom === 1 ? "i8" : "f16" }]) {
      const folder = await indexed(graphFrom)
      const sidecar = filesOf(folder.directory).find((file) => file.endsWith("Passage.json"))
      if (sidecar === undefined) throw new Error("no sidecar")
      writeFileSync(sidecar, JSON.stringify({ ...JSON.parse(readFileSync(sidecar, "utf8")), ...change }))
      if (change.scalar === "f16") continue
      expect(await reopened(folder, graphFrom, search)).toEqual(expected)
    }
    const folder = await indexed(graphFrom)
    const sidecar = filesOf(folder.directory).find((file) => file.endsWith("Passage.json"))
    if (sidecar === undefined) throw new Error("no sidecar")
    const outside = join(root, "outside")
    writeFileSync(outside, "[]")
    const about = JSON.parse(readFileSync(sidecar, "utf8"))
    const ids = { name: "../../../outside", bytes: 2, sha256: createHash("sha256").update("[]").digest("hex") }
    writeFileSync(sidecar, JSON.stringify({ ...about, count: 0, ids }))
    expect(await reopened(folder, graphFrom, search)).toEqual(expected)
  })
})

describe("pain 7: the files after a small change", () => {
  const others = clustered(23, 2).map(({ vector }, n) => ({ id: n === 0 ? (expected[0] ?? "") : "n-1", vector }))
  const gone = expected.slice(1, 2)
  const now = oracle(
    [...vectors.filter(({ id }) => id !== gone[0] && id !== others[0]?.id), ...others],
    query[0] ?? new Float32Array(),
    5
  ).map(({ id }) => id)
  const change = (since: string, build = true) =>
    Effect.gen(function* () {
      const store = yield* VectorStore
      yield* store.remove(scope, "Passage", gone)
      yield* filled(scope, "Passage", others, "r2")
      if (!build) return
      yield* (yield* VectorIndex).build(scope, CorpusRevision.make("r2"), {
        since: CorpusRevision.make(since),
        ids: { Passage: new Set([...gone, ...others.map(({ id }) => id)]), Relation: new Set() }
      })
    })
  const run = async (folder: Awaited<ReturnType<typeof indexed>>, effect: ReturnType<typeof change>) => {
    const runtime = ManagedRuntime.make(over(folder.directory, folder.database, 1000))
    await runtime.runPromise(effect)
    await runtime.dispose()
  }
  const matrix = (directory: string) => filesOf(directory).filter((file) => /Passage-.*(vectors|ids)$/.test(file))

  it("are those from before, and one beside them", async () => {
    const folder = await indexed(1000)
    const before = matrix(folder.directory).map((file) => [file, statSync(file).mtimeMs])
    await run(folder, change("r1"))
    expect(matrix(folder.directory).map((file) => [file, statSync(file).mtimeMs])).toEqual(before)
    expect(filesOf(folder.directory).filter((file) => /Passage-.*change$/.test(file))).toHaveLength(1)
    const status = Effect.flatMap(VectorIndex, (index) => index.status(scope))
    expect(await reopened(folder, 1000, status)).toMatchObject({ fresh: true, vectors: 120 })
    expect(await reopened(folder, 1000, search)).toEqual(now)
  })

  for (const suffix of [".vectors", ".ids", ".change"]) {
    for (const [name, damage] of Object.entries(damages)) {
      it(`are made again when ${suffix} is ${name}`, async () => {
        const folder = await indexed(1000)
        await run(folder, change("r1"))
        const target = filesOf(folder.directory).find((file) => /Passage/.test(file) && file.endsWith(suffix))
        if (target === undefined) throw new Error(`no file ${suffix}`)
        damage(target)
        expect(await reopened(folder, 1000, search)).toEqual(now)
      })
    }
  }

  it("are written whole where they are of another revision, are gone, or hold what may not stay", async () => {
    const folder = await indexed(1000)
    await run(folder, change("r0"))
    expect(filesOf(folder.directory).filter((file) => file.endsWith(".change") && /Passage/.test(file))).toEqual([])
    expect(await reopened(folder, 1000, search)).toEqual(now)
    const lost = await indexed(1000)
    rmSync(matrix(lost.directory)[0] ?? "")
    await run(lost, change("r1"))
    expect(await reopened(lost, 1000, search)).toEqual(now)
    const kept = await indexed(1000)
    const old = matrix(kept.directory)
    await run(kept, change("r1"))
    await run(
      kept,
      Effect.flatMap(VectorIndex, (index) => index.build(scope, CorpusRevision.make("r2")))
    )
    expect(old.filter((file) => existsSync(file))).toEqual([])
    expect(await reopened(kept, 1000, search)).toEqual(now)
  })

  it("are those of before or of after, where the process ends between any two steps", async () => {
    for (let step = 0; step < 5; step++) {
      const folder = await indexed(1000)
      const whole = await indexed(1000)
      await run(whole, change("r1"))
      await run(folder, change("r1", false))
      // what a run leaves that has ended after so many of its files had their names
      const names = filesOf(whole.directory).map((file) => file.slice(whole.directory.length))
      const order = [
        ...names.filter((name) => /Passage-.*change$/.test(name)),
        ...names.filter((name) => /Passage\.json$/.test(name)),
        ...names.filter((name) => /Relation-.*change$/.test(name)),
        ...names.filter((name) => /Relation\.json$/.test(name))
      ]
      for (const name of order.slice(0, step))
        writeFileSync(join(folder.directory, name), readFileSync(join(whole.directory, name)))
      expect(await reopened(folder, 1000, search)).toEqual(now)
    }
  })
})

describe("C34 a corpus that changes while the index reads it", () => {
  it("gives an index of the one revision or the other, never of both, and no file of a mixture", async () => {
    const others = clustered(22, 120).map(({ id, vector }) => ({ id: `n-${id}`, vector }))
    const directory = fresh()
    let changes = 0
    const changing = Layer.effect(
      VectorStore,
      Effect.gen(function* () {
        const store = yield* VectorStore
        const corpus = yield* CorpusStore
        return VectorStore.of({
          ...store,
          page: (key, kind, after, limit) =>
            // as if another process committed after the first page
            Effect.tap(store.page(key, kind, after, Math.min(limit, 50)), () =>
              Effect.gen(function* () {
                if (kind !== "Passage" || Option.isSome(after) || changes++ > 0) return
                yield* store.remove(
                  key,
                  kind,
                  vectors.map(({ id }) => id)
                )
                yield* store.put(key, kind, others)
                yield* Effect.provideService(revise(key, "r2"), CorpusStore, corpus)
              })
            )
        })
      })
    )
    const layer = VectorIndexUsearch.layer({ directory }).pipe(
      Layer.provide(platform),
      Layer.provide(changing),
      Layer.provideMerge(stores(":memory:"))
    )
    await Effect.runPromise(
      Effect.gen(function* () {
        yield* filled(scope, "Passage", vectors, "r1")
        expect(yield* search).toEqual(oracle(others, query[0] ?? new Float32Array(), 5).map(({ id }) => id))
        const sidecars = filesOf(directory).filter((file) => file.endsWith(".json"))
        expect(sidecars.map((file) => JSON.parse(readFileSync(file, "utf8")).revision)).toEqual(["r2"])
      }).pipe(Effect.provide(layer))
    )
    expect(changes).toBeGreaterThan(0)
  })
})

describe("VectorIndexUsearch", () => {
  it("leaves one set of files a kind, whatever the scope is called", async () => {
    const directory = fresh()
    const runtime = ManagedRuntime.make(over(directory))
    const name = ScopeKey.make("Ünï.._x")
    await runtime.runPromise(
      Effect.gen(function* () {
        const index = yield* VectorIndex
        for (const revision of ["r1", "r2", "r/3"]) {
          yield* filled(name, "Passage", vectors, revision)
          yield* index.build(name, CorpusRevision.make(revision))
        }
        expect((yield* index.status(name)).bytes).toBeGreaterThan(120 * dimensions)
      })
    )
    await runtime.dispose()
    const files = filesOf(directory)
    expect(files).toHaveLength(6)
    expect(files.every((file) => /^[0-9a-f]{24}\/(Passage|Relation)[-.]/.test(file.slice(directory.length + 9)))).toBe(
      true
    )
  })

  it("works from memory where the folder cannot be written", async () => {
    const directory = fresh()
    writeFileSync(directory, "a file, not a folder")
    const runtime = ManagedRuntime.make(over(directory))
    await runtime.runPromise(filled(scope, "Passage", vectors, "r1"))
    expect(await runtime.runPromise(search)).toEqual(expected)
    expect(await runtime.runPromise(Effect.flatMap(VectorIndex, (index) => index.status(scope)))).toMatchObject({
      bytes: 0
    })
    await runtime.dispose()
    expect(existsSync(join(directory, "vectors"))).toBe(false)
  })

  it("refuses vectors that are zero, not finite or of another length, and queries that do not fit", async () => {
    for (const bad of [
      new Float32Array(dimensions),
      new Float32Array(dimensions).fill(Number.NaN),
      new Float32Array(dimensions - 1).fill(0.1)
    ]) {
      for (const graphFrom of [1, 1000]) {
        const runtime = ManagedRuntime.make(over(fresh(), ":memory:", graphFrom))
        await runtime.runPromise(filled(scope, "Passage", [...vectors, { id: "z", vector: bad }], "r1"))
        const error = await runtime.runPromise(Effect.flip(search))
        expect(error).toMatchObject({ _tag: "StoreError", reason: "Unreadable" })
        await runtime.dispose()
      }
    }
    const runtime = ManagedRuntime.make(over(fresh()))
    await runtime.runPromise(filled(scope, "Passage", vectors, "r1"))
    const short = Effect.flatMap(VectorIndex, (index) => index.search(scope, "Passage", [new Float32Array(3)], 1))
    expect(await runtime.runPromise(Effect.flip(short))).toMatchObject({ reason: "Unreadable" })
    await runtime.runPromise(revise(scope, "r2"))
    await runtime.dispose()
  })

  it("scans in JavaScript as USearch does, for machines without its binary", () => {
    const matrix = new Int8Array(vectors.length * dimensions)
    vectors.forEach(({ vector }, place) => {
      matrix.set(
        vector.map((part) => Math.round(part * 300)),
        place * dimensions
      )
    })
    const { places } = scan(matrix, vectors.length, dimensions).propose(query[0] ?? new Float32Array(), 5)
    expect(places.map((place) => vectors[place]?.id).sort()).toEqual([...expected].sort())
  })
})
