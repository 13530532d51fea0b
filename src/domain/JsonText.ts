/** The text of one field of a JSON object, as the object is being written. */

const escapes: { readonly [code: string]: string } = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }

/**
 * A follower of the field `name`: it is given the parts of a JSON text in order, and gives what each adds to that field's string. Where the
 * text is no JSON it gives nothing, or what stands behind the first thing that looks like the field.
 */
export const follow = (name: string): ((part: string) => string) => {
  const key = new RegExp(`"${name}"\\s*:\\s*"`)
  let pending = ""
  let phase: "before" | "within" | "after" = "before"
  return (part) => {
    if (phase === "after") return ""
    pending += part
    if (phase === "before") {
      const found = key.exec(pending)
      if (found === null) {
        // the field's name may be cut by the end of the part, with spaces behind it
        pending = pending.slice(-(name.length + 64))
        return ""
      }
      phase = "within"
      pending = pending.slice(found.index + found[0].length)
    }
    let said = ""
    let at = 0
    for (; at < pending.length; at++) {
      const unit = pending[at] ?? ""
      if (unit === '"') {
        phase = "after"
        break
      }
      if (unit !== "\\") {
        said += unit
        continue
      }
      const code = pending[at + 1]
      const length = code === "u" ? 6 : 2
      if (at + length > pending.length) break
      said +=
        code === "u"
          ? String.fromCharCode(Number.parseInt(pending.slice(at + 2, at + 6), 16))
          : (escapes[code ?? ""] ?? code ?? "")
      at += length - 1
    }
    pending = pending.slice(at)
    return said
  }
}
