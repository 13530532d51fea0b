import { renameSync, rmSync, utimesSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer, Schema, type Scope } from "effect"
import { IndexReport } from "../../src/domain/IndexReport.ts"
import { estimate } from "../../src/programs/IndexCorpus.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { EmbeddingError } from "../../src/services/EmbeddingModel.ts"
import { index, scope, snapshot, type Watch, watching, world } from "../support/Indexing.ts"
import { random } from "../support/Random.ts"
import { type Tree, tree } from "../support/Tree.ts"

type World = Layer.Layer.Success<ReturnType<typeof world>>

/** A test over a folder of files and an empty index. */
const over = (
  name: string,
  files: { readonly [path: string]: string },
  body: (folder: Tree, watch: Watch) => Effect.Effect<void, unknown, World | Scope.Scope>
) =>
  it.scoped(name, () =>
    Effect.suspend(() => {
      const watch = watching()
      return Effect.flatMap(tree(files), (folder) => body(folder, watch)).pipe(Effect.provide(world(watch)))
    })
  )

const three = {
  "a.md": "# Alpha\n\nThe Alpha Project was begun by Beta Smith in 1999.\n\n## History\n\nIt ended.\n",
  "b.md": "# Beta Smith\n\nBeta Smith was a maker of clocks. She knew Gamma Jones.\n",
  "c.txt": "Gamma Jones wrote about the Alpha Project."
}
const counts = ({ documents }: IndexReport) => [
  documents.added,
  documents.changed,
  documents.unchanged,
  documents.removed,
  documents.skipped.length
]

describe("IndexCorpus", () => {
  over("indexes a folder, and says what it did", three, (folder) =>
    Effect.gen(function* () {
      const report = yield* index([folder.root])
      expect(counts(report)).toEqual([3, 0, 0, 0, 0])
      expect(report.passages).toBe(4)
      expect(report.nodes.Evidence).toBe(4)
      expect(report.vectors).toBe(4 + report.nodes.Relation)
      expect(yield* Schema.decodeUnknown(IndexReport)(JSON.parse(JSON.stringify(report)))).toEqual(report)
      const { passages } = yield* snapshot
      for (const passage of passages) {
        const [text] = (yield* (yield* CorpusStore).slices(scope, [passage])).values()
        expect(text).toBe(passage.text)
        expect(passage.tokens).toBeGreaterThan(0)
      }
    })
  )

  over("reads, parses and embeds nothing the second time (pain 1)", three, (folder, watch) =>
    Effect.gen(function* () {
      const first = yield* index([folder.root])
      const before = yield* snapshot
      watch.parsed.length = 0
      watch.embedded.length = 0
      const second = yield* index([folder.root])
      expect(counts(second)).toEqual([0, 0, 3, 0, 0])
      expect(second.corpusRevision).toBe(first.corpusRevision)
      // touched, but the same: read, not parsed
      utimesSync(folder.at("a.md"), 5, 5)
      expect(counts(yield* index([folder.root]))).toEqual([0, 0, 3, 0, 0])
      expect([watch.parsed, watch.embedded]).toEqual([[], []])
      expect(yield* snapshot).toEqual(before)
    })
  )

  over("embeds only what changed", three, (folder, watch) =>
    Effect.gen(function* () {
      yield* index([folder.root])
      watch.parsed.length = 0
      watch.embedded.length = 0
      folder.write("a.md", three["a.md"].replace("It ended.", "It goes on."))
      folder.write("d.md", "# Delta\n\nA new one.")
      const report = yield* index([folder.root])
      expect(counts(report)).toEqual([1, 1, 2, 0, 0])
      expect(watch.parsed).toEqual(["a.md", "d.md"])
      const passages = watch.embedded.filter((text) => /It goes on|A new one|clocks|1999|wrote about/.test(text))
      expect(passages.filter((text) => text.startsWith("Alpha\nHistory\n"))).toHaveLength(1)
      expect(passages.filter((text) => text.startsWith("Alpha\n#"))).toHaveLength(0)
      expect(passages.filter((text) => text.startsWith("c\n"))).toHaveLength(0)
    })
  )

  over("removes what has gone from the folders named, and nothing else", three, (folder) =>
    Effect.gen(function* () {
      const other = yield* tree({ "other.md": "Another folder." })
      yield* index([folder.root])
      expect(counts(yield* index([other.root]))).toEqual([1, 0, 0, 0, 0])
      rmSync(folder.at("b.md"))
      expect(counts(yield* index([folder.at("a.md")]))).toEqual([0, 0, 1, 0, 0])
      expect(counts(yield* index([folder.root]))).toEqual([0, 0, 2, 1, 0])
      const { documents, hits } = yield* snapshot
      expect(documents).toHaveLength(3)
      expect(JSON.stringify([documents, hits])).not.toContain("clocks")
      expect(counts(yield* index([folder.root], { exclude: ["c.txt"] }))).toEqual([0, 0, 1, 1, 0])
    })
  )

  over("knows a file by its place, however it is named", { "sub/a.md": "Alpha.", "b.md": "Beta." }, (folder) =>
    Effect.gen(function* () {
      yield* index([folder.root])
      folder.write("sub/a.md", "Alpha changed.")
      expect(counts(yield* index([folder.at("sub/a.md")]))).toEqual([0, 1, 0, 0, 0])
      expect(counts(yield* index([folder.at("sub")]))).toEqual([0, 0, 1, 0, 0])
      expect((yield* snapshot).sources.map(({ path }) => path)).toEqual(["b.md", "sub/a.md"])
    })
  )

  over("skips a second file of the same name, and lets a moved folder keep its names", { "a.md": "Alpha." }, (folder) =>
    Effect.gen(function* () {
      const other = yield* tree({ "x/a.md": "Beta." })
      yield* index([folder.root])
      const clash = yield* index([other.at("x")])
      expect(counts(clash)).toEqual([0, 0, 0, 0, 1])
      expect(clash.documents.skipped[0]?.reason).toContain(`the same name as ${folder.at("a.md")}`)
      rmSync(folder.at("a.md"))
      renameSync(other.at("x"), other.at("y"))
      expect(counts(yield* index([other.at("y")]))).toEqual([1, 0, 0, 1, 0])
      expect((yield* snapshot).passages.map(({ text }) => text)).toEqual(["Beta."])
    })
  )

  over("reads again what was skipped, and tells it again", { "a.md": "Alpha." }, (folder, watch) =>
    Effect.gen(function* () {
      folder.write("r.jsonl", '{"id":"1","text":"One alpha."}\nbad\n{"id":"2","text":"Two beta."}\n')
      folder.write("binary.md", "\0")
      folder.write("empty.md", "\n")
      const first = yield* index([folder.root])
      expect(counts(first)).toEqual([3, 0, 0, 0, 3])
      watch.embedded.length = 0
      const second = yield* index([folder.root])
      expect(counts(second)).toEqual([0, 0, 3, 0, 3])
      expect(second.documents.skipped).toEqual(first.documents.skipped)
      expect(watch.embedded).toEqual([])
      folder.write("r.jsonl", '{"id":"1","text":"One alpha."}\n')
      expect(counts(yield* index([folder.root]))).toEqual([0, 0, 2, 1, 2])
    })
  )

  over("reads a file again where its format is another", { "a.jsonl": '{"id":"1","text":"Alpha."}' }, (folder) =>
    Effect.gen(function* () {
      yield* index([folder.root])
      expect(counts(yield* index([folder.root], { format: "text" }))).toEqual([1, 0, 0, 1, 0])
      expect(counts(yield* index([folder.root]))).toEqual([1, 0, 0, 1, 0])
    })
  )

  over("embeds everything anew for another model", three, (folder, watch) =>
    Effect.gen(function* () {
      const first = yield* index([folder.root])
      const before = yield* snapshot
      watch.model = "hashed-other"
      const second = yield* index([folder.root])
      expect(counts(second)).toEqual([0, 0, 3, 0, 0])
      expect(second.corpusRevision).not.toBe(first.corpusRevision)
      expect((yield* snapshot).vectors).not.toEqual(before.vectors)
      watch.model = "hashed-64"
      yield* index([folder.root])
      expect(yield* snapshot).toEqual(before)
    })
  )

  over("makes everything again where the stored revision is none of this version's", three, (folder, watch) =>
    Effect.gen(function* () {
      const other = yield* tree({ "o.jsonl": '{"id":"o","title":"O","text":"Another alpha."}' })
      yield* index([folder.root, other.root])
      const before = yield* snapshot
      const corpus = yield* CorpusStore
      const revision = yield* corpus.revision(scope)
      yield* corpus.setRevision(scope, { ...revision, revision: "made by another version" as typeof revision.revision })
      watch.parsed.length = 0
      expect(counts(yield* index([folder.root]))).toEqual([0, 0, 3, 0, 0])
      expect([...watch.parsed].sort()).toEqual(["a.md", "b.md", "c.txt", "o"])
      expect(yield* snapshot).toEqual(before)
    })
  )

  over(
    "refuses a corpus without a passage, and changes nothing (pain 8)",
    { "empty.md": " \n", "x.png": "x" },
    (folder) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(index([folder.root]))
        expect(error._tag).toBe("EmptyCorpus")
        expect(error.message).toContain("empty.md is empty")
        expect(yield* (yield* CorpusStore).scopes).toEqual([])
        folder.write("a.md", "Alpha.")
        yield* index([folder.root])
        rmSync(folder.at("a.md"))
        expect((yield* Effect.flip(index([folder.root])))._tag).toBe("EmptyCorpus")
        expect((yield* snapshot).documents).toHaveLength(1)
      })
  )

  over("leaves the old index whole when it fails or is interrupted (pain 10)", three, (folder, watch) =>
    Effect.gen(function* () {
      yield* index([folder.root])
      const before = yield* snapshot
      rmSync(folder.at("b.md"))
      folder.write("a.md", "# Alpha\n\nAll is new.")
      folder.write("d.md", "# Delta\n\nNew.")
      let left = 0
      // the passages are embedded in one batch, the relations in another
      for (const stops of [1, 2]) {
        left = stops
        const hangs = yield* Deferred.make<void>()
        watch.before = Effect.suspend(() =>
          --left > 0 ? Effect.void : Effect.zipRight(Deferred.succeed(hangs, undefined), Effect.never)
        )
        const fiber = yield* Effect.fork(index([folder.root]))
        yield* Deferred.await(hangs)
        expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
        expect(yield* snapshot).toEqual(before)

        left = stops
        watch.before = Effect.suspend(() =>
          --left > 0
            ? Effect.void
            : Effect.fail(new EmbeddingError({ model: "hashed-64", detail: "broken", cause: "test" }))
        )
        expect((yield* Effect.flip(index([folder.root])))._tag).toBe("EmbeddingError")
        expect(yield* snapshot).toEqual(before)

        left = stops
        watch.before = Effect.suspend(() => (--left > 0 ? Effect.void : Effect.dieMessage("defect")))
        expect(Exit.isFailure(yield* Effect.exit(index([folder.root])))).toBe(true)
        expect(yield* snapshot).toEqual(before)
      }
      watch.before = Effect.void
      expect(counts(yield* index([folder.root]))).toEqual([1, 1, 1, 1, 0])
      expect(yield* snapshot).not.toEqual(before)
    })
  )

  over("estimates what it would do, and touches nothing (pain 2)", three, (folder, watch) =>
    Effect.gen(function* () {
      folder.write("bad.jsonl", "x")
      const estimated = yield* estimate({ scope, paths: [folder.root] })
      expect(watch.embedded).toEqual([])
      expect(yield* (yield* CorpusStore).scopes).toEqual([])
      const report = yield* index([folder.root])
      const { passages } = yield* snapshot
      expect(estimated).toEqual({
        documents: report.documents.added,
        passages: report.passages,
        tokens: passages.reduce((sum, { tokens }) => sum + tokens, 0),
        calls: 0,
        skipped: report.documents.skipped
      })
    })
  )
})

describe("C8 an index depends on its documents alone (L4)", () => {
  const words = ["alpha", "beta", "gamma", "Alpha Project", "Beta Smith", "Gamma Jones", "word", "clock", "1999"]
  const names = ["a.md", "b.md", "c/d.md", "e.txt", "f.jsonl", "g.jsonl"]
  const texts = [1, 2, 3, 4].map((seed) => {
    const { int, pick } = random(seed)
    const sentence = () => `The ${Array.from({ length: 6 }, () => pick(words)).join(" ")}.`
    return Array.from({ length: 5 + int(30) }, sentence).join(" ")
  })

  /** A file's content: few texts under changing titles and headings. Records of the two JSON Lines files share ids. */
  const content = (name: string, seed: number): string => {
    const { int, pick } = random(seed)
    const record = () => JSON.stringify({ id: `record ${int(4)}`, title: pick(words), text: pick(texts) })
    return name.endsWith(".jsonl")
      ? Array.from({ length: 1 + int(3) }, record).join("\n")
      : `# ${pick(words)}\n\n${pick(texts)}\n\n## ${pick(words)}\n\n${pick(texts)}\n`
  }

  const apart = <A, E>(effect: Effect.Effect<A, E, World | Scope.Scope>) =>
    effect.pipe(Effect.scoped, Effect.provide(world(watching())))

  const indexedAtOnce = (files: ReadonlyMap<string, string>) =>
    Effect.gen(function* () {
      const { root } = yield* tree(Object.fromEntries(files))
      yield* index([root])
      return yield* snapshot
    })

  const seen = { added: 0, changed: 0, removed: 0, skipped: 0 }

  /** Writes, changes and removes files at random, with index runs between, until `files` are there. */
  const indexedByEdits = (files: ReadonlyMap<string, string>, seed: number) =>
    Effect.gen(function* () {
      const { chance, int, shuffled } = random(seed)
      const folder = yield* tree()
      const held = new Map<string, string>()
      const put = (name: string, text: string | undefined) => {
        if (held.get(name) === text) return
        if (text === undefined) {
          rmSync(folder.at(name))
          held.delete(name)
        } else {
          folder.write(name, text)
          held.set(name, text)
        }
      }
      const run = Effect.gen(function* () {
        const { documents } = yield* index([folder.root])
        seen.added += documents.added
        seen.changed += documents.changed
        seen.removed += documents.removed
        seen.skipped += documents.skipped.length
      })
      for (let step = 0; step < 5; step++) {
        for (const name of names) {
          const drawn = int(10)
          if (drawn < 3) put(name, content(name, int(1000)))
          else if (drawn < 5) put(name, files.get(name))
          else if (drawn < 6) put(name, undefined)
        }
        if (held.size > 0) yield* run
      }
      for (const name of shuffled(names)) {
        put(name, files.get(name))
        if (chance(0.5) && held.size > 0) yield* run
      }
      yield* run
      return yield* snapshot
    })

  it.live(
    "whatever the edits that led to them, in any order",
    () =>
      Effect.gen(function* () {
        for (let seed = 1; seed <= 16; seed++) {
          const { chance, int } = random(seed)
          const files = new Map(names.filter(() => chance(0.8)).map((name) => [name, content(name, int(1000))]))
          if (files.size === 0) continue
          const fresh = yield* apart(indexedAtOnce(files))
          expect(yield* apart(indexedByEdits(files, seed))).toEqual(fresh)
        }
        for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20)
      }),
    120_000
  )

  it.live("keeps no vector of a text whose title or heading has changed", () =>
    Effect.gen(function* () {
      const long = Array.from({ length: 40 }, (_, i) => `Sentence ${i} of alpha and beta is here.`).join(" ")
      const before = new Map([
        ["a.md", `# Title\n\n## One\n\n${long}`],
        ["r.jsonl", JSON.stringify({ id: "r", title: "Old", text: long })]
      ])
      const after = new Map([
        ["a.md", `# Title\n\n## Two\n\n${long}`],
        ["r.jsonl", JSON.stringify({ id: "r", title: "New", text: long })]
      ])
      const edited = Effect.gen(function* () {
        const folder = yield* tree(Object.fromEntries(before))
        yield* index([folder.root])
        for (const [name, text] of after) folder.write(name, `${text}\n`)
        yield* index([folder.root])
        for (const [name, text] of after) folder.write(name, text)
        yield* index([folder.root])
        return yield* snapshot
      })
      expect(yield* apart(edited)).toEqual(yield* apart(indexedAtOnce(after)))
    })
  )

  it.live.each([false, true])(
    "gives a record back to a file when the one that took its id has gone (touched: %s)",
    (touched) =>
      Effect.gen(function* () {
        const record = (text: string, id = "r") => JSON.stringify({ id, text })
        const both = `${record("Of b.")}\n${record("Of b alone.", "s")}`
        const edited = Effect.gen(function* () {
          const folder = yield* tree({ "b.jsonl": both })
          yield* index([folder.root])
          folder.write("a.jsonl", record("Of a."))
          // read again, with the text that it had
          if (touched) utimesSync(folder.at("b.jsonl"), 1, 1)
          expect(counts(yield* index([folder.root]))).toEqual([0, 1, 1, 0, 1])
          expect(counts(yield* index([folder.root]))).toEqual([0, 0, 2, 0, 1])
          rmSync(folder.at("a.jsonl"))
          expect(counts(yield* index([folder.root]))).toEqual([1, 0, 1, 1, 0])
          return yield* snapshot
        })
        expect(yield* apart(edited)).toEqual(yield* apart(indexedAtOnce(new Map([["b.jsonl", both]]))))
      })
  )
})

describe("a large file", () => {
  it.scopedLive("timers and signals are served between batches, or Ctrl-C would wait for its end", () =>
    Effect.suspend(() => {
      const watch = watching()
      const text = Array.from({ length: 1500 }, (_, i) => `Paragraph ${i} is about the tide of day ${i}.`)
      const large = text.map((line) => `${line} ${line} ${line} ${line}`).join("\n\n")
      let served = 0
      let waiting = false
      const seen: Array<number> = []
      watch.before = Effect.sync(() => {
        seen.push(served)
        if (waiting) return
        waiting = true
        setTimeout(() => {
          served++
          waiting = false
        }, 0)
      })
      return Effect.gen(function* () {
        yield* index([(yield* tree({ "large.txt": large })).root])
        expect(seen.length).toBeGreaterThan(3)
        expect(Math.max(...seen)).toBeGreaterThanOrEqual(Math.floor(seen.length / 2))
      }).pipe(Effect.provide(world(watch)))
    })
  )
})
