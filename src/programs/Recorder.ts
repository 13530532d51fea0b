/**
 * The model calls of one run: metered, and made durable with their answers before these are used (C28, C30).
 *
 *     record    call ──▶ Journal.keepCall at (run, cycle, stage, attempt) ──▶ ModelCalled in the ledger ──▶ the answer may be used
 *     recorded  a run that is gone on with: the same request of the same stage in the same cycle has its answer already
 *
 * An open cycle stays invisible: a call that is kept makes no event durable.
 */
import { type Clock, Effect, Option, Schema } from "effect"
import type { Event } from "../domain/Event.ts"
import { currentCycle, phasesOf } from "../domain/Run.ts"
import type { Journal, KeptCall } from "../services/Journal.ts"
import { CallRecord, type ModelCallsShape } from "../services/ModelCalls.ts"
import { StoreError } from "../services/StoreError.ts"
import type { Ledger } from "./Ledger.ts"

export interface Recorder {
  readonly calls: ModelCallsShape
  /** Says who is asked from now on. */
  readonly enter: (stage: string) => void
  /**
   * Meters what was recorded for the one who was asked, and was not asked for again: it has been paid. Undefined where nothing was recorded
   * before this process.
   */
  readonly leave: (() => void) | undefined
}

/** The calls of a run that were kept. */
export interface Recorded {
  readonly calls: ReadonlyArray<KeptCall>
  /** Whether a call stands in the run's events already. */
  readonly isMetered: (kept: KeptCall) => boolean
}
export const nothingRecorded: Recorded = { calls: [], isMetered: () => false }

const placeOf = (cycle: number, stage: string, attempt: number): string => `${cycle} ${attempt} ${stage}`

export const recordedIn = (events: ReadonlyArray<Event>, calls: ReadonlyArray<KeptCall>): Recorded => {
  const metered = new Set(
    events.flatMap((event) =>
      event.tag === "ModelCalled" && event.place !== undefined
        ? [placeOf(event.cycle, event.place.stage, event.place.attempt)]
        : []
    )
  )
  return { calls, isMetered: ({ attempt, cycle, stage }) => metered.has(placeOf(cycle, stage, attempt)) }
}

const isRecord = Schema.is(CallRecord)

export const make = (
  journal: typeof Journal.Service,
  clock: Clock.Clock,
  ledger: Ledger,
  { calls: known, isMetered }: Recorded
): Recorder => {
  const { run } = ledger
  let stage = ""
  let cycle = 0
  let attempt = 0
  /** Of the present place, not asked for again yet. */
  let left: ReadonlyArray<KeptCall> = []
  // one at a time, so that the first begins the run; made when there is one
  let semaphore: Effect.Semaphore | undefined

  /** A call that comes when the run can hold it no more is in the bill alone. */
  const meter = (kept: Pick<KeptCall, "call" | "attempt" | "stage"> | Pick<KeptCall, "call">): void => {
    if (!phasesOf.ModelCalled.includes(ledger.view().phase)) return
    const { call } = kept
    ledger.record({
      tag: "ModelCalled",
      call,
      ...("stage" in kept ? { place: { stage: kept.stage, attempt: kept.attempt } } : {})
    })
  }
  const again = (kept: KeptCall): void => {
    left = left.filter((other) => other !== kept)
    if (!isMetered(kept)) meter(kept)
  }

  const record = (given: CallRecord) =>
    Effect.suspend(() => {
      if (!isRecord(given))
        return new StoreError({
          reason: "Unreadable",
          method: "ModelCalls.record",
          detail: "what was to be recorded is no model call",
          cause: undefined
        })
      const kept: KeptCall = { cycle, stage, attempt: attempt++, at: clock.unsafeCurrentTimeMillis(), ...given }
      return Effect.flatMap(ledger.begun, (token) => journal.keepCall(run, token, kept)).pipe(
        Effect.tapError(() => Effect.sync(() => meter({ call: given.call }))),
        Effect.map(() => meter(kept))
      )
    })

  return {
    calls: {
      scope: Option.some(ledger.view().scope),
      recorded: (request) =>
        Effect.sync(() => {
          for (const kept of left) {
            if (kept.request !== request) continue
            again(kept)
            if (kept.reply !== null) return Option.some(kept.reply)
          }
          return Option.none()
        }),
      record: (given) => {
        semaphore ??= Effect.unsafeMakeSemaphore(1)
        return Effect.uninterruptible(semaphore.withPermits(1)(record(given)))
      },
      delta: (text, attempt) => Effect.sync(() => ledger.tell({ tag: "AnswerDelta", text, attempt }))
    },
    enter: (who) => {
      stage = who
      cycle = currentCycle(ledger.view())
      left = known.length === 0 ? known : known.filter((kept) => kept.cycle === cycle && kept.stage === stage)
      attempt = left.reduce((next, kept) => Math.max(next, kept.attempt + 1), 0)
    },
    leave:
      known.length === 0
        ? undefined
        : () => {
            for (const kept of left) again(kept)
          }
  }
}
