/**
 * Ways to spoil a proposal that the contract accepts, by the rule that must be the first to object.
 *
 * A mutation gives undefined where a world has nothing that it could spoil.
 */
import { lineAt, spanKey, splitsSurrogate } from "../../src/domain/Corpus.ts"
import type { EvidenceItem } from "../../src/domain/Evidence.ts"
import { DocumentId, NodeId, PassageId, SlotName } from "../../src/domain/Ids.ts"
import { propose } from "../../src/domain/Proposal.ts"
import type { Grounds } from "../../src/domain/Rules.ts"
import type { Field, Fields } from "../../src/domain/State.ts"
import { edgeKey, isAdmissible, type NodeType } from "../../src/domain/Tam.ts"
import { fields } from "./Arbitraries.ts"
import type { Random } from "./Random.ts"
import { cuts, type World } from "./Worlds.ts"

export interface Mutant {
  readonly proposal: unknown
  /** Where the world moved on instead of the proposal changing. */
  readonly grounds?: Grounds
}
export type Mutation = (world: World, r: Random) => Mutant | undefined

const put = <A>(items: ReadonlyArray<A>, index: number, item: A): ReadonlyArray<A> =>
  items.map((other, i) => (i === index ? item : other))

/** `text` with one code unit changed. */
const oneOff = (text: string, r: Random): string => {
  const at = r.int(text.length)
  return `${text.slice(0, at)}${text[at] === "x" ? "y" : "x"}${text.slice(at + 1)}`
}

// ---- any field: whose it is, and whether it fits

/** A copy of a JSON value with one place spoiled so that no schema of ours takes it. */
const spoiled = (value: unknown, r: Random): unknown => {
  if (Array.isArray(value) && value.length > 0 && r.chance(0.8)) {
    const i = r.int(value.length)
    return put(value, i, spoiled(value[i], r))
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    const keys = Object.keys(value)
    const key = r.pick(keys)
    const way = r.int(4)
    if (way === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
    if (way === 1) return { ...value, [`${key}_`]: 1 }
    return { ...value, [key]: spoiled(Reflect.get(value, key), r) }
  }
  return r.pick([true, { a: 1 }, [[1]], undefined, Number.NaN])
}

const ownsField = (field: Field): ReadonlyArray<Mutation> => [
  (w, r) => {
    const other = r.pick(fields.filter((name) => name !== field))
    return { proposal: propose(other, w.valid[other]) }
  },
  (w, r) => ({
    proposal: { ...propose(field, w.valid[field]), [r.pick(["plan2", "artifacts", "__proto", "verdict"])]: 1 }
  }),
  (w, r) => ({ proposal: { field: r.pick([field.toUpperCase(), "artifacts", "", null, 0]), value: w.valid[field] } }),
  (w, r) => ({
    proposal: r.pick<unknown>([null, 7, "plan", [], {}, w.valid[field], { field }, [propose(field, w.valid[field])]])
  })
]
const fitsSchema = (field: Field): ReadonlyArray<Mutation> => [
  (w, r) => ({ proposal: { field, value: spoiled(w.valid[field], r) } }),
  (w, r) => ({ proposal: { field, value: w.valid[r.pick(fields.filter((name) => name !== field))] } }),
  (_, r) => ({
    proposal: { field, value: r.pick<unknown>([null, undefined, 1, "x", {}, { value: [] }, [null], true]) }
  })
]

// ---- plan

const plan =
  (change: (world: World, r: Random) => Partial<Fields["plan"]> | undefined): Mutation =>
  (w, r) => {
    const changed = change(w, r)
    return changed === undefined ? undefined : { proposal: propose("plan", { ...w.valid.plan, ...changed }) }
  }
const stranger = (r: Random) => SlotName.make(r.pick(["slot", "slot 00", "Slot 0", "nobody's", "slot 9"]))

const ofPlan: Record<string, ReadonlyArray<Mutation>> = {
  SlotsAreDistinct: [
    plan((w, r) => ({ slots: [...w.valid.plan.slots, r.pick(w.valid.plan.slots)] })),
    plan((w, r) => ({ slots: [{ ...r.pick(w.valid.plan.slots), description: "another" }, ...w.valid.plan.slots] }))
  ],
  MissingAreSlots: [plan((w, r) => ({ missing: r.shuffled([...w.valid.plan.missing, stranger(r)]) }))],
  KnownAreSlots: [
    plan((w, r) =>
      w.valid.plan.known.length === 0
        ? undefined
        : { known: put(w.valid.plan.known, 0, { ...r.pick(w.valid.plan.known), slot: stranger(r) }) }
    ),
    plan((w, r) =>
      w.valid.plan.known.length === 0
        ? undefined
        : { missing: [...w.valid.plan.missing, r.pick(w.valid.plan.known).slot] }
    )
  ],
  KnownIsVerbatim: [
    plan((w, r) => {
      const { known } = w.valid.plan
      if (known.length === 0) return undefined
      const i = r.int(known.length)
      const binding = r.pick(known.slice(i, i + 1))
      const moved = { ...binding.span, end: binding.span.end + 1 }
      const elsewhere = { ...binding.span, document: DocumentId.make("docs/none.md") }
      const changed = r.pick([
        { ...binding, text: oneOff(binding.text, r) },
        { ...binding, text: `${binding.text} ` },
        { ...binding, text: binding.text.slice(1) },
        { ...binding, text: "" },
        { ...binding, span: moved },
        { ...binding, span: elsewhere }
      ])
      return w.grounds.plan.quoted.get(spanKey(changed.span)) === changed.text
        ? undefined
        : { known: put(known, i, changed) }
    }),
    // a text of nothing at a span of nothing: what the corpus says there is indeed nothing
    (w, r) => {
      const { known } = w.valid.plan
      if (known.length === 0) return undefined
      const span = { ...r.pick(known).span, start: 0, end: 0 }
      const quoted = new Map([...w.grounds.plan.quoted, [spanKey(span), ""] as const])
      return {
        proposal: propose("plan", { ...w.valid.plan, known: put(known, 0, { ...r.pick(known), span, text: "" }) }),
        grounds: { ...w.grounds, plan: { ...w.grounds.plan, quoted } }
      }
    }
  ],
  VisitedIsTrue: [
    plan((w, r) => {
      const { visited } = w.valid.plan
      const node = NodeId.make(r.pick(["e-99", "root", "e"]))
      const lie = { node, abstraction: "" }
      return r.pick([
        { visited: [...visited, lie] },
        { visited: visited.length === 0 ? [lie] : visited.slice(1) },
        { visited: visited.length === 0 ? [lie] : put(visited, r.int(visited.length), lie) }
      ])
    })
  ]
}

// ---- path

const path =
  (change: (world: World, r: Random) => ReadonlyArray<NodeId> | undefined): Mutation =>
  (w, r) => {
    const [head, ...rest] = change(w, r) ?? []
    return head === undefined ? undefined : { proposal: propose("path", [head, ...rest]) }
  }
const idsOf = (w: World, type: NodeType): ReadonlyArray<NodeId> =>
  w.raw.nodes.filter((node) => node.type === type).map((node) => node.id)
const typeIn = (w: World, id: NodeId | undefined) => (id === undefined ? undefined : w.tam.nodes.get(id)?.type)
const admissibleThroughout = (w: World, nodes: ReadonlyArray<NodeId>) =>
  nodes.slice(1).every((node, i) => isAdmissible(typeIn(w, nodes[i]), typeIn(w, node)))

const ofPath: Record<string, ReadonlyArray<Mutation>> = {
  NodesExist: [
    path((w, r) =>
      put(w.valid.path, r.int(w.valid.path.length), NodeId.make(r.pick(["e-", "Root", "r-0 ", "\u{1f600}", "e-77"])))
    ),
    // a stale path: the node has gone since
    (w, r) => {
      const gone = r.pick(w.valid.path)
      const types = new Map([...w.grounds.path.types].filter(([id]) => id !== gone))
      return {
        proposal: propose("path", w.valid.path),
        grounds: { ...w.grounds, path: { ...w.grounds.path, types } }
      }
    }
  ],
  StartsAtRoot: [
    path((w) => w.valid.path.slice(1)),
    path((w, r) => put(w.valid.path, 0, r.pick(idsOf(w, "Topic")))),
    path((w, r) => [r.pick(idsOf(w, "Topic")), ...w.valid.path])
  ],
  StepsAreAdmissible: [
    path((w, r) => {
      const at = 1 + r.int(w.valid.path.length - 2)
      const skipped = w.valid.path.filter((_, i) => i !== at)
      return admissibleThroughout(w, skipped) ? undefined : skipped
    }),
    // along real edges, outside A
    path((w, r) => {
      const forbidden = w.raw.edges.filter((edge) => !isAdmissible(typeIn(w, edge.from), typeIn(w, edge.to)))
      const edge = r.pick(forbidden.filter(({ from }) => from === w.tam.root))
      return [edge.from, edge.to]
    }),
    path((w, r) => [...w.valid.path, r.pick(w.raw.nodes).id]),
    path((w) => [w.tam.root, ...w.valid.path])
  ],
  StepsAreEdges: [
    path((w, r) => {
      const at = 1 + r.int(w.valid.path.length - 1)
      const type = typeIn(w, w.valid.path[at])
      if (type === undefined) return undefined
      const swapped = put(w.valid.path, at, r.pick(idsOf(w, type)))
      return swapped.slice(1).every((node, i) => w.grounds.path.edges.has(edgeKey(swapped[i] ?? w.tam.root, node)))
        ? undefined
        : swapped
    }),
    // a stale path: the edge has gone since
    (w, r) => {
      const at = 1 + r.int(w.valid.path.length - 1)
      const gone = edgeKey(w.valid.path[at - 1] ?? w.tam.root, w.valid.path[at] ?? w.tam.root)
      const edges = new Set([...w.grounds.path.edges].filter((key) => key !== gone))
      return { proposal: propose("path", w.valid.path), grounds: { ...w.grounds, path: { ...w.grounds.path, edges } } }
    }
  ],
  EndsAtEvidence: [path((w, r) => w.valid.path.slice(0, 1 + r.int(w.valid.path.length - 1)))]
}

// ---- evidence

/** Spoils one item; what comes back for it may be several. */
const item =
  (change: (item: EvidenceItem, world: World, r: Random) => ReadonlyArray<EvidenceItem> | undefined): Mutation =>
  (w, r) => {
    const at = r.int(w.valid.evidence.length)
    const chosen = w.valid.evidence[at]
    const changed = chosen === undefined ? undefined : change(chosen, w, r)
    return changed === undefined
      ? undefined
      : {
          proposal: propose(
            "evidence",
            w.valid.evidence.flatMap((other, i) => (i === at ? changed : [other]))
          )
        }
  }
/** The item that a passage holds at `[start, end)` of its text, truthfully named. */
const truthful = (w: World, passage: PassageId, start: number, end: number): EvidenceItem | undefined => {
  const held = w.passages.get(passage)
  return held === undefined || start >= end
    ? undefined
    : {
        passage,
        document: held.document,
        title: held.title,
        start: held.start + start,
        end: held.start + end,
        line: held.line + lineAt(held.text, start) - 1,
        text: held.text.slice(start, end),
        score: 0.5,
        cycle: w.grounds.evidence.cycle
      }
}
const some = <A>(value: A | undefined): ReadonlyArray<A> | undefined => (value === undefined ? undefined : [value])

/** Offsets that part a character: all that are no grapheme boundary, but for CR LF, which is no one's character. */
const parting = (text: string): ReadonlyArray<number> => {
  const whole = new Set(cuts(text))
  return Array.from({ length: text.length }, (_, i) => i).filter(
    (i) => !whole.has(i) && !(text[i] === "\n" && text[i - 1] === "\r")
  )
}

const ofEvidence: Record<string, ReadonlyArray<Mutation>> = {
  WithinRegion: [
    // true of the corpus, but of another place than the path opened
    item((_, w, r) => {
      const outside = [...w.passages.values()].filter((passage) => !w.grounds.evidence.region.has(passage.id))
      if (outside.length === 0) return undefined
      const passage = r.pick(outside)
      return some(truthful(w, passage.id, 0, passage.text.length))
    }),
    item((it, w) => {
      const document = w.documents.find((other) => other.id === it.document)
      const passage = w.passages.get(it.passage)
      if (document === undefined || passage === undefined || passage.end >= document.text.length) return undefined
      return [{ ...it, end: passage.end + 1, text: document.text.slice(it.start, passage.end + 1) }]
    }),
    item((it, w) => {
      const document = w.documents.find((other) => other.id === it.document)
      const passage = w.passages.get(it.passage)
      if (document === undefined || passage === undefined || passage.start === 0) return undefined
      const start = passage.start - 1
      return [{ ...it, start, line: lineAt(document.text, start), text: document.text.slice(start, it.end) }]
    }),
    item((it) => [{ ...it, end: it.start }]),
    item((it, _, r) => [{ ...it, passage: PassageId.make(r.pick(["p", "p0-0 ", "P0-0", "p9-9"])) }])
  ],
  NamesItsPlace: [
    item((it, _, r) => [{ ...it, line: it.line + 1 + r.int(2) }]),
    item((it) => (it.line === 1 ? undefined : [{ ...it, line: it.line - 1 }])),
    item((it) => [{ ...it, title: `${it.title}.` }]),
    item((it, w, r) => [
      { ...it, document: r.pick(w.documents.map(({ id }) => id).filter((id) => id !== it.document)) }
    ])
  ],
  NamesItsCycle: [item((it, w, r) => [{ ...it, cycle: r.pick([0, w.completed, it.cycle + 1, it.cycle + 7]) }])],
  CutsNoCharacter: [
    item((it, w, r) => {
      const text = w.passages.get(it.passage)?.text ?? ""
      const places = parting(text)
      return places.length === 0 ? undefined : some(truthful(w, it.passage, r.pick(places), text.length))
    }),
    item((it, w, r) => {
      const places = parting(w.passages.get(it.passage)?.text ?? "")
      return places.length === 0 ? undefined : some(truthful(w, it.passage, 0, r.pick(places)))
    }),
    item((it, w, r) => {
      const text = w.passages.get(it.passage)?.text ?? ""
      const places = parting(text).filter((place) => splitsSurrogate(text, place))
      return places.length === 0 ? undefined : some(truthful(w, it.passage, 0, r.pick(places)))
    })
  ],
  IsVerbatim: [
    item((it, _, r) => [{ ...it, text: oneOff(it.text, r) }]),
    item((it, _, r) => [{ ...it, text: r.pick([`${it.text} `, ` ${it.text}`, `${it.text}${it.text}`]) }]),
    item((it) => (it.text.length === 1 ? undefined : [{ ...it, text: it.text.slice(0, -1) }])),
    item((it) => (it.text.normalize("NFC") === it.text ? undefined : [{ ...it, text: it.text.normalize("NFC") }])),
    item((it) => (/\r/.test(it.text) ? [{ ...it, text: it.text.replace(/\r\n?/g, "\n") }] : undefined))
  ],
  SpansAreDistinct: [item((it) => [it, it]), item((it) => [it, { ...it, score: it.score + 1 }])]
}

// ---- verification

const verification =
  (change: (world: World, r: Random) => Fields["verification"] | undefined): Mutation =>
  (w, r) => {
    const changed = change(w, r)
    return changed === undefined ? undefined : { proposal: propose("verification", changed) }
  }
const supportOf = (w: World, r: Random) => ({
  slot: r.pick(w.valid.plan.slots).name,
  passage: r.pick(w.valid.evidence).passage
})

const ofVerification: Record<string, ReadonlyArray<Mutation>> = {
  VerdictIsReached: [verification((w) => ({ ...w.valid.verification, verdict: "Pending" }))],
  FailSaysWhy: [
    verification((w, r) => ({
      verdict: "Fail",
      justification: { ...w.valid.verification.justification, text: r.pick(["", " ", "\r\n\t", "\u00a0"]) }
    }))
  ],
  PassLacksNothing: [
    verification((w, r) => ({
      verdict: "Pass",
      justification: { ...w.valid.verification.justification, missing: [r.pick(w.valid.plan.slots).name] }
    }))
  ],
  LacksAreSlots: [
    verification((w, r) => ({
      verdict: "Fail",
      justification: { text: "why", missing: r.shuffled([r.pick(w.valid.plan.slots).name, stranger(r)]), supported: [] }
    })),
    verification((w, r) => ({
      ...w.valid.verification,
      justification: {
        ...w.valid.verification.justification,
        supported: [supportOf(w, r), { ...supportOf(w, r), slot: stranger(r) }]
      }
    }))
  ],
  SupportIsHeld: [
    verification((w, r) => {
      const held = new Set(w.valid.evidence.map((it) => it.passage))
      const passage = r.pick([PassageId.make("p"), ...w.passages.keys()].filter((id) => !held.has(id)))
      return {
        ...w.valid.verification,
        justification: {
          ...w.valid.verification.justification,
          supported: r.shuffled([supportOf(w, r), { ...supportOf(w, r), passage }])
        }
      }
    })
  ],
  SupportIsVerbatim: [
    verification((w, r) => {
      const { document, end, passage, start, text } = r.pick(w.valid.evidence)
      const quoted = { ...supportOf(w, r), passage, span: { document, start, end }, text }
      const { span } = quoted
      const other = w.valid.evidence.find((item) => item.passage !== passage)
      const spoilt = r.pick([
        { ...quoted, text: oneOff(text, r) },
        { ...quoted, text: text.slice(0, -1) || "?" },
        { ...quoted, span: { ...span, end: end + 1 }, text: `${text}.` },
        { ...quoted, span: { ...span, start: start + 1, end: end + 1 } },
        { ...quoted, span: { ...span, document: DocumentId.make("elsewhere") } },
        ...(other === undefined ? [] : [{ ...quoted, passage: other.passage }])
      ])
      return {
        ...w.valid.verification,
        justification: {
          ...w.valid.verification.justification,
          supported: r.shuffled([supportOf(w, r), spoilt])
        }
      }
    })
  ]
}

const withCommon = (field: Field, own: Record<string, ReadonlyArray<Mutation>>) => ({
  OwnsField: ownsField(field),
  FitsSchema: fitsSchema(field),
  ...own
})

/** By field and rule; every rule of the contract has a row. */
export const mutations: { readonly [F in Field]: Readonly<Record<string, ReadonlyArray<Mutation>>> } = {
  plan: withCommon("plan", ofPlan),
  path: withCommon("path", ofPath),
  evidence: withCommon("evidence", ofEvidence),
  verification: withCommon("verification", ofVerification)
}

/** A spoiled proposal for one rule, if this world lends itself to the way that is drawn. */
export const spoil = (field: Field, rule: string, w: World, r: Random): Mutant | undefined =>
  r.pick(mutations[field][rule] ?? [])(w, r)
