/** Texts made ready to be scored, kept for a while: the cycles of one question score mostly the same nodes. */
import { prepare, type Scored } from "../../../domain/Relevance.ts"

/** About 25 MB of abstractions. */
const most = 2048
const ready = new Map<string, Scored>()

/** {@link prepare}, remembered. */
export const prepared = (text: string): Scored => {
  const known = ready.get(text)
  if (known !== undefined) return known
  const made = prepare(text)
  for (const oldest of ready.keys()) {
    if (ready.size < most) break
    ready.delete(oldest)
  }
  ready.set(text, made)
  return made
}
