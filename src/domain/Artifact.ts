/**
 * Reusable artifacts and who may touch them (contract section 5).
 *
 *     M_q = ⟨ Global[χ], Task[q], { Private[q, role] } ⟩
 *
 * Artifacts are hints about the corpus. No kind can hold a reference answer, a label or a reader's output (C26): the only texts in a payload
 * are quotes, which the controller checks against the corpus before anything is persisted.
 */
import { Either, Schema } from "effect"
import { Span } from "./Corpus.ts"
import { ArtifactId, ContentHash, NodeId, RunId, ScopeKey } from "./Ids.ts"
import { Role } from "./State.ts"
import { terms } from "./Words.ts"

/** What the corpus says at `span`, character for character. */
export const Quote = Schema.Struct({
  span: Span,
  text: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(2000))
})
export type Quote = typeof Quote.Type

/** A surface form that leads to a Relation node. */
export const SurfaceForm = Schema.Struct({ kind: Schema.Literal("SurfaceForm"), surface: Quote, node: NodeId })
/** Two places that a verified run needed together. */
export const Bridge = Schema.Struct({ kind: Schema.Literal("Bridge"), from: Quote, to: Quote })
export type Bridge = typeof Bridge.Type
/** A plan (by its digest) for which a region did not hold what was looked for. */
export const FailedRegion = Schema.Struct({
  kind: Schema.Literal("FailedRegion"),
  signature: ContentHash,
  node: NodeId
})

/** The closed list of artifact kinds. */
export const Payload = Schema.Union(SurfaceForm, Bridge, FailedRegion)
export type Payload = typeof Payload.Type
export type ArtifactKind = Payload["kind"]
export const artifactKinds: ReadonlyArray<ArtifactKind> = ["SurfaceForm", "Bridge", "FailedRegion"]

export const MemoryScope = Schema.Literal("Global", "Task", "Private")
export type MemoryScope = typeof MemoryScope.Type

/** What a role hands to the pool during a cycle; transient until the action is selected (C24). */
export const Draft = Schema.Struct({
  scope: MemoryScope,
  payload: Payload,
  /** Content hashes of the documents that it rests on; it is not exposed once one has changed or gone. */
  restsOn: Schema.Array(ContentHash).pipe(Schema.maxItems(16))
})
export type Draft = typeof Draft.Type

export const Artifact = Schema.Struct({
  id: ArtifactId,
  scopeKey: ScopeKey,
  scope: MemoryScope,
  run: RunId,
  producer: Role,
  payload: Payload,
  restsOn: Schema.Array(ContentHash),
  /** Milliseconds since the epoch. */
  createdAt: Schema.Number,
  /** Milliseconds since the epoch; from then on it is not exposed. Null is without limit. */
  expiresAt: Schema.optionalWith(Schema.NullOr(Schema.Number), { default: () => null, exact: true })
})
export type Artifact = typeof Artifact.Type

/** How many artifacts of a kind a scope key holds at most; null is without limit. */
export type AtMost = { readonly [K in ArtifactKind]: number | null }

const canonical = (payload: Payload): string => {
  const place = (quote: Quote) => [quote.span.document, quote.span.start, quote.span.end, quote.text]
  switch (payload.kind) {
    case "SurfaceForm":
      return JSON.stringify([payload.kind, place(payload.surface), payload.node])
    case "Bridge":
      return JSON.stringify([payload.kind, place(payload.from), place(payload.to)])
    case "FailedRegion":
      return JSON.stringify([payload.kind, payload.signature, payload.node])
  }
}

/**
 * What an artifact's id has to digest: content, owner, and what it rests on. Equal content in two memories, or over a changed document, has
 * two ids; the same find made twice in one memory has one.
 */
export const identity = (
  artifact: Pick<Artifact, "scopeKey" | "scope" | "run" | "producer" | "payload" | "restsOn">
): ReadonlyArray<string> => [
  artifact.scopeKey,
  artifact.scope,
  artifact.scope === "Global" ? "" : artifact.run,
  artifact.scope === "Private" ? artifact.producer : "",
  ...[...artifact.restsOn].sort(),
  canonical(artifact.payload)
]

/** The texts that a payload quotes. */
export const quotesOf = (payload: Payload): ReadonlyArray<Quote> => {
  switch (payload.kind) {
    case "SurfaceForm":
      return [payload.surface]
    case "Bridge":
      return [payload.from, payload.to]
    case "FailedRegion":
      return []
  }
}

/** The folded terms under which an artifact is found again. */
export const keysOf = (payload: Payload): ReadonlyArray<string> =>
  payload.kind === "FailedRegion"
    ? [payload.signature]
    : [...new Set(quotesOf(payload).flatMap((quote) => terms(quote.text)))].sort()

// ---- the permission table (C23)

export const Actor = Schema.Literal(...Role.literals, "Controller")
export type Actor = typeof Actor.Type
export const Operation = Schema.Literal("read", "write", "expose")
export type Operation = typeof Operation.Type

type Row = { readonly [O in Operation]: { readonly [S in MemoryScope]: boolean } }
const none = { Global: false, Task: false, Private: false } as const
const role = (write: Row["write"]): Row => ({ read: { Global: true, Task: true, Private: true }, write, expose: none })

/** Who may do what where: total, and the only place that says so. Exposing ids to the state is the controller's; its reads and writes are none. */
export const permissions: { readonly [A in Actor]: Row } = {
  Planner: role({ Global: false, Task: true, Private: true }),
  Navigator: role({ Global: false, Task: true, Private: true }),
  Retriever: role({ Global: false, Task: true, Private: true }),
  Verifier: role({ Global: true, Task: true, Private: true }),
  Controller: { read: none, write: none, expose: { Global: true, Task: true, Private: false } }
}

/** An operation on the pool was refused; nothing has changed. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  actor: Actor,
  operation: Operation,
  scope: MemoryScope,
  constraint: Schema.Literal("Table", "ScopeKey", "Ownership", "Exposure", "Grounding")
}) {
  override get message(): string {
    const said = {
      Table: "the permission table does not allow it",
      ScopeKey: "the artifact belongs to another scope key",
      Ownership: "the artifact belongs to another run or role",
      Exposure: "its id is not in U",
      Grounding: "the corpus does not say what it quotes"
    }
    return `${this.actor} may not ${this.operation} ${this.scope} memory: ${said[this.constraint]}`
  }
}

/** On whose behalf an operation is asked for. */
export interface Claim {
  readonly actor: Actor
  readonly operation: Operation
  readonly scopeKey: ScopeKey
  readonly run: RunId
  /** U of the live state. */
  readonly exposed: ReadonlyArray<ArtifactId>
}

/** Whether role, operation, scope and ownership all allow `claim` on an artifact (C23). Total; the first constraint that fails is named. */
export const permit = (
  claim: Claim,
  artifact: Pick<Artifact, "id" | "scopeKey" | "scope" | "run" | "producer">
): Either.Either<void, PermissionDenied> => {
  const deny = (constraint: PermissionDenied["constraint"]) =>
    Either.left(
      new PermissionDenied({ actor: claim.actor, operation: claim.operation, scope: artifact.scope, constraint })
    )
  if (!permissions[claim.actor][claim.operation][artifact.scope]) return deny("Table")
  if (artifact.scopeKey !== claim.scopeKey) return deny("ScopeKey")
  if (artifact.scope !== "Global" && artifact.run !== claim.run) return deny("Ownership")
  if (claim.operation === "write" && artifact.run !== claim.run) return deny("Ownership")
  if ((artifact.scope === "Private" || claim.operation === "write") && artifact.producer !== claim.actor)
    return deny("Ownership")
  if (claim.operation === "read" && artifact.scope !== "Private" && !claim.exposed.includes(artifact.id))
    return deny("Exposure")
  return Either.right(undefined)
}

/** All of `artifacts` for a reader, or the first refusal: one denied artifact refuses the whole read. Reading counts as `read`, whatever the claim says. */
export const permitRead = (
  claim: Claim,
  artifacts: ReadonlyArray<Artifact>
): Either.Either<ReadonlyArray<Artifact>, PermissionDenied> =>
  Either.map(
    Either.all(artifacts.map((artifact) => permit({ ...claim, operation: "read" }, artifact))),
    () => artifacts
  )

/** The role whose private memory `claim` may read: its own; the Controller has none. */
export const permitOwn = (claim: Claim): Either.Either<Role, PermissionDenied> =>
  claim.actor === "Controller" || !permissions[claim.actor].read.Private
    ? Either.left(
        new PermissionDenied({ actor: claim.actor, operation: "read", scope: "Private", constraint: "Table" })
      )
    : Either.right(claim.actor)

/**
 * Why an artifact may not be persisted by `run` of `scopeKey`, if it may not: its producer is its writer, and must be allowed to write where
 * it lies. The last check before the store, whatever stood before it.
 */
export const permitPersist = (
  scopeKey: ScopeKey,
  run: RunId,
  artifacts: ReadonlyArray<Artifact>
): Either.Either<void, PermissionDenied> =>
  Either.map(
    Either.all(
      artifacts.map((artifact) =>
        permit({ actor: artifact.producer, operation: "write", scopeKey, run, exposed: [] }, artifact)
      )
    ),
    () => undefined
  )
