/** What broke below a role, in the role's own words. */
import { Effect } from "effect"
import { RoleFailed } from "../../../domain/Errors.ts"
import type { ModelFault } from "../../../domain/ModelError.ts"

/** Turns whatever a store, a model or the pool says into {@link RoleFailed} of `role`; a refused access is `Denied`, and a model's fault is told. */
export const failing =
  (role: RoleFailed["role"]) =>
  <A, E extends { readonly _tag: string; readonly message: string; readonly fault?: ModelFault | undefined }, R>(
    effect: Effect.Effect<A, E, R>
  ): Effect.Effect<A, RoleFailed, R> =>
    Effect.mapError(
      effect,
      (error) =>
        new RoleFailed({
          role,
          reason: error._tag === "PermissionDenied" ? "Denied" : "Failed",
          detail: error.message,
          ...(error.fault === undefined ? {} : { fault: error.fault })
        })
    )
