/** A budget of evidence tokens, spent in shares. */
import { type EvidenceItem, mostItems } from "../../domain/Evidence.ts"

/** What is read, each stretch of the corpus once, until a budget is spent. */
export const reading = (count: (text: string) => number) => {
  const items: Array<EvidenceItem> = []
  const seen = new Set<string>()
  return {
    items,
    /** Takes what fits of `budget` tokens, in order; gives what is left. */
    take: (offered: Iterable<ReadonlyArray<EvidenceItem>>, budget: number): number => {
      let left = budget
      for (const own of offered) {
        const fresh = own.filter(({ document, end, start }) => !seen.has(`${document} ${start} ${end}`))
        const tokens = fresh.reduce((sum, { text }) => sum + count(text), 0)
        if (tokens > left || items.length + fresh.length > mostItems) break
        left -= tokens
        for (const item of fresh) {
          seen.add(`${item.document} ${item.start} ${item.end}`)
          items.push(item)
        }
      }
      return left
    }
  }
}
