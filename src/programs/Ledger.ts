/**
 * The live journal of one run: facts are stamped, folded into the view at once, and written at the next flush.
 *
 *     record ──▶ view (live)          flush ──▶ Journal: one transaction, all that is pending and the artifacts
 *
 * The view is the fold of the events and nothing else. A fact that cannot follow is a fault of the controller, and a defect.
 */
import { type Clock, Effect, Either } from "effect"
import type { Artifact } from "../domain/Artifact.ts"
import { type Event, eventVersion, type Fact, type RunStarted } from "../domain/Event.ts"
import type { RunId } from "../domain/Ids.ts"
import { currentCycle, open, type RunView } from "../domain/Run.ts"
import type { CarrierShape } from "../services/Carrier.ts"
import type { FencingToken, Journal } from "../services/Journal.ts"
import type { StaleWriter, StoreError } from "../services/StoreError.ts"

type Started = typeof RunStarted.Type

export interface Ledger {
  readonly run: RunId
  /** The fold of everything recorded so far. */
  readonly view: () => RunView
  readonly record: (fact: Fact) => void
  /** Makes all that was recorded durable, with `artifacts`, in one transaction. Not interruptible. */
  readonly flush: (artifacts: ReadonlyArray<Artifact>) => Effect.Effect<void, StoreError | StaleWriter>
  /** Ends the run as interrupted: what was not flushed is dropped, as if the open cycle had not been (C24). */
  readonly interrupted: Effect.Effect<void, StoreError | StaleWriter>
}

export const make = (
  journal: typeof Journal.Service,
  carrier: CarrierShape,
  clock: Clock.Clock,
  started: Omit<Started, "sequence" | "at" | "version" | "cycle" | "tag">,
  observe: ((event: Event) => void) | undefined
): Ledger => {
  const { run } = started
  const first: Started = {
    ...started,
    tag: "RunStarted",
    sequence: 0,
    at: clock.unsafeCurrentTimeMillis(),
    version: eventVersion,
    cycle: 0
  }
  const { persistence } = started.policy
  const atMost = {
    SurfaceForm: persistence.SurfaceForm.count,
    Bridge: persistence.Bridge.count,
    FailedRegion: persistence.FailedRegion.count
  }
  let view = open(first)
  let durable = view
  let pending: Array<Event> = []
  let token: FencingToken | undefined
  observe?.(Object.freeze(first))

  const record = (fact: Fact): void => {
    // one literal: a spread of the stamp as well would cost as much as folding the event
    const event = {
      run,
      sequence: view.sequence,
      at: clock.unsafeCurrentTimeMillis(),
      version: eventVersion,
      cycle: fact.tag === "CycleStarted" ? view.cycles.length + 1 : currentCycle(view),
      ...fact
    } as Event
    const next = carrier.advance(view, event)
    if (Either.isLeft(next)) throw next.left
    view = next.right
    pending.push(event)
    // it is written later than it is shown
    observe?.(Object.freeze(event))
  }

  const flush = (artifacts: ReadonlyArray<Artifact>): Effect.Effect<void, StoreError | StaleWriter> =>
    Effect.suspend(() => {
      const events = pending
      const reached = view
      // what is recorded meanwhile waits for the next; after a failure the run is over, and only `durable` counts
      pending = []
      const written = (): void => {
        durable = reached
      }
      return Effect.uninterruptible(
        token === undefined
          ? Effect.map(journal.begin([first, ...events]), (given) => {
              token = given
              written()
            })
          : Effect.map(journal.commit(run, token, events, artifacts, atMost), written)
      )
    })

  const interrupted = Effect.suspend(() => {
    if (durable.phase === "Ended") return Effect.void
    view = durable
    pending = []
    record({ tag: "RunEnded", outcome: "Interrupted", reason: null })
    return flush([])
  })

  return { run, view: () => view, record, flush, interrupted }
}
