/**
 * The shared memory pool as one run sees it: each role acts as itself, and what it writes stays here until the action is selected (C23, C24).
 */
import { type Clock, Effect, Either, Option, Schema } from "effect"
import {
  type Artifact,
  type Claim,
  Draft,
  identity,
  type Operation,
  PermissionDenied,
  permit,
  quotesOf
} from "../domain/Artifact.ts"
import { compile } from "../domain/Compiled.ts"
import { spanKey } from "../domain/Corpus.ts"
import { RoleFailed } from "../domain/Errors.ts"
import { ArtifactId, type ContentHash, type DocumentId } from "../domain/Ids.ts"
import type { Policy } from "../domain/Policy.ts"
import type { Role } from "../domain/State.ts"
import type { CorpusStore } from "../services/CorpusStore.ts"
import type { Digest } from "../services/Digest.ts"
import type { Inquiry, RoleMemory } from "../services/Roles.ts"
import type { SharedMemoryPool } from "../services/SharedMemoryPool.ts"
import type { StoreError } from "../services/StoreError.ts"
import type { TamStore } from "../services/TamStore.ts"

const dayMs = 86_400_000
const nothing: ReadonlyMap<string, string> = new Map()
/** A draft as it was when it was handed over. */
const draftOf = compile(Schema.typeSchema(Draft))

export interface CycleMemory {
  readonly as: (role: Role) => RoleMemory
  /** Takes what the cycle made: what the persistence policy keeps. Afterwards nothing is pending. */
  readonly take: () => ReadonlyArray<Artifact>
}

const kept = (policy: Policy, draft: Draft): boolean => {
  const { scope } = policy.persistence[draft.payload.kind]
  return scope === "global" || (scope === "task" && draft.scope !== "Global")
}

export const make = (
  pool: typeof SharedMemoryPool.Service,
  corpus: typeof CorpusStore.Service,
  tam: typeof TamStore.Service,
  digest: typeof Digest.Service,
  clock: Clock.Clock,
  inquiry: Inquiry,
  /** U of the live state. */
  exposed: () => ReadonlyArray<ArtifactId>
): CycleMemory => {
  const { policy, run, scope: scopeKey } = inquiry
  let pending: Array<Artifact> = []
  const claim = (role: Role, operation: Operation): Claim => ({
    actor: role,
    operation,
    scopeKey,
    run,
    exposed: exposed()
  })
  const failed = (role: Role) => (error: StoreError | PermissionDenied) =>
    error._tag === "StoreError" ? new RoleFailed({ role, reason: "Failed", detail: error.message }) : error

  /** Of which documents a draft speaks. Of a region it says what all of it lacks; only where the draft outlives the run can that change. */
  const documentsOf = ({ payload, scope }: Draft): Effect.Effect<ReadonlyArray<DocumentId>, StoreError> =>
    payload.kind === "FailedRegion"
      ? scope !== "Global"
        ? Effect.succeed([])
        : Effect.flatMap(tam.region(scopeKey, payload.node), (region) =>
            Effect.map(corpus.passages(scopeKey, region), (passages) => passages.map((passage) => passage.document))
          )
      : Effect.succeed(quotesOf(payload).map((quote) => quote.span.document))

  /**
   * The hashes that a draft rests on: those of every document it speaks of, and what its writer adds. Denied where a quote is not verbatim,
   * or a node is not in the graph: no other words get in (C26).
   */
  const grounding = (
    role: Role,
    draft: Draft
  ): Effect.Effect<ReadonlyArray<ContentHash>, StoreError | PermissionDenied> => {
    const { payload, scope } = draft
    const quotes = quotesOf(payload)
    const spans = quotes.map((quote) => quote.span)
    const denied = new PermissionDenied({ actor: role, operation: "write", scope, constraint: "Grounding" })
    return Effect.gen(function* () {
      if (payload.kind !== "Bridge" && (yield* tam.nodes(scopeKey, [payload.node])).length === 0) return yield* denied
      const said = quotes.length === 0 ? nothing : yield* corpus.slices(scopeKey, spans)
      if (quotes.some((quote) => said.get(spanKey(quote.span)) !== quote.text)) return yield* denied
      const documents = yield* documentsOf(draft)
      if (documents.length === 0) return draft.restsOn
      const hashes = yield* corpus.hashes(scopeKey, [...new Set(documents)])
      return [...new Set([...draft.restsOn, ...hashes.values()])].sort()
    })
  }

  const write = Effect.fnUntraced(function* (role: Role, given: Draft) {
    const fitting = draftOf(given)
    if (Option.isNone(fitting)) return yield* Effect.dieMessage("what was handed to the pool is no draft")
    const draft = fitting.value
    const { payload, scope } = draft
    const own = { scopeKey, scope, run, producer: role }
    // nothing is looked up for who may not write
    const allowed = permit(claim(role, "write"), { ...own, id: ArtifactId.make("draft") })
    if (Either.isLeft(allowed)) return yield* allowed.left
    const restsOn = yield* Effect.mapError(grounding(role, draft), failed(role))
    const id = ArtifactId.make(digest.hash("artifact", ...identity({ ...own, payload, restsOn })).slice(0, 32))
    if (!kept(policy, draft) || pending.some((other) => other.id === id)) return
    const createdAt = clock.unsafeCurrentTimeMillis()
    const { days } = policy.persistence[payload.kind]
    const expiresAt = days === null ? null : createdAt + days * dayMs
    pending.push({ ...own, id, payload, restsOn, createdAt, expiresAt })
  })

  return {
    as: (role) => ({
      read: (ids) => Effect.mapError(pool.read(claim(role, "read"), ids), failed(role)),
      own: Effect.suspend(() => Effect.mapError(pool.own(claim(role, "read")), failed(role))),
      write: (draft) => write(role, draft)
    }),
    take: () => {
      const taken = pending
      pending = []
      return taken
    }
  }
}
