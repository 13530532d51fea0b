/** What the benchmarks share: a median and a table. */

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** A table in plain text: first column to the left, the others to the right. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => (row[i] ?? "").length)))
  const line = (row: ReadonlyArray<string>) =>
    widths
      .map((width, i) => (i === 0 ? (row[i] ?? "").padEnd(width) : (row[i] ?? "").padStart(width)))
      .join("  ")
      .trimEnd()
  return [line(head), line(widths.map((width) => "─".repeat(width))), ...rows.map(line)].join("\n")
}
