/** Texts in pieces, and passages from the rows of the pieces that they touch. */
import { Either } from "effect"
import { Passage, splitsSurrogate } from "../../domain/Corpus.ts"
import type { StoreError } from "../../services/StoreError.ts"
import type { Row } from "./Execute.ts"
import { compile, damaged, parsed } from "./Rows.ts"
import { scope } from "./Scopes.ts"

/** UTF-16 units a piece: an ASCII piece fits a database page. */
export const pieceSize = 3840

export const pieces = (text: string): ReadonlyArray<{ readonly start: number; readonly text: string }> => {
  const cut: Array<{ start: number; text: string }> = []
  for (let start = 0; start < text.length; ) {
    const end = Math.min(start + pieceSize, text.length)
    const safe = splitsSurrogate(text, end) ? end - 1 : end
    cut.push({ start, text: text.slice(start, safe) })
    start = safe
  }
  return cut
}

/** The slice `[start, end)` from rows that each hold one of the pieces it touches; undefined where they do not cover it. */
export const assemble = (rows: ReadonlyArray<Row>, start: number, end: number): string | undefined => {
  if (start === end) return ""
  let text = ""
  let first: number | undefined
  for (const { at, piece } of [...rows].sort((a, b) => Number(a.at) - Number(b.at))) {
    if (typeof at !== "number" || typeof piece !== "string") return undefined
    first ??= at
    if (at !== first + text.length) return undefined
    text += piece
  }
  if (first === undefined || first > start || first + text.length < end) return undefined
  return text.slice(start - first, end - first)
}

export const grouped = (rows: ReadonlyArray<Row>, key: string): ReadonlyMap<unknown, readonly [Row, ...Array<Row>]> => {
  const groups = new Map<unknown, [Row, ...Array<Row>]>()
  for (const row of rows) {
    const group = groups.get(row[key])
    if (group === undefined) groups.set(row[key], [row])
    else group.push(row)
  }
  return groups
}

const fitPassage = compile(Passage)

const passageColumns = `p.id, d.id AS document, coalesce(p.title, d.title) AS title, p.headings, p.start, p.finish, p.line,
  p.tokens, t.start AS at, t.text AS piece`
const passageJoins = `JOIN staterag_document d ON d.row = p.document
  LEFT JOIN staterag_text t ON t.document = p.document AND t.start < p.finish AND t.start > p.start - ${pieceSize}`
export const selectPassages = `SELECT ${passageColumns} FROM json_each(?2) j
  CROSS JOIN staterag_passage p ON p.scope = ${scope} AND p.id = j.value ${passageJoins}`
export const selectPage = `SELECT ${passageColumns}
  FROM (SELECT * FROM staterag_passage WHERE scope = ${scope} AND id > ?2 ORDER BY id LIMIT ?3) p ${passageJoins} ORDER BY p.id`
/** Passages by id, from one row for each piece that a passage touches. */
export const passagesOf = (
  method: string,
  rows: ReadonlyArray<Row>
): Either.Either<ReadonlyMap<string, Passage>, StoreError> => {
  const passages = new Map<string, Passage>()
  for (const [id, group] of grouped(rows, "id")) {
    const { document, title, headings, start, finish: end, line, tokens } = group[0]
    const text = typeof start === "number" && typeof end === "number" ? assemble(group, start, end) : undefined
    const passage = fitPassage({ id, document, title, headings: parsed(headings), start, end, line, text, tokens })
    if (passage._tag === "None") return Either.left(damaged(method, "staterag_passage", id))
    passages.set(passage.value.id, passage.value)
  }
  return Either.right(passages)
}
