/** Methods that decide, question by question, what to look for next. */
import type { Make } from "./Method.ts"

export const makers = {} as const satisfies Readonly<Record<string, Make>>

/** Those of them that ask a model. */
export const asking: ReadonlyArray<keyof typeof makers> = []
