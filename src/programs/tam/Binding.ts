/** Second step: which names and words bind which passages, and under which of them each passage hangs. */
import { Effect } from "effect"
import type { PassageId } from "../../domain/Ids.ts"
import { binds, few, hungOf, isPoor, mostShared, picksOf, step } from "../../domain/tam/Bonds.ts"
import { picked, tells, worded, wordsOf } from "../../domain/tam/Notes.ts"
import { LexicalIndex } from "../../services/LexicalIndex.ts"
import { pause } from "../IndexPassages.ts"
import type { Lines } from "./Board.ts"
import type { Hung, Run } from "./Run.ts"
import { mostHolders } from "./Surveying.ts"

type Side = "of" | "was"

const isBinding = (word: Lines<number>, key: string, side: Side): boolean => {
  for (const bits of word[side](key).values()) if ((bits & picked) !== 0) return true
  return false
}

/** As a list, which most are already. */
const asList = (ids: Iterable<string>): ReadonlyArray<PassageId> =>
  (Array.isArray(ids) ? ids : [...ids]) as ReadonlyArray<PassageId>

/** Those that a name or word binds; none where they are too few or too many. */
export const holdersOf = (run: Run, key: string, side: Side = "of"): ReadonlyArray<PassageId> => {
  const { name, word } = run.board
  const named = name[side](key)
  const worded = word[side](key)
  if (named.size > mostShared || worded.size > mostShared || named.size + worded.size < 2) return []
  if (worded.size === 0) return asList(named.keys())
  if (named.size === 0) return asList(worded.keys())
  const all = [...new Set([...named.keys(), ...worded.keys()])]
  return binds(all.length) ? (all as Array<PassageId>) : []
}

/** Whether a name or word that binds is worth a Relation. */
const isTelling = (run: Run, key: string, side: Side = "of"): boolean => {
  const { name, word } = run.board
  if (binds(name[side](key).size)) return true
  for (const bits of word[side](key).values()) if ((bits & tells) !== 0) return true
  return false
}

/** Reads who holds these names and words. */
export const needHolders = Effect.fnUntraced(function* ({ board, scope }: Run, keys: Iterable<string>) {
  const all = [...keys]
  yield* board.name.need(scope, all, mostHolders)
  yield* board.word.need(scope, all)
})

/** In how many passages a word stands, and in which: asked of the word index, or counted where all passages are at hand. */
const spreadOf = Effect.fnUntraced(function* ({ board, fresh, scope, surveyed }: Run) {
  const lexical = yield* LexicalIndex
  const counts = new Map<string, number>()
  if (fresh) {
    for (const id of surveyed)
      for (const word of wordsOf(board.note.get(id))) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  return {
    count: (word: string): number => counts.get(word) ?? 0,
    /** Counts go up to `limit`. */
    need: Effect.fnUntraced(function* (words: Iterable<string>, limit: number) {
      if (fresh) return
      const missing = [...new Set(words)].filter((word) => !counts.has(word))
      if (missing.length === 0) return
      for (const [word, count] of yield* lexical.spread(scope, missing, limit)) counts.set(word, count)
    }),
    holders: Effect.fnUntraced(function* (words: ReadonlyArray<string>, limit: number) {
      if (words.length === 0) return new Map<string, ReadonlyArray<PassageId>>()
      if (!fresh) return (yield* lexical.holders(scope, words, limit)) as ReadonlyMap<string, ReadonlyArray<PassageId>>
      const found = new Map(words.map((word) => [word, [] as Array<PassageId>]))
      for (const id of surveyed) for (const word of wordsOf(board.note.get(id))) found.get(word)?.push(id)
      return found
    })
  }
})
type Spread = Effect.Effect.Success<ReturnType<typeof spreadOf>>

/** Passages of which the number of names that bind may be another. */
const counted = Effect.fnUntraced(function* ({ board, fresh, gone, scope, surveyed }: Run) {
  const looked = new Set<PassageId>(surveyed)
  for (const key of fresh ? [] : board.name.touched) {
    if (binds(board.name.was(key).size) === binds(board.name.of(key).size)) continue
    for (const id of board.name.of(key).keys()) looked.add(id as PassageId)
  }
  yield* board.note.need(scope, looked)
  yield* board.name.need(
    scope,
    [...looked].flatMap((id) => board.note.get(id)?.names ?? []),
    mostHolders
  )
  const unsettled = new Set<PassageId>()
  for (const id of looked) {
    const note = board.note.get(id)
    if (note === undefined || gone.has(id)) continue
    const known = note.names.reduce((sum, name) => sum + (binds(board.name.of(name).size) ? 1 : 0), 0)
    if (surveyed.has(id) || (known !== note.known && (isPoor(known) || isPoor(note.known)))) unsettled.add(id)
    if (known !== note.known) board.note.set(id, "", { ...note, known })
  }
  return unsettled
})

/** Passages for which the rank of a word of theirs among the others may be another. */
const reranked = Effect.fnUntraced(function* (run: Run, spread: Spread) {
  const { board, gone, scope, wordChange } = run
  const most = Math.max(0, ...wordChange.values())
  const limit = mostShared + 1 + most
  yield* spread.need(wordChange.keys(), limit)
  const rank = (count: number) => (count > mostShared ? mostShared + 1 : count < 2 ? 0 : step(count))
  const moved = Array.from(wordChange).filter(([word, by]) => {
    const now = spread.count(word)
    return now < limit && rank(now) !== rank(now - by)
  })
  const holders = yield* spread.holders(
    moved.map(([word]) => word),
    limit
  )
  const all = [...holders.values()].flat()
  yield* board.note.need(scope, all)
  return all.filter((id) => !gone.has(id) && isPoor(board.note.get(id)?.known ?? few))
})

/** Lets passages with few names pick words again; gives the words that are picked by others than before. */
const pick = Effect.fnUntraced(function* (run: Run, spread: Spread, unsettled: ReadonlySet<PassageId>) {
  const { board, fresh, gone, scope } = run
  const notes = [...unsettled].flatMap((id) => {
    const note = board.note.get(id)
    return note === undefined ? [] : [[id, note] as const]
  })
  yield* spread.need(
    fresh ? [] : notes.flatMap(([, note]) => (isPoor(note.known) ? wordsOf(note) : [])),
    mostShared + 1
  )
  const next = notes.map(
    ([id, note]) => [id, note, picksOf(isPoor(note.known) ? wordsOf(note) : [], note.known, spread.count)] as const
  )
  const changed = new Set<string>()
  for (const id of gone) for (const word of board.note.get(id)?.picks ?? []) changed.add(word)
  const different = next.filter(
    ([, note, { picks, telling }]) => telling !== note.telling || picks.join(" ") !== note.picks.join(" ")
  )
  for (const [, note, { picks }] of different) for (const word of [...note.picks, ...picks]) changed.add(word)
  yield* board.word.need(scope, changed)
  for (const id of gone) for (const word of board.note.get(id)?.picks ?? []) board.word.delete(word, id)
  for (const [id, note, { picks, telling }] of different) {
    for (const word of note.picks) board.word.set(word, id, worded)
    for (const [rank, word] of picks.entries()) board.word.set(word, id, worded | picked | (rank < telling ? tells : 0))
    board.note.set(id, "", { ...note, picks, telling })
  }
  return changed
})

/** Notes who holds the words that bind. */
const hold = Effect.fnUntraced(function* (run: Run, spread: Spread, repicked: ReadonlySet<string>) {
  const { board, fresh, gone, scope, surveyed, wordsBefore } = run
  if (!fresh) {
    const own = [...surveyed, ...gone].flatMap((id) => [
      ...(wordsBefore.get(id) ?? []),
      ...(gone.has(id) ? [] : wordsOf(board.note.get(id)))
    ])
    yield* board.word.need(scope, own)
    for (const id of [...surveyed, ...gone]) {
      const now = new Set(gone.has(id) ? [] : wordsOf(board.note.get(id)))
      for (const word of wordsBefore.get(id) ?? []) if (!now.has(word)) board.word.delete(word, id)
      for (const word of now)
        if (!board.word.of(word).has(id) && isBinding(board.word, word, "of")) board.word.set(word, id, worded)
    }
  }
  const begun: Array<string> = []
  for (const word of repicked) {
    const was = isBinding(board.word, word, "was")
    const is = isBinding(board.word, word, "of")
    if (is && !was) begun.push(word)
    if (!is) for (const id of [...board.word.of(word).keys()]) board.word.delete(word, id)
  }
  for (const [word, ids] of yield* spread.holders(begun, Number.MAX_SAFE_INTEGER))
    for (const id of ids) if (!board.word.of(word).has(id)) board.word.set(word, id, worded)
})

/** Brings what each passage shares with others up to date; gives the passages whose bonds have changed. */
const share = Effect.fnUntraced(function* (run: Run) {
  const { board, gone, rebound, scope, surveyed } = run
  const keys = [...new Set([...board.name.touched, ...board.word.touched])]
  yield* needHolders(run, keys)
  const changes = new Map<PassageId, Map<string, boolean>>()
  for (const key of keys) {
    const was = holdersOf(run, key, "was")
    const is = holdersOf(run, key)
    if (
      was.length === is.length &&
      isTelling(run, key, "was") === isTelling(run, key) &&
      was.every((id) => board.name.of(key).has(id) || board.word.of(key).has(id))
    )
      continue
    for (const id of was) changes.set(id, (changes.get(id) ?? new Map<string, boolean>()).set(key, false))
    for (const id of is) changes.set(id, (changes.get(id) ?? new Map<string, boolean>()).set(key, true))
  }
  for (const id of surveyed) if (!changes.has(id)) changes.set(id, new Map())
  yield* board.note.need(scope, changes.keys())
  for (const [id, own] of changes) {
    const note = board.note.get(id)
    if (gone.has(id) || note === undefined) continue
    const kept = note.shared.filter((key) => !own.has(key))
    const shared = [...kept, ...Array.from(own).flatMap(([key, holds]) => (holds ? [key] : []))].sort()
    rebound.add(id)
    if (shared.join("\n") !== note.shared.join("\n")) board.note.set(id, "", { ...note, shared })
  }
})

/** Under which Relations the passages hang. */
const hang = Effect.fnUntraced(function* (run: Run) {
  const { board, gone, hung, rebound } = run
  yield* needHolders(
    run,
    [...rebound].flatMap((id) => board.note.get(id)?.shared ?? [])
  )
  const none: Hung = { come: [], gone: [] }
  const come = (key: string, id: PassageId) => {
    const own = hung.get(key) ?? none
    hung.set(key, { come: own.come.concat(id), gone: own.gone })
  }
  const leave = (key: string, id: PassageId) => {
    const own = hung.get(key) ?? none
    hung.set(key, { come: own.come, gone: own.gone.concat(id) })
  }
  const counts = new Map<string, number>()
  const count = (key: string): number => {
    const known = counts.get(key) ?? holdersOf(run, key).length
    counts.set(key, known)
    return known
  }
  for (const id of rebound) {
    const note = board.note.get(id)
    if (note === undefined) continue
    const telling = note.shared.filter((key) => key !== note.title && isTelling(run, key))
    const next = [...hungOf(telling, count)].sort()
    const before = new Set(note.hung)
    const after = new Set(next)
    for (const key of note.hung) if (!after.has(key)) leave(key, id)
    for (const key of next) if (!before.has(key)) come(key, id)
    if (next.join("\n") !== note.hung.join("\n")) board.note.set(id, "", { ...note, hung: next })
  }
  for (const id of gone) for (const key of board.note.get(id)?.hung ?? []) leave(key, id)
})

export const bind = Effect.fnUntraced(function* (run: Run) {
  const spread = yield* spreadOf(run)
  const unsettled = yield* counted(run)
  yield* pause
  if (!run.fresh) for (const id of yield* reranked(run, spread)) unsettled.add(id)
  yield* hold(run, spread, yield* pick(run, spread, unsettled))
  yield* pause
  yield* share(run)
  yield* pause
  yield* hang(run)
})
