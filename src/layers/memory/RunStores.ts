/** The stores of the run side, in this process: the journal writes what the pool reads. */
import { Layer } from "effect"
import type { CorpusStore } from "../../services/CorpusStore.ts"
import type { Housekeeping } from "../../services/Housekeeping.ts"
import type { Journal } from "../../services/Journal.ts"
import type { ModelCache } from "../../services/ModelCache.ts"
import type { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import * as HousekeepingMemory from "./HousekeepingMemory.ts"
import * as JournalMemory from "./JournalMemory.ts"
import type { Memory } from "./Memory.ts"
import * as ModelCacheMemory from "./ModelCacheMemory.ts"
import * as RunTables from "./RunTables.ts"
import * as SharedMemoryPoolMemory from "./SharedMemoryPoolMemory.ts"

const stores = Layer.mergeAll(JournalMemory.layer, SharedMemoryPoolMemory.layer, HousekeepingMemory.layer)

export const layer: Layer.Layer<Journal | SharedMemoryPool | Housekeeping, never, Memory | CorpusStore> = stores.pipe(
  Layer.provide(RunTables.layer)
)

/** The same with a cache of what models say. */
export const layerWithCache: Layer.Layer<
  Journal | SharedMemoryPool | Housekeeping | ModelCache,
  never,
  Memory | CorpusStore
> = Layer.merge(stores, ModelCacheMemory.layer).pipe(Layer.provide(RunTables.layer))
