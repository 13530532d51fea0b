/** C34, pain 31: what is forgotten has gone from everywhere, and what is left is what there would be had it never been there. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option, Schema } from "effect"
import { DocumentId, type RunId, ScopeKey } from "../../src/domain/Ids.ts"
import { statesOf } from "../../src/domain/Report.ts"
import { fold } from "../../src/domain/Run.ts"
import { isForgotten, tombstone } from "../../src/domain/Tombstone.ts"
import { terms } from "../../src/domain/Words.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import { ask } from "../../src/programs/Ask.ts"
import { explain } from "../../src/programs/Explain.ts"
import { ForgetReport, forget } from "../../src/programs/Forget.ts"
import { verify } from "../../src/programs/Verify.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { Housekeeping } from "../../src/services/Housekeeping.ts"
import { Journal } from "../../src/services/Journal.ts"
import { StoreError } from "../../src/services/StoreError.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { folder, found, index, kinds, portrait, scope, write } from "../support/Living.ts"
import { artifact, failed, runId, started } from "../support/Runs.ts"

const town = {
  "town/clock.md":
    "# Town Clock\n\nThe Town Clock stands on the square. It was made by Orrin Hale in 1911. Its keeper is Dora Finch.\n",
  "town/river.md":
    "# River Ashe\n\nThe River Ashe runs through the town. The Old Bridge crosses the River Ashe near the mill.\n",
  "town/bridge.md":
    "# Old Bridge\n\nThe Old Bridge was built in 1820 by Orrin Hale's grandfather. Its keeper is Samuel Reed.\n",
  "hale.md": "# Orrin Hale\n\nOrrin Hale was a maker of clocks. He was born in Ashford in 1870 and died in 1940.\n",
  "finch.md": "# Dora Finch\n\nDora Finch has kept the Town Clock since 1999. She was born in Millbrook.\n"
}
const secret = {
  "secret/dossier.md": [
    "# Quillhaven Dossier",
    "",
    "The Quillhaven Dossier tells of the glimmerforge clock. The glimmerforge clock was made by Vexlumbra Ottrelid.",
    "Vexlumbra Ottrelid was born on 4 March 1871 in Jorvaskholm, a town of brassbound weavers.",
    "",
    "## Workshop",
    "",
    "The workshop in Xanthorpe burned down, and Kelmarend rebuilt it with ivory lanterns.",
    ""
  ].join("\n")
}
/** What only the dossier says, and no question. */
const phrases = [
  "Vexlumbra",
  "Ottrelid",
  "4 March 1871",
  "Jorvaskholm",
  "brassbound weavers",
  "Xanthorpe",
  "Kelmarend",
  "ivory lanterns",
  "dossier.md"
]
const traces = [...phrases, ...phrases.flatMap((phrase) => [terms(phrase).join(" "), phrase.toLowerCase()])].filter(
  (phrase) => phrase.length > 5
)
const questions = [
  "Who made the glimmerforge clock?",
  "When was the maker of the glimmerforge clock born?",
  "Where was the maker of the glimmerforge clock born?",
  "Who keeps the Town Clock?",
  "Who made the Town Clock, and when was he born?",
  "What burned down?"
]

const asked = Effect.forEach(questions, (question) =>
  ask(question, { scope }).pipe(Effect.catchTag("Incomplete", (error) => Effect.succeed(error)))
)
const journals = Effect.gen(function* () {
  const journal = yield* Journal
  const runs = yield* journal.runs(scope, { limit: 1000 })
  return yield* Effect.forEach(runs, ({ run }) => journal.events(scope, run))
})
const said = Effect.gen(function* () {
  const housekeeping = yield* Housekeeping
  return JSON.stringify([yield* journals, yield* housekeeping.artifacts(scope), yield* portrait])
})
const holding = (text: string) => traces.filter((trace) => text.includes(trace))

describe.each(kinds)("C34 forgetting, %s", (_, layer) => {
  it.effect("leaves what a fresh index of the other documents holds, and no word of the document", () =>
    Effect.gen(function* () {
      const root = write(folder(), { ...town, ...secret })
      yield* index(root)
      yield* asked
      expect(holding(yield* said).length).toBeGreaterThan(10)
      const before = yield* journals
      const report = yield* forget({ scope, paths: ["secret/dossier.md"] })
      expect(Schema.is(ForgetReport)(report)).toBe(true)
      expect(report).toMatchObject({ documents: ["secret/dossier.md"], passages: 2 })
      expect(report.files).toEqual([{ path: "secret/dossier.md", root }])
      expect(report.journals.runs).toBeGreaterThan(2)
      expect(holding(yield* said)).toEqual([])

      const left = yield* portrait
      const fresh = yield* Effect.provide(Effect.zipRight(index(write(folder(), town)), portrait), layer())
      expect(left).toEqual(fresh)

      // every journal folds as before, with as many events in the same order
      const after = yield* journals
      expect(after.map((events) => events.map(({ sequence, tag }) => `${sequence} ${tag}`))).toEqual(
        before.map((events) => events.map(({ sequence, tag }) => `${sequence} ${tag}`))
      )
      for (const [i, events] of after.entries()) {
        const view = Either.getOrThrow(fold(events))
        const old = Either.getOrThrow(fold(before[i] ?? []))
        expect([view.phase, view.outcome, view.branch, view.usage]).toEqual([
          old.phase,
          old.outcome,
          old.branch,
          old.usage
        ])
        expect(Either.getOrThrow(statesOf(events)).length).toBe(Either.getOrThrow(statesOf(before[i] ?? [])).length)
        expect(view.initial.filter((item) => !isForgotten(item))).toEqual(
          old.initial.filter((item) => item.document !== "secret/dossier.md")
        )
      }
      // and what is asked next knows nothing of it
      const again = yield* asked
      expect(holding(JSON.stringify(again))).toEqual([])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("explain prints [forgotten] for it, and the other documents as they were", () =>
    Effect.gen(function* () {
      yield* index(write(folder(), { ...town, ...secret }))
      const maker = yield* ask("Who made the glimmerforge clock?", { scope })
      const keeper = yield* ask("Where was Orrin Hale born?", { scope })
      expect(keeper.answer).toContain("Ashford")
      expect(maker.citations.map(({ document }) => document)).toEqual(["secret/dossier.md"])
      const before = yield* explain(scope, Option.some(keeper.run))
      yield* forget({ scope, paths: ["secret"] })
      const gone = yield* explain(scope, Option.some(maker.run))
      expect(gone.run).toMatchObject({ answer: tombstone, outcome: maker.outcome, question: maker.question })
      expect(gone.run.citations.every(isForgotten)).toBe(true)
      const kept = yield* explain(scope, Option.some(keeper.run))
      expect(kept.run.answer).toBe(before.run.answer)
      expect(kept.run.citations).toEqual(before.run.citations)
      const others = ({ document }: { readonly document: string }) =>
        document !== "secret/dossier.md" && document !== tombstone
      expect(kept.run.evidence.filter(others)).toEqual(before.run.evidence.filter(others))
      expect(kept.run.evidence.filter(others).length).toBeGreaterThan(0)
    }).pipe(Effect.provide(layer()))
  )

  it.effect("takes older versions, former names and documents that only journals hold", () =>
    Effect.gen(function* () {
      const root = write(folder(), { ...town, ...secret })
      yield* index(root)
      yield* asked
      // the file is renamed, then rewritten, then deleted: the corpus has none of it, the journals have all
      rmSync(join(root, "secret/dossier.md"))
      write(root, { "secret/renamed.md": secret["secret/dossier.md"] })
      yield* index(root)
      yield* asked
      write(root, { "secret/renamed.md": "# Renamed\n\nIt tells of a glimmerforge clock made by Mirquandel.\n" })
      yield* index(root)
      yield* asked
      rmSync(join(root, "secret/renamed.md"))
      yield* index(root)
      const { revision } = yield* (yield* CorpusStore).revision(scope)
      const report = yield* forget({ scope, paths: ["secret/*.md"] })
      expect(report).toMatchObject({
        documents: ["secret/dossier.md", "secret/renamed.md"],
        passages: 0,
        corpusRevision: revision
      })
      expect(holding(yield* said)).toEqual([])
      expect(yield* said).not.toContain("Mirquandel")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("is the same when one document is forgotten under its new name: its old journals hold its words", () =>
    Effect.gen(function* () {
      const root = write(folder(), { ...town, ...secret })
      yield* index(root)
      yield* asked
      rmSync(join(root, "secret"), { recursive: true })
      write(root, { "moved.md": secret["secret/dossier.md"] })
      yield* index(root)
      yield* forget({ scope, paths: ["moved.md"] })
      expect(holding(yield* said).filter((trace) => trace !== "dossier.md")).toEqual([])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("names that stand for nothing change nothing, and the nearest name is told", () =>
    Effect.gen(function* () {
      yield* index(write(folder(), town))
      const before = yield* portrait
      const error = yield* Effect.flip(forget({ scope, paths: ["hale.md", "town/clok.md"] }))
      expect(error).toMatchObject({ _tag: "NothingToForget", name: "town/clok.md" })
      expect(error.message).toContain("Did you mean town/clock.md?")
      expect(yield* portrait).toEqual(before)
      expect(yield* Effect.flip(forget({ scope: ScopeKey.make("nowhere"), paths: ["x"] }))).toMatchObject({
        _tag: "UnknownScope"
      })
    }).pipe(Effect.provide(layer()))
  )

  it.effect("everything may be forgotten, and indexed again", () =>
    Effect.gen(function* () {
      const root = write(folder(), town)
      yield* index(root)
      const before = yield* portrait
      const report = yield* forget({ scope, paths: [root] })
      expect(report.documents).toEqual(Object.keys(town).sort())
      expect(yield* (yield* CorpusStore).counts(scope)).toEqual({ documents: 0, passages: 0 })
      expect(yield* Effect.flip(ask("Who keeps the Town Clock?", { scope }))).toMatchObject({ _tag: "Incomplete" })
      yield* index(root)
      expect(yield* portrait).toEqual(before)
      expect((yield* ask("Who made the Town Clock?", { scope })).answer).toContain("Orrin Hale")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a run that had read the corpus cannot write what it holds", () =>
    Effect.gen(function* () {
      yield* index(write(folder(), { ...town, ...secret }))
      const journal = yield* Journal
      const { run } = yield* ask("Who made the glimmerforge clock?", { scope })
      const events = yield* journal.events(scope, run)
      const [first, ...rest] = events
      if (first?.tag !== "RunStarted") throw new Error("a journal starts with RunStarted")
      const late = "late" as RunId
      const renamed = rest.map((event) => ({ ...event, run: late }))
      const token = yield* journal.begin([{ ...first, run: late }, ...renamed.slice(0, 2)])
      yield* forget({ scope, paths: ["secret/dossier.md"] })
      expect(yield* Effect.flip(journal.commit(late, token, renamed.slice(2), []))).toMatchObject({
        _tag: "StaleWriter"
      })
      const later = "later" as RunId
      const begin = journal.begin([{ ...first, run: later }, ...rest.map((event) => ({ ...event, run: later }))])
      expect(yield* Effect.flip(begin)).toMatchObject({ _tag: "StaleWriter" })
      expect(holding(yield* said)).toEqual([])
      expect((yield* ask("Who made the Town Clock?", { scope })).answer).toContain("Orrin Hale")
    }).pipe(Effect.provide(layer()))
  )

  it.effect("artifacts that quote it or rest on it go, whatever name it had; the others stay", () =>
    Effect.gen(function* () {
      yield* index(write(folder(), { ...town, ...secret }))
      const [gone] = (yield* (yield* CorpusStore).hashes(scope, [DocumentId.make("secret/dossier.md")])).values()
      const [kept] = (yield* (yield* CorpusStore).hashes(scope, [DocumentId.make("hale.md")])).values()
      if (gone === undefined || kept === undefined) throw new Error("both are indexed")
      const run = runId("artifacts")
      const token = yield* (yield* Journal).begin([
        { ...started(run, scope), corpusRevision: (yield* (yield* CorpusStore).revision(scope)).revision }
      ])
      const made = (from: string, document: string, restsOn: ReadonlyArray<typeof gone>) => {
        const quote = { span: { document: DocumentId.make(document), start: 0, end: from.length }, text: from }
        return artifact({ scopeKey: scope, run, payload: { kind: "Bridge", from: quote, to: quote }, restsOn })
      }
      const stays = made("Orrin Hale", "hale.md", [kept])
      const resting = artifact({ scopeKey: scope, run, payload: failed("s"), restsOn: [kept, gone] })
      yield* (yield* Journal).commit(
        run,
        token,
        [],
        [stays, resting, made("the", "secret/dossier.md", []), made("Vexlumbra Ottrelid", "former/name.md", [])]
      )
      expect((yield* forget({ scope, paths: ["secret"] })).artifacts).toBe(3)
      expect((yield* (yield* Housekeeping).artifacts(scope)).map(({ id }) => id)).toEqual([stays.id])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("85 of 100 documents: one rebuild of the graph", () =>
    Effect.gen(function* () {
      const files = Object.fromEntries(
        Array.from({ length: 100 }, (_, i) => [
          `n${i}.md`,
          `# Note ${i}\n\nNote ${i} is about the river and word${i}.\n`
        ])
      )
      const root = write(folder(), files)
      yield* index(root)
      const tam = yield* TamStore
      let built = 0
      const watched = TamStore.of({
        ...tam,
        // a build says once how deep the graph is
        change: (key, change) =>
          Effect.zipRight(
            Effect.sync(() => {
              if (change.depth !== undefined) built++
            }),
            tam.change(key, change)
          )
      })
      const paths = Array.from({ length: 85 }, (_, i) => `n${i}.md`)
      const report = yield* forget({ scope, paths }).pipe(Effect.provideService(TamStore, watched))
      expect(report.documents.length).toBe(85)
      expect(built).toBe(1)
      const rest = Object.fromEntries(Object.entries(files).filter(([name]) => !paths.includes(name)))
      const fresh = yield* Effect.provide(Effect.zipRight(index(write(folder(), rest)), portrait), layer())
      expect(yield* portrait).toEqual(fresh)
    }).pipe(Effect.provide(layer()))
  )
})

describe("C34 forgetting, on disk", () => {
  it.effect(
    "no file of the state folder holds a byte of the document: tables, indexes, free pages, log, vector files",
    () =>
      Effect.gen(function* () {
        const directory = folder()
        const root = write(folder(), { ...town, ...secret })
        const open = Embedded.layer({ directory })
        // by a process of its own each, as commands are, and once more by one that stays open
        yield* Effect.provide(index(root), open)
        yield* Effect.provide(asked, open)
        expect(found(directory, traces).length).toBeGreaterThan(10)
        yield* Effect.gen(function* () {
          yield* asked
          // a version before the last leaves words in older segments and in free space
          write(root, { "secret/dossier.md": secret["secret/dossier.md"].replace("Kelmarend", "Kelmarend II") })
          yield* index(root)
          yield* asked
          yield* forget({ scope, paths: ["secret/dossier.md"] })
          expect(found(directory, traces)).toEqual([])
          expect((yield* ask("Who made the Town Clock?", { scope })).answer).toContain("Orrin Hale")
        }).pipe(Effect.provide(open))
        expect(found(directory, traces)).toEqual([])
        expect(found(directory, ["Dora Finch"]).length).toBeGreaterThan(0)
      })
  )

  it.effect(
    "a full disk at the last step: all is forgotten, it is said what still holds traces, and the next opening clears them",
    () =>
      Effect.gen(function* () {
        const directory = folder()
        const full = new StoreError({
          reason: "Full",
          method: "Housekeeping.scrub",
          detail: "no space",
          cause: "no space"
        })
        yield* Effect.gen(function* () {
          yield* index(write(folder(), { ...town, ...secret }))
          const housekeeping = yield* Housekeeping
          const error = yield* Effect.flip(
            forget({ scope, paths: ["secret/dossier.md"] }).pipe(
              Effect.provideService(Housekeeping, { ...housekeeping, scrub: full })
            )
          )
          if (error._tag !== "TracesLeft") throw error
          // the log holds the pages that the index run wrote; a scrub that did nothing would leave them
          expect(found(directory, traces).join("\n")).toContain("staterag.db-wal: Vexlumbra")
          expect(error.reason).toBe("Full")
          expect(error.message).toMatch(/forgotten.*no space/)
          expect(error.advice).toMatch(/free some disk space.*staterag prune/)
          const ids = (yield* (yield* CorpusStore).documents(scope)).map(({ id }) => id)
          expect(ids).not.toContain("secret/dossier.md")
          const told = yield* verify({ scope })
          expect(told.findings.map(({ clause, subject }) => `${clause} ${subject}`)).toEqual(["C34 free space"])
        }).pipe(Effect.provide(Embedded.layer({ directory })))
        const report = yield* Effect.provide(verify({ scope }), Embedded.layer({ directory }))
        expect(report.findings).toEqual([])
        expect(found(directory, traces)).toEqual([])
      })
  )

  it.effect("one record of a file is forgotten, the others stay", () =>
    Effect.gen(function* () {
      const lines = [
        { id: "a", title: "Alpha", text: "Alpha is about Vexlumbra." },
        { id: "b", title: "Beta", text: "Beta is about bridges." }
      ]
      const root = write(folder(), { "all.jsonl": lines.map((line) => JSON.stringify(line)).join("\n") })
      yield* index(root)
      const report = yield* forget({ scope, paths: ["a"] })
      expect(report).toMatchObject({ documents: ["a"], files: [] })
      const ids = (yield* (yield* CorpusStore).documents(scope)).map(({ id }) => id)
      expect(ids).toEqual([DocumentId.make("b")])
    }).pipe(Effect.provide(Embedded.layer({ directory: folder() })))
  )
})
