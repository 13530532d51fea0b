/** {@link Digest} by `node:crypto`. */
import { createHash } from "node:crypto"
import { Layer } from "effect"
import { ContentHash } from "../../domain/Ids.ts"
import { Digest } from "../../services/Digest.ts"

const unpaired = /\p{Surrogate}/u

export const layer: Layer.Layer<Digest> = Layer.succeed(Digest, {
  hash: (...parts) => {
    const sha = createHash("sha256")
    for (const part of parts) {
      // an unpaired surrogate has no UTF-8; as UTF-16 every string has bytes of its own
      if (unpaired.test(part)) sha.update(`${part.length}w`).update(Buffer.from(part, "utf16le"))
      else sha.update(`${part.length}:`).update(part)
    }
    return ContentHash.make(sha.digest("hex"))
  }
})
