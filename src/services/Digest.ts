/** SHA-256, where ids and revisions come from. Synchronous and total. */
import { Context } from "effect"
import type { ContentHash } from "../domain/Ids.ts"

export class Digest extends Context.Tag("staterag/services/Digest")<
  Digest,
  {
    /** Hexadecimal SHA-256 of the parts, each preceded by its length so that no two lists collide. */
    readonly hash: (...parts: ReadonlyArray<string>) => ContentHash
  }
>() {}
