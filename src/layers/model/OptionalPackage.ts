/** Packages that staterag takes when they are there: the runtimes of local models are too large to come along. */
import { Effect } from "effect"
import { ModelError } from "../../domain/ModelError.ts"

/** How the started command imports what lies beside it; elsewhere `import` does. A bundle cannot import modules that wait at their top. */
const hook = Symbol.for("staterag.import")

const load = (name: string): Promise<unknown> => {
  const own: unknown = Reflect.get(globalThis, hook)
  return typeof own === "function" ? own(name) : import(name)
}

const isAbsent = (cause: unknown, name: string): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  (cause.code === "ERR_MODULE_NOT_FOUND" || cause.code === "MODULE_NOT_FOUND") &&
  cause.message.includes(name)

/** The package `name`, as it is; `NotInstalled` with the command that installs it, where it is absent. */
export const optionalPackage = (
  name: string,
  { install, model }: { readonly install: string; readonly model: string }
): Effect.Effect<unknown, ModelError> =>
  Effect.tryPromise({
    try: () => load(name),
    catch: (cause) =>
      new ModelError({
        model,
        fault: "NotInstalled",
        detail: isAbsent(cause, name)
          ? `\`${install}\``
          : `${name} is there and does not load: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
  })
