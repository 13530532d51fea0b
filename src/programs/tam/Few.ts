/**
 * Maps of strings that cost little where they hold little, as most of a build's hundred thousands do: one entry is an object, up to
 * {@link most} are two arrays, more are a Map. In the order of their coming, as in a Map.
 */

const most = 25

/** What is read of a map. */
export interface Items<V> extends Iterable<readonly [string, V]> {
  readonly size: number
  readonly get: (key: string) => V | undefined
  readonly has: (key: string) => boolean
  readonly keys: () => Iterable<string>
  readonly values: () => Iterable<V>
}

class One<V> implements Items<V> {
  readonly key: string
  readonly value: V

  constructor(key: string, value: V) {
    this.key = key
    this.value = value
  }

  get size(): number {
    return 1
  }

  get(key: string): V | undefined {
    return key === this.key ? this.value : undefined
  }

  has(key: string): boolean {
    return key === this.key
  }

  keys(): Iterable<string> {
    return [this.key]
  }

  values(): Iterable<V> {
    return [this.value]
  }

  *[Symbol.iterator](): Iterator<readonly [string, V]> {
    yield [this.key, this.value]
  }
}

class Several<V> implements Items<V> {
  readonly #keys: ReadonlyArray<string>
  readonly #values: ReadonlyArray<V>

  constructor(keys: ReadonlyArray<string>, values: ReadonlyArray<V>) {
    this.#keys = keys
    this.#values = values
  }

  get size(): number {
    return this.#keys.length
  }

  get(key: string): V | undefined {
    return this.#values[this.#keys.indexOf(key)]
  }

  has(key: string): boolean {
    return this.#keys.includes(key)
  }

  keys(): Iterable<string> {
    return this.#keys
  }

  values(): Iterable<V> {
    return this.#values
  }

  *[Symbol.iterator](): Iterator<readonly [string, V]> {
    for (const [at, value] of this.#values.entries()) yield [this.#keys[at] ?? "", value]
  }
}

/** Nothing. */
export const none: Items<never> = new Several<never>([], [])

/** Of these entries, of which no two have one key. */
export const of = <V>(entries: Iterable<readonly [string, V]>): Items<V> => {
  const all = [...entries]
  const [first] = all
  if (first === undefined) return none
  if (all.length === 1) return new One(...first)
  if (all.length > most) return new Map(all)
  return new Several(
    all.map(([key]) => key),
    all.map(([, value]) => value)
  )
}

/** With an entry added or put in the place of the one with its key; `items` is not to be used any more. */
export const put = <V>(items: Items<V>, key: string, value: V): Items<V> => {
  if (items instanceof Map) return items.set(key, value)
  if (items.size === 0 || (items.size === 1 && items.has(key))) return new One(key, value)
  if (items.has(key) || items.size === most) return of(new Map([...items, [key, value]]))
  const keys = [...items.keys()]
  const values = [...items.values()]
  // exactly as long as they are: an array that is pushed to has room for sixteen more
  return new Several(keys.concat(key), values.concat(value))
}

/** Without the entry of a key; `items` is not to be used any more. */
export const drop = <V>(items: Items<V>, key: string): Items<V> => {
  if (!items.has(key)) return items
  if (items instanceof Map) {
    items.delete(key)
    return items
  }
  return of([...items].filter(([other]) => other !== key))
}
