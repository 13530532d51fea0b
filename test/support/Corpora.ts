/** Small corpora for the suites of the corpus stores. */
import type { Document, Passage } from "../../src/domain/Corpus.ts"
import { ContentHash, CorpusRevision, DocumentId, NodeId, PassageId, ScopeKey } from "../../src/domain/Ids.ts"
import type { NodeType, TamEdge, TamNode } from "../../src/domain/Tam.ts"
import type { Revision, Source } from "../../src/services/CorpusStore.ts"
import type { BuiltTam, Link } from "../../src/services/TamStore.ts"

let made = 0
/** A scope that no other test has used. */
export const newScope = (): ScopeKey => ScopeKey.make(`scope-${++made}`)

export const hash = (n: number): ContentHash => ContentHash.make(n.toString(16).padStart(16, "0"))
export const passageId = (id: string): PassageId => PassageId.make(id)
export const documentId = (id: string): DocumentId => DocumentId.make(id)
export const nodeId = (id: string): NodeId => NodeId.make(id)

/** Ids and texts that a store could trip over. */
export const awkward: ReadonlyArray<string> = [
  `it's "quoted"`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant as it stands
  "{braces} ${x} {{y}} <|end|> ##",
  `'; DROP TABLE staterag_scope; --`,
  `" OR 1=1 --`,
  "NEAR(a b, 2) AND title:x * ^ NOT (",
  "?1 :name @x $y %s",
  "nul \u0000 inside",
  "tab\tand\r\nline breaks\r",
  "東京都の人口",
  "กรุงเทพ",
  "naïve café ﬁne ½ ⑴",
  "😀👩‍👩‍👧‍👦",
  "\ufeffmark",
  '[1,2] {"a":null}',
  "__proto__",
  "constructor"
]

export const document = (id: string, text: string, changes: Partial<Document> = {}): Document => ({
  id: documentId(id),
  title: `Title of ${id}`,
  format: "text",
  source: `${id}.txt`,
  hash: hash(text.length),
  text,
  ...changes
})

/** The passage `[start, end)` of a document. */
export const passage = (
  id: string,
  of: Document,
  start: number,
  end: number,
  changes: Partial<Passage> = {}
): Passage => ({
  id: passageId(id),
  document: of.id,
  title: of.title,
  headings: [],
  start,
  end,
  line: 1,
  text: of.text.slice(start, end),
  tokens: end - start,
  ...changes
})

/** A document that is one passage. */
export const single = (id: string, text: string) => {
  const whole = document(id, text)
  return { document: whole, passages: [passage(`p-${id}`, whole, 0, text.length)] }
}

export const revision = (name: string): Revision => ({
  revision: CorpusRevision.make(name),
  embedding: "hashed",
  dimensions: 8,
  indexedAt: 1_700_000_000_000.5
})

export const source = (path: string, bytes = 1): Source => ({
  path,
  root: "/some/where",
  bytes,
  modifiedAt: 1_700_000_000_123.25,
  hash: hash(bytes)
})

export const node = (id: string, type: NodeType, abstraction = `a(${id})`): TamNode => ({
  id: nodeId(id),
  type,
  abstraction
})
export const edge = (from: string, to: string): TamEdge => ({ from: nodeId(from), to: nodeId(to) })
export const link = (from: string, to: string, weight = 0.5): Link => ({
  from: passageId(from),
  to: passageId(to),
  weight
})

export const tam = (
  nodes: ReadonlyArray<TamNode>,
  edges: ReadonlyArray<TamEdge>,
  regions: { readonly [node: string]: ReadonlyArray<string> },
  links: ReadonlyArray<Link> = []
): BuiltTam => ({
  nodes,
  edges,
  regions: new Map(Object.entries(regions).map(([id, passages]) => [nodeId(id), passages.map(passageId)])),
  links,
  evidence: new Map(
    Object.entries(regions).flatMap(([id, passages]) =>
      passages[0] === undefined ? [] : [[passageId(passages[0]), nodeId(id)] as const]
    )
  )
})

/** Root, two topics (one under the other), two relations, two evidence nodes over passages p-a and p-b; one evidence node has two parents. */
export const smallTam: BuiltTam = tam(
  [
    node("root", "Root"),
    node("t1", "Topic"),
    node("t2", "Topic"),
    node("r1", "Relation"),
    node("r2", "Relation"),
    node("e1", "Evidence"),
    node("e2", "Evidence")
  ],
  [
    edge("root", "t1"),
    edge("t1", "t2"),
    edge("t1", "r1"),
    edge("t2", "r2"),
    edge("r1", "e1"),
    edge("r2", "e2"),
    edge("r2", "e1")
  ],
  { e1: ["p-a", "p-b"], e2: ["p-b"] },
  [link("p-a", "p-b", 0.25), link("p-b", "p-a", 1)]
)
