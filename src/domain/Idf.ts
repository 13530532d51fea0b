/** Inverse document frequency: how much a word tells, from how many passages hold it. */

export interface Frequencies {
  readonly passages: number
  readonly byTerm: ReadonlyMap<string, number>
}

/** ln(1 + (N − n + ½)/(n + ½)); positive. */
export const idf = ({ byTerm, passages }: Frequencies, term: string): number => {
  const n = Math.min(byTerm.get(term) ?? 0, passages)
  return Math.log(1 + (passages - n + 0.5) / (n + 0.5))
}

/** The share, by idf, of `wanted` that `held` lacks, in [0, 1]; 0 where nothing is wanted. */
export const residualShare = (
  wanted: ReadonlyArray<string>,
  weight: (term: string) => number,
  held: (term: string) => boolean
): number => {
  let all = 0
  let lacking = 0
  for (const term of wanted) {
    const w = weight(term)
    all += w
    if (!held(term)) lacking += w
  }
  return all > 0 ? lacking / all : 0
}
