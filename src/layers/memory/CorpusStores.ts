/** The corpus side of the stores in the {@link Memory} in the context. */
import { Layer } from "effect"
import type { CorpusStore } from "../../services/CorpusStore.ts"
import type { LexicalIndex } from "../../services/LexicalIndex.ts"
import type { TamStore } from "../../services/TamStore.ts"
import type { Transaction } from "../../services/Transaction.ts"
import type { VectorStore } from "../../services/VectorStore.ts"
import * as CorpusStoreMemory from "./CorpusStoreMemory.ts"
import * as LexicalIndexMemory from "./LexicalIndexMemory.ts"
import * as Memory from "./Memory.ts"
import * as TamStoreMemory from "./TamStoreMemory.ts"
import * as VectorStoreMemory from "./VectorStoreMemory.ts"

export const layer: Layer.Layer<
  CorpusStore | LexicalIndex | VectorStore | TamStore | Transaction,
  never,
  Memory.Memory
> = Layer.mergeAll(TamStoreMemory.layer, LexicalIndexMemory.layer, VectorStoreMemory.layer).pipe(
  Layer.provideMerge(CorpusStoreMemory.layer),
  Layer.merge(Memory.transaction)
)
