/** Methods that read a structure of the corpus: trees of summaries, graphs of entities, gists. */
import type { Make } from "./Method.ts"

export const makers = {} as const satisfies Readonly<Record<string, Make>>

/** Those of them that ask a model. */
export const asking: ReadonlyArray<keyof typeof makers> = []
