/**
 * StateFlow's machine for questions over a corpus: in which state what is said leads where. The transitions are heuristics over free text.
 *
 *     Init ─▶ Observe ─ something found ─▶ Solve ─ "Answer:" ─▶ Verify ─ "correct" ─▶ End
 *               ▲ └─ nothing found, no order ─▶ Error ─┐ │ else          │ else
 *               └──────────────────────────────────────┘ └──▶ Observe ◀──┘
 */

export type Asking = "Observe" | "Error" | "Solve" | "Verify"
export type State = Asking | "End"

/** What a state ordered of the tools. */
export interface Order {
  readonly tool: "search" | "page" | "keyword"
  readonly argument: string
}

/** What a state made: what its model said, the order that could be read in it, and whether the tool found anything. */
export interface Output {
  readonly said: string
  readonly order: Order | undefined
  readonly found: boolean
}

const longest = 300
const order = /^[ \t*]*(search|page|keyword)[ \t*]*:[ \t*]*(\S.*)$/imu
const answer = /^[ \t*]*answer[ \t*]*:[ \t*]*(\S.*)$/imu
const tools: { readonly [name: string]: Order["tool"] } = { search: "search", page: "page", keyword: "keyword" }

/** The first order in what a model said. */
export const orderOf = (said: string): Order | undefined => {
  const found = order.exec(said)
  const tool = tools[found?.[1]?.toLowerCase() ?? ""]
  return tool === undefined ? undefined : { tool, argument: (found?.[2] ?? "").trim().slice(0, longest) }
}

/** The answer in what a model said. */
export const answerOf = (said: string): string | undefined => answer.exec(said)?.[1]?.trim().slice(0, longest)

const isConfirmed = (said: string): boolean => /\bcorrect\b/iu.test(said) && !/(?:\bin|not |n't )correct\b/iu.test(said)

/** δ: the next state. */
export const next = (state: Asking, { found, said }: Output): State => {
  switch (state) {
    case "Observe":
    case "Error":
      return found ? "Solve" : "Error"
    case "Solve":
      return answerOf(said) === undefined ? "Observe" : "Verify"
    case "Verify":
      return isConfirmed(said) ? "End" : "Observe"
  }
}
