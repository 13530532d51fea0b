/** Character references of HTML: `&eacute;`, `&#233;`, `&#xe9;`. The names are those that the Markdown parser knows, which are all. */
import { fromMarkdown } from "mdast-util-from-markdown"

const known = new Map<string, string>()

const named = (name: string): string => {
  const found = known.get(name)
  if (found !== undefined) return found
  const paragraph = fromMarkdown(`&${name};`).children[0]
  const text = paragraph?.type === "paragraph" ? paragraph.children[0] : undefined
  const value = text?.type === "text" ? text.value : `&${name};`
  known.set(name, value)
  return value
}

/** What 0x80 to 0x9f stand for on the web: characters of Windows-1252. */
const windows1252 =
  "\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178"

const numbered = (code: number): string => {
  if (code >= 0x80 && code <= 0x9f) return windows1252.charAt(code - 0x80)
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : "\ufffd"
}

/** Text with its references decoded. A line break that is written as one becomes a space: lines are the source's. */
export const decodeReferences = (text: string): string =>
  text.includes("&")
    ? text
        .replace(
          /&(?:#x([0-9a-f]{1,8})|#(\d{1,8})|([a-z][a-z0-9]{1,31}));/gi,
          (_, hex?: string, decimal?: string, name?: string) =>
            name !== undefined ? named(name) : numbered(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
        )
        .replace(/[\r\n]/g, " ")
    : text
