/** The graph's own laws: what is well-formed, which steps are admissible, and what a path is. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import { NodeId, PassageId } from "../../src/domain/Ids.ts"
import { check } from "../../src/domain/Rules.ts"
import { initial } from "../../src/domain/State.ts"
import {
  admissible,
  edgeKey,
  type MalformedTam,
  nodeTypes,
  type Path,
  type RawTam,
  type Tam,
  type TamNode,
  wellFormed
} from "../../src/domain/Tam.ts"
import { builtFrom } from "../support/Building.ts"
import { library, manners } from "../support/Libraries.ts"
import { type Random, random } from "../support/Random.ts"

const graphs = await Promise.all(manners.map((manner, seed) => builtFrom(library(seed + 1, 14, manner))))
const judged = (raw: RawTam, holds: (id: PassageId) => boolean = () => true) =>
  Either.match(wellFormed(raw, holds), { onLeft: ({ node, reason }) => ({ reason, node }), onRight: () => undefined })

const node = (id: string, type: TamNode["type"]): TamNode => ({ id: NodeId.make(id), type, abstraction: "" })
const of = (raw: RawTam, type: TamNode["type"]) => raw.nodes.filter((known) => known.type === type)
const withoutEdgesTo = (raw: RawTam, id: NodeId): RawTam => ({ ...raw, edges: raw.edges.filter(({ to }) => to !== id) })
const withRegion = (raw: RawTam, id: NodeId, region: ReadonlyArray<PassageId> | undefined): RawTam => {
  const regions = new Map(raw.regions)
  if (region === undefined) regions.delete(id)
  else regions.set(id, region)
  return { ...raw, regions }
}

interface Broken {
  readonly raw: RawTam
  readonly node: string
  readonly holds?: (id: PassageId) => boolean
}

/** One way into each kind of malformation. */
const breakages: { readonly [R in MalformedTam["reason"]]: ReadonlyArray<(raw: RawTam, r: Random) => Broken> } = {
  NoRoot: [
    (raw) => ({ raw: { ...raw, nodes: raw.nodes.filter(({ type }) => type !== "Root") }, node: "" }),
    () => ({ raw: { nodes: [], edges: [], regions: new Map() }, node: "" })
  ],
  SeveralRoots: [(raw) => ({ raw: { ...raw, nodes: [...raw.nodes, node("other", "Root")] }, node: "other" })],
  DuplicateNode: [
    (raw, r) => {
      const twin = r.pick(raw.nodes)
      return { raw: { ...raw, nodes: [...raw.nodes, { ...twin, abstraction: "twin" }] }, node: twin.id }
    }
  ],
  UnknownNode: [
    (raw, r) => ({
      raw: { ...raw, edges: [...raw.edges, { from: r.pick(raw.nodes).id, to: NodeId.make("ghost") }] },
      node: "ghost"
    }),
    (raw, r) => ({
      raw: { ...raw, edges: [{ from: NodeId.make("ghost"), to: r.pick(raw.nodes).id }, ...raw.edges] },
      node: "ghost"
    }),
    (raw) => ({ raw: withRegion(raw, NodeId.make("ghost"), [PassageId.make("p")]), node: "ghost" })
  ],
  Cycle: [
    (raw, r) => {
      const { id } = r.pick(raw.nodes)
      return { raw: { ...raw, edges: [...raw.edges, { from: id, to: id }] }, node: id }
    }
  ],
  Unreachable: [
    (raw) => ({ raw: { ...raw, nodes: [...raw.nodes, node("island", "Topic")] }, node: "island" }),
    (raw, r) => {
      const { id } = r.pick(of(raw, "Evidence"))
      return { raw: withoutEdgesTo(raw, id), node: id }
    }
  ],
  RegionMissing: [
    (raw, r) => {
      const { id } = r.pick(of(raw, "Evidence"))
      return { raw: withRegion(raw, id, undefined), node: id }
    }
  ],
  RegionMisplaced: [
    (raw, r) => {
      const { id } = r.pick(raw.nodes.filter(({ type }) => type !== "Evidence"))
      return { raw: withRegion(raw, id, [PassageId.make("p")]), node: id }
    }
  ],
  RegionUnresolved: [
    (raw, r) => {
      const { id } = r.pick(of(raw, "Evidence"))
      return { raw: withRegion(raw, id, []), node: id }
    },
    (raw, r) => {
      const { id } = r.pick(of(raw, "Evidence"))
      const region = [...(raw.regions.get(id) ?? []), PassageId.make("gone")]
      return { raw: withRegion(raw, id, region), node: id, holds: (passage) => passage !== "gone" }
    }
  ],
  NoAdmissiblePath: [
    // the only ways in are edges outside A: from the root, from a Topic
    (raw, r) => {
      const { id } = r.pick(of(raw, "Evidence"))
      const from = r.pick([...of(raw, "Root"), ...of(raw, "Topic")]).id
      const cut = withoutEdgesTo(raw, id)
      return { raw: { ...cut, edges: [...cut.edges, { from, to: id }] }, node: id }
    }
  ]
}

describe("C5 a graph is well-formed or the first malformation is named", () => {
  it("accepts every graph that the builder makes, whatever the documents are like", () => {
    for (const graph of graphs) expect(judged(graph, (id) => graph.evidence.has(id))).toBeUndefined()
  })

  for (const [reason, ways] of Object.entries(breakages)) {
    it(`finds ${reason} and names the node`, () => {
      let cases = 0
      for (const [at, graph] of graphs.entries()) {
        for (let seed = 0; seed < 6; seed++) {
          for (const way of ways) {
            const broken = way(graph, random(seed * 100 + at))
            expect(judged(broken.raw, broken.holds)).toEqual({ reason, node: broken.node })
            cases++
          }
        }
      }
      expect(cases).toBeGreaterThanOrEqual(42)
    })
  }

  it("names a node of a longer cycle", () => {
    for (const graph of graphs) {
      const topics = of(graph, "Topic")
      const relation = of(graph, "Relation")[0]
      const topic = topics[0]
      if (relation === undefined || topic === undefined) throw new Error("an empty graph")
      const looped = {
        ...graph,
        edges: [...graph.edges, { from: relation.id, to: topic.id }, { from: topic.id, to: relation.id }]
      }
      expect(judged(looped)).toMatchObject({ reason: "Cycle" })
    }
  })

  it("says what is wrong and what to do", () => {
    const error = Either.flip(wellFormed({ nodes: [], edges: [], regions: new Map() }, () => true))
    expect(Either.getOrThrow(error).message).toContain("Index the corpus again")
  })
})

describe("C6 the admissible pairs", () => {
  it("are these five of sixteen and nothing else", () => {
    const pairs = nodeTypes.flatMap((from) =>
      nodeTypes.filter((to) => admissible[from][to]).map((to) => `${from}→${to}`)
    )
    expect(pairs.sort()).toEqual(
      ["Root→Topic", "Topic→Topic", "Topic→Relation", "Relation→Relation", "Relation→Evidence"].sort()
    )
  })
})

const groundOf = (tam: Tam, path: ReadonlyArray<NodeId>) => ({
  root: tam.root,
  types: new Map(
    path.flatMap((id) => Option.toArray(Option.fromNullable(tam.nodes.get(id))).map((n) => [id, n.type] as const))
  ),
  edges: new Set(
    path.flatMap((from, i) => {
      const to = path[i + 1]
      return to !== undefined && tam.children.get(from)?.includes(to) ? [edgeKey(from, to)] : []
    })
  )
})
const staged = initial([], [])

/** All of Π_H up to `longest` nodes, by its definition. */
const pathsOf = (tam: Tam, longest: number): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  const open: Array<Path> = [[tam.root]]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const last = path[path.length - 1] ?? tam.root
    if (tam.nodes.get(last)?.type === "Evidence") found.push(path)
    if (path.length === longest) continue
    for (const to of tam.children.get(last) ?? []) {
      const [a, b] = [tam.nodes.get(last)?.type, tam.nodes.get(to)?.type]
      if (a !== undefined && b !== undefined && admissible[a][b]) open.push([...path, to])
    }
  }
  return found
}

describe("C7 paths of Π_H", () => {
  it("end at every Evidence node, are accepted, and are refused once spoiled in any way", () => {
    let refused = 0
    for (const [seed, graph] of graphs.entries()) {
      const tam = Either.getOrThrow(wellFormed(graph, () => true))
      const paths = pathsOf(tam, 7)
      const ends = new Set(paths.map((path) => path.at(-1)))
      expect(ends.size).toBe(of(graph, "Evidence").length)
      const r = random(seed)
      for (const path of r.some(paths, 20, 20)) {
        expect(check("path", path, staged, groundOf(tam, path))).toEqual(Option.none())
        const [root, topic, ...rest] = path
        if (topic === undefined) throw new Error("a path has four nodes")
        const strangers = of(graph, "Evidence").filter(({ id }) => !tam.children.get(path.at(-2) ?? root)?.includes(id))
        const spoiled: ReadonlyArray<Path> = [
          [topic, ...rest],
          [root, ...rest],
          [root, topic, ...rest.slice(0, -1)],
          ...strangers.slice(0, 1).map(({ id }): Path => [root, topic, ...rest.slice(0, -1), id]),
          [root, topic, ...rest, NodeId.make("ghost")],
          [root, root, topic, ...rest],
          [root, ...rest.slice(-1)]
        ]
        for (const bad of spoiled) {
          expect(Option.isSome(check("path", bad, staged, groundOf(tam, bad)))).toBe(true)
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(300)
  })
})
