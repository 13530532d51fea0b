/** Methods that read a structure of the corpus: trees of summaries, graphs of entities, gists. */
import * as GraphRagGlobal from "./GraphRagGlobal.ts"
import * as GraphRagLocal from "./GraphRagLocal.ts"
import * as HippoRag from "./HippoRag.ts"
import * as MemoRag from "./MemoRag.ts"
import type { Make } from "./Method.ts"
import * as Raptor from "./Raptor.ts"
import * as Vanilla from "./Vanilla.ts"

export const makers = {
  vanilla: Vanilla.make,
  raptor: Raptor.make,
  "graphrag-local": GraphRagLocal.make,
  "graphrag-local-own": GraphRagLocal.own,
  "graphrag-global": GraphRagGlobal.make,
  "graphrag-global-own": GraphRagGlobal.own,
  memorag: MemoRag.make,
  hipporag2: HippoRag.make,
  "hipporag2-own": HippoRag.own
} as const satisfies Readonly<Record<string, Make>>

/** Those of them that ask a model. */
export const asking: ReadonlyArray<keyof typeof makers> = [
  "graphrag-local-own",
  "graphrag-global-own",
  "memorag",
  "hipporag2-own"
]

/** Those of them that keep to the documents that a question is asked of. */
export const confined: ReadonlyArray<keyof typeof makers> = ["vanilla", "raptor", "hipporag2", "hipporag2-own"]
