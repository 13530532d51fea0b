/**
 * E*, the evidence that the reader gets: equation (7) as a pure function of branch, policy and committed cycles (C20, L3).
 *
 *     Bypass → E_bp        Release → E of the terminal cycle        Fallback → all cycles merged under the reader's evidence budget
 */
import type { Branch } from "./Action.ts"
import { spanKey } from "./Corpus.ts"
import { type Evidence, type EvidenceItem, mostItems } from "./Evidence.ts"
import type { Policy } from "./Policy.ts"

const byScore = (a: EvidenceItem, b: EvidenceItem): number =>
  b.score - a.score || (a.document < b.document ? -1 : a.document > b.document ? 1 : a.start - b.start || a.end - b.end)
const byPlace = (a: EvidenceItem, b: EvidenceItem): number =>
  a.document < b.document ? -1 : a.document > b.document ? 1 : a.start - b.start || a.end - b.end

/** The lists one after the other (`flat` takes twenty times as long). */
const joined = (lists: ReadonlyArray<Evidence>): Array<EvidenceItem> => {
  const none: Array<EvidenceItem> = []
  return none.concat(...lists)
}

/** The cycles' items in the order in which they are offered to the budget. Deterministic: ties go by document and place. */
export const mergeOrder = (order: Policy["mergeOrder"], cycles: ReadonlyArray<Evidence>): Evidence => {
  const ranked = cycles.map((evidence) => [...evidence].sort(byScore))
  switch (order) {
    case "oldestFirst":
      return joined(ranked)
    case "newestFirst":
      return joined([...ranked].reverse())
    case "score":
      return joined(ranked).sort(byScore)
    case "document":
      return joined(ranked).sort(byPlace)
    case "roundRobin": {
      const longest = Math.max(0, ...ranked.map((items) => items.length))
      return Array.from({ length: longest }, (_, i) => ranked.flatMap((items) => items[i] ?? [])).flat()
    }
  }
}

const overlaps = (a: EvidenceItem, b: EvidenceItem): boolean =>
  a.document === b.document && a.start < b.end && b.start < a.end

/** The union of two overlapping items: the earlier one's place and names, the better score, the older cycle. */
const join = (a: EvidenceItem, b: EvidenceItem): EvidenceItem => {
  const [left, right] = a.start <= b.start ? [a, b] : [b, a]
  const end = Math.max(left.end, right.end)
  const text = right.end <= left.end ? left.text : left.text + right.text.slice(left.end - right.start)
  return { ...left, end, text, score: Math.max(a.score, b.score), cycle: Math.min(a.cycle, b.cycle) }
}

/**
 * Merges items in the given order: the same span once, overlapping spans joined, cut before the first item that does not fit.
 *
 * `tokens` counts reader tokens of a text. The result never exceeds `budget`, nor what {@link Evidence} holds at most; what is kept is a prefix of the offered items.
 */
export const merge = (offered: Evidence, budget: number, tokens: (text: string) => number): Evidence => {
  const kept: Array<{ readonly item: EvidenceItem; readonly cost: number }> = []
  const seen = new Set<string>()
  let spent = 0
  for (const candidate of offered) {
    const key = spanKey(candidate)
    if (seen.has(key)) continue
    let item = candidate
    let freed = 0
    const absorbed = new Set<number>()
    for (let i = 0; i < kept.length; i++) {
      const other = kept[i]
      if (other === undefined || absorbed.has(i) || !overlaps(other.item, item)) continue
      item = join(other.item, item)
      absorbed.add(i)
      freed += other.cost
      i = -1
    }
    const cost = tokens(item.text)
    if (spent - freed + cost > budget || kept.length - absorbed.size === mostItems) break
    seen.add(key)
    spent += cost - freed
    const place = Math.min(kept.length, ...absorbed)
    const rest = kept.filter((_, i) => !absorbed.has(i))
    rest.splice(Math.min(place, rest.length), 0, { item, cost })
    kept.splice(0, kept.length, ...rest)
  }
  return kept.map(({ item }) => item)
}

/** What equation (7) is computed from. */
export interface Terminal {
  readonly branch: Branch
  /** E_bp, where the compact-evidence check matched. */
  readonly bypass: Evidence
  /** The committed evidence of each completed cycle, oldest first. */
  readonly cycles: ReadonlyArray<Evidence>
}

/** E*. */
export const terminalEvidence = (terminal: Terminal, policy: Policy, tokens: (text: string) => number): Evidence => {
  switch (terminal.branch) {
    case "Bypass":
      return terminal.bypass
    case "Release":
      return policy.releaseEvidence === "union"
        ? merge(mergeOrder("newestFirst", terminal.cycles), policy.evidenceTokens, tokens)
        : (terminal.cycles[terminal.cycles.length - 1] ?? [])
    case "Fallback":
      return merge(mergeOrder(policy.mergeOrder, terminal.cycles), policy.evidenceTokens, tokens)
  }
}
