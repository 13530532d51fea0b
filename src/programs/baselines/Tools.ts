/**
 * The tools of methods that decide step by step, the same for all of them, over the passages of the scope.
 *
 *     search      passages by words and vectors (reciprocal rank fusion)
 *     page        the passages of a document, by its title or its id
 *     keywords    passages by how often they hold the words as they are written, longer words counting more
 *     sentences   passages by their sentence nearest to a query
 *
 * Whatever they give is what the corpus says: it is shown to models as data, and no program reads it for orders.
 */
import { Effect } from "effect"
import { clip } from "../../domain/Clip.ts"
import type { Passage } from "../../domain/Corpus.ts"
import type { DocumentId } from "../../domain/Ids.ts"
import type { Shown } from "../../domain/prompts/Handles.ts"
import { sentences as sentencesOf } from "../../domain/Sentences.ts"
import { terms } from "../../domain/Words.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import * as Bm25 from "./Bm25.ts"
import type { Library, Rank, Ranked, Setting } from "./Method.ts"
import * as Rankings from "./Rankings.ts"

type Within = ReadonlyArray<DocumentId> | undefined

/** A passage with the sentences of it that were found, in the order of the text. */
export interface Told extends Ranked {
  readonly said: ReadonlyArray<string>
}

/** Passages, nearest first, of which {@link sentences} looks at each sentence. */
const nearest = 20
/** Tokens of a title that are shown. */
const titleTokens = 40
/** Sentences of a passage that are told. */
const mostSaid = 2

const times = (text: string, word: string): number => {
  let count = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) count++
  return count
}
const linesOf = ({ text }: Passage): ReadonlyArray<string> =>
  sentencesOf(text).map(({ end, start }) => text.slice(start, end))
const byScore = (x: Ranked, y: Ranked): number => y.score - x.score || (x.passage.id < y.passage.id ? -1 : 1)
const dot = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  a === undefined || b === undefined ? 0 : a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0)
const nameOf = (title: string): string => terms(title).join(" ")

/** The passages of a scope by document and by title; `within` leaves those of other documents out. */
const shelfOf = (passages: ReadonlyArray<Passage>) => {
  const byDocument = new Map<DocumentId, Array<Passage>>()
  for (const passage of passages) {
    const known = byDocument.get(passage.document)
    if (known === undefined) byDocument.set(passage.document, [passage])
    else known.push(passage)
  }
  const byTitle = new Map<string, Array<DocumentId>>()
  for (const [document, own] of byDocument) {
    own.sort((x, y) => x.start - y.start)
    const name = nameOf(own[0]?.title ?? "")
    if (name === "") continue
    const known = byTitle.get(name)
    if (known === undefined) byTitle.set(name, [document])
    else known.push(document)
  }
  return { byDocument, byTitle }
}

export const make = (setting: Setting, library: Library) =>
  Effect.gen(function* () {
    const passages = yield* library.passages
    const embedding = yield* EmbeddingModel
    const count = yield* (yield* TokenCounter).counter
    const hybrid = yield* Rankings.hybrid(setting, Bm25.ofPassages(passages))
    const dense = yield* Rankings.dense(setting)
    const { byDocument, byTitle } = shelfOf(passages)

    const first = (rank: Rank<never>) => (query: string, limit: number, within: Within) =>
      query.trim() === ""
        ? Effect.succeed<ReadonlyArray<Ranked>>([])
        : Effect.map(rank(query, within), (ranked) => ranked.slice(0, limit))
    const search = first(hybrid)

    /** The passages of a document, in its order. */
    const pageOf = (document: DocumentId): ReadonlyArray<Passage> => byDocument.get(document) ?? []
    /** The page of that title, whatever its case and accents; of several the first by id. */
    const page = (title: string, within: Within): ReadonlyArray<Passage> => {
      const [found] = (byTitle.get(nameOf(title)) ?? [])
        .filter((document) => within === undefined || within.includes(document))
        .sort()
      return found === undefined ? [] : pageOf(found)
    }

    /** Σ over the words of how often a passage holds one × its length (A-RAG), without case. */
    const keywords = (words: ReadonlyArray<string>, limit: number, within: Within): ReadonlyArray<Told> => {
      const wanted = [...new Set(words.map((word) => word.trim().toLowerCase()))].filter((word) => word !== "")
      const documents = within && new Set(within)
      const has = (text: string) => wanted.reduce((sum, word) => sum + times(text, word) * word.length, 0)
      return passages
        .flatMap((passage): ReadonlyArray<Ranked> => {
          if (documents !== undefined && !documents.has(passage.document)) return []
          const score = has(`${passage.title}\n${passage.text}`.toLowerCase())
          return score > 0 ? [{ passage, score }] : []
        })
        .sort(byScore)
        .slice(0, limit)
        .map((ranked) => {
          const lines = linesOf(ranked.passage)
          const holding = lines.filter((line) => has(line.toLowerCase()) > 0)
          return { ...ranked, said: (holding.length > 0 ? holding : lines).slice(0, mostSaid) }
        })
    }

    /** By the sentence of each that is nearest to the query by vector. */
    const sentences = Effect.fnUntraced(function* (query: string, limit: number, within: Within) {
      const near = yield* first(dense)(query, nearest, within)
      if (near.length === 0) return []
      const lines = near.map(({ passage }) => linesOf(passage))
      const [wanted, ...vectors] = yield* embedding.embed([query, ...lines.flat()])
      let at = 0
      return near
        .map(({ passage }, i): Told => {
          const own = (lines[i] ?? []).map((line, order) => ({ line, order, score: dot(wanted, vectors[at++]) }))
          const best = own.sort((x, y) => y.score - x.score || x.order - y.order).slice(0, mostSaid)
          const said = [...best].sort((x, y) => x.order - y.order).map(({ line }) => line)
          return { passage, score: best[0]?.score ?? 0, said }
        })
        .sort(byScore)
        .slice(0, limit)
    })

    return {
      search,
      page,
      pageOf,
      keywords,
      sentences,
      clip: (text: string, most: number): string => clip(count, text, most),
      /** A passage as a prompt shows it: `most` tokens of its text, and of its title as many as a title needs. */
      shown: ({ text, title }: Pick<Passage, "text" | "title">, most: number): Shown => ({
        title: clip(count, title, titleTokens),
        text: clip(count, text, most)
      })
    }
  })
export type Tools = Effect.Effect.Success<ReturnType<typeof make>>

/** A passage as a text: its title on a line of its own. */
export const written = ({ text, title }: Pick<Passage, "text" | "title">): string =>
  title === "" ? text : `${title}\n${text}`
