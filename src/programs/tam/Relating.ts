/** Fourth step: the Relations of what has changed, what they say, their index entries and vectors. */
import { Effect } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import type { DocumentId, NodeId, PassageId } from "../../domain/Ids.ts"
import type { Doc } from "../../domain/tam/Notes.ts"
import {
  chainOf,
  type Draft,
  describing,
  draft,
  fileOf,
  flat,
  type Hash,
  homeOf,
  isSpread,
  nameKey,
  relationId,
  spreadHome
} from "../../domain/tam/Relations.ts"
import { words } from "../../domain/Words.ts"
import { Digest } from "../../services/Digest.ts"
import { needTexts, type Run } from "./Run.ts"
import { mostHolders } from "./Surveying.ts"
import type { Teller } from "./Telling.ts"

const byKey = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0)

/** How many passages a title has, and in how many documents. */
const sizeOf = (run: Run, title: string, side: "of" | "was") => {
  const bearers = run.board.bear[side](title)
  let passages = 0
  for (const bearer of bearers.values()) passages += bearer.passages
  return { passages, documents: bearers.size }
}
const spreads = (run: Run, title: string, side: "of" | "was"): boolean => {
  const { documents, passages } = sizeOf(run, title, side)
  return isSpread(passages, documents)
}

/** The documents whose own Relations have to be made again, by the title that they bear or bore. */
const openDocuments = (run: Run): ReadonlyMap<string, ReadonlySet<DocumentId>> => {
  const { board, touched } = run
  const open = new Map<string, Set<DocumentId>>()
  const add = (title: string, id: DocumentId) => open.set(title, (open.get(title) ?? new Set()).add(id))
  for (const [id, { before }] of touched) {
    for (const title of [before?.title, board.doc.get(id)?.title]) if (title !== undefined) add(title, id)
  }
  for (const title of open.keys()) {
    if (title === "" || (spreads(run, title, "was") && spreads(run, title, "of"))) continue
    for (const id of [...board.bear.was(title).keys(), ...board.bear.of(title).keys()]) add(title, id as DocumentId)
  }
  return open
}

/** Notes which Relations are a document's own, and how many of them stand above one another. */
const settle = (run: Run, id: DocumentId, own: ReadonlyArray<NodeId>, chain: number): void => {
  const { doc, deep } = run.board
  const known = doc.get(id)
  if (known === undefined) return
  doc.set(id, "", { ...known, relations: [...own].sort(), chain })
  deep.set(String(chain), "", (deep.get(String(chain)) ?? 0) + 1)
}

/** What is known of a document before it is made again. */
const former = (run: Run, id: DocumentId): Doc | undefined =>
  run.touched.has(id) ? run.touched.get(id)?.before : run.board.doc.get(id)

/** The first passages about a title. */
const openingOf = (run: Run, title: string): ReadonlyArray<PassageId> => {
  const { bear, doc } = run.board
  const found: Array<PassageId> = []
  for (const [id] of [...bear.of(title)].sort(byKey)) {
    for (const [passage] of doc.get(id)?.passages ?? []) if (found.length < describing) found.push(passage)
    if (found.length >= describing) break
  }
  return found
}

const passagesIn = (run: Run, id: DocumentId): ReadonlyArray<Passage> =>
  (run.board.doc.get(id)?.passages ?? []).flatMap(([passage]) => run.texts.get(passage) ?? [])

/** The passages that hang under a name or word, ascending. */
type Members = (key: string) => ReadonlyArray<PassageId>

/** The homes of titles and files of documents that have changed; what they were before is taken away. Gives the titles with a home. */
const relateDocuments = Effect.fnUntraced(function* (
  run: Run,
  teller: Teller,
  hash: Hash,
  open: ReturnType<typeof openDocuments>,
  members: Members
) {
  const { board, scope } = run
  const ids = [...new Set([...open.values()].flatMap((own) => [...own]))]
  yield* board.doc.need(scope, ids)
  yield* board.deep.need(
    scope,
    Array.from({ length: 64 }, (_, chain) => String(chain))
  )
  const before = new Set<string>()
  for (const id of ids) {
    const old = former(run, id)
    if (old === undefined) continue
    for (const relation of old.relations) before.add(relation)
    const left = (board.deep.get(String(old.chain)) ?? 0) - 1
    if (left > 0) board.deep.set(String(old.chain), "", left)
    else board.deep.delete(String(old.chain))
  }
  if (!run.fresh)
    yield* needTexts(
      run,
      ids.flatMap((id) => board.doc.get(id)?.passages.map(([passage]) => passage) ?? [])
    )

  const homes = new Set<string>()
  const after = new Set<string>()
  const take = Effect.fnUntraced(function* (drafts: ReadonlyArray<Draft>) {
    const made = drafts.map((one) => ({ id: relationId(one.key, hash), draft: one }))
    if (before.size > 0) for (const { id } of made) after.add(id)
    yield* teller.take(made)
    return made.map(({ id }) => id)
  })
  const takeHome = Effect.fnUntraced(function* (title: string, home: Draft) {
    homes.add(title)
    for (const member of members(title)) home.passages.add(member)
    yield* teller.take([{ id: relationId(home.key, hash), draft: home }])
  })
  for (const [title, own] of open) {
    const bearers = title === "" ? new Map<string, never>() : board.bear.of(title)
    const documents = [...own].filter((id) => board.doc.get(id)?.title === title).sort()
    if (title === "" || spreads(run, title, "of")) {
      for (const id of documents) {
        const drafts = fileOf(passagesIn(run, id))
        settle(run, id, yield* take(drafts), chainOf(drafts) + (title === "" ? 0 : 1))
      }
      if (title === "") continue
      const opening = openingOf(run, title)
      yield* needTexts(run, opening)
      yield* takeHome(
        title,
        spreadHome(
          title,
          [...bearers.keys()].sort(),
          opening.flatMap((id) => run.texts.get(id) ?? [])
        )
      )
      continue
    }
    if (bearers.size === 0) continue
    const [home, ...below] = homeOf(
      title,
      documents.map((id) => passagesIn(run, id))
    )
    if (home === undefined) continue
    yield* takeHome(title, home)
    const chain = chainOf([home, ...below])
    const owners = new Map<string, Array<Draft>>(documents.map((id) => [id, []]))
    for (const one of below) owners.get(run.texts.get(one.about[0] ?? ("" as PassageId))?.document ?? "")?.push(one)
    for (const [id, drafts] of owners) settle(run, id as DocumentId, yield* take(drafts), chain)
  }
  teller.lose([...before].filter((id) => !after.has(id)) as Array<NodeId>)
  return homes
})

/** How a name is first written, by the first passage that writes it; a word, as it first stands in a text. */
const surfaceOf = (run: Run, key: string): string => {
  const { name, note, word } = run.board
  const writes = [...name.of(key).keys()].sort()
  for (const id of writes) {
    const found = note.get(id)
    const surface = found?.surfaces[found.names.indexOf(key)] ?? ""
    if (surface !== "") return surface
  }
  if (writes.length > 0) return key
  const [first] = [...word.of(key).keys()].sort()
  const text = run.texts.get((first ?? "") as PassageId)?.text ?? ""
  const stands = words(text).find(({ term }) => term === key)
  return stands === undefined ? key : text.slice(stands.start, stands.end)
}

/** The names and words of which the Relation may have become another, those among them that are `titles` too, with what hangs there. */
const relateable = Effect.fnUntraced(function* (run: Run, titles: Iterable<string>) {
  const { board, fresh, hung, scope } = run
  const keys = new Set<string>([...titles, ...hung.keys()])
  keys.delete("")
  if (!fresh) {
    for (const key of board.name.touched) if (board.name.of(key).size > 0) keys.add(key)
    for (const { after } of run.touched.values())
      for (const { id } of after)
        if (run.surveyed.has(id)) for (const key of board.note.get(id)?.hung ?? []) keys.add(key)
  }
  yield* board.bear.need(scope, keys)
  yield* board.name.need(scope, keys, mostHolders)
  yield* board.word.need(scope, keys)
  const holders = (key: string) => new Set([...board.name.of(key).keys(), ...board.word.of(key).keys()])
  const membersByKey = new Map<string, Array<PassageId>>()
  if (!fresh) {
    const bound = [...keys].filter((key) => !board.name.isCut(key))
    yield* board.note.need(
      scope,
      bound.flatMap((key) => [...holders(key)])
    )
    for (const key of bound) {
      const members = [...holders(key)].filter((id) => board.note.get(id)?.hung.includes(key)) as Array<PassageId>
      membersByKey.set(key, members.sort())
    }
    const first = bound.flatMap((key) =>
      board.name.of(key).size > 0 ? [] : ([...board.word.of(key).keys()].sort()[0] ?? [])
    )
    yield* needTexts(run, first as Array<PassageId>)
  }
  const members: Members = (key) => (fresh ? [...(hung.get(key)?.come ?? [])].sort() : (membersByKey.get(key) ?? []))
  return { keys, members }
})

/** Relations of names and words that are no title's home. */
const relateNames = Effect.fnUntraced(function* (
  run: Run,
  teller: Teller,
  hash: Hash,
  homes: ReadonlySet<string>,
  { keys, members: membersOf }: { readonly keys: ReadonlySet<string>; readonly members: Members }
) {
  const { board, hung } = run
  const lost: Array<NodeId> = []
  for (const key of keys) {
    if (homes.has(key)) continue
    const members = membersOf(key)
    const id = relationId(nameKey(key), hash)
    if (board.bear.of(key).size > 0) {
      // what it says and what is below it as a title stay; only who mentions it has changed
      const change = hung.get(key)
      if (change !== undefined) teller.rehang(id, change)
      continue
    }
    if (members.length === 0) {
      lost.push(id)
      continue
    }
    const made = draft(nameKey(key), flat(surfaceOf(run, key)))
    for (const member of members) made.passages.add(member)
    yield* teller.take([{ id, draft: made }])
  }
  teller.lose(lost)
})

export const relate = Effect.fnUntraced(function* (run: Run, teller: Teller) {
  const { hash } = yield* Digest
  const open = openDocuments(run)
  const names = yield* relateable(run, open.keys())
  yield* relateNames(run, teller, hash, yield* relateDocuments(run, teller, hash, open, names.members), names)
  yield* teller.flush
})
