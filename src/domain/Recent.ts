/**
 * What was worked out last, by text, in bounded memory: two generations, of which the older goes when the younger is full. What is asked for
 * again meanwhile stays, where a map that is emptied would lose the commonest with the rest.
 */
export class Recent<V> {
  readonly #most: number
  #young = new Map<string, V>()
  #old = new Map<string, V>()

  /** `most` entries a generation. */
  constructor(most: number) {
    this.#most = most
  }

  get(key: string): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: V): void {
    if (this.#young.size >= this.#most) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }
}
