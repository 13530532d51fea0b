/** Bytes of a file to its text: UTF-8, or UTF-16 where a byte order mark says so. The mark is dropped and nothing else is changed. */
import { Either } from "effect"
import { lineAt } from "../../domain/Corpus.ts"

const decoded = (encoding: string, bytes: Uint8Array): Either.Either<string, string> =>
  Either.try({
    try: () => new TextDecoder(encoding, { fatal: true }).decode(bytes),
    catch: () => `is not valid ${encoding.toUpperCase()}`
  })

/** The line of the first character that is no UTF-8. */
const firstBadLine = (bytes: Uint8Array): number => {
  const text = new TextDecoder("utf-8").decode(bytes)
  return lineAt(text, Math.max(0, text.indexOf("\ufffd")))
}

/** The text, or why there is none, in words that follow the file's name. */
export const decode = (bytes: Uint8Array): Either.Either<string, string> => {
  const [first, second, third, fourth] = bytes
  if (first === 0xff && second === 0xfe && (third !== 0 || fourth !== 0)) return decoded("utf-16le", bytes)
  if (first === 0xfe && second === 0xff) return decoded("utf-16be", bytes)
  if (bytes.includes(0)) return Either.left("is binary: it holds NUL bytes")
  return Either.mapLeft(
    decoded("utf-8", bytes),
    (reason) => `${reason} (line ${firstBadLine(bytes)}): convert it, for example with \`iconv -f LATIN1 -t UTF-8\``
  )
}
