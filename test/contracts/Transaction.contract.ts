/** What every Transaction promises over the stores that share its database. */
import { expect, layer as provide } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import type { ScopeKey } from "../../src/domain/Ids.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { Transaction } from "../../src/services/Transaction.ts"
import { VectorStore } from "../../src/services/VectorStore.ts"
import { documentId, newScope, passageId, revision, single, smallTam, source } from "../support/Corpora.ts"

/** Something of every kind, in every store. */
const write = (scope: ScopeKey, word: string) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    yield* corpus.put(scope, [single("a", word), single("b", word)])
    yield* corpus.putSources(scope, [source("a.txt", word.length)])
    yield* corpus.setRevision(scope, revision(word))
    yield* (yield* LexicalIndex).put(scope, "Passage", [
      { id: "p-a", title: "", body: word, document: documentId("a") }
    ])
    yield* (yield* VectorStore).put(scope, "Passage", [{ id: "p-a", vector: Float32Array.of(word.length) }])
    yield* (yield* TamStore).replace(scope, {
      ...smallTam,
      nodes: smallTam.nodes.map((node) => ({ ...node, abstraction: word }))
    })
  })

/** All of it, as it stands. */
const read = (scope: ScopeKey, words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const corpus = yield* CorpusStore
    return {
      known: (yield* corpus.scopes).includes(scope),
      revision: yield* Effect.option(corpus.revision(scope)),
      texts: (yield* corpus.passages(scope, ["p-a", "p-b"].map(passageId))).map(({ text }) => text),
      sources: yield* corpus.sources(scope),
      hits: yield* (yield* LexicalIndex).search(scope, "Passage", words, 9),
      frequencies: yield* (yield* LexicalIndex).frequencies(scope, words),
      vectors: yield* (yield* VectorStore).get(scope, "Passage", ["p-a"]),
      counts: yield* (yield* TamStore).counts(scope),
      nodes: yield* (yield* TamStore).nodes(
        scope,
        smallTam.nodes.map(({ id }) => id)
      )
    }
  })

const words = ["first", "second"]

export const contract = (
  name: string,
  stores: Layer.Layer<CorpusStore | LexicalIndex | VectorStore | TamStore | Transaction, unknown>
): void =>
  provide(stores, { excludeTestServices: true })(`Transaction ${name}`, (it) => {
    it.effect("keeps all that a successful effect wrote, and gives its value", () =>
      Effect.gen(function* () {
        const { atomically } = yield* Transaction
        const scope = newScope()
        expect(yield* atomically(Effect.as(write(scope, "first"), 7))).toBe(7)
        const seen = yield* read(scope, words)
        expect(seen.texts).toEqual(["first", "first"])
        expect(seen.hits).toHaveLength(1)
        expect(seen.counts.edges).toBe(7)
      })
    )

    it.effect("undoes all of it on a failure, a defect and an interruption, over what was there and what was not", () =>
      Effect.gen(function* () {
        const { atomically } = yield* Transaction
        const old = newScope()
        const fresh = newScope()
        yield* write(old, "first")
        const before = [yield* read(old, words), yield* read(fresh, words)]
        const ends: ReadonlyArray<Effect.Effect<never, string>> = [
          Effect.fail("no"),
          Effect.die("bug"),
          Effect.interrupt
        ]
        for (const end of ends) {
          const exit = yield* Effect.exit(
            atomically(
              Effect.gen(function* () {
                yield* write(old, "second")
                yield* write(fresh, "second")
                yield* (yield* CorpusStore).remove(old, [documentId("b")])
                yield* (yield* LexicalIndex).clear(old, "Passage")
                yield* (yield* VectorStore).clear(old, "Passage")
                expect((yield* read(fresh, words)).hits).toHaveLength(1)
                return yield* end
              })
            )
          )
          expect(Exit.isFailure(exit)).toBe(true)
          expect([yield* read(old, words), yield* read(fresh, words)]).toEqual(before)
        }
        // and what was rolled back can be done again, for another scope that may get the same number
        const other = newScope()
        yield* write(other, "second")
        expect((yield* read(other, words)).hits).toHaveLength(1)
        yield* write(fresh, "first")
        expect((yield* read(fresh, words)).texts).toEqual(["first", "first"])
      })
    )

    it.effect("keeps the error of the effect", () =>
      Effect.gen(function* () {
        const { atomically } = yield* Transaction
        expect(yield* Effect.flip(atomically(Effect.fail("mine")))).toBe("mine")
        expect(yield* Effect.exit(atomically(Effect.die("bug")))).toEqual(Exit.die("bug"))
      })
    )

    it.effect("a nested transaction that fails is undone alone", () =>
      Effect.gen(function* () {
        const { atomically } = yield* Transaction
        const [outer, inner] = [newScope(), newScope()]
        yield* atomically(
          Effect.gen(function* () {
            yield* write(outer, "first")
            yield* Effect.flip(atomically(Effect.zipRight(write(inner, "second"), Effect.fail("no"))))
            yield* atomically(Effect.zipRight(write(outer, "second"), Effect.void))
            yield* Effect.flip(atomically(Effect.zipRight(atomically(write(outer, "first")), Effect.fail("no"))))
          })
        )
        expect((yield* read(outer, words)).texts).toEqual(["second", "second"])
        expect((yield* read(inner, words)).texts).toEqual([])
      })
    )

    it.effect("a nested transaction that succeeds goes with the outer one", () =>
      Effect.gen(function* () {
        const { atomically } = yield* Transaction
        const scope = newScope()
        yield* Effect.flip(atomically(Effect.zipRight(atomically(write(scope, "first")), Effect.fail("no"))))
        expect((yield* read(scope, words)).texts).toEqual([])
      })
    )

    it.effect("other fibers see nothing of it until it is done", () =>
      Effect.gen(function* () {
        const { atomically } = yield* Transaction
        const scope = newScope()
        const written = yield* Deferred.make<void>()
        const go = yield* Deferred.make<void>()
        const writer = yield* Effect.fork(
          atomically(
            Effect.gen(function* () {
              yield* write(scope, "first")
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(go)
              return yield* Effect.fail("no")
            })
          )
        )
        yield* Deferred.await(written)
        const reader = yield* Effect.fork(read(scope, words))
        yield* Effect.sleep("20 millis")
        yield* Deferred.succeed(go, undefined)
        expect((yield* Fiber.join(reader)).texts).toEqual([])
        expect(yield* Effect.flip(Fiber.join(writer))).toBe("no")
      })
    )

    it.effect("an interruption from outside, at any moment, leaves all or nothing and the database free", () =>
      Effect.gen(function* () {
        const { atomically } = yield* Transaction
        const seen = { all: 0, nothing: 0 }
        for (let steps = 0; steps < 240; steps += 8) {
          const scope = newScope()
          const fiber = yield* Effect.fork(
            atomically(
              Effect.gen(function* () {
                yield* write(scope, "first")
                for (let i = 0; i < 100; i++) yield* Effect.yieldNow()
                yield* write(scope, "second")
              })
            )
          )
          for (let i = 0; i < steps; i++) yield* Effect.yieldNow()
          yield* Fiber.interrupt(fiber)
          const { texts } = yield* read(scope, words)
          expect([[], ["second", "second"]]).toContainEqual(texts)
          seen[texts.length === 0 ? "nothing" : "all"]++
        }
        expect(seen.nothing).toBeGreaterThan(0)
        expect(seen.all).toBeGreaterThan(0)
      })
    )
  })
