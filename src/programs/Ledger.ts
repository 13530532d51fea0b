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
  /** Tells those who watch of something that is neither folded nor kept. */
  readonly tell: (fact: Fact) => void
  /** The token to write with. A run that is not in the journal yet is begun there, with nothing but its start. Not interruptible. */
  readonly begun: Effect.Effect<FencingToken, StoreError | StaleWriter>
  /** Makes all that was recorded durable, with `artifacts`, in one transaction. Not interruptible. */
  readonly flush: (artifacts: ReadonlyArray<Artifact>) => Effect.Effect<void, StoreError | StaleWriter>
  /**
   * Ends the run as interrupted: what was not flushed is dropped, as if the open cycle had not been (C24), but for the model calls, which
   * have cost what they have cost.
   */
  readonly interrupted: Effect.Effect<void, StoreError | StaleWriter>
  /** Leaves a run that could not be ended to whoever goes on with it. */
  readonly left: Effect.Effect<void, StoreError>
}

type Observe = ((event: Event) => void) | undefined

/** The ledger of a run that starts now. */
export const make = (
  journal: typeof Journal.Service,
  carrier: CarrierShape,
  clock: Clock.Clock,
  started: Omit<Started, "sequence" | "at" | "version" | "cycle" | "tag">,
  observe: Observe
): Ledger => {
  const first: Started = {
    ...started,
    tag: "RunStarted",
    sequence: 0,
    at: clock.unsafeCurrentTimeMillis(),
    version: eventVersion,
    cycle: 0
  }
  observe?.(Object.freeze(first))
  return over(journal, carrier, clock, open(first), first, observe)
}

/** The ledger of a run that is in the journal as `view`, for the holder of its newest token. */
export const resume = (
  journal: typeof Journal.Service,
  carrier: CarrierShape,
  clock: Clock.Clock,
  view: RunView,
  token: FencingToken,
  observe: Observe
): Ledger => over(journal, carrier, clock, view, token, observe)

const over = (
  journal: typeof Journal.Service,
  carrier: CarrierShape,
  clock: Clock.Clock,
  reached: RunView,
  standing: Started | FencingToken,
  observe: Observe
): Ledger => {
  const { policy, run } = reached
  const { Bridge, FailedRegion, SurfaceForm } = policy.persistence
  const atMost = { SurfaceForm: SurfaceForm.count, Bridge: Bridge.count, FailedRegion: FailedRegion.count }
  let view = reached
  let durable = view
  let pending: Array<Event> = []
  /** The start that the journal does not have yet, or the token that it has given. */
  let holds = standing

  const stamped = (fact: Fact): Event =>
    // one literal: a spread of the stamp as well would cost as much as folding the event
    ({
      run,
      sequence: view.sequence,
      at: clock.unsafeCurrentTimeMillis(),
      version: eventVersion,
      cycle: fact.tag === "CycleStarted" ? view.cycles.length + 1 : currentCycle(view),
      ...fact
    }) as Event

  const add = (event: Event): void => {
    const next = carrier.advance(view, event)
    if (Either.isLeft(next)) throw next.left
    view = next.right
    pending.push(event)
  }

  const record = (fact: Fact): void => {
    const event = stamped(fact)
    add(event)
    // it is written later than it is shown
    observe?.(Object.freeze(event))
  }

  const begin = (first: Started, events: ReadonlyArray<Event>) =>
    Effect.map(journal.begin([first, ...events]), (token) => {
      holds = token
      return token
    })

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
        typeof holds === "number"
          ? Effect.map(journal.commit(run, holds, events, artifacts, atMost), written)
          : Effect.map(begin(holds, events), written)
      )
    })

  const interrupted = Effect.suspend(() => {
    if (durable.phase === "Ended") return Effect.void
    const calls = pending.filter((event) => event.tag === "ModelCalled")
    view = durable
    pending = []
    for (const call of calls) add(Object.freeze({ ...call, sequence: view.sequence }))
    record({ tag: "RunEnded", outcome: "Interrupted", reason: null })
    return flush([])
  })

  return {
    run,
    view: () => view,
    record,
    tell: (fact) => observe?.(Object.freeze(stamped(fact))),
    begun: Effect.suspend(() =>
      typeof holds === "number" ? Effect.succeed(holds) : Effect.uninterruptible(begin(holds, []))
    ),
    flush,
    interrupted,
    left: Effect.suspend(() =>
      typeof holds === "number" && durable.phase !== "Ended" ? journal.leave(run, holds) : Effect.void
    )
  }
}
