/**
 * Invented libraries: documents of made-up words with Zipf's frequencies, some of them named after each other. A library is a function of
 * one integer and its manner.
 */
import { type Document, lineAt, type Passage } from "../../src/domain/Corpus.ts"
import { ContentHash, DocumentId, PassageId } from "../../src/domain/Ids.ts"
import { random } from "./Random.ts"

/** How the documents are written. */
export const manners = ["titled", "untitled", "headed", "caseless", "unspaced", "namesakes", "long"] as const
export type Manner = (typeof manners)[number]

export interface Book {
  readonly document: Document
  readonly passages: ReadonlyArray<Passage>
}

const onsets = "b d f g h k l m n p r s t v w z br dr fl gr kl pr st tr".split(" ")
const vowels = "a e i o u ai ou".split(" ")
const word = (n: number): string => {
  let rest = n
  let made = ""
  do {
    made += `${onsets[rest % onsets.length]}${vowels[Math.floor(rest / onsets.length) % vowels.length]}`
    rest = Math.floor(rest / (onsets.length * vowels.length))
  } while (rest > 0)
  return `${made}n`
}
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const name = (n: number): string => `${capital(word(n * 7 + 200))} ${capital(word(n * 13 + 300))}`

const hex = (text: string): string => {
  let h = 0x811c9dc5
  let g = 0x1234567
  for (let i = 0; i < text.length; i++) {
    h = Math.imul(h ^ text.charCodeAt(i), 16777619)
    g = Math.imul(g ^ text.charCodeAt(i), 0x5bd1e995)
  }
  return (h >>> 0).toString(16).padStart(8, "0") + (g >>> 0).toString(16).padStart(8, "0")
}

/** Cuts a text that is a list of pieces into passages, one a piece. */
export const book = (
  id: string,
  title: string,
  pieces: ReadonlyArray<{ readonly text: string; readonly headings: ReadonlyArray<string> }>
): Book => {
  const text = pieces.map((piece) => piece.text).join("\n\n")
  const document: Document = {
    id: DocumentId.make(id),
    title,
    format: "text",
    source: `${id}.txt`,
    hash: ContentHash.make(hex(title + text)),
    text
  }
  let at = 0
  const passages = pieces.map((piece, n): Passage => {
    const start = at
    at += piece.text.length + 2
    return {
      id: PassageId.make(`p${hex(`${id} ${n} ${piece.text}`)}`),
      document: document.id,
      title,
      headings: piece.headings,
      start,
      end: start + piece.text.length,
      line: lineAt(text, start),
      text: piece.text,
      tokens: 1
    }
  })
  return { document, passages }
}

/** `size` passages in documents of the given manner. */
export const library = (seed: number, size: number, manner: Manner): ReadonlyArray<Book> => {
  const r = random(seed)
  const zipf = () => Math.floor(Math.exp(r.next() * Math.log(2000))) - 1
  const subjects = Math.max(1, Math.ceil(size / 2))
  const sentence = (): string => {
    const said = Array.from({ length: 6 + r.int(8) }, () => word(zipf()))
    if (manner === "caseless") return `${said.join(" ")}.`
    if (r.chance(0.6)) said.splice(1 + r.int(said.length - 1), 0, name(r.int(subjects)))
    return `${capital(said.join(" "))}.`
  }
  const ideographs = (): string =>
    Array.from({ length: 40 }, () => String.fromCodePoint(0x4e00 + Math.floor(zipf() / 3))).join("")
  const text = (): string =>
    manner === "unspaced" ? `${ideographs()}\u3002` : Array.from({ length: 2 + r.int(4) }, sentence).join(" ")
  const books: Array<Book> = []
  for (let made = 0, n = 0; made < size; n++) {
    const length = manner === "long" ? size : Math.min(size - made, 1 + (r.chance(0.3) ? r.int(6) : 0))
    const title = {
      titled: name(n),
      untitled: "",
      headed: name(n),
      caseless: word(n + 50),
      unspaced: ideographs().slice(0, 4),
      namesakes: n % 3 === 0 ? name(n) : "Introduction",
      long: r.chance(0.5) ? "" : name(n)
    }[manner]
    const pieces = Array.from({ length }, (_, i) => ({
      text: text(),
      headings: manner === "headed" && i > 0 ? [capital(word(n + 9)), ...(i % 2 === 0 ? [name(i)] : [])] : []
    }))
    books.push(book(`doc-${seed}-${n}`, title, pieces))
    made += length
  }
  return books
}
