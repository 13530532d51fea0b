/**
 * A blackboard (Hearsay-II): entries that independent sources write, whatever they like and in any order; nothing is checked, nothing is owned.
 *
 *     query      something to look up            passage    what the corpus says
 *     finding    something that was learnt       solution   the answer
 *
 * The scheduler looks at the board alone: each source has a trigger, and of those whose trigger holds the one of the highest rating is next.
 */

export const kinds = ["query", "finding", "solution"] as const
export type Kind = (typeof kinds)[number] | "passage"
export type Source = "planner" | "retriever" | "verifier"

export interface Entry {
  readonly kind: Kind
  readonly by: Source
  readonly text: string
}

export interface Board {
  readonly entries: ReadonlyArray<Entry>
  /** How many entries there were when a source was last called; none where it never was. */
  readonly seen: { readonly [S in Source]?: number }
}
export const empty: Board = { entries: [], seen: {} }

const since = (board: Board, source: Source): ReadonlyArray<Entry> => board.entries.slice(board.seen[source] ?? 0)

interface Trigger {
  readonly source: Source
  readonly holds: (board: Board) => boolean
}
/** By rating, the highest first. */
const triggers: ReadonlyArray<Trigger> = [
  { source: "retriever", holds: (board) => since(board, "retriever").some(({ kind }) => kind === "query") },
  {
    source: "verifier",
    holds: (board) => since(board, "verifier").some(({ kind }) => kind === "passage" || kind === "finding")
  },
  { source: "planner", holds: (board) => board.seen.planner === undefined || since(board, "planner").length > 0 }
]

/** Who is next; nobody where nothing has changed for anybody. */
export const nextSource = (board: Board): Source | undefined => triggers.find(({ holds }) => holds(board))?.source

/** Queries that were written since the retriever was last called, each once. */
export const openQueries = (board: Board): ReadonlyArray<string> => [
  ...new Set(since(board, "retriever").flatMap(({ kind, text }) => (kind === "query" ? [text] : [])))
]

/** The board after `source` was called on it and wrote `entries`. What it wrote itself is no news to it. */
export const written = (board: Board, source: Source, entries: ReadonlyArray<Entry>): Board => {
  const all = [...board.entries, ...entries]
  return { entries: all, seen: { ...board.seen, [source]: all.length } }
}

/** The first solution on the board, whoever wrote it. */
export const solutionOf = ({ entries }: Board): string | undefined =>
  entries.find(({ kind }) => kind === "solution")?.text
