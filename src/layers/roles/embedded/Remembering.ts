/** What a Verifier hands to memory (C24). */
import { Effect, Option } from "effect"
import type { Payload } from "../../../domain/Artifact.ts"
import { ContentHash } from "../../../domain/Ids.ts"
import type { Plan } from "../../../domain/Plan.ts"
import type { Digest } from "../../../services/Digest.ts"
import type { RoleMemory, Turn } from "../../../services/Roles.ts"

/** Hands an artifact over, as far as the policy keeps its kind. The documents that it quotes are added where the pool checks it. */
export const remember = (
  { memory, policy }: Turn<"Verifier">,
  payload: Payload | undefined
): ReturnType<RoleMemory["write"]> => {
  if (payload === undefined) return Effect.void
  const { scope } = policy.persistence[payload.kind]
  return scope === "off"
    ? Effect.void
    : memory.write({ scope: scope === "global" ? "Global" : "Task", payload, restsOn: [] })
}

/** That the region at the end of this path did not hold what this plan looked for. */
export const failedRegion = (
  digest: typeof Digest.Service,
  { state }: Turn<"Verifier">,
  plan: Plan
): Payload | undefined => {
  if (Option.isNone(state.path)) return undefined
  const path = state.path.value
  const wanted = plan.hypotheses.flatMap(({ terms }) => terms.map(({ term }) => term))
  const signature = ContentHash.make(digest.hash("plan", ...[...new Set(wanted)].sort()))
  return { kind: "FailedRegion", signature, node: path[path.length - 1] ?? path[0] }
}
