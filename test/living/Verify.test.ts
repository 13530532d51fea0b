/** C1 to C8, C14: what is wrong with what is stored is found, and what is made from something sound is made again. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { DocumentId } from "../../src/domain/Ids.ts"
import { VerifyReport } from "../../src/domain/VerifyReport.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import { ask } from "../../src/programs/Ask.ts"
import { forget } from "../../src/programs/Forget.ts"
import { verify } from "../../src/programs/Verify.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { LexicalIndex } from "../../src/services/LexicalIndex.ts"
import { VectorStore } from "../../src/services/VectorStore.ts"
import { folder, index, kinds, portrait, scope, write } from "../support/Living.ts"

const books = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [
    `b${i}.md`,
    `# Book ${i}\n\nBook ${i} tells of the River Ashe and of Book ${(i + 5) % 12}.\r\n\r\n## Part\n\nIts keeper is Keeper ${i}, born in ${1900 + i}.\n`
  ])
)
const records = [
  { id: "r1", title: "Record One", text: "Record One is about the Old Bridge.\nIt stands." },
  { id: "r2", text: "Another one, of # no heading, about Book 3." }
]
const corpus = { ...books, "records.jsonl": records.map((record) => JSON.stringify(record)).join("\n") }
const questions = ["When was Keeper 3 born?", "Who keeps Book 7?", "What is about the Old Bridge?"]
const ready = Effect.zipRight(
  index(write(folder(), corpus)),
  Effect.forEach(questions, (question) => Effect.either(ask(question, { scope })))
)
const clausesOf = ({ findings }: VerifyReport) => [...new Set(findings.map(({ clause }) => clause))].sort()

describe.each(kinds)("C5, C14, C30 verify, %s", (_, layer) => {
  it.effect("finds nothing wrong in what was indexed, asked, changed and forgotten", () =>
    Effect.gen(function* () {
      const root = write(folder(), corpus)
      yield* index(root)
      yield* Effect.forEach(questions, (question) => Effect.either(ask(question, { scope })))
      const first = yield* verify({ scope })
      expect(first.findings).toEqual([])
      expect(Schema.is(VerifyReport)(first)).toBe(true)
      expect(first).toMatchObject({ sound: true, checked: { documents: 14, runs: 3 } })
      expect(first.checked.vectors).toBeGreaterThan(first.checked.passages)
      write(root, { "b3.md": "# Book 3\n\nAll of it is new.\n" })
      yield* index(root)
      yield* forget({ scope, paths: ["b5.md"] })
      yield* Effect.either(ask("Who keeps Book 7?", { scope }))
      expect((yield* verify({ scope })).findings).toEqual([])
    }).pipe(Effect.provide(layer()))
  )

  it.effect("a passage without words, one without a vector, a wrong vector, a stray one: found, and made again", () =>
    Effect.gen(function* () {
      yield* ready
      const before = yield* portrait
      const lexical = yield* LexicalIndex
      const vectors = yield* VectorStore
      const [a, b, c] = before.passages
      if (a === undefined || b === undefined || c === undefined) throw new Error("there are passages")
      yield* lexical.remove(scope, "Passage", [a.id])
      yield* vectors.remove(scope, "Passage", [b.id])
      const [{ vector } = { vector: new Float32Array(8) }] = yield* vectors.get(scope, "Passage", [c.id])
      yield* vectors.put(scope, "Passage", [
        { id: c.id, vector: vector.map((part, i) => (i === 0 ? Number.NaN : part)) },
        { id: "stray", vector }
      ])
      const found = yield* verify({ scope })
      expect(found.sound).toBe(false)
      const subjects = found.findings.map(({ derived, subject }) => `${derived} ${subject}`)
      for (const one of ["Words passages", `Vectors ${b.id}`, `Vectors ${c.id}`, "Vectors stray"])
        expect(subjects).toContain(one)
      expect(found.findings.every(({ repaired }) => !repaired)).toBe(true)
      const mended = yield* verify({ scope, repair: true })
      expect(mended.findings.length).toBe(found.findings.length)
      expect(mended.findings.every(({ repaired }) => repaired)).toBe(true)
      expect(mended.sound).toBe(true)
      expect((yield* verify({ scope })).findings).toEqual([])
      expect(yield* portrait).toEqual(before)
    }).pipe(Effect.provide(layer()))
  )

  it.effect(
    "a text that is not what was indexed is named; a repair takes it out, and indexing its file brings it back",
    () =>
      Effect.gen(function* () {
        const root = write(folder(), corpus)
        yield* index(root)
        const before = yield* portrait
        const store = yield* CorpusStore
        const id = DocumentId.make("b4.md")
        const document = Option.getOrThrow(yield* store.document(scope, id))
        yield* store.put(scope, [{ document: { ...document, text: `${document.text}!` }, passages: [] }])
        const told = (yield* verify({ scope })).findings.find(({ subject }) => subject === id)
        expect(told).toMatchObject({ clause: "C14", derived: "Texts" })
        expect(told?.message).toContain("--repair` takes it out, and indexing its file brings it back")
        expect((yield* verify({ scope, repair: true })).sound).toBe(true)
        expect(Option.isNone(yield* store.document(scope, id))).toBe(true)
        expect((yield* verify({ scope })).findings).toEqual([])
        expect((yield* index(root)).documents).toMatchObject({ added: 1, changed: 0, removed: 0 })
        expect(yield* portrait).toEqual(before)
      }).pipe(Effect.provide(layer()))
  )
})

describe("C5, C14, C30 verify, over a damaged database", () => {
  const damages: ReadonlyArray<
    readonly [name: string, statement: string, clauses: ReadonlyArray<string>, mendable: boolean | "indexed again"]
  > = [
    ["a passage's offset", "UPDATE staterag_passage SET start = start + 1 WHERE row = 3", ["C14"], true],
    ["a passage past the end", "UPDATE staterag_passage SET finish = 99999 WHERE row = 3", ["C14"], true],
    ["a passage's line", "UPDATE staterag_passage SET line = 99 WHERE row = 3", ["C14"], true],
    ["a passage gone", "DELETE FROM staterag_passage WHERE row = 3", ["C14"], true],
    ["words gone", "DELETE FROM staterag_fts_passage_1 WHERE rowid = 2", ["C18"], true],
    ["words of another text", "UPDATE staterag_fts_passage_1 SET body = 'x' WHERE rowid = 2", ["C18"], true],
    ["relation words gone", "DELETE FROM staterag_entry WHERE kind = 'Relation' AND row % 3 = 0", ["C18"], true],
    ["vectors gone", "DELETE FROM staterag_vector WHERE row % 5 = 0", ["C18"], true],
    ["vectors of other lengths", "UPDATE staterag_vector SET vector = zeroblob(8) WHERE row = 1", ["C18"], true],
    [
      "an edge gone",
      `DELETE FROM staterag_edge WHERE (source, target) = (SELECT e.source, e.target FROM staterag_edge e
         JOIN staterag_node n ON n.row = e.target AND n.type = 'Evidence'
         WHERE (SELECT count(*) FROM staterag_edge o WHERE o.target = e.target) > 1 LIMIT 1)`,
      ["C8"],
      true
    ],
    [
      "an edge to nowhere",
      "INSERT INTO staterag_edge VALUES ((SELECT min(source) FROM staterag_edge), 9999)",
      ["C5"],
      true
    ],
    ["every node gone, edges left", "DELETE FROM staterag_node", ["C5"], true],
    ["every anchor gone, links left", "DELETE FROM staterag_anchor", ["C5"], true],
    ["a region gone", "DELETE FROM staterag_region WHERE node = (SELECT max(node) FROM staterag_region)", ["C5"], true],
    [
      "a region of nothing",
      "UPDATE staterag_region SET anchors = '[99999]' WHERE node = (SELECT max(node) FROM staterag_region)",
      ["C5"],
      true
    ],
    [
      "a region of others",
      "UPDATE staterag_region SET anchors = (SELECT anchors FROM staterag_region ORDER BY node LIMIT 1) WHERE node = (SELECT max(node) FROM staterag_region)",
      ["C8"],
      true
    ],
    [
      "an abstraction",
      "UPDATE staterag_node SET abstraction = 'other' WHERE type = 'Relation' AND row = (SELECT max(row) FROM staterag_node WHERE type = 'Relation')",
      ["C8"],
      true
    ],
    ["the revision", "UPDATE staterag_scope SET revision = 'other'", ["C34"], true],
    [
      "a document's hash",
      "UPDATE staterag_document SET hash = 'ffffffffffff' WHERE id = 'b2.md'",
      ["C14", "C34"],
      "indexed again"
    ],
    [
      "a text gone",
      "DELETE FROM staterag_text WHERE document = (SELECT row FROM staterag_document WHERE id = 'b2.md')",
      ["C14"],
      "indexed again"
    ],
    [
      "a text changed",
      "UPDATE staterag_text SET text = replace(text, 'River', 'Rover') WHERE document = (SELECT row FROM staterag_document WHERE id = 'b2.md')",
      ["C14"],
      "indexed again"
    ],
    ["every text gone", "DROP TABLE staterag_text", ["C14", "C30"], "indexed again"],
    ["every passage gone", "DROP TABLE staterag_passage", ["C14", "C30"], true],
    ["every vector gone", "DROP TABLE staterag_vector", ["C18", "C30"], true],
    ["every word's place gone", "DROP TABLE staterag_entry", ["C18", "C30"], true],
    ["a word index gone", "DROP TABLE staterag_fts_passage_1", ["C18"], true],
    ["the graph gone", "DROP TABLE staterag_node", ["C5", "C30"], true],
    ["links gone", "DROP TABLE staterag_link", ["C30"], true],
    ["an index gone", "DROP INDEX staterag_document_hash", ["C30"], true],
    ["a trigger gone", "DROP TRIGGER staterag_artifact_gone", ["C30"], true],
    ["the fences gone", "DROP TABLE staterag_fence", ["C30"], true],
    ["what is owed gone", "DROP TABLE staterag_owed", ["C30"], true],
    ["the journals gone", "DROP TABLE staterag_run", ["C30"], true],
    ["a scope that does not fit", "UPDATE staterag_scope SET dimensions = 'x'", ["C34"], true],
    ["scopes gone", "DROP TABLE staterag_scope", ["C30"], false],
    ["an event that is no JSON", "UPDATE staterag_event SET payload = '{' WHERE sequence = 2", ["C30"], false],
    ["what an event quotes gone", "DELETE FROM staterag_evidence", ["C30"], false],
    ["an event gone", "DELETE FROM staterag_event WHERE sequence = 2", ["C30"], false],
    [
      "events in another order",
      "UPDATE staterag_event SET payload = json_set(payload, '$.tag', 'CycleStarted') WHERE sequence = 1",
      ["C30"],
      false
    ],
    ["a quotation", "UPDATE staterag_evidence SET item = replace(item, 'keeper', 'kepper')", ["C14"], false]
  ]

  it.effect.each(damages)("%s", ([, statement, clauses, mendable]) =>
    Effect.gen(function* () {
      const directory = folder()
      const open = Embedded.layer({ directory })
      const root = write(folder(), corpus)
      const start = Effect.forEach(questions, (question) => Effect.either(ask(question, { scope })))
      const before = yield* Effect.provide(Effect.zipRight(Effect.zipRight(index(root), start), portrait), open)
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
        Effect.provide(Client.layer({ filename: join(directory, "staterag.db"), create: false }))
      )
      const found = yield* Effect.provide(verify({ scope }), open)
      expect(found.sound).toBe(false)
      for (const clause of clauses) expect(clausesOf(found)).toContain(clause)
      const mended = yield* Effect.provide(verify({ scope, repair: true }), open)
      expect(mended.sound).toBe(mendable !== false)
      if (mendable === false) {
        for (const { message } of mended.findings) expect(message).toMatch(/prune|[Rr]estore a copy|new --dir/)
        return
      }
      expect((yield* Effect.provide(verify({ scope }), open)).findings).toEqual([])
      if (mendable === "indexed again") yield* Effect.provide(index(root), open)
      expect(yield* Effect.provide(portrait, open)).toEqual(before)
    })
  )

  it.effect(
    "a lost ledger of migrations is written again where all tables are there, and Lost where they are not",
    () =>
      Effect.gen(function* () {
        const directory = folder()
        const open = Embedded.layer({ directory })
        const say = (statement: string) =>
          Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
            Effect.provide(Client.layer({ filename: join(directory, "staterag.db"), create: false }))
          )
        const before = yield* Effect.provide(Effect.zipRight(ready, portrait), open)
        for (const statement of ["DELETE FROM staterag_migrations", "DROP TABLE staterag_migrations"]) {
          yield* say(statement)
          expect(yield* Effect.provide(portrait, open)).toEqual(before)
          expect((yield* Effect.provide(verify({ scope }), open)).findings).toEqual([])
        }
        yield* say("DELETE FROM staterag_migrations")
        yield* say("DROP TABLE staterag_owed")
        const error = yield* Effect.flip(Effect.provide(Effect.void, open))
        expect(error).toMatchObject({ _tag: "StoreError", reason: "Lost" })
        expect(error.message).toContain("staterag_owed")
        expect(error.advice).toMatch(/restore a copy.*new --dir/)
      })
  )

  it.effect("a vector file with one byte changed is found, and made again", () =>
    Effect.gen(function* () {
      const directory = folder()
      const open = Embedded.layer({ directory })
      yield* Effect.provide(ready, open)
      const files = readdirSync(directory, { recursive: true, encoding: "utf8" })
      const file = files.find((name) => name.endsWith(".vectors"))
      if (file === undefined) throw new Error("there are vector files")
      const bytes = readFileSync(join(directory, file))
      bytes[5] = (bytes[5] ?? 0) ^ 1
      writeFileSync(join(directory, file), bytes)
      const found = yield* Effect.provide(verify({ scope }), open)
      expect(found.findings.map(({ derived }) => derived)).toEqual(["VectorFiles"])
      expect((yield* Effect.provide(verify({ scope, repair: true }), open)).sound).toBe(true)
      expect((yield* Effect.provide(verify({ scope }), open)).findings).toEqual([])
    })
  )
})
