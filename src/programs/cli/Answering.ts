/** How a run's answer, or its events, come out of `ask` and `resume`. */
import { Effect, Option, Schema, Stream } from "effect"
import type { Answer } from "../../domain/Answer.ts"
import { Incomplete } from "../../domain/Errors.ts"
import { Event } from "../../domain/Event.ts"
import type { ScopeKey } from "../../domain/Ids.ts"
import { explain } from "../Explain.ts"
import { answerText } from "./AnswerText.ts"
import { print } from "./Common.ts"
import { Stopped } from "./Failure.ts"
import { Host } from "./Host.ts"
import { json } from "./Text.ts"

/** Events as lines of JSON; the encoder is made for those who stream. */
const eventLines = () => {
  const encode = Schema.encodeSync(Event)
  return (event: Event) => `${json(encode(event))}\n`
}

const isIncomplete = Schema.is(Incomplete)

/** Writes the events as they come, or gives the answer. ⊥ is an answer too: its outcome and reason are in the journal. */
export const told = <E extends { readonly _tag: string }, R, E2, R2>(
  scope: ScopeKey,
  stream: boolean,
  answer: Effect.Effect<Answer, E, R>,
  events: Stream.Stream<Event, E2, R2>
) =>
  Effect.gen(function* () {
    if (!stream)
      return Option.some(
        yield* Effect.catchIf(answer, isIncomplete, ({ run }) =>
          Effect.map(explain(scope, Option.some(run)), (found) => found.run)
        )
      )
    const host = yield* Host
    const line = eventLines()
    yield* Stream.runForEach(events, (event) => host.out(line(event)))
    return Option.none<Answer>()
  })

/** Prints the answer, if there is one; ⊥ has an exit code of its own. */
export const printAnswer = Effect.fnUntraced(function* (asJson: boolean, answer: Option.Option<Answer>) {
  if (Option.isNone(answer)) return
  yield* print(asJson, answer.value, () => answerText(answer.value))
  if (answer.value.outcome === "Incomplete") return yield* new Stopped({ code: 3 })
})
