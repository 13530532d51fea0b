/** What every CorpusStore promises. */
import { expect, layer as provide } from "@effect/vitest"
import { Effect, Either, Exit, FastCheck, type Layer, Option } from "effect"
import { type Span, spanKey } from "../../src/domain/Corpus.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import {
  awkward,
  document,
  documentId,
  hash,
  newScope,
  passage,
  passageId,
  revision,
  single,
  source
} from "../support/Corpora.ts"

export const contract = (name: string, stores: Layer.Layer<CorpusStore, unknown>): void =>
  provide(stores)(`CorpusStore ${name}`, (it) => {
    it.effect("knows nothing of a scope that was never indexed", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        expect(Either.isLeft(yield* Effect.either(store.revision(scope)))).toBe(true)
        expect(yield* store.counts(scope)).toEqual({ documents: 0, passages: 0 })
        expect(yield* store.documents(scope)).toEqual([])
        expect(yield* store.sources(scope)).toEqual([])
        expect(yield* store.document(scope, documentId("a"))).toEqual(Option.none())
        expect(yield* store.passages(scope, [passageId("a")])).toEqual([])
        expect(yield* store.page(scope, Option.none(), 10)).toEqual([])
        expect((yield* store.slices(scope, [{ document: documentId("a"), start: 0, end: 1 }])).size).toBe(0)
        expect((yield* store.hashes(scope, [documentId("a")])).size).toBe(0)
        expect(yield* store.passagesOf(scope, [documentId("a")])).toEqual([])
        expect(yield* store.remove(scope, [documentId("a")])).toEqual([])
        yield* store.removeSources(scope, ["a"])
      })
    )

    it.effect("takes empty batches", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        yield* store.put(scope, [])
        yield* store.putSources(scope, [])
        expect(yield* store.passages(scope, [])).toEqual([])
        expect((yield* store.slices(scope, [])).size).toBe(0)
        expect((yield* store.hashes(scope, [])).size).toBe(0)
        expect(yield* store.remove(scope, [])).toEqual([])
        yield* store.removeSources(scope, [])
      })
    )

    it.effect("keeps the blocks that were put with a document, as long as it is that document", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const [scope, other] = [newScope(), newScope()]
        const blocks = awkward.map((heading, at) => ({
          start: at,
          end: at + 1,
          headings: [heading],
          kind: "paragraph" as const
        }))
        const of = (id: string) => store.blocks(scope, documentId(id))
        yield* store.put(scope, [{ ...single("a", "text"), blocks }, single("b", "text")])
        expect(yield* of("a")).toEqual(Option.some(blocks))
        expect([yield* of("b"), yield* of("c")]).toEqual([Option.none(), Option.none()])
        expect(yield* store.blocks(other, documentId("a"))).toEqual(Option.none())
        yield* store.put(scope, [{ ...single("a", "other"), blocks: [] }])
        expect(yield* of("a")).toEqual(Option.some([]))
        yield* store.put(scope, [single("a", "other")])
        expect(yield* of("a")).toEqual(Option.none())
        yield* store.put(scope, [{ ...single("a", "text"), blocks }])
        yield* store.remove(scope, [documentId("a")])
        yield* store.put(scope, [single("c", "text")])
        expect([yield* of("a"), yield* of("c")]).toEqual([Option.none(), Option.none()])
      })
    )

    it.effect("a scope is known once it has a revision, and the last one stands", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const [second, first] = [newScope(), newScope()].reverse()
        if (first === undefined || second === undefined) return
        yield* store.put(first, [single("a", "text")])
        expect(yield* store.scopes).not.toContain(first)
        yield* store.setRevision(second, revision("r1"))
        yield* store.setRevision(first, revision("r1"))
        yield* store.setRevision(first, revision("r2"))
        expect(yield* store.revision(first)).toEqual(revision("r2"))
        expect(yield* store.revision(second)).toEqual(revision("r1"))
        const known = (yield* store.scopes).filter((scope) => scope === first || scope === second)
        expect(known).toEqual([first, second].sort())
        const unknown = yield* Effect.flip(store.revision(newScope()))
        expect(unknown).toMatchObject({ _tag: "UnknownScope" })
        expect(unknown._tag === "UnknownScope" ? unknown.known : []).toEqual(yield* store.scopes)
      })
    )

    it.effect("gives back what was put, whatever the ids and texts are", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        const entries = awkward.map((text, i) => {
          const whole = document(text, `${text} and more`, { title: text, source: text, hash: hash(i + 1) })
          const title = i % 2 === 0 ? whole.title : `${text}'s other title`
          return {
            document: whole,
            passages: [passage(`p ${text}`, whole, 0, text.length, { title, headings: [text, "b"], line: i + 1 })]
          }
        })
        yield* store.put(scope, entries)
        yield* store.putSources(
          scope,
          awkward.map((text) => source(text))
        )
        for (const { document: whole, passages } of entries) {
          expect(yield* store.document(scope, whole.id)).toEqual(Option.some(whole))
          expect(
            yield* store.passages(
              scope,
              passages.map(({ id }) => id)
            )
          ).toEqual(passages)
        }
        expect((yield* store.documents(scope)).map(({ id }) => id)).toEqual(awkward.map(documentId).sort())
        expect(yield* store.documents(scope)).toContainEqual({
          id: awkward[0],
          title: awkward[0],
          format: "text",
          source: awkward[0],
          hash: hash(1),
          length: `${awkward[0]} and more`.length
        })
        expect((yield* store.sources(scope)).map(({ path }) => path)).toEqual([...awkward].sort())
        expect(yield* store.hashes(scope, [...awkward.map(documentId), documentId("none")])).toEqual(
          new Map(awkward.map((text, i) => [text, hash(i + 1)]))
        )
        const owned = [...awkward, "none", ...awkward.slice(0, 1)].map(documentId)
        expect(yield* store.passagesOf(scope, owned)).toEqual(awkward.map((text) => `p ${text}`).sort())
        expect(yield* store.passagesOf(scope, awkward.slice(1, 2).map(documentId))).toEqual([`p ${awkward[1]}`])
        expect(yield* store.passagesOf(newScope(), owned)).toEqual([])
        const gone = yield* store.remove(scope, awkward.map(documentId))
        expect(gone).toEqual(awkward.map((text) => `p ${text}`).sort())
        yield* store.removeSources(scope, awkward)
        expect(yield* store.counts(scope)).toEqual({ documents: 0, passages: 0 })
        expect(yield* store.sources(scope)).toEqual([])
      })
    )

    it.effect("gives passages in the order that was asked for, without the unknown", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        const entries = ["a", "b", "c"].map((id) => single(id, `text of ${id}`))
        yield* store.put(scope, entries)
        const ids = ["p-c", "nobody", "p-a", "p-b", "p-a"].map(passageId)
        expect((yield* store.passages(scope, ids)).map(({ id }) => id)).toEqual(["p-c", "p-a", "p-b", "p-a"])
      })
    )

    it.effect("C14 a slice is the document's own text, in small and large documents, across surrogate pairs", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        const texts = [
          "😀".repeat(9000),
          `a${"😀".repeat(9000)}`,
          "plain ascii text. ".repeat(3000),
          "",
          "x",
          "日本語\r\n".repeat(4000)
        ]
        yield* store.put(
          scope,
          texts.map((text, i) => ({ document: document(`d${i}`, text), passages: [] }))
        )
        for (const [i, text] of texts.entries()) {
          expect(Option.getOrThrow(yield* store.document(scope, documentId(`d${i}`))).text === text).toBe(true)
        }
        const bounds = FastCheck.sample(
          FastCheck.tuple(FastCheck.nat(5), FastCheck.nat(60_000), FastCheck.nat(9000), FastCheck.boolean()),
          { numRuns: 400, seed: 3 }
        )
        const spans = bounds.map(([i, at, length, near]): Span => {
          const start = near ? Math.max(0, 3840 * (1 + (at % 4)) - (length % 5)) : at
          return { document: documentId(`d${i}`), start, end: start + (near ? length % 9 : length) }
        })
        const slices = yield* store.slices(scope, spans)
        let inside = 0
        for (const span of spans) {
          const text = texts[Number(span.document.slice(1))] ?? ""
          if (span.end > text.length) expect(slices.has(spanKey(span))).toBe(false)
          else {
            inside++
            expect(slices.get(spanKey(span))).toBe(text.slice(span.start, span.end))
          }
        }
        expect(inside).toBeGreaterThan(100)
        expect(inside).toBeLessThan(spans.length)
      })
    )

    it.effect("refuses a passage that is no slice of its document, as a defect, and changes nothing", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        const whole = document("a", "one two three")
        const wrong = passage("p", whole, 0, 3, { text: "One" })
        const exit = yield* Effect.exit(store.put(scope, [{ document: whole, passages: [wrong] }]))
        expect(Exit.isFailure(exit) && exit.cause._tag === "Die").toBe(true)
        expect(yield* store.counts(scope)).toEqual({ documents: 0, passages: 0 })
      })
    )

    it.effect("putting a document again replaces it with its passages", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        const long = document("a", "first text, ".repeat(1000))
        yield* store.put(scope, [
          { document: long, passages: [passage("p1", long, 0, 5), passage("p2", long, 6, 10)] },
          single("b", "other")
        ])
        const short = document("a", "second")
        yield* store.put(scope, [{ document: short, passages: [passage("p2", short, 0, 6)] }])
        expect(yield* store.document(scope, short.id)).toEqual(Option.some(short))
        expect(yield* store.counts(scope)).toEqual({ documents: 2, passages: 2 })
        expect((yield* store.passages(scope, [passageId("p1"), passageId("p2")])).map(({ text }) => text)).toEqual([
          "second"
        ])
        expect((yield* store.slices(scope, [{ document: short.id, start: 0, end: 10 }])).size).toBe(0)
        expect(yield* store.remove(scope, [short.id, short.id, documentId("nobody")])).toEqual(["p2"])
        expect(yield* store.counts(scope)).toEqual({ documents: 1, passages: 1 })
      })
    )

    it.effect("sources are replaced by path", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        yield* store.putSources(scope, [source("b", 1), source("a", 2), source("b", 3)])
        yield* store.putSources(scope, [source("a", 4)])
        expect(yield* store.sources(scope)).toEqual([source("a", 4), source("b", 3)])
        yield* store.removeSources(scope, ["a", "nobody"])
        expect(yield* store.sources(scope)).toEqual([source("b", 3)])
      })
    )

    it.effect("pages walk every passage once, by id", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        const ids = ["b", "a", "é", "\uffee", "😀", "A", "aa", "Z", "10", "9"]
        yield* store.put(
          scope,
          ids.map((id) => single(id, id.repeat(3)))
        )
        const seen: Array<string> = []
        for (let after: Option.Option<string> = Option.none(); ; ) {
          const page = yield* store.page(scope, Option.map(after, passageId), 3)
          expect(page.length).toBeLessThanOrEqual(3)
          const last = page.at(-1)
          if (last === undefined) break
          seen.push(...page.map(({ id }) => id))
          after = Option.some(last.id)
        }
        expect(seen).toEqual(["10", "9", "A", "Z", "a", "aa", "b", "é", "\uffee", "😀"].map((id) => `p-${id}`))
      })
    )

    it.effect("C27 two scopes with the same ids never see each other", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const [mine, theirs] = [newScope(), newScope()]
        yield* store.put(mine, [single("a", "mine")])
        yield* store.put(theirs, [single("a", "theirs"), single("b", "theirs too")])
        yield* store.putSources(mine, [source("a.txt", 1)])
        yield* store.putSources(theirs, [source("a.txt", 2)])
        expect((yield* store.passages(mine, [passageId("p-a"), passageId("p-b")])).map(({ text }) => text)).toEqual([
          "mine"
        ])
        expect([...(yield* store.slices(mine, [{ document: documentId("a"), start: 0, end: 4 }])).values()]).toEqual([
          "mine"
        ])
        expect(yield* store.counts(mine)).toEqual({ documents: 1, passages: 1 })
        expect(yield* store.sources(mine)).toEqual([source("a.txt", 1)])
        expect(yield* store.remove(mine, [documentId("a"), documentId("b")])).toEqual(["p-a"])
        yield* store.removeSources(mine, ["a.txt"])
        expect(yield* store.counts(theirs)).toEqual({ documents: 2, passages: 2 })
        expect((yield* store.page(theirs, Option.none(), 9)).map(({ text }) => text)).toEqual(["theirs", "theirs too"])
        expect(yield* store.sources(theirs)).toEqual([source("a.txt", 2)])
      })
    )

    it.effect("takes 40,000 rows at once", () =>
      Effect.gen(function* () {
        const store = yield* CorpusStore
        const scope = newScope()
        const whole = document("a", "0123456789".repeat(4000))
        const passages = Array.from({ length: 40_000 }, (_, i) =>
          passage(i.toString(36).padStart(4, "0"), whole, i, i + 1)
        )
        yield* store.put(scope, [{ document: whole, passages }])
        yield* store.putSources(
          scope,
          Array.from({ length: 40_000 }, (_, i) => source(String(i)))
        )
        expect(yield* store.counts(scope)).toEqual({ documents: 1, passages: 40_000 })
        expect(
          yield* store.passages(
            scope,
            passages.map(({ id }) => id)
          )
        ).toEqual(passages)
        const spans = passages.map(({ document: id, start, end }) => ({ document: id, start, end }))
        expect((yield* store.slices(scope, spans)).size).toBe(40_000)
        yield* store.removeSources(
          scope,
          Array.from({ length: 40_000 }, (_, i) => String(i))
        )
        expect(yield* store.remove(scope, [whole.id])).toHaveLength(40_000)
      })
    )
  })
