/**
 * The product for tests: everything in this process' memory, deterministic, nothing on disk. Replace a role by a scripted one
 * ({@link script}), put the roles on a scripted model ({@link scripted}), and look at the run's events through its journal or `Ask.askStream`.
 */
import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { Layer } from "effect"
import type { Services } from "./Embedded.ts"
import * as Hashed from "./embedding/Hashed.ts"
import * as GroupingVendors from "./grouping/GroupingVendors.ts"
import * as DocumentParserLocal from "./ingest/DocumentParserLocal.ts"
import * as SourceFilesLocal from "./ingest/SourceFilesLocal.ts"
import * as CorpusStores from "./memory/CorpusStores.ts"
import * as Memory from "./memory/Memory.ts"
import * as RunStores from "./memory/RunStores.ts"
import * as VectorIndexMemory from "./memory/VectorIndexMemory.ts"
import * as DigestNode from "./platform/DigestNode.ts"
import * as TokenCounterO200k from "./platform/TokenCounterO200k.ts"
import * as EmbeddedRoles from "./roles/embedded/EmbeddedRoles.ts"

export * from "../services/Roles.ts"
export * as Cassette from "./model/Cassette.ts"
export { layer as scriptedModel, type Said, type Scripted, scripted } from "./model/Scripted.ts"
export * as ModelRoles from "./roles/model/ModelRoles.ts"
export { type Script, script } from "./testing/Script.ts"

const stores = RunStores.layer.pipe(Layer.provideMerge(CorpusStores.layer), Layer.provide(Memory.layer))
const around = Layer.mergeAll(
  Hashed.layer,
  GroupingVendors.layer,
  DigestNode.layer,
  TokenCounterO200k.layer,
  DocumentParserLocal.layer,
  SourceFilesLocal.layer.pipe(
    Layer.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)),
    Layer.provide(DigestNode.layer)
  )
)

/** Embedded roles over in-memory stores; each build of the layer is a world of its own. */
export const layer: Layer.Layer<Services> = EmbeddedRoles.layer.pipe(
  Layer.provideMerge(VectorIndexMemory.layer),
  Layer.provideMerge(stores),
  Layer.provideMerge(around)
)
