/** What the builder writes of a graph: nodes, edges, regions, links, and the working notes from which the next build goes on. */
import type { Passage } from "../Corpus.ts"
import { NodeId, type PassageId } from "../Ids.ts"
import { depthOf, MalformedTam, type RawTam, type TamEdge, type TamNode } from "../Tam.ts"

/** A passage names the title of another: `weight` in (0, 1]. */
export interface TitleLink {
  readonly from: PassageId
  readonly to: PassageId
  readonly weight: number
}

export const evidenceId = (passage: PassageId): NodeId => NodeId.make(`E:${passage}`)
export const isEvidence = (node: NodeId): boolean => node.startsWith("E:")

/** a(v) of an Evidence node: title, heading path, text, and the titles that it links to. */
export const evidenceAbstraction = (passage: Passage, linked: ReadonlyArray<string>): string =>
  [passage.title, passage.headings.join(" \u203a "), passage.text, [...new Set(linked)].join(", ")]
    .filter((line) => line !== "")
    .join("\n")

/**
 * Working notes, by kind:
 *
 *     note   what stands in a passage and what follows for it: see `Notes`
 *     name   a name · a passage that holds it · how
 *     word   a word that binds · a passage that holds it · how
 *     doc    a document · its passages in order
 *     bear   the key of a title · a document that bears it · its first passages
 *     head   a word · the key of a title that is looked up by phrases which begin with it
 *     said   the key of a title · how many passages mention it
 *     route  a Topic · what was placed by way of it
 *     via    a Relation · its level as a centre, 0 for its own · by way of which Topics it was placed, from the highest down
 *     deep   how many Relations stand above one another · in how many documents
 */
export const noteKinds = ["note", "name", "word", "doc", "bear", "head", "said", "route", "via", "deep"] as const
export type NoteKind = (typeof noteKinds)[number]

/** One line of the notes, by kind, key and item. */
export interface NoteRow {
  readonly kind: NoteKind
  readonly key: string
  readonly item: string
  readonly value: string
}

/** What is to become of a stored graph; all that is left out stays. */
export interface GraphChange {
  /** Added, or put in the place of the node with this id. */
  readonly nodes?: Iterable<TamNode>
  /** Their edges are named in `unbound`. */
  readonly removed?: Iterable<NodeId>
  /** Edges that are not there yet. */
  readonly edges?: Iterable<TamEdge>
  /** Edges that are there. */
  readonly unbound?: Iterable<TamEdge>
  readonly regions?: Iterable<readonly [node: NodeId, region: ReadonlyArray<PassageId>]>
  /** All the links out of each of these passages. */
  readonly links?: Iterable<readonly [from: PassageId, links: ReadonlyArray<Pick<TitleLink, "to" | "weight">>]>
  /** The Evidence nodes of passages that are new. */
  readonly evidence?: Iterable<readonly [passage: PassageId, node: NodeId]>
  /** Passages that are gone, with what was known of them. */
  readonly gone?: Iterable<PassageId>
  readonly notes?: Iterable<NoteRow>
  readonly erased?: Iterable<Pick<NoteRow, "item" | "key" | "kind">>
  /** How many edges the longest traversal takes. */
  readonly depth?: number
}

/** A whole graph, with what was found on the way. */
export interface WholeGraph extends RawTam {
  readonly links: ReadonlyArray<TitleLink>
  /** The Evidence node of each passage. */
  readonly evidence: ReadonlyMap<PassageId, NodeId>
}

/** The first node that the graph names without having it, or has twice. */
export const misnamed = ({ edges, evidence, nodes, regions }: WholeGraph): MalformedTam | undefined => {
  const ids = new Set<NodeId>()
  for (const { id } of nodes) {
    if (ids.has(id)) return new MalformedTam({ reason: "DuplicateNode", node: id })
    ids.add(id)
  }
  const ends = [...edges.flatMap(({ from, to }) => [from, to]), ...regions.keys(), ...evidence.values()]
  const stranger = ends.find((id) => !ids.has(id))
  return stranger === undefined ? undefined : new MalformedTam({ reason: "UnknownNode", node: stranger })
}

/** How an empty graph becomes this one. */
export const changeOf = (whole: WholeGraph): GraphChange => {
  const links = new Map<PassageId, Array<TitleLink>>()
  for (const link of whole.links) links.set(link.from, [...(links.get(link.from) ?? []), link])
  const { edges, evidence, nodes, regions } = whole
  return { nodes, edges, regions, links, evidence, depth: depthOf(whole) }
}
