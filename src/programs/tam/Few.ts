/**
 * A map of strings that costs little where it holds little, as most of a build's hundred thousands do: entries lie in two arrays until there
 * are more than {@link most}. In the order of their coming, as a Map's.
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

export class Few<V> implements Items<V> {
  #keys: ReadonlyArray<string> = []
  #values: Array<V> = []
  #many: Map<string, V> | undefined

  constructor(entries: Iterable<readonly [string, V]> = []) {
    for (const [key, value] of entries) this.set(key, value)
  }

  get size(): number {
    return this.#many?.size ?? this.#keys.length
  }

  get(key: string): V | undefined {
    return this.#many === undefined ? this.#values[this.#keys.indexOf(key)] : this.#many.get(key)
  }

  has(key: string): boolean {
    return this.#many?.has(key) ?? this.#keys.includes(key)
  }

  keys(): Iterable<string> {
    return this.#many?.keys() ?? this.#keys
  }

  values(): Iterable<V> {
    return this.#many?.values() ?? this.#values
  }

  *[Symbol.iterator](): Iterator<readonly [string, V]> {
    if (this.#many !== undefined) yield* this.#many
    else for (const [at, value] of [...this.#values].entries()) yield [this.#keys[at] ?? "", value]
  }

  set(key: string, value: V): void {
    if (this.#many !== undefined) {
      this.#many.set(key, value)
      return
    }
    const at = this.#keys.indexOf(key)
    if (at >= 0) this.#values[at] = value
    else if (this.#keys.length === most) this.#many = new Map([...this, [key, value]])
    else {
      // not pushed to: a pushed array has room for sixteen more
      this.#keys = [...this.#keys, key]
      this.#values = [...this.#values, value]
    }
    if (this.#many !== undefined) {
      this.#keys = []
      this.#values = []
    }
  }

  delete(key: string): void {
    this.#many?.delete(key)
    const at = this.#keys.indexOf(key)
    if (at < 0) return
    this.#keys = this.#keys.filter((other) => other !== key)
    this.#values = this.#values.filter((_, other) => other !== at)
  }
}
