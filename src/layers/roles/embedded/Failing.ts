/** What broke below a role, in the role's own words. */
import { Effect } from "effect"
import { RoleFailed } from "../../../domain/Errors.ts"

/** Turns whatever a store, a model or the pool says into {@link RoleFailed} of `role`; a refused access is `Denied`. */
export const failing =
  (role: RoleFailed["role"]) =>
  <A, E extends { readonly _tag: string; readonly message: string }, R>(
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, RoleFailed, R> =>
    Effect.mapError(
      effect,
      (error) =>
        new RoleFailed({
          role,
          reason: error._tag === "PermissionDenied" ? "Denied" : "Failed",
          detail: error.message
        })
    )
