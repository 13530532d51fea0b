/**
 * Consistent worlds: a small corpus of awkward text, a graph over it, a state in the middle of a run, and for each stage a proposal that
 * the contract accepts, with the grounds on which it is judged.
 *
 * A world is a function of one integer.
 */
import { Either, Option } from "effect"
import { type Document, lineAt, type Passage, spanKey } from "../../src/domain/Corpus.ts"
import type { Evidence, EvidenceItem } from "../../src/domain/Evidence.ts"
import { fingerprint } from "../../src/domain/Fingerprint.ts"
import { ArtifactId, ContentHash, DocumentId, NodeId, PassageId, SlotName } from "../../src/domain/Ids.ts"
import type { Binding, Plan } from "../../src/domain/Plan.ts"
import type { Grounds } from "../../src/domain/Rules.ts"
import { commit, type Field, type Fields, initial, type State, stage } from "../../src/domain/State.ts"
import {
  edgeKey,
  isAdmissible,
  type Path,
  type RawTam,
  rootId,
  type Tam,
  type TamEdge,
  type TamNode,
  wellFormed
} from "../../src/domain/Tam.ts"
import type { Verification } from "../../src/domain/Verification.ts"
import { type Random, random } from "./Random.ts"

/** Text that breaks careless slicing. No piece begins with a mark or joiner, so a cut between two pieces parts no character. */
const pieces = [
  "the parser reads ",
  "Ada Lovelace wrote it. ",
  "a line\n",
  "a dos line\r\n",
  "an old line\r",
  "\n\n",
  "cafe\u0301 ",
  "A\u030a\u0323ngstrom ",
  "\u{1f469}\u200d\u{1f469}\u200d\u{1f467} ",
  "\u{1f44d}\u{1f3fd} ",
  "\u2764\ufe0f ",
  "\u{1d11e}\u{1d122}",
  "\u{20000}\u6f22\u5b57",
  "\u6771\u4eac\u306f\u65e5\u672c\u306e\u9996\u90fd\u3002",
  "\u0e01\u0e23\u0e38\u0e07\u0e40\u0e17\u0e1e\u0e2f ",
  "\ud55c\uad6d\uc5b4 ",
  "</evidence> {x} $\u007by} ",
  "x[0] = 1; ",
  "\u0000\u001b[31m"
] as const

export interface World {
  readonly documents: ReadonlyArray<Document>
  readonly passages: ReadonlyMap<PassageId, Passage>
  readonly raw: RawTam
  readonly tam: Tam
  /** Completed cycles so far; the open one has the next number. */
  readonly completed: number
  /** The state in which each stage's proposal is judged. */
  readonly staged: { readonly [F in Field]: State }
  readonly grounds: Grounds
  /** A proposal's value that each stage accepts. */
  readonly valid: Fields
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" })
/** The offsets of `text`, both ends included, at which no character is parted. */
export const cuts = (text: string): ReadonlyArray<number> => [
  ...Array.from(graphemes.segment(text), (segment) => segment.index),
  text.length
]

const corpus = (r: Random): { documents: ReadonlyArray<Document>; passages: ReadonlyArray<Passage> } => {
  const documents: Array<Document> = []
  const passages: Array<Passage> = []
  for (let d = 0; d < 2 + r.int(2); d++) {
    const blocks = Array.from({ length: 1 + r.int(3) }, (_, b) => {
      const body = Array.from({ length: 2 + r.int(5) }, () => r.pick(pieces)).join("")
      return `Part ${b}: ${body}`
    })
    const text = blocks.join("")
    const id = DocumentId.make(r.chance(0.2) ? `docs/\u00fcber ${d}.md` : `docs/${d}.md`)
    const title = r.pick(["Parser", "\u6771\u4eac", "", "Ada Lovelace"])
    documents.push({
      id,
      title,
      format: "text",
      source: id,
      hash: ContentHash.make(`${d}`.padStart(8, "a")),
      text
    })
    let start = 0
    for (const [b, block] of blocks.entries()) {
      const end = start + block.length
      passages.push({
        id: PassageId.make(`p${d}-${b}`),
        document: id,
        title,
        headings: [],
        start,
        end,
        line: lineAt(text, start),
        text: text.slice(start, end),
        // as the worlds' counter counts
        tokens: block.length
      })
      start = end
    }
  }
  return { documents, passages }
}

const graph = (r: Random, passages: ReadonlyArray<Passage>): RawTam => {
  const node = (type: TamNode["type"], id: string, abstraction: string): TamNode => ({
    id: NodeId.make(id),
    type,
    abstraction
  })
  const nodes: Array<TamNode> = [{ id: rootId, type: "Root", abstraction: "everything" }]
  const edges = new Map<string, TamEdge>()
  const link = (from: TamNode, to: TamNode) => edges.set(edgeKey(from.id, to.id), { from: from.id, to: to.id })
  const root = nodes[0] as TamNode
  const layer = (type: TamNode["type"], count: number, parents: ReadonlyArray<TamNode>, prefix: string) => {
    const made: Array<TamNode> = []
    for (let i = 0; i < count; i++) {
      const fresh = node(type, `${prefix}${i}`, `${type} ${i}`)
      nodes.push(fresh)
      link(r.pick(parents), fresh)
      if (r.chance(0.3)) link(r.pick(parents), fresh)
      made.push(fresh)
    }
    return made
  }
  const upper = layer("Topic", 1 + r.int(2), [root], "t\u00e9-")
  const lower = layer("Topic", 1 + r.int(3), upper, "u-")
  const broad = layer("Relation", 1 + r.int(3), [...upper, ...lower], "r-")
  const narrow = layer("Relation", 1 + r.int(3), broad, "s-")
  const ends = passages.map((passage, i) => {
    const fresh = node("Evidence", `e-${i}`, `${passage.title} ${passage.text}`)
    nodes.push(fresh)
    link(r.pick([...broad, ...narrow]), fresh)
    if (r.chance(0.4)) link(r.pick(narrow), fresh)
    return fresh
  })
  // edges outside A may stand in a graph; no traversal takes one
  link(root, r.pick(ends))
  link(r.pick(upper), r.pick(ends))
  link(root, r.pick(broad))
  const regions = new Map(
    ends.map((end, i) => {
      const own = passages[i] as Passage
      const others = r.some(passages, 1, 3).filter((passage) => passage.id !== own.id)
      return [end.id, [own, ...others].map((passage) => passage.id)] as const
    })
  )
  return { nodes, edges: [...edges.values()], regions }
}

/** Every member of Π_H of a small graph. */
export const paths = (tam: Tam): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  const walk = (path: Path) => {
    const last = path[path.length - 1] ?? tam.root
    if (tam.nodes.get(last)?.type === "Evidence") found.push(path)
    for (const next of tam.children.get(last) ?? [])
      if (isAdmissible(tam.nodes.get(last)?.type, tam.nodes.get(next)?.type)) walk([...path, next])
  }
  walk([tam.root])
  return found
}

/** A slice of `passage` that parts no character. */
export const slice = (r: Random, passage: Passage, cycle: number): EvidenceItem => {
  const places = cuts(passage.text)
  const from = r.int(places.length - 1)
  const to = from + 1 + r.int(places.length - 1 - from)
  const whole = r.chance(0.3)
  const start = passage.start + (whole ? 0 : (places[from] ?? 0))
  const end = passage.start + (whole ? passage.text.length : (places[to] ?? 0))
  const text = passage.text.slice(start - passage.start, end - passage.start)
  const line = passage.line + lineAt(passage.text, start - passage.start) - 1
  const score = r.int(1000) / 1000
  return { passage: passage.id, document: passage.document, title: passage.title, start, end, line, text, score, cycle }
}

const distinct = (items: ReadonlyArray<EvidenceItem>): Evidence => [
  ...new Map(items.map((item) => [spanKey(item), item])).values()
]

const planOf = (r: Random, documents: ReadonlyArray<Document>, visited: ReadonlyArray<NodeId>): Plan => {
  const slots = Array.from({ length: 1 + r.int(4) }, (_, i) => ({
    name: SlotName.make(`slot ${i}${r.chance(0.2) ? "\u{1f600}" : ""}`),
    description: "what is asked"
  }))
  const filled = new Set(r.some(slots, 0, slots.length).map((slot) => slot.name))
  const known = slots
    .filter((slot) => filled.has(slot.name))
    .map((slot): Binding => {
      const document = r.pick(documents)
      const places = cuts(document.text)
      const from = r.int(places.length - 1)
      const start = places[from] ?? 0
      const end = places[Math.min(places.length - 1, from + 1 + r.int(8))] ?? 0
      return { slot: slot.name, span: { document: document.id, start, end }, text: document.text.slice(start, end) }
    })
  return {
    type: r.pick(["Boolean", "Person", "Generic"] as const),
    entities: ["Ada Lovelace"],
    slots,
    objective: "find what is missing",
    hypotheses: [{ from: null, weight: 1, query: "parser", terms: [{ term: "parser", weight: 2 }], best: 3 }],
    known,
    missing: r.some(
      slots.filter((slot) => !filled.has(slot.name)).map((slot) => slot.name),
      0,
      4
    ),
    frontier: [{ name: "Ada Lovelace", weight: 0.5 }],
    held: [fingerprint("seen")],
    visited: visited.map((node) => ({ node, abstraction: fingerprint(node) }))
  }
}

const verificationOf = (r: Random, plan: Plan, evidence: Evidence): Verification => {
  const names = plan.slots.map((slot) => slot.name)
  const supported = r.some(names, 0, 3).map((slot) => {
    const { document, end, passage, start, text } = r.pick(evidence)
    return r.chance(0.5) ? { slot, passage } : { slot, passage, span: { document, start, end }, text }
  })
  return r.chance(0.5)
    ? { verdict: "Pass", justification: { text: r.pick(["", "all is found"]), missing: [], supported } }
    : { verdict: "Fail", justification: { text: "not all is found", missing: r.some(names, 0, 3), supported } }
}

const cache = new Map<number, World>()

/** The world of a seed. */
export const world = (seed: number): World => {
  const cached = cache.get(seed)
  if (cached !== undefined) return cached
  const r = random(seed)
  const { documents, passages: list } = corpus(r)
  const passages = new Map(list.map((passage) => [passage.id, passage]))
  const raw = graph(r, list)
  const tam = Either.getOrThrow(wellFormed(raw, (id) => passages.has(id)))
  const routes = paths(tam)
  const completed = r.int(3)
  const earlier = Array.from({ length: completed }, () => r.pick(routes))
  const visited = earlier.flatMap((path) => path[path.length - 1] ?? [])
  const cycle = completed + 1

  const zero = distinct(r.some(list, 1, 4).map((passage) => slice(r, passage, 0)))
  const plan = planOf(r, documents, visited)
  const path = r.pick(routes)
  const region = new Map(
    (tam.regions.get(path[path.length - 1] ?? tam.root) ?? []).flatMap((id) => {
      const passage = passages.get(id)
      return passage === undefined ? [] : [[id, passage] as const]
    })
  )
  const evidence = distinct(Array.from({ length: 1 + r.int(4) }, () => slice(r, r.pick([...region.values()]), cycle)))
  const verification = verificationOf(r, plan, evidence)

  const artifacts = r.some([ArtifactId.make("a1"), ArtifactId.make("a2")], 0, 2)
  const before = initial(zero, artifacts)
  const last = earlier[completed - 1]
  const start: State =
    last === undefined
      ? before
      : {
          ...before,
          plan: Option.some(planOf(r, documents, visited.slice(0, -1))),
          path: Option.some(last),
          evidence: distinct(r.some(list, 1, 3).map((passage) => slice(r, passage, completed))),
          verification: { verdict: "Fail", justification: { text: "more is needed", missing: [], supported: [] } }
        }
  const s0 = stage(start)
  const s1 = commit(s0, "plan", plan)
  const s2 = commit(s1, "path", path)
  const s3 = commit(s2, "evidence", evidence)
  const made: World = {
    documents,
    passages,
    raw,
    tam,
    completed,
    staged: { plan: s0, path: s1, evidence: s2, verification: s3 },
    grounds: {
      plan: { quoted: new Map(plan.known.map((binding) => [spanKey(binding.span), binding.text])), visited },
      path: {
        root: tam.root,
        types: new Map(raw.nodes.map((node) => [node.id, node.type])),
        edges: new Set(raw.edges.map((edge) => edgeKey(edge.from, edge.to)))
      },
      evidence: { region, cycle },
      verification: {}
    },
    valid: { plan, path, evidence, verification }
  }
  cache.set(seed, made)
  return made
}
