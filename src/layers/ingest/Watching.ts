/**
 * Waiting for a change in folders.
 *
 * A watcher stands on each folder before this returns, so that nothing between that and the waiting is missed. Where the system allows no
 * more of them, or none, time passes for a change.
 */
import { type FSWatcher, watch } from "node:fs"
import { Deferred, Effect, type Scope } from "effect"
import { isLeftOut } from "./Looking.ts"

/** How long a folder that cannot be watched goes unseen. */
const blindFor = "5 seconds"

const rules = ".gitignore"

/** Watches until the scope closes; what it gives ends with the first change of a file that could be meant. */
export const watchFolders = (folders: ReadonlyArray<string>): Effect.Effect<Effect.Effect<void>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const changed = yield* Deferred.make<void>()
    const tell = () => Deferred.unsafeDone(changed, Effect.void)
    const watchers = yield* Effect.acquireRelease(
      Effect.sync(() =>
        folders.flatMap((folder): ReadonlyArray<FSWatcher> => {
          try {
            const watcher = watch(folder, { persistent: false }, (_, name) => {
              if (name === null || name === rules || !isLeftOut(name)) tell()
            })
            return [watcher.on("error", tell)]
          } catch {
            return []
          }
        })
      ),
      (open) =>
        Effect.sync(() => {
          for (const watcher of open) watcher.close()
        })
    )
    const told = Deferred.await(changed)
    return watchers.length < Math.max(1, folders.length) ? Effect.race(told, Effect.sleep(blindFor)) : told
  })
