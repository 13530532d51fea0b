/** HTML in pieces: tags, text, and what is neither. They lie side by side and cover the source; linear in its length. */

export interface Piece {
  readonly kind: "start" | "end" | "text" | "other"
  readonly start: number
  readonly end: number
  /** Of a tag, in lower case; else empty. */
  readonly name: string
  /** Of a start tag. */
  readonly role: string
  readonly alt: string
  readonly hidden: boolean
  /** It has no end tag. */
  readonly isVoid: boolean
}

const voids = new Set("area base br col embed hr img input link meta param source track wbr".split(" "))
/** What stands in them is no markup. */
const raw = new Set(["script", "style", "textarea", "title", "noscript", "iframe", "xmp"])

const nothing = { name: "", role: "", alt: "", hidden: false, isVoid: false }

/** The end of a tag that begins at `from`: quoted values may hold `>`. */
const tagEnd = (source: string, from: number): number => {
  let quote = ""
  for (let at = from; at < source.length; at++) {
    const unit = source.charAt(at)
    if (quote !== "") {
      if (unit === quote) quote = ""
    } else if ((unit === '"' || unit === "'") && /=\s*$/.test(source.slice(Math.max(from, at - 8), at))) quote = unit
    else if (unit === ">") return at + 1
  }
  // a quotation that was never closed would swallow the rest of the page
  const close = source.indexOf(">", from)
  return close < 0 ? source.length : close + 1
}

const after = (source: string, mark: string, from: number): number => {
  const at = source.indexOf(mark, from)
  return at < 0 ? source.length : at + mark.length
}

/** The attributes of a start tag, by name in lower case; the first of a name counts. */
const attributesOf = (tag: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>()
  const inner = tag.replace(/^<[^\s/>]*/, "")
  for (const [, name = "", double, single, bare] of inner.matchAll(
    /([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g
  )) {
    const key = name.toLowerCase()
    if (!found.has(key)) found.set(key, double ?? single ?? bare ?? "")
  }
  return found
}

const tagName = /[a-z][^\s/>]*/iy

/** Where text goes on that begins at `from`: up to the next thing that looks like a tag. */
const textEnd = (source: string, from: number): number => {
  const looks = /<[a-z/!?]/gi
  looks.lastIndex = from
  return looks.exec(source)?.index ?? source.length
}

export const pieces = (source: string): ReadonlyArray<Piece> => {
  const found: Array<Piece> = []
  let at = 0
  const add = (kind: Piece["kind"], end: number, more: Partial<Piece> = {}) => {
    if (end > at) found.push({ ...nothing, kind, start: at, end, ...more })
    at = end
  }
  while (at < source.length) {
    if (source.charAt(at) !== "<" || !/[a-z/!?]/i.test(source.charAt(at + 1))) {
      add("text", textEnd(source, at + 1))
      continue
    }
    const mark = source.charAt(at + 1)
    if (source.startsWith("<!--", at)) add("other", after(source, "-->", at + 4))
    else if (mark === "!" || mark === "?") add("other", after(source, ">", at))
    else {
      tagName.lastIndex = at + (mark === "/" ? 2 : 1)
      const name = tagName.exec(source)?.[0].toLowerCase() ?? ""
      const end = tagEnd(source, at + 1)
      const tag = source.slice(at, end)
      if (name === "") add("other", end)
      else if (mark === "/") add("end", end, { name })
      else {
        const isVoid = voids.has(name) || tag.endsWith("/>")
        const attributes = tag.length === name.length + 2 ? new Map<string, string>() : attributesOf(tag)
        add("start", end, {
          name,
          isVoid,
          role: (attributes.get("role") ?? "").toLowerCase(),
          alt: name === "img" ? (attributes.get("alt") ?? "") : "",
          hidden: attributes.has("hidden") || attributes.get("aria-hidden") === "true"
        })
        if (raw.has(name) && !isVoid) {
          const close = new RegExp(`</${name}(?=[\\s/>])`, "gi")
          close.lastIndex = at
          add("text", close.exec(source)?.index ?? source.length)
        }
      }
    }
  }
  return found
}
