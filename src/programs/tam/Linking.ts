/** Third step: title links, regions, and what Evidence nodes say. */
import { Effect } from "effect"
import type { DocumentId, NodeId, PassageId } from "../../domain/Ids.ts"
import type { TamNode } from "../../domain/Tam.ts"
import {
  type Around,
  type Bond,
  bearersLinked,
  linksOf,
  type Opening,
  reach,
  regionOf,
  step,
  strongest
} from "../../domain/tam/Bonds.ts"
import { evidenceAbstraction, evidenceId } from "../../domain/tam/Graph.ts"
import { mentioned, type Note, titleOf } from "../../domain/tam/Notes.ts"
import { type Link, TamStore } from "../../services/TamStore.ts"
import { pause } from "../IndexPassages.ts"
import { holdersOf, needHolders } from "./Binding.ts"
import type { Bearer } from "./Board.ts"
import type { Items } from "./Few.ts"
import { needTexts, type Run } from "./Run.ts"

/** The first passages of the documents that bear a title, by turns, and how many documents these are. */
const openingOf = (bearers: Items<Bearer>): Pick<Opening, "documents" | "targets"> => {
  const documents = [...bearers].sort(([a], [b]) => (a < b ? -1 : 1))
  const targets: Array<PassageId> = []
  for (let nth = 0; nth < bearersLinked && targets.length < bearersLinked; nth++) {
    for (const [, { opening }] of documents) {
      const passage = opening[nth]
      if (passage !== undefined && targets.length < bearersLinked) targets.push(passage)
    }
  }
  return { targets, documents: documents.length }
}

const isSame = (a: Pick<Opening, "documents" | "targets">, b: Pick<Opening, "documents" | "targets">): boolean =>
  a.documents === b.documents && a.targets.join(" ") === b.targets.join(" ")

/** Finds the passages whose links may have changed, and their links; gives the passages to which a link comes or goes. */
const link = Effect.fnUntraced(function* (run: Run) {
  const { board, fresh, gone, links, scope, surveyed } = run
  const dirty = new Set<PassageId>(surveyed)
  if (!fresh) {
    const titles = new Set<string>()
    for (const key of board.bear.touched)
      if (!isSame(openingOf(board.bear.was(key)), openingOf(board.bear.of(key)))) titles.add(key)
    for (const key of board.said.touched)
      if (step(board.said.was(key).get("") ?? 0) !== step(board.said.get(key) ?? 0)) titles.add(key)
    yield* board.name.need(scope, titles)
    for (const title of titles)
      for (const [id, how] of board.name.of(title)) if (how === mentioned) dirty.add(id as PassageId)
  }
  yield* board.note.need(scope, dirty)
  const mentions = new Set([...dirty].flatMap((id) => board.note.get(id)?.mentions ?? []))
  yield* board.bear.need(scope, mentions)
  yield* board.said.need(scope, mentions)
  const openings = new Map<string, Opening>()
  const opening = (key: string): Opening => {
    const known = openings.get(key) ?? { ...openingOf(board.bear.of(key)), mentions: board.said.get(key) ?? 0 }
    openings.set(key, known)
    return known
  }
  for (const id of dirty) {
    const note = board.note.get(id)
    if (note !== undefined && !gone.has(id)) links.set(id, linksOf(id, note.mentions.map(opening)))
  }
})

/** Links by their ends, as they are now. */
interface Linked {
  readonly out: (id: PassageId) => ReadonlyArray<Bond>
  readonly into: (id: PassageId) => ReadonlyArray<Bond>
}

const grouped = (links: Iterable<Link>, key: "from" | "to", other: "from" | "to") => {
  const groups = new Map<PassageId, Array<Bond>>()
  for (const found of links) {
    const bond = { to: found[other], weight: found.weight }
    const own = groups.get(found[key])
    if (own === undefined) groups.set(found[key], [bond])
    else own.push(bond)
  }
  return groups
}

const flatten = function* (links: Run["links"]): Iterable<Link> {
  for (const [from, own] of links) for (const { to, weight } of own) yield { from, to, weight }
}

const byId = (a: Bond, b: Bond): number => (a.to < b.to ? -1 : 1)

/** Reads the links at both ends of `ids`, and lays the new ones over them. */
const linkedAt = Effect.fnUntraced(function* ({ fresh, gone, links, scope }: Run, ids: ReadonlyArray<PassageId>) {
  const tam = yield* TamStore
  const stored = fresh ? [] : yield* tam.links(scope, ids)
  const kept = stored.filter(({ from }) => !links.has(from) && !gone.has(from))
  const into = grouped([...kept, ...flatten(links)], "to", "from")
  const out = grouped(kept, "from", "to")
  const linked: Linked = {
    out: (id) => links.get(id) ?? [...(out.get(id) ?? [])].sort(byId),
    into: (id) => [...(into.get(id) ?? [])].sort(byId)
  }
  return { linked, stored }
})

/** Where each passage stands in its document. */
const placesIn = ({ board }: Run) => {
  const known = new Map<string, ReadonlyMap<PassageId, number>>()
  return (document: DocumentId, id: PassageId): number => {
    const places =
      known.get(document) ?? new Map(board.doc.get(document)?.passages.map(([passage], place) => [passage, place]))
    known.set(document, places)
    return places.get(id) ?? -1
  }
}

const aroundOf = (
  run: Run,
  linked: Linked,
  placeOf: ReturnType<typeof placesIn>,
  id: PassageId,
  note: Note
): Around => {
  const passages = run.board.doc.get(note.document)?.passages ?? []
  const place = placeOf(note.document, id)
  const beside: Array<Around["beside"][number]> = []
  for (let distance = 1; distance <= reach && place >= 0; distance++) {
    for (const other of [passages[place - distance], passages[place + distance]]) {
      if (other !== undefined) beside.push({ passage: other[0], distance, together: other[1] === passages[place]?.[1] })
    }
  }
  const shared = note.shared.map((key) => holdersOf(run, key))
  return { passage: id, shared, out: linked.out(id), into: linked.into(id), beside }
}

/** Brings links up to date; gives the regions and Evidence nodes that may be others, made as they are taken. */
export const relink = Effect.fnUntraced(function* (run: Run) {
  const { board, fresh, gone, links, rebound, retold, scope, surveyed, texts, touched } = run
  yield* link(run)
  yield* pause
  const own = [...touched.values()].flatMap(({ after }) => after.map(({ id }) => id))
  const first = yield* linkedAt(run, [...new Set([...links.keys(), ...gone, ...own])])

  // ---- whose region may be another
  const open = new Set<PassageId>([...rebound, ...own])
  const before = grouped(first.stored, "from", "to")
  for (const [from, now] of links) {
    const was = [...(before.get(from) ?? [])].sort(byId)
    if (!fresh && JSON.stringify(was) === JSON.stringify(now)) {
      links.delete(from)
      continue
    }
    retold.add(from)
    open.add(from)
    for (const { to } of [...was, ...now]) open.add(to)
  }
  for (const id of gone) for (const { to } of before.get(id) ?? []) open.add(to)
  for (const id of gone) open.delete(id)
  const { linked } = fresh ? first : yield* linkedAt(run, [...open])
  yield* board.note.need(scope, open)
  const notes = [...open].flatMap((id) => board.note.get(id) ?? [])
  yield* board.doc.need(scope, new Set<DocumentId>(notes.map(({ document }) => document)))
  yield* needHolders(
    run,
    notes.flatMap(({ shared }) => shared)
  )

  // ---- whose Evidence node may say something else
  for (const id of [...surveyed, ...own]) retold.add(id)
  if (!fresh) for (const id of own) for (const { to } of linked.into(id)) retold.add(to)
  for (const id of gone) retold.delete(id)
  const told = fresh ? first : yield* linkedAt(run, [...retold])
  yield* needTexts(run, retold)
  const targets = [...retold].flatMap((id) => told.linked.out(id).map(({ to }) => to))
  yield* board.note.need(scope, targets)

  const placeOf = placesIn(run)
  const regions = function* (): Iterable<readonly [NodeId, ReadonlyArray<PassageId>]> {
    for (const id of open) {
      const note = board.note.get(id)
      if (note !== undefined) yield [evidenceId(id), regionOf(aroundOf(run, linked, placeOf, id, note))]
    }
  }
  const nodes = function* (): Iterable<TamNode> {
    for (const id of retold) {
      const passage = texts.get(id)
      if (passage === undefined) continue
      const titles = strongest(told.linked.out(id)).map((to) => titleOf(board.note.get(to)) ?? "")
      yield { id: evidenceId(id), type: "Evidence", abstraction: evidenceAbstraction(passage, titles) }
    }
  }
  return { regions: regions(), nodes: nodes() }
})
