/**
 * The notes of a graph as one build sees them: read when they are first needed, changed in memory, written at the end.
 *
 * A fresh build reads nothing and writes all; one after a change reads what the change touches and writes what has become different. Both
 * take the same steps.
 */
import { Effect, Option } from "effect"
import { PassageId, type ScopeKey } from "../../domain/Ids.ts"
import type { NoteKind, NoteRow } from "../../domain/tam/Graph.ts"
import { type Doc, decodeDoc, decodeNote, encodeDoc, encodeNote, type Note } from "../../domain/tam/Notes.ts"
import { StoreError } from "../../services/StoreError.ts"
import { TamStore } from "../../services/TamStore.ts"
import * as Few from "./Few.ts"

interface Codec<V> {
  readonly encode: (value: V) => string
  readonly decode: (text: string) => Option.Option<V>
}

/** Lines of one kind: a value for each item of each key. */
export class Lines<V> {
  readonly kind: NoteKind
  readonly #fresh: boolean
  readonly #codec: Codec<V>
  readonly #rows = new Map<string, Few.Items<V>>()
  /** Keys of which more lines may be stored than were read. */
  readonly #cut = new Set<string>()
  readonly #before = new Map<string, Few.Items<V>>()
  readonly #changed = new Map<string, Set<string>>()

  constructor(kind: NoteKind, fresh: boolean, codec: Codec<V>) {
    this.kind = kind
    this.#fresh = fresh
    this.#codec = codec
  }

  /** The items of a key now; it has been {@link need}ed. */
  of(key: string): Few.Items<V> {
    return this.#rows.get(key) ?? Few.none
  }

  get(key: string, item = ""): V | undefined {
    return this.#rows.get(key)?.get(item)
  }

  /** The items of a key as they were before this build. */
  was(key: string): Few.Items<V> {
    return this.#fresh ? Few.none : (this.#before.get(key) ?? this.of(key))
  }

  isCut(key: string): boolean {
    return this.#cut.has(key)
  }

  set(key: string, item: string, value: V): void {
    const own = this.#rows.get(key)
    if (own?.get(item) === value) return
    this.#keep(key, item)
    this.#rows.set(key, Few.put(own ?? Few.none, item, value))
  }

  delete(key: string, item = ""): void {
    const own = this.#rows.get(key)
    if (own?.has(item) !== true && !this.#cut.has(key)) return
    this.#keep(key, item)
    if (own !== undefined) this.#rows.set(key, Few.drop(own, item))
  }

  #keep(key: string, item: string): void {
    if (this.#fresh) return
    const own = this.#changed.get(key)
    if (own !== undefined) {
      own.add(item)
      return
    }
    this.#before.set(key, Few.of(this.of(key)))
    this.#changed.set(key, new Set([item]))
  }

  /** Keys with a line that this build has set or deleted. */
  get touched(): Iterable<string> {
    return this.#fresh ? this.#rows.keys() : this.#changed.keys()
  }

  /** Reads the lines of `keys` that were not read yet, at most `limit` of a key. */
  need(scope: ScopeKey, keys: Iterable<string>, limit = Number.MAX_SAFE_INTEGER) {
    return Effect.gen(this, function* () {
      if (this.#fresh) return
      const missing = [...new Set(keys)].filter(
        (key) => !this.#rows.has(key) || (this.#cut.has(key) && limit > this.of(key).size)
      )
      if (missing.length === 0) return
      const found = yield* (yield* TamStore).notes(scope, this.kind, missing, limit)
      for (const key of missing) {
        const stored: Array<readonly [string, V]> = []
        for (const [item, text] of found.get(key) ?? []) {
          const value = this.#codec.decode(text)
          if (Option.isNone(value)) {
            const detail = `staterag_note: the ${this.kind} of ${JSON.stringify(key)} does not fit`
            return yield* new StoreError({ reason: "Unreadable", method: "TamStore.notes", detail, cause: undefined })
          }
          stored.push([item, value.value])
        }
        let own = Few.of(stored)
        // what this build has changed of a key of which it had read the beginning
        for (const item of this.#changed.get(key) ?? []) {
          const value = this.#rows.get(key)?.get(item)
          own = value === undefined ? Few.drop(own, item) : Few.put(own, item, value)
        }
        if (stored.length >= limit) this.#cut.add(key)
        else this.#cut.delete(key)
        this.#rows.set(key, own)
      }
    })
  }

  /** In the order of the table, whose pages are then filled one after the other. */
  *put(): Iterable<NoteRow> {
    for (const key of [...this.touched].sort()) {
      const own = this.of(key)
      const items = [...(this.#fresh ? own.keys() : (this.#changed.get(key) ?? []))].sort()
      for (const item of items) {
        const value = own.get(item)
        if (value !== undefined) yield { kind: this.kind, key, item, value: this.#codec.encode(value) }
      }
    }
  }

  /** Forgets all lines; a fresh build has put them and asks for none of them again. */
  release(): void {
    if (this.#fresh) this.#rows.clear()
  }

  *erased(): Iterable<Pick<NoteRow, "item" | "key" | "kind">> {
    if (this.#fresh) return
    for (const [key, items] of this.#changed) {
      const own = this.of(key)
      for (const item of items) if (!own.has(item)) yield { kind: this.kind, key, item }
    }
  }
}

const text: Codec<string> = { encode: (value) => value, decode: Option.some }
const number: Codec<number> = { encode: String, decode: (value) => Option.some(Number(value)) }
const bearer: Codec<Bearer> = {
  encode: ({ opening, passages }) => [passages, ...opening].join("\n"),
  decode: (value) => {
    const [passages, ...opening] = value.split("\n")
    return Option.some({ passages: Number(passages), opening: opening.map((id) => PassageId.make(id)) })
  }
}

/** Topics from the highest down, as one line. */
export const encodeWay = (way: ReadonlyArray<string>): string => way.join(" ")
const way: Codec<ReadonlyArray<string>> = {
  encode: encodeWay,
  decode: (value) => Option.some(value === "" ? [] : value.split(" "))
}

/** A document as its title sees it. */
export interface Bearer {
  readonly passages: number
  /** Its first passages. */
  readonly opening: ReadonlyArray<PassageId>
}

export interface Board {
  readonly note: Lines<Note>
  readonly name: Lines<number>
  readonly word: Lines<number>
  readonly doc: Lines<Doc>
  readonly bear: Lines<Bearer>
  readonly head: Lines<string>
  readonly said: Lines<number>
  readonly route: Lines<string>
  readonly via: Lines<ReadonlyArray<string>>
  readonly deep: Lines<number>
}

export const board = (fresh: boolean): Board => ({
  note: new Lines("note", fresh, { encode: encodeNote, decode: decodeNote }),
  name: new Lines("name", fresh, number),
  word: new Lines("word", fresh, number),
  doc: new Lines("doc", fresh, { encode: encodeDoc, decode: decodeDoc }),
  bear: new Lines("bear", fresh, bearer),
  head: new Lines("head", fresh, text),
  said: new Lines("said", fresh, number),
  route: new Lines("route", fresh, text),
  via: new Lines("via", fresh, way),
  deep: new Lines("deep", fresh, number)
})

export const lines = (all: Board): ReadonlyArray<Pick<Lines<unknown>, "erased" | "put">> => Object.values(all)
