/** The known name that a mistyped one was probably meant to be, for error messages. */

/** Insertions, deletions and replacements that make one text of the other. */
export const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}

/** The closest of `known` by edit distance without regard to case, first in order on a tie; undefined where none is near. */
export const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const wanted = name.slice(0, 200).toLowerCase()
  let best: string | undefined
  let least = Math.max(2, Math.ceil(wanted.length / 2)) + 1
  for (const candidate of known) {
    const d = distance(wanted, candidate.toLowerCase())
    if (d < least) {
      least = d
      best = candidate
    }
  }
  return best
}

/** ` Did you mean x?`, or nothing. */
export const didYouMean = (name: string, known: ReadonlyArray<string>): string => {
  const near = nearest(name, known)
  return near === undefined ? "" : ` Did you mean ${near}?`
}
