/** What can go wrong where things are kept. Foreign failures are translated once, in the layer; nothing was changed when one of these is raised. */
import { Schema } from "effect"
import { didYouMean } from "../domain/Nearest.ts"

const advice = {
  Unreachable: "check that the folder exists and can be read and written",
  Unreadable:
    "what is stored is damaged: `staterag verify` says what, and `--repair` makes again what can be made again; else restore a copy, or index into a new --dir",
  Busy: "another process is writing; try again when it is done",
  Full: "free some disk space and run the command again: nothing was lost",
  ReadOnly: "the database cannot be written; choose another --dir or mend its permissions",
  Lost: "nothing else says what was lost: restore a copy of the state folder, or index into a new --dir",
  Newer: "it was written by a newer version of staterag: upgrade staterag"
} as const

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  reason: Schema.Literal("Unreachable", "Unreadable", "Busy", "Full", "ReadOnly", "Lost", "Newer"),
  /** `Service.method`. */
  method: Schema.String,
  /** What was seen: a path, an id, the driver's own words. */
  detail: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return `${this.method}: ${this.detail}`
  }
  get advice(): string {
    return advice[this.reason]
  }
}

/** Nothing has been indexed under this scope key. */
export class UnknownScope extends Schema.TaggedError<UnknownScope>()("UnknownScope", {
  scope: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.known.length === 0
      ? "nothing has been indexed here yet"
      : `there is no scope ${this.scope}.${didYouMean(this.scope, this.known)}`
  }
  get advice(): string {
    return this.known.length === 0 ? "run `staterag index PATH` first" : `choose one of: ${this.known.join(", ")}`
  }
}

/** There is no such run. */
export class UnknownRun extends Schema.TaggedError<UnknownRun>()("UnknownRun", {
  run: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.run === ""
      ? "no question has been asked here yet"
      : `there is no run ${this.run}.${didYouMean(this.run, this.known)}`
  }
  get advice(): string {
    return "`staterag runs` lists them"
  }
}

/**
 * This writer of a run is not its writer: somebody else has taken the run over or is still at it, it was removed, or what it reads has been
 * forgotten. Nothing was written.
 */
export class StaleWriter extends Schema.TaggedError<StaleWriter>()("StaleWriter", {
  run: Schema.String,
  token: Schema.Number,
  /** The process that asks the run and is still there, where it was to be taken over. */
  writer: Schema.optional(Schema.String)
}) {
  override get message(): string {
    if (this.writer !== undefined) {
      const [machine, pid] = this.writer.split(" ")
      return `run ${this.run} is still being asked, by process ${pid} of ${machine}`
    }
    return this.token === 0
      ? `run ${this.run} read a document that has been forgotten meanwhile`
      : `run ${this.run} was taken over or removed, or a document that it may have read was forgotten (token ${this.token} is stale)`
  }
  get advice(): string {
    return this.writer === undefined
      ? "ask again: the next run reads what is there now"
      : "wait for its end, which `staterag runs` shows, or end that process first"
  }
}
