/** TAM of real corpora: well-formed, and the two passages that a question needs together lie within reach of each other. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import type { Passage } from "../../src/domain/Corpus.ts"
import { ContentHash, DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { wellFormed } from "../../src/domain/Tam.ts"
import { evidenceId } from "../../src/domain/tam/Graph.ts"
import { builtFrom } from "../support/Building.ts"
import { dataFolder, dataPath, recordsOf } from "../support/Data.ts"

const Question = Schema.Struct({
  type: Schema.String,
  passages: Schema.Array(Schema.Struct({ id: Schema.String, supporting: Schema.Boolean }))
})
const decode = Schema.decodeUnknownSync(Schema.parseJson(Question))

/** The ids of the two passages that each question of `types` needs. */
const pairsOf = (set: string, types: ReadonlyArray<string>): ReadonlyArray<readonly [PassageId, PassageId]> =>
  readFileSync(dataPath(`${set}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => decode(line))
    .filter(({ type }) => types.includes(type))
    .flatMap(({ passages }) => {
      const [a, b, ...more] = passages.filter(({ supporting }) => supporting).map(({ id }) => PassageId.make(id))
      return a === undefined || b === undefined || more.length > 0 ? [] : [[a, b] as const]
    })

/** Every record as a document of one passage, under the record's id. */
const booksOf = (set: string) =>
  recordsOf(set).map(({ id, text, title }) => {
    const document = {
      id: DocumentId.make(id),
      title,
      format: "jsonl" as const,
      source: set,
      hash: ContentHash.make("00000000"),
      text
    }
    const passage: Passage = {
      id: PassageId.make(id),
      document: document.id,
      title,
      headings: [],
      start: 0,
      end: text.length,
      line: 1,
      text,
      tokens: 1
    }
    return { document, passages: [passage] }
  })

const share = (hits: number, of: number): number => (100 * hits) / of

describe.runIf(dataFolder !== undefined)("C5, C8, C13 the graph of a real corpus", () => {
  // set, kinds of question, least percentage joined by a title link, least percentage in one region of 1 + 16
  for (const [set, types, linked, together] of [
    ["hotpotqa", ["bridge"], 85, 94],
    ["2wikimultihopqa-hipporag", ["compositional", "inference"], 90, 97],
    ["musique", ["2hop"], 18, 74]
  ] as const) {
    it(`${set} is well-formed and joins what questions need`, { timeout: 120_000 }, async () => {
      const graph = await builtFrom(booksOf(set))
      expect(Either.isRight(wellFormed(graph, (id) => graph.evidence.has(id)))).toBe(true)
      const links = new Set(graph.links.map(({ from, to }) => `${from} ${to}`))
      const region = (id: PassageId) => (graph.regions.get(evidenceId(id)) ?? []).slice(0, 17)
      const pairs = pairsOf(set, types)
      expect(pairs.length).toBeGreaterThan(100)
      const byLink = pairs.filter(([a, b]) => links.has(`${a} ${b}`) || links.has(`${b} ${a}`))
      const inRegion = pairs.filter(([a, b]) => region(a).includes(b) || region(b).includes(a))
      expect(share(byLink.length, pairs.length)).toBeGreaterThan(linked)
      expect(share(inRegion.length, pairs.length)).toBeGreaterThan(together)
    })
  }
})
