/**
 * Processes that are killed: everything that one does outside of its own memory is a step, and at the step that is named it is dead. What it
 * does afterwards reaches nobody; what it had written stays.
 */
import { Effect, Layer, Random } from "effect"
import type { RoleFailed } from "../../src/domain/Errors.ts"
import type { Event } from "../../src/domain/Event.ts"
import type { DocumentId, RunId } from "../../src/domain/Ids.ts"
import { defaultPolicy, type Policy } from "../../src/domain/Policy.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import * as Controller from "../../src/programs/Controller.ts"
import { Journal } from "../../src/services/Journal.ts"
import { SharedMemoryPool } from "../../src/services/SharedMemoryPool.ts"
import { type Model, model, type Name, onModel } from "./Model.ts"
import { layer, question, type Roles, scope } from "./WorldRun.ts"
import type { World } from "./Worlds.ts"

/** What stays when a process is gone. */
export type Stores = Journal | SharedMemoryPool

export interface Process {
  readonly model: Model
  readonly observed: ReadonlyArray<Event>
  /** The steps that it took. */
  readonly steps: () => number
  readonly isDead: () => boolean
  readonly run: ReturnType<Effect.Effect.Success<typeof Controller.make>["run"]>
  readonly resume: (run: RunId) => ReturnType<Effect.Effect.Success<typeof Controller.make>["resume"]>
}

export interface Making {
  readonly world: World
  readonly roles: () => Roles
  readonly policy?: Policy
  readonly within?: ReadonlyArray<DocumentId>
  /** Stands before every prompt. */
  readonly prefix?: string
  /** Calls of the Retriever at a time. */
  readonly width?: number
  /** Is told each step by its number, from 1. */
  readonly onStep?: (step: number) => Effect.Effect<void>
  readonly answer?: (prompt: string, call: number) => string
}

/** A process over the stores in the context, that is dead at step `deadAt`. */
export const process = (
  { answer, onStep, policy = defaultPolicy, prefix, roles, width, within, world }: Making,
  deadAt = Number.POSITIVE_INFINITY,
  away: (role: Name) => Effect.Effect<void, RoleFailed> = () => Effect.void
) =>
  Effect.gen(function* () {
    let steps = 0
    let dead = false
    const observed: Array<Event> = []
    /** Counts a step; whoever is dead does nothing any more. */
    const tick = (): void => {
      if (!dead && ++steps >= deadAt) dead = true
    }
    const living = Effect.suspend(() => {
      tick()
      return dead ? Effect.dieMessage("this process was killed") : (onStep?.(steps) ?? Effect.void)
    })
    const stepwise = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.zipRight(living, Effect.zipLeft(effect, living))

    const held = yield* Journal
    const journal = Journal.of({
      ...held,
      begin: (events) => stepwise(held.begin(events)),
      commit: (...written) => stepwise(held.commit(...written)),
      keepCall: (...kept) => stepwise(held.keepCall(...kept)),
      takeOver: (run) => stepwise(held.takeOver(run)),
      leave: () => Effect.void
    })
    const pool = yield* SharedMemoryPool
    const own = model((role) => Effect.zipRight(living, away(role)), answer, prefix)
    const controller = yield* Effect.provide(
      Controller.make,
      Layer.mergeAll(
        layer(world, onModel(roles(), own, width)),
        DigestNode.layer,
        Layer.succeed(Journal, journal),
        Layer.succeed(SharedMemoryPool, pool)
      )
    )
    const observe = (event: Event): void => {
      observed.push(event)
      tick()
    }
    const made: Process = {
      model: own,
      observed,
      steps: () => steps,
      isDead: () => dead,
      // the same id for every process of a store, so that whole journals can be compared
      run: Effect.withRandom(controller.run({ question, scope, policy, within, observe }), Random.make("run")),
      resume: (run) => controller.resume({ run, scope, observe })
    }
    return made
  })
