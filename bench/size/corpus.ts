/**
 * An invented encyclopaedia of any size: made-up words with Zipf's frequencies between English function words, things with titles, clusters
 * of things that name each other, places that everything names. Nothing in it is copied. It is a function of size and seed.
 *
 *     record n   title        two names, now and then a word in brackets, so that some things share a name
 *                text         two to seven sentences: words of all, words of its cluster, what it links to
 *     question   of n         one hop (words of n) or two (n's title, words of what n links to), as a reader would ask
 */
import { type Random, random } from "../../test/support/Random.ts"

export interface Record {
  readonly id: string
  readonly title: string
  readonly text: string
}

export interface Question {
  readonly text: string
  /** Records that answer it, the one it starts from first. */
  readonly gold: ReadonlyArray<string>
}

const functionWords =
  "the of and in to a was is for as on by with he that at from his it an were which also be are this has had or their one but its not after first they who her she been two other when during into there more than can only".split(
    " "
  )
const onsets = "b d f g h k l m n p r s t v w z br dr fl gr kl pr st tr th sh pl kr".split(" ")
const vowels = "a e i o u ai ou ea".split(" ")
const codas = ["n", "r", "l", "m", "s", "t", "k", ""]

const syllables = onsets.length * vowels.length
const word = (n: number): string => {
  let rest = n
  let made = ""
  do {
    made += `${onsets[rest % onsets.length]}${vowels[Math.floor(rest / onsets.length) % vowels.length]}`
    rest = Math.floor(rest / syllables)
  } while (rest > 0)
  return `${made}${codas[n % codas.length]}`
}
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A rank by the law of Zipf and Mandelbrot, from 0; `offset` flattens the head. */
const zipf = (r: Random, size: number, offset: number): number =>
  Math.min(size - 1, Math.floor(offset * ((size / offset + 1) ** (r.next() ** 1.25) - 1)))

const vocabulary = 1_000_000
const clusterSize = 32
const clusterWords = 48
const places = 3000

export interface Encyclopaedia {
  readonly record: (n: number) => Record
  readonly question: (n: number) => Question
}

export const encyclopaedia = (size: number, seed = 1): Encyclopaedia => {
  const draw = (kind: number, n: number): Random => random((seed * 1009 + kind) * 7919 + n)
  const firstNames = Math.ceil(20 * size ** 0.4) + 10
  const lastNames = Math.ceil(20 * size ** 0.6) + 10
  const name = (n: number): string => {
    const r = draw(1, n)
    return `${capital(word(400 + zipf(r, firstNames, 30)))} ${capital(word(900 + zipf(r, lastNames, 200)))}`
  }
  const place = (r: Random): string => capital(word(5000 + 11 * zipf(r, places, 12)))
  const common = (r: Random): string => word(zipf(r, vocabulary, 8))
  const wordsOf = (cluster: number): ReadonlyArray<string> => {
    const r = draw(2, cluster)
    return Array.from({ length: clusterWords }, () => word(zipf(r, vocabulary, 400)))
  }
  const title = (n: number): string => {
    const r = draw(3, n)
    return r.chance(0.12) ? `${name(n)} (${word(60 + r.int(40))})` : name(n)
  }
  const linksOf = (n: number): ReadonlyArray<number> => {
    const r = draw(4, n)
    const from = Math.floor(n / clusterSize) * clusterSize
    const near = Math.min(clusterSize, size - from)
    return Array.from({ length: 1 + r.int(3) }, () =>
      r.chance(0.8) ? from + zipf(r, near, 4) : Math.floor(size * r.next() ** 2)
    ).filter((to) => to !== n)
  }
  const textOf = (n: number): string => {
    const r = draw(5, n)
    const own = wordsOf(Math.floor(n / clusterSize))
    const named = linksOf(n).map(name)
    const content = (): string => (r.chance(0.25) ? r.pick(own) : common(r))
    const sentence = (opening: string): string => {
      const length = 9 + r.int(15)
      const said = [opening]
      while (said.length < length) {
        if (r.chance(0.42)) said.push(functionWords[zipf(r, functionWords.length, 4)] ?? "the")
        else if (r.chance(0.08)) said.push(place(r))
        else if (r.chance(0.03)) said.push(String(1700 + r.int(320)))
        else said.push(content())
      }
      if (named.length > 0) said.splice(2 + r.int(length - 2), 0, named.pop() ?? "")
      return `${said.join(" ")}.`
    }
    const sentences = r.chance(0.02) ? 20 + r.int(20) : 1 + r.int(6)
    return Array.from({ length: sentences }, (_, i) =>
      sentence(i === 0 ? name(n) : r.chance(0.3) ? "It" : capital(content()))
    ).join(" ")
  }
  const id = (n: number): string => `made-${String(n).padStart(7, "0")}`
  return {
    record: (n) => ({ id: id(n), title: title(n), text: textOf(n) }),
    question: (n) => {
      const r = draw(6, n)
      const [to] = linksOf(n)
      const target = to === undefined || r.chance(0.4) ? n : to
      const said = textOf(target)
        .split(/[ .]+/)
        .filter((each) => /^[a-z]/.test(each) && !functionWords.includes(each))
      const asked = r.some(said, 4, 8)
      const [first = "thing", ...rest] = asked
      const subject = target === n && r.chance(0.5) ? "" : ` of ${name(n)}`
      return {
        text: `Which ${first}${subject} was the ${rest.join(" ")}?`,
        gold: target === n ? [id(n)] : [id(n), id(target)]
      }
    }
  }
}
