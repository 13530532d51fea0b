/** First step: which documents, titles, names and words are there now, and where. */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { entityKey } from "../../domain/Entities.ts"
import { type DocumentId, PassageId } from "../../domain/Ids.ts"
import { bearersLinked } from "../../domain/tam/Bonds.ts"
import { type Doc, mentioned, type Note, named, titleOf, wordsOf } from "../../domain/tam/Notes.ts"
import { type Surveyed, surveyOf } from "../../domain/tam/Survey.ts"
import { phrasesOf, titleTable } from "../../domain/tam/Titles.ts"
import { terms } from "../../domain/Words.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { LexicalIndex } from "../../services/LexicalIndex.ts"
import { Progress } from "../../services/Progress.ts"
import { pause } from "../IndexPassages.ts"
import { needTexts, type Run } from "./Run.ts"

const pageSize = 1000
/** More lines of one name than this are read only where each of them counts. */
export const mostHolders = 64

const byPlace = (a: Passage, b: Passage): number => a.start - b.start || (a.id < b.id ? -1 : 1)

const readAll = Effect.fnUntraced(function* ({ scope, texts, touched }: Run) {
  const corpus = yield* CorpusStore
  const progress = yield* Progress
  const { passages: total } = yield* corpus.counts(scope)
  const documents = new Map<DocumentId, Array<Passage>>()
  for (let after = Option.none<PassageId>(); ; ) {
    const page = yield* corpus.page(scope, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) break
    yield* pause
    for (const passage of page) {
      texts.set(passage.id, passage)
      const own = documents.get(passage.document)
      if (own === undefined) documents.set(passage.document, [passage])
      else own.push(passage)
    }
    after = Option.some(last.id)
    yield* progress.report({ label: "reading passages", done: texts.size, total })
  }
  for (const [id, own] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
    touched.set(id, { before: undefined, after: own.sort(byPlace) })
})

const readTouched = Effect.fnUntraced(function* (
  run: Run,
  documents: ReadonlyMap<DocumentId, ReadonlyArray<PassageId>>
) {
  yield* run.board.doc.need(run.scope, documents.keys())
  yield* needTexts(run, [...documents.values()].flat())
  for (const [id, passages] of documents) {
    const after = passages.flatMap((passage) => run.texts.get(passage) ?? []).sort(byPlace)
    run.touched.set(id, { before: run.board.doc.get(id), after })
  }
})

/** Passages under the same headings have the same number. */
const numbered = (passages: ReadonlyArray<Passage>): Doc["passages"] => {
  const numbers = new Map<string, number>()
  return passages.map(({ headings, id }) => {
    const path = headings.join("\n")
    const number = numbers.get(path) ?? numbers.size
    numbers.set(path, number)
    return [id, number]
  })
}

/** Puts the touched documents in order; gives the titles that have come or gone. */
const settleTitles = Effect.fnUntraced(function* ({ board, gone, scope, touched }: Run) {
  const titles = new Map(Array.from(touched, ([id, { after }]) => [id, entityKey(after[0]?.title ?? "")]))
  const kept = new Set([...touched.values()].flatMap(({ after }) => after.map(({ id }) => id)))
  yield* board.bear.need(
    scope,
    [...titles.values(), ...Array.from(touched.values(), ({ before }) => before?.title ?? "")].filter(
      (key) => key !== ""
    )
  )
  const own = new Set<string>()
  for (const [id, { after, before }] of touched) {
    const title = titles.get(id) ?? ""
    for (const [passage] of before?.passages ?? []) if (!kept.has(passage)) gone.add(passage)
    if (before !== undefined && before.title !== "") {
      own.add(before.title)
      board.bear.delete(before.title, id)
    }
    if (after.length === 0) {
      board.doc.delete(id)
      continue
    }
    if (title !== "") {
      own.add(title)
      const opening = after.slice(0, bearersLinked).map((passage) => passage.id)
      board.bear.set(title, id, { passages: after.length, opening })
    }
    board.doc.set(id, "", { title, passages: numbered(after), relations: [], chain: 0 })
  }
  const found = [...own]
  const come = found.filter((key) => board.bear.was(key).size === 0 && board.bear.of(key).size > 0)
  const left = found.filter((key) => board.bear.was(key).size > 0 && board.bear.of(key).size === 0)
  const heads = (key: string) => new Set(phrasesOf(key).map((phrase) => phrase.split(" ")[0] ?? ""))
  yield* board.head.need(
    scope,
    [...come, ...left].flatMap((key) => [...heads(key)])
  )
  for (const key of come) for (const head of heads(key)) board.head.set(head, key, "")
  for (const key of left) for (const head of heads(key)) board.head.delete(head, key)
  return { come, left }
})

/** Passages that may name one of these titles. */
const naming = Effect.fnUntraced(function* ({ scope }: Run, titles: ReadonlyArray<string>) {
  const phrases = titles.flatMap(phrasesOf)
  if (phrases.length === 0) return []
  const found = yield* (yield* LexicalIndex).holders(scope, phrases, Number.MAX_SAFE_INTEGER)
  return [...found.values()].flat().map((id) => PassageId.make(id))
})

const blank = { known: -1, picks: [], telling: 0, shared: [], hung: [] } as const

const without = (list: ReadonlyArray<string>, other: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (other.length === 0) return list
  const others = new Set(other)
  return list.filter((one) => !others.has(one))
}

/** Takes what a passage holds out of the counts, and puts in what it holds now. */
const exchange = (run: Run, id: PassageId, old: Note | undefined, now: Surveyed | undefined): void => {
  const { name: hold, said } = run.board
  for (const name of without(old?.names ?? [], now?.names ?? [])) hold.delete(name, id)
  const before = new Set(old?.names)
  const mentions = new Set(now?.mentions)
  const mentionsBefore = new Set(old?.mentions)
  for (const name of now?.names ?? []) {
    const isMention = mentions.has(name)
    if (!before.has(name) || isMention !== mentionsBefore.has(name)) hold.set(name, id, isMention ? mentioned : named)
  }
  for (const [key, by] of [
    ...without(old?.mentions ?? [], now?.mentions ?? []).map((key) => [key, -1] as const),
    ...without(now?.mentions ?? [], old?.mentions ?? []).map((key) => [key, 1] as const)
  ]) {
    const count = (said.get(key) ?? 0) + by
    if (count === 0) said.delete(key)
    else said.set(key, "", count)
  }
  if (run.fresh) return
  const wordsBefore = wordsOf(old)
  if (old !== undefined) run.wordsBefore.set(id, wordsBefore)
  const count = (word: string, by: number) => run.wordChange.set(word, (run.wordChange.get(word) ?? 0) + by)
  for (const word of without(wordsBefore, now?.words ?? [])) count(word, -1)
  for (const word of without(now?.words ?? [], wordsBefore)) count(word, 1)
}

/** Surveys what is new; `documents` are those that have changed, with their passages. */
export const survey = Effect.fnUntraced(function* (
  run: Run,
  documents: ReadonlyMap<DocumentId, ReadonlyArray<PassageId>> | undefined
) {
  const { board, fresh, gone, scope, surveyed, texts, touched } = run
  yield* documents === undefined ? readAll(run) : readTouched(run, documents)
  const titles = yield* settleTitles(run)

  // ---- which passages are looked at
  const renamed = fresh ? [] : yield* naming(run, [...titles.come, ...titles.left])
  const own = [...touched.values()].flatMap(({ after }) => after)
  yield* board.note.need(scope, [...own.map(({ id }) => id), ...gone, ...renamed])
  for (const { id, title } of own) if (titleOf(board.note.get(id)) !== title) surveyed.add(id)
  for (const id of renamed) surveyed.add(id)
  yield* needTexts(run, surveyed)

  // ---- the titles that they may name
  const heads = fresh ? [] : [...surveyed].flatMap((id) => terms(texts.get(id)?.text ?? ""))
  yield* board.head.need(scope, heads)
  const table = titleTable(fresh ? titles.come : [...new Set(heads)].flatMap((head) => [...board.head.of(head).keys()]))

  // ---- what stands in them
  const enter = (id: PassageId, found: Surveyed): void => {
    const old = board.note.get(id)
    const document = texts.get(id)?.document ?? old?.document
    if (document === undefined) return
    exchange(run, id, old, found)
    board.note.set(id, "", { ...(old ?? blank), ...found, words: found.words.join(" "), document })
  }
  const now = new Map<PassageId, Surveyed>()
  let looked = 0
  for (const id of surveyed) {
    if (looked++ % pageSize === 0) yield* pause
    const passage = texts.get(id)
    if (passage === undefined) continue
    const found = surveyOf(passage, table)
    // a fresh build has nothing to read first, and does not hold everything twice
    if (fresh) enter(id, found)
    else now.set(id, found)
  }
  const both = [...surveyed, ...gone].flatMap((id) => [board.note.get(id), now.get(id)])
  yield* board.name.need(
    scope,
    both.flatMap((one) => one?.names ?? []),
    mostHolders
  )
  yield* board.said.need(
    scope,
    both.flatMap((one) => one?.mentions ?? [])
  )
  for (const id of gone) exchange(run, id, board.note.get(id), undefined)
  for (const [id, found] of now) enter(id, found)
  // a name that lost most of its holders has to be known whole
  const few = [...board.name.touched].filter(
    (key) => board.name.isCut(key) && board.name.of(key).size <= mostHolders / 2
  )
  yield* board.name.need(scope, few)
})
