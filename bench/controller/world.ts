/**
 * What both controllers are given: a small corpus, its graph, and what four instant roles say in three cycles.
 *
 * Every proposal is valid, every verdict is Fail, so a run takes three cycles and ends in Fallback. A state holds 20 evidence items of 500
 * characters; the regions overlap, so that merging has something to do. Built once, before any clock runs.
 */
import type { Reading } from "../../src/domain/Answer.ts"
import type { Passage, Span } from "../../src/domain/Corpus.ts"
import { lineBreaks, spanKey } from "../../src/domain/Corpus.ts"
import type { EvidenceItem } from "../../src/domain/Evidence.ts"
import { fingerprint } from "../../src/domain/Fingerprint.ts"
import { ArtifactId, CorpusRevision, DocumentId, NodeId, PassageId, ScopeKey, SlotName } from "../../src/domain/Ids.ts"
import type { Plan } from "../../src/domain/Plan.ts"
import { propose } from "../../src/domain/Proposal.ts"
import type { Path, TamNode } from "../../src/domain/Tam.ts"
import { edgeKey } from "../../src/domain/Tam.ts"
import type { Verification } from "../../src/domain/Verification.ts"

export const cycles = 3
export const itemsPerState = 20
export const charactersPerItem = 500
export const question = "Which parser reads the format that the maintainer of the lexer described?"
export const scope = ScopeKey.make("bench")
export const revision = CorpusRevision.make("revision-1")

/** Stands in for a tokenizer on both sides: its cost is not what is measured. */
export const tokens = (text: string): number => Math.ceil(text.length / 4)

const syllables = ["ba", "co", "di", "fu", "ge", "ka", "lo", "mi", "na", "pe", "ra", "so", "ti", "vu", "zo"]
/** Words from a linear congruential generator: the same text in every run. */
const prose = (seed: number, length: number): string => {
  let state = seed * 2_654_435_761 + 1
  let text = ""
  while (text.length < length) {
    for (let i = 0; i < 3; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      text += syllables[state % syllables.length]
    }
    text += text.length % 97 < 9 ? ".\n" : " "
  }
  return `${text.slice(0, length - 1)}.`
}

const passage = (n: number): Passage => {
  const start = (n % 10) * charactersPerItem
  return {
    id: PassageId.make(`passage-${n}`),
    document: DocumentId.make(`docs/${Math.floor(n / 10)}.md`),
    title: `Document ${Math.floor(n / 10)}`,
    headings: [`Section ${n % 10}`],
    start,
    end: start + charactersPerItem,
    line: 1 + (n % 10) * 5,
    text: prose(n + 1, charactersPerItem),
    tokens: tokens(prose(n + 1, charactersPerItem))
  }
}
const passageList = Array.from({ length: 60 }, (_, n) => passage(n))
export const passages: ReadonlyMap<PassageId, Passage> = new Map(passageList.map((each) => [each.id, each]))

const node = (id: string, type: TamNode["type"]): TamNode => ({
  id: NodeId.make(id),
  type,
  abstraction: prose(id.length + 7, 200)
})
const evidenceNodes = Array.from({ length: cycles }, (_, c) => node(`evidence-${c}`, "Evidence"))
const relations = Array.from({ length: cycles }, (_, c) => node(`relation-${c}`, "Relation"))
export const root = node("root", "Root")
const topic = node("topic", "Topic")
export const nodes: ReadonlyMap<NodeId, TamNode> = new Map(
  [root, topic, ...relations, ...evidenceNodes].map((each) => [each.id, each])
)
export const edges: ReadonlySet<string> = new Set([
  edgeKey(root.id, topic.id),
  ...relations.map((relation) => edgeKey(topic.id, relation.id)),
  ...relations.flatMap((relation) => evidenceNodes.map((end) => edgeKey(relation.id, end.id)))
])
/** ρ: 20 passages, of which each cycle shares five with the one before. */
export const regions: ReadonlyMap<NodeId, ReadonlyArray<PassageId>> = new Map(
  evidenceNodes.map((end, c) => [end.id, passageList.slice(c * 15, c * 15 + itemsPerState).map((each) => each.id)])
)

const item = (from: Passage, cycle: number, score: number): EvidenceItem => ({
  passage: from.id,
  document: from.document,
  title: from.title,
  start: from.start,
  end: from.end,
  line: from.line,
  text: from.text,
  score,
  cycle
})

/** What the first retrieval ranks: the last 20 passages. */
const first = passageList.slice(-itemsPerState)
export const ranked = first.map((each, i) => ({
  passage: each,
  score: 1 - i / 40,
  parts: { lexical: 1, dense: 0, links: 0 }
}))

const spanOf = (from: Passage, length: number): Span => ({
  document: from.document,
  start: from.start,
  end: from.start + length
})
const quotedFrom = passageList.slice(0, cycles)
/** The corpus' own text at the spans that plans bind. */
export const slices: ReadonlyMap<string, string> = new Map(
  quotedFrom.map((each) => [spanKey(spanOf(each, 24)), each.text.slice(0, 24)])
)

const slot = (name: string) => SlotName.make(name)
const terms = (seed: number) =>
  prose(seed, 80)
    .split(/[^a-z]+/)
    .filter((word) => word !== "")
    .map((term, i) => ({ term, weight: 1 + i / 8 }))

const paths: ReadonlyArray<Path> = evidenceNodes.map((end, c) => [
  root.id,
  topic.id,
  relations[c]?.id ?? topic.id,
  end.id
])

const plan = (cycle: number): Plan => ({
  type: "Entity",
  entities: ["parser", "lexer", "maintainer"],
  slots: ["parser", "format", "maintainer"].map((name) => ({ name: slot(name), description: `the ${name} asked for` })),
  objective: prose(cycle + 40, 120),
  hypotheses: first.slice(0, 4).map((each, i) => ({
    from: i === 0 ? null : each.id,
    weight: 1 - i / 8,
    query: prose(cycle * 4 + i, 60),
    terms: terms(cycle * 4 + i),
    best: 9.5
  })),
  known: quotedFrom.slice(0, cycle - 1).map((each, i) => ({
    slot: slot(["maintainer", "format"][i] ?? "format"),
    span: spanOf(each, 24),
    text: each.text.slice(0, 24)
  })),
  missing: cycle === 1 ? [slot("maintainer"), slot("parser")] : [slot("parser")],
  frontier: first.slice(0, 4).map((each, i) => ({ name: each.title, weight: 1 - i / 5 })),
  held: first.slice(0, 5).map((each) => fingerprint(each.text)),
  visited: evidenceNodes.slice(0, cycle - 1).map((end) => ({ node: end.id, abstraction: fingerprint(end.abstraction) }))
})

const verification = (cycle: number): Verification => {
  const held = passageList.slice((cycle - 1) * 15)
  return {
    verdict: "Fail",
    justification: {
      text: `no passage of cycle ${cycle} says which parser it is`,
      missing: [slot("parser")],
      supported: held.slice(0, 2).map((each) => ({ slot: slot("format"), passage: each.id }))
    }
  }
}

/** What the roles say, cycle by cycle: `said[cycle - 1]`. */
export const said = Array.from({ length: cycles }, (_, c) => ({
  plan: propose("plan", plan(c + 1)),
  path: propose("path", paths[c] ?? [root.id]),
  evidence: propose(
    "evidence",
    passageList.slice(c * 15, c * 15 + itemsPerState).map((each, i) => item(each, c + 1, 0.9 - i / 40))
  ),
  verification: propose("verification", verification(c + 1))
}))

const cited = passageList[0] ?? passage(0)
/** What the reader says: two quotations from the first item of the first cycle. */
export const reading: Reading = {
  text: "It is not said which; the lexer is described [1] and its format named [2].",
  citations: [0, 40].map((from, i) => ({
    marker: i + 1,
    document: cited.document,
    start: cited.start + from,
    end: cited.start + from + 32,
    line: cited.line + lineBreaks(cited.text, 0, from),
    text: cited.text.slice(from, from + 32)
  }))
}
/** U at the start and after each Revise. */
export const artifacts: ReadonlyArray<ArtifactId> = [ArtifactId.make("artifact-1"), ArtifactId.make("artifact-2")]
