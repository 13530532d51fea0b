/** Run ids that sort by time: 48 bits of milliseconds and 80 of chance, in Crockford's base 32 (26 characters). */
import { RunId } from "./Ids.ts"

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
const digits = (value: number, length: number): string => {
  let rest = Math.floor(value)
  let out = ""
  for (let i = 0; i < length; i++) {
    out = alphabet.charAt(rest % 32) + out
    rest = Math.floor(rest / 32)
  }
  return out
}

/** `chance` holds two numbers in [0, 1). */
export const ulid = (now: number, chance: readonly [number, number]): RunId =>
  RunId.make(digits(now, 10) + digits(chance[0] * 2 ** 40, 8) + digits(chance[1] * 2 ** 40, 8))
