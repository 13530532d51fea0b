/** The question of a command line, from its words or from standard input, and the documents that it is put to. */
import { Effect, Option } from "effect"
import type { DocumentId } from "../../domain/Ids.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { NotFound, UsageError } from "./Failure.ts"
import { Host } from "./Host.ts"
import type { Settings } from "./Settings.ts"

/** The words joined; `-` alone reads standard input. Fails where nothing is asked. */
export const questionOf = Effect.fnUntraced(function* (command: string, words: ReadonlyArray<string>) {
  const host = yield* Host
  const text = words.length === 1 && words[0] === "-" ? yield* host.stdin : words.join(" ")
  if (text.trim() === "")
    return yield* new UsageError({
      message: "the question is empty",
      advice: `write it in quotes: staterag ${command} "Who maintains the parser?", or pipe it: echo "…" | staterag ${command} -`
    })
  return text.trim()
})

/** The documents whose ids match a glob; undefined, which means all, where there is none. Fails where nothing matches. */
export const documentsWithin = Effect.fnUntraced(function* (settings: Settings, glob: Option.Option<string>) {
  if (Option.isNone(glob)) return undefined
  if (glob.value.trim() === "")
    return yield* new UsageError({
      message: `--within "${glob.value}" names nothing`,
      advice: 'name documents by a glob in quotes, such as --within "guide/**", or leave it out for all'
    })
  const host = yield* Host
  const matches = yield* host.matcher(glob.value)
  const ids: ReadonlyArray<DocumentId> = (yield* (yield* CorpusStore).documents(settings.scope)).map(({ id }) => id)
  const within = ids.filter(matches)
  if (within.length === 0)
    return yield* new NotFound({
      message: `no document matches ${glob.value}.${didYouMean(glob.value, ids)}`,
      advice: "quote the pattern, so that the shell leaves it alone; ** crosses folders"
    })
  return within
})
