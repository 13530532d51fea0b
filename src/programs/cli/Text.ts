/** Text as a person at a terminal sees it. Whatever comes from documents or models goes through {@link printable} first. */

const hostile = /(?!\n|\t)[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * A text that cannot steer a terminal: control characters (but line feeds and tabs) and those that turn the reading direction are written
 * as escapes, ESC as `\x1b`. The carriage return of a CRLF is dropped.
 */
export const printable = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(hostile, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`
  })

/** The same on one line, and at most `limit` characters (UTF-16 code units, never half a pair) long. */
export const oneLine = (text: string, limit: number): string => {
  const flat = printable(text.slice(0, limit * 8))
    .replace(/\s+/g, " ")
    .trim()
  if (flat.length <= limit) return flat
  const cut = flat.slice(0, limit - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** JSON of one value, in which the control characters that JSON lets through (DEL and C1) are escaped too. */
export const json = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u007f-\u009f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)

export const indent = (text: string, by: string): string =>
  text
    .split("\n")
    .map((line) => (line === "" ? line : by + line))
    .join("\n")

/** `1 cycle`, `2 cycles`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`

/** `12,345`. */
export const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** Bytes in the unit that fits: `1.4 MB`. */
export const bytes = (n: number): string => {
  const units = ["bytes", "kB", "MB", "GB", "TB"]
  let size = n
  let unit = 0
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000
    unit++
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}

/** Milliseconds in the unit that fits: `340 ms`, `2.1 s`. */
export const duration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`

/** Milliseconds since the epoch as `2026-01-31 12:00:59` (UTC). */
export const moment = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace("T", " ")

/** Rows in columns, two spaces apart; the last column is not padded. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const widths: Array<number> = []
  for (const row of rows)
    row.forEach((cell, i) => {
      widths[i] = Math.max(widths[i] ?? 0, cell.length)
    })
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Words wrapped to `width`; lines that start with a space are left as they are. */
export const wrapped = (text: string, width: number): string =>
  text
    .split("\n")
    .map((line) => {
      if (line.startsWith(" ")) return line
      const lines: Array<string> = []
      let current = ""
      for (const word of line.split(" ")) {
        if (current !== "" && current.length + 1 + word.length > width) {
          lines.push(current)
          current = word
        } else current = current === "" ? word : `${current} ${word}`
      }
      return [...lines, current].join("\n")
    })
    .join("\n")
