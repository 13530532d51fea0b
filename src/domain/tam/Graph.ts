/** The graph of a surveyed corpus, in canonical order: nodes by type and id, edges by their two ends, links by theirs. */
import type { Passage } from "../Corpus.ts"
import { NodeId, type PassageId } from "../Ids.ts"
import { rootId, type TamEdge, type TamNode } from "../Tam.ts"
import { type Bonds, regionsOf } from "./Bonds.ts"
import { abstractionOf, type Relation } from "./Relations.ts"
import type { Survey } from "./Survey.ts"
import { topicsOf } from "./Topics.ts"

/** A passage names the title of another. */
export interface TitleLink {
  readonly from: PassageId
  readonly to: PassageId
  readonly weight: number
}

/** What a build yields. */
export interface Graph {
  readonly nodes: ReadonlyArray<TamNode>
  readonly edges: ReadonlyArray<TamEdge>
  readonly regions: ReadonlyMap<NodeId, ReadonlyArray<PassageId>>
  readonly links: ReadonlyArray<TitleLink>
  readonly evidence: ReadonlyMap<PassageId, NodeId>
}

export const evidenceId = (passage: PassageId): NodeId => NodeId.make(`E:${passage}`)

/** a(v) of an Evidence node: title, heading path, text, and the titles that it links to. */
export const evidenceAbstraction = (passage: Passage, linked: ReadonlyArray<string>): string =>
  [passage.title, passage.headings.join(" \u203a "), passage.text, [...new Set(linked)].join(", ")]
    .filter((line) => line !== "")
    .join("\n")

/** Puts survey, bonds and Relations together under Topics. `vectors` are of a(v), one a Relation, of unit length. */
export const graphOf = (
  survey: Survey,
  bonds: Bonds,
  relations: ReadonlyArray<Relation>,
  vectors: ReadonlyArray<Float32Array>
): Graph => {
  const topics = topicsOf(
    relations.flatMap(({ id, name }, index) => {
      const vector = vectors[index]
      return vector === undefined ? [] : [{ id, name, vector }]
    })
  )
  const evidenceIds = survey.passages.map(({ passage }) => evidenceId(passage.id))
  const passageIds = survey.passages.map(({ passage }) => passage.id)
  const at = <A>(list: ReadonlyArray<A>, indices: ReadonlyArray<number>): ReadonlyArray<A> =>
    indices.flatMap((index) => list[index] ?? [])
  const relationIds = relations.map(({ id }) => id)
  const topicIds = topics.map(({ id }) => id)

  const nodes: Array<TamNode> = [{ id: rootId, type: "Root", abstraction: "" }]
  const edges: Array<TamEdge> = []
  for (const { id, top } of topics) if (top) edges.push({ from: rootId, to: id })
  for (const topic of topics) {
    nodes.push({ id: topic.id, type: "Topic", abstraction: topic.abstraction })
    for (const to of at(relationIds, topic.relations)) edges.push({ from: topic.id, to })
    for (const to of at(topicIds, topic.topics)) edges.push({ from: topic.id, to })
  }
  for (const relation of relations) {
    nodes.push({ id: relation.id, type: "Relation", abstraction: abstractionOf(relation) })
    for (const to of at(evidenceIds, relation.passages)) edges.push({ from: relation.id, to })
    for (const to of at(relationIds, relation.refinements)) edges.push({ from: relation.id, to })
  }

  const regions = new Map<NodeId, ReadonlyArray<PassageId>>()
  const evidence = new Map<PassageId, NodeId>()
  const links: Array<TitleLink> = []
  const neighbourhoods = regionsOf(survey, bonds)
  survey.passages.forEach(({ passage }, index) => {
    const id = evidenceId(passage.id)
    const out = bonds.links[index] ?? []
    const best = [...out].sort((a, b) => b.weight - a.weight || a.to - b.to)
    const linked = best.flatMap(({ to }) => survey.passages[to]?.passage.title ?? [])
    nodes.push({ id, type: "Evidence", abstraction: evidenceAbstraction(passage, linked) })
    regions.set(id, at(passageIds, neighbourhoods[index] ?? [index]))
    evidence.set(passage.id, id)
    for (const { to, weight } of out) {
      const target = passageIds[to]
      if (target !== undefined) links.push({ from: passage.id, to: target, weight })
    }
  })
  return { nodes, edges, regions, links, evidence }
}
