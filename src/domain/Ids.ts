/**
 * The names of things, branded so that one cannot be passed for another.
 *
 * An id is an opaque, non-empty string of at most 1,024 UTF-16 code units. Ids of passages, nodes and artifacts are derived from content
 * (see `Digest` in the services), so that one corpus has one set of ids however it was built.
 */
import { Schema } from "effect"

const id = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(1024))

/** A document: its path relative to the indexed root, or the `id` of a JSON Lines record. */
export const DocumentId = id.pipe(Schema.brand("DocumentId"))
export type DocumentId = typeof DocumentId.Type

/** A passage: a digest of its document, its text and which occurrence of that text it is. */
export const PassageId = id.pipe(Schema.brand("PassageId"))
export type PassageId = typeof PassageId.Type

/** A node of TAM. */
export const NodeId = id.pipe(Schema.brand("NodeId"))
export type NodeId = typeof NodeId.Type

/** One question put to one corpus revision. */
export const RunId = id.pipe(Schema.brand("RunId"))
export type RunId = typeof RunId.Type

/** χ: the tenant or corpus that owns documents, graph and global memory (C22, C27). Required wherever something is looked up. */
export const ScopeKey = Schema.String.pipe(
  Schema.pattern(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,127}$/u),
  Schema.brand("ScopeKey")
)
export type ScopeKey = typeof ScopeKey.Type

/** A reusable artifact in the shared memory pool. */
export const ArtifactId = id.pipe(Schema.brand("ArtifactId"))
export type ArtifactId = typeof ArtifactId.Type

/** A digest of all that an index of one scope holds; one run reads one revision (C34). */
export const CorpusRevision = id.pipe(Schema.brand("CorpusRevision"))
export type CorpusRevision = typeof CorpusRevision.Type

/** Hexadecimal SHA-256 of some content, possibly shortened. */
export const ContentHash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{8,64}$/), Schema.brand("ContentHash"))
export type ContentHash = typeof ContentHash.Type

/** The name of something that a plan wants filled. */
export const SlotName = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200), Schema.brand("SlotName"))
export type SlotName = typeof SlotName.Type
