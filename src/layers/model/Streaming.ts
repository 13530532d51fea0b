/**
 * A streamed answer under the same rules as a plain one: a turn, a deadline, a limit between its parts, and a record however it ends. It is
 * tried again only where nothing of it has been passed on.
 */
import { Cause, Chunk, Clock, Duration, Effect, Exit, FiberId, Option, Stream } from "effect"
import { ModelError } from "../../domain/ModelError.ts"
import type { ModelReply } from "../../domain/ModelRequest.ts"
import type { Provider, RawPart } from "../../services/LanguageModel.ts"
import type { ModelPacing } from "../../services/ModelPacing.ts"
import { type Call, failed, longestAnswer, replied } from "./Calls.ts"
import { late } from "./Pacing.ts"

const stopped = Exit.failCause(Cause.interrupt(FiberId.none))

/** The text as it comes. `whole` judges the answer at its end, once it is recorded. */
export const streamed = (
  provider: Provider,
  pacing: ModelPacing,
  call: Call,
  whole: (reply: ModelReply) => Effect.Effect<void, ModelError>
): Stream.Stream<string, ModelError> => {
  const stalled = () =>
    new ModelError({
      model: provider.id,
      fault: "Stalled",
      detail: `nothing more for ${Duration.format(Duration.millis(pacing.idleMs))}`
    })
  const broken = (fault: "Cut" | "Malformed", detail: string) => new ModelError({ model: provider.id, fault, detail })

  const from = (tried: number): Stream.Stream<string, ModelError> => {
    let text = ""
    const once = Stream.unwrapScoped(
      Effect.gen(function* () {
        yield* pacing.turn(call.tokens)
        let isRecorded = false
        let end: Option.Option<Exit.Exit<ModelReply, ModelError>> = Option.none()
        const record = (exit: Exit.Exit<ModelReply, ModelError>) =>
          Effect.uninterruptible(
            Effect.suspend(() => {
              isRecorded = true
              return call.record(Exit.isSuccess(exit) ? replied(exit.value) : failed(exit, text), false)
            })
          )
        // whoever reads no further pays for what has been written
        yield* Effect.addFinalizer(() =>
          isRecorded ? Effect.void : Effect.catchAll(record(Option.getOrElse(end, () => stopped)), Effect.logError)
        )
        const startedAt = yield* Clock.currentTimeMillis
        const pull = yield* Stream.toPull(provider.stream(call.request))

        const timed = Effect.gen(function* () {
          const left = Math.max(0, pacing.deadlineMs - ((yield* Clock.currentTimeMillis) - startedAt))
          const isIdle = text !== "" && pacing.idleMs < left
          return yield* Effect.timeoutFail(pull, {
            duration: isIdle ? pacing.idleMs : left,
            onTimeout: () => Option.some(isIdle ? stalled() : late(provider.id, pacing.deadlineMs))
          })
        })
        const read = (parts: Chunk.Chunk<RawPart>): Effect.Effect<Chunk.Chunk<string>, ModelError> => {
          const found: Array<string> = []
          for (const part of parts) {
            if (part._tag === "End") {
              const { finish, tokens } = part
              return Effect.flatMap(call.replyOf({ text, finish, tokens }), (reply) => {
                end = Option.some(Exit.succeed(reply))
                return Effect.as(record(Exit.succeed(reply)), Chunk.unsafeFromArray(found))
              })
            }
            text += part.text
            if (text.length > longestAnswer)
              return broken("Malformed", `an answer of more than ${longestAnswer} characters`)
            if (part.text !== "") found.push(part.text)
          }
          return Effect.succeed(Chunk.unsafeFromArray(found))
        }
        const next: Effect.Effect<Chunk.Chunk<string>, Option.Option<ModelError>> = Effect.suspend(() =>
          Option.match(end, {
            onSome: (reply) =>
              Effect.zipRight(Effect.mapError(Effect.flatMap(reply, whole), Option.some), Effect.fail(Option.none())),
            onNone: () =>
              timed.pipe(
                Effect.mapError(Option.getOrElse(() => broken("Cut", "it ended without saying why"))),
                Effect.flatMap(read),
                Effect.tapError((error) => (isRecorded ? Effect.void : record(Exit.fail(error)))),
                Effect.mapError(Option.some)
              )
          })
        )
        return Stream.repeatEffectChunkOption(next)
      })
    )
    return Stream.catchAll(once, (error) =>
      text === "" ? Stream.unwrap(Effect.as(pacing.again(error, tried), from(tried + 1))) : Stream.fail(error)
    )
  }
  return Stream.suspend(() => from(1))
}
