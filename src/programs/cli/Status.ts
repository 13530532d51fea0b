/** `staterag status`: what the state folder holds, how large it is, and what is stale. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import { embeddingId, isEmbedded, modelOf } from "../../domain/ModelSettings.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { EmbeddingModel } from "../../services/EmbeddingModel.ts"
import { Housekeeping } from "../../services/Housekeeping.ts"
import { SharedMemoryPool } from "../../services/SharedMemoryPool.ts"
import { SourceFiles } from "../../services/SourceFiles.ts"
import { TamStore } from "../../services/TamStore.ts"
import { VectorIndex } from "../../services/VectorIndex.ts"
import { VectorStore } from "../../services/VectorStore.ts"
import {
  common,
  existingHouse,
  existingShelf,
  modelAssignments,
  models as modelOptions,
  print,
  revisionOf,
  settingsOf
} from "./Common.ts"
import type { Page } from "./Help.ts"
import { Host } from "./Host.ts"
import { bytes, count, grouped, moment, oneLine, table } from "./Text.ts"

/** How many stale files the text names; the JSON names all. */
const staleShown = 5

const tables = Options.boolean("tables").pipe(
  Options.withDescription("the bytes of each table of the database too; reads every page of it")
)

export const command = Command.make("status", { ...common, ...modelOptions, tables }, (values) =>
  Effect.gen(function* () {
    const settings = yield* settingsOf(values, modelAssignments(values))
    const { directory, scope } = settings
    const host = yield* Host
    const held = yield* existingShelf(
      settings,
      Effect.gen(function* () {
        const corpus = yield* CorpusStore
        const vectors = yield* VectorStore
        const current = yield* revisionOf(settings)
        const { documents, passages } = yield* corpus.counts(scope)
        const { depth, edges, nodes } = yield* (yield* TamStore).counts(scope)
        const index = yield* (yield* VectorIndex).status(scope)
        const model = yield* EmbeddingModel
        return {
          directory,
          scope,
          scopes: yield* corpus.scopes,
          corpusRevision: current.revision,
          indexedAt: current.indexedAt,
          documents,
          passages,
          nodes,
          edges,
          depth,
          vectors: (yield* vectors.count(scope, "Passage")) + (yield* vectors.count(scope, "Relation")),
          vectorIndex: index,
          artifacts: yield* (yield* SharedMemoryPool).count(scope),
          models: {
            embedding: current.embedding,
            dimensions: current.dimensions,
            planner: modelOf(settings.models, "planner") ?? "none",
            verifier: modelOf(settings.models, "verifier") ?? "none",
            reader: modelOf(settings.models, "reader") ?? "none"
          },
          stale: {
            files: yield* (yield* SourceFiles).stale(yield* corpus.sources(scope)),
            vectorIndex: !index.fresh,
            embedding: (embeddingId(settings.models) ?? model.id) !== current.embedding
          }
        }
      })
    )
    const files = yield* host.sizes(directory)
    const sizes = {
      total: files.reduce((sum, file) => sum + file.bytes, 0),
      files: Object.fromEntries(files.map((file) => [file.path, file.bytes])),
      ...(values.tables
        ? {
            tables: Object.fromEntries(
              yield* existingHouse(
                settings,
                true,
                Effect.flatMap(Housekeeping, (keeping) => keeping.tables)
              )
            )
          }
        : {})
    }
    yield* print(values.json, { ...held, sizes }, () => {
      const { artifacts, depth, edges, models, nodes, stale } = held
      const staleLines = [
        ...(stale.files.length === 0
          ? []
          : [
              `${count(stale.files.length, "file")} changed or gone since: ${stale.files
                .slice(0, staleShown)
                .map((path) => oneLine(path, 80))
                .join(", ")}${stale.files.length > staleShown ? ", …" : ""} (index again)`
            ]),
        ...(stale.vectorIndex ? ["the vector file is not of this revision (rebuilt when it is needed)"] : []),
        ...(stale.embedding
          ? ["the vectors are of another embedding model than the settings name (index again, or name that one)"]
          : [])
      ]
      const parts = new Map<string, number>()
      for (const file of files) {
        const [part = ""] = file.path.split("/")
        parts.set(part, (parts.get(part) ?? 0) + file.bytes)
      }
      const rows = [
        ["State folder", directory],
        ["Scope", `${scope}${held.scopes.length > 1 ? ` (of ${held.scopes.join(", ")})` : ""}`],
        ["Documents", grouped(held.documents)],
        ["Passages", grouped(held.passages)],
        [
          "Graph",
          `${count(nodes.Topic, "topic")}, ${count(nodes.Relation, "relation")}, ${count(nodes.Evidence, "evidence node")}, ${count(edges, "edge")}, depth ${depth}`
        ],
        ["Vectors", `${grouped(held.vectors)} of ${models.dimensions} dimensions (${models.embedding})`],
        ["Memory", `${artifacts.Global} global, ${artifacts.Task} task, ${artifacts.Private} private artifacts`],
        [
          "Models",
          isEmbedded(settings.models)
            ? "none: everything is computed here"
            : `Planner ${models.planner}, Verifier ${models.verifier}, Reader ${models.reader}`
        ],
        ["Revision", `${held.corpusRevision.slice(0, 16)}, indexed ${moment(held.indexedAt)} UTC`],
        ["On disk", `${bytes(sizes.total)} (${[...parts].map(([name, size]) => `${name} ${bytes(size)}`).join(", ")})`],
        ...Object.entries(sizes.tables ?? {}).map(([name, size]) => [
          "",
          `${bytes(size)} ${name}, ${grouped(Math.round(size / Math.max(1, held.passages)))} a passage`
        ]),
        ["Stale", staleLines.length === 0 ? "nothing" : (staleLines[0] ?? "")],
        ...staleLines.slice(1).map((line) => ["", line])
      ]
      return `${table(rows)}\n`
    })
  })
)

export const page: Page = {
  name: "status",
  descriptor: command.descriptor,
  examples: [
    ["staterag status", "the corpus, the graph, the sizes on disk"],
    ["staterag status --json", "the same for a program; names every stale file"],
    ["staterag status --tables", "with the bytes of each table, and how many a passage"]
  ],
  notes: []
}
