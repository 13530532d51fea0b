/**
 * Cosines of unit vectors, which the placing of Relations takes by the million: a loop of WebAssembly, four numbers a step, at a third of
 * what JavaScript takes, most of which goes into bringing 32-bit numbers to 64 bits.
 *
 *     s₀ … s₃ += a[i] … a[i+3] · b[i] … b[i+3]     in 64 bits, then (s₀ + s₁) + (s₂ + s₃): the same on every machine
 */

/** As much of the web's interface as is used here, with what the module below exports. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object
  ) => {
    readonly exports: {
      readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number }
      /** The sum over `[a, end)` and as much from `b`, which are places in bytes. */
      readonly dot: (a: number, b: number, end: number) => number
    }
  }
}

const section = (id: number, ...content: ReadonlyArray<number>): ReadonlyArray<number> => [
  id,
  content.length,
  ...content
]
const text = (name: string): ReadonlyArray<number> => [name.length, ...Array.from(name, (c) => c.charCodeAt(0))]
const [i32, f64, v128] = [0x7f, 0x7c, 0x7b]
const get = (local: number): ReadonlyArray<number> => [0x20, local]
const set = (local: number): ReadonlyArray<number> => [0x21, local]
const simd = (...code: ReadonlyArray<number>): ReadonlyArray<number> => [0xfd, ...code]
const [add, multiply, promote] = [simd(0xf0, 0x01), simd(0xf2, 0x01), simd(0x5f)]
const [a, b, end, s01, s23] = [0, 1, 2, 3, 4]
const step = 16
/** Two 32-bit numbers at `offset` bytes from a place, as 64-bit numbers. */
const two = (local: number, offset: number): ReadonlyArray<number> => [
  ...get(local),
  ...simd(0x5d, 3, offset),
  ...promote
]
const product = (sum: number, offset: number): ReadonlyArray<number> => [
  ...get(sum),
  ...two(a, offset),
  ...two(b, offset),
  ...multiply,
  ...add,
  ...set(sum)
]
const onward = (local: number): ReadonlyArray<number> => [...get(local), 0x41, step, 0x6a, ...set(local)]
const lane = (sum: number, n: number): ReadonlyArray<number> => [...get(sum), ...simd(0x21, n)]
const plus = 0xa0
const dotCode: ReadonlyArray<number> = [
  ...[1, 2, v128],
  ...[0x03, 0x40], // loop
  ...product(s01, 0),
  ...product(s23, 8),
  ...onward(a),
  ...onward(b),
  ...[...get(a), ...get(end), 0x49, 0x0d, 0], // again where a < end
  0x0b,
  ...[...lane(s01, 0), ...lane(s01, 1), plus, ...lane(s23, 0), ...lane(s23, 1), plus, plus],
  0x0b
]
const bytes = Uint8Array.from([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, 1, 0x60, 3, i32, i32, i32, 1, f64),
  ...section(3, 1, 0),
  ...section(5, 1, 0, 1),
  ...section(7, 2, ...text("memory"), 2, 0, ...text("dot"), 0, 0),
  ...section(10, 1, dotCode.length, ...dotCode)
])

const page = 65_536
let module: object | undefined

export interface Cosines {
  /** Keeps a vector, and gives its place. */
  readonly keep: (vector: Float32Array) => number
  /** The cosines of this vector with those at the places that are asked for, until it is called again. */
  readonly of: (vector: Float32Array) => (place: number) => number
}

/** For unit vectors of one length. */
export const cosines = (): Cosines => {
  module ??= new WebAssembly.Module(bytes)
  const { dot, memory } = new WebAssembly.Instance(module).exports
  /** Bytes from one place to the next. */
  let stride = 0
  let numbers = new Float32Array(memory.buffer)
  let kept = 0
  /** Writes a vector at a place; what is missing to whole steps stays 0. */
  const write = (vector: Float32Array, place: number): void => {
    if (vector.length * 4 > stride)
      throw new RangeError(`a vector of ${vector.length} numbers among vectors of ${stride / 4}`)
    const missing = place + stride - memory.buffer.byteLength
    if (missing > 0) {
      memory.grow(Math.max(Math.ceil(missing / page), memory.buffer.byteLength / page / 4))
      numbers = new Float32Array(memory.buffer)
    }
    numbers.set(vector, place / 4)
  }
  const stretch = (vector: Float32Array): void => {
    if (stride === 0) stride = Math.max(step, Math.ceil((vector.length * 4) / step) * step)
  }
  return {
    keep: (vector) => {
      stretch(vector)
      // the first place is that of the vector which is compared
      const place = ++kept * stride
      write(vector, place)
      return place
    },
    of: (vector) => {
      stretch(vector)
      write(vector, 0)
      return (place) => dot(0, place, stride)
    }
  }
}
