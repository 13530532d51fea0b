/**
 * The index of GraphRAG (Edge et al. 2024; microsoft/graphrag): entities, relationships, and reports on communities.
 *
 *     passage ─ extract, glean once ─▶ entities, relationships ─ by name ─▶ graph ─ communities of at most 10 ─▶ a report each
 *
 * Deviations: the passages of the corpus for chunks of 1,200 tokens; Louvain, once more within each community that is larger, for
 * hierarchical Leiden; reports on the finest communities alone. Without a model a title is related to each name under it, a sentence that
 * names it describes an entity, and the most specific sentences of a community are its report.
 */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { entityKey } from "../../domain/Entities.ts"
import { linkFacts } from "../../domain/methods/Facts.ts"
import { frequencies, mostSpecific, type Sentence, sentencesOf } from "../../domain/methods/Specific.ts"
import { quoted, type Told, toldText, written } from "../../domain/methods/Told.ts"
import * as prompts from "../../domain/prompts/methods/GraphRag.ts"
import { TokenCounter } from "../../services/TokenCounter.ts"
import { type Asker, askerFor } from "./Asker.ts"
import { communitiesOf } from "./Communities.ts"
import type { Library, Setting } from "./Method.ts"
import { besides, type Missing, orElse } from "./Substitutes.ts"
import { embedAll } from "./Vectors.ts"

const concurrency = 4
/** Tokens of a report that is made of sentences, and of what a model is shown for one. */
const reportTokens = 200
const shownTokens = 8000
const extractTokens = 4096
const writtenTokens = 4096

export interface Entity {
  readonly name: string
  readonly told: Told
  /** Places of the passages that name it, ascending. */
  readonly passages: ReadonlyArray<number>
}
export interface Relationship {
  readonly ends: readonly [number, number]
  readonly told: Told
  readonly weight: number
  readonly passages: ReadonlyArray<number>
}
export interface Community {
  readonly entities: ReadonlyArray<number>
  readonly report: Told
  /** Passages that its relationships stand in, those of most of them first. */
  readonly passages: ReadonlyArray<number>
}
export interface EntityGraph {
  readonly passages: ReadonlyArray<Passage>
  readonly entities: ReadonlyArray<Entity>
  readonly vectors: ReadonlyArray<Float32Array>
  readonly relationships: ReadonlyArray<Relationship>
  readonly communities: ReadonlyArray<Community>
  readonly note: string
}

type Description = string | Sentence
interface Read {
  readonly entities: ReadonlyArray<{ readonly name: string; readonly description: Description }>
  readonly relationships: ReadonlyArray<{
    readonly source: string
    readonly target: string
    readonly description: Description
    readonly strength: number
  }>
}

/** A passage without a model: its title and the names under it, each with the sentence that says it. */
const linksOf = (passage: Passage): Read => {
  const [first, ...others] = linkFacts(passage)
  if (first === undefined) return { entities: [], relationships: [] }
  const told = [first, ...others].map(({ end, object, start, subject }) => ({
    source: subject,
    target: object,
    description: { passage, start, end, terms: [] },
    strength: 1
  }))
  const [opening] = sentencesOf(passage)
  const title = { name: first.subject, description: opening ?? first.subject }
  const named = told.map(({ description, target }) => ({ name: target, description }))
  return { entities: [title, ...named], relationships: told }
}

const extracted = ({ value }: Asker, passage: Passage) =>
  Effect.gen(function* () {
    const first = yield* value(prompts.extract, { passage, known: [] }, extractTokens)
    const known = first.entities.map(({ name }) => name)
    const missed = yield* value(prompts.glean, { passage, known }, extractTokens)
    const found: Read = {
      entities: [...first.entities, ...missed.entities],
      relationships: [...first.relationships, ...missed.relationships]
    }
    return found
  })

interface Gathered {
  readonly name: string
  readonly descriptions: Array<Description>
  readonly passages: Set<number>
}

/** By name, in the order of passages; a relationship whose ends are no entities is dropped. */
const gathered = (said: ReadonlyArray<Read>) => {
  const places = new Map<string, number>()
  const entities: Array<Gathered> = []
  const relationships = new Map<string, Gathered & { readonly ends: readonly [number, number]; weight: number }>()
  said.forEach((own, passage) => {
    for (const { description, name } of own.entities) {
      const key = entityKey(name)
      if (key === "") continue
      const place = places.get(key) ?? entities.length
      if (place === entities.length) {
        places.set(key, place)
        entities.push({ name, descriptions: [], passages: new Set() })
      }
      entities[place]?.descriptions.push(description)
      entities[place]?.passages.add(passage)
    }
    for (const { description, source, strength, target } of own.relationships) {
      const a = places.get(entityKey(source))
      const b = places.get(entityKey(target))
      if (a === undefined || b === undefined || a === b) continue
      const key = `${Math.min(a, b)} ${Math.max(a, b)}`
      const known = relationships.get(key)
      if (known === undefined)
        relationships.set(key, {
          name: `${source}, ${target}`,
          ends: [a, b],
          descriptions: [description],
          passages: new Set([passage]),
          weight: strength
        })
      else {
        known.weight += strength
        known.descriptions.push(description)
        known.passages.add(passage)
      }
    }
  })
  return { entities, relationships: [...relationships.values()] }
}

/** One description of several; a sentence of the corpus stands as it is. */
const described = (asker: Option.Option<Asker>, missing: Missing, { descriptions, name }: Gathered) => {
  const [first = ""] = descriptions
  if (typeof first !== "string") return Effect.succeed(quoted([first]))
  const distinct = [...new Set(descriptions.filter((own) => typeof own === "string"))]
  if (Option.isNone(asker) || distinct.length < 2) return Effect.succeed(written(first))
  return asker.value.value(prompts.describe, { name, descriptions: distinct }, writtenTokens).pipe(
    Effect.map(({ description }) => written(description)),
    orElse(missing, () => written(first))
  )
}

const ascending = (places: Iterable<number>): ReadonlyArray<number> => [...places].sort((x, y) => x - y)

export const build = Effect.fnUntraced(function* (method: string, { seed }: Setting, library: Library) {
  const asker = yield* Effect.option(askerFor(method))
  const count = yield* (yield* TokenCounter).counter
  const passages = yield* library.passages
  const missing = besides()
  const said = yield* Option.match(asker, {
    onNone: () => Effect.sync(() => passages.map(linksOf)),
    onSome: (held) =>
      Effect.forEach(passages, (passage) => orElse(missing, () => linksOf(passage))(extracted(held, passage)), {
        concurrency
      })
  })
  const raw = gathered(said)
  const told = (own: Gathered) => described(asker, missing, own)
  const entities = yield* Effect.forEach(
    raw.entities,
    (own) => Effect.map(told(own), (told): Entity => ({ name: own.name, told, passages: ascending(own.passages) })),
    { concurrency }
  )
  const relationships = yield* Effect.forEach(
    raw.relationships,
    (own) =>
      Effect.map(told(own), (told): Relationship => {
        const { ends, weight } = own
        return { ends, weight, told, passages: ascending(own.passages) }
      }),
    { concurrency }
  )
  const vectors = yield* embedAll(entities.map(({ name, told }) => `${name}: ${toldText(told)}`))

  const groups = yield* communitiesOf(entities.length, relationships, seed)
  const groupOf = new Map(groups.flatMap((own, group) => own.map((entity) => [entity, group] as const)))
  const inner = groups.map((): Array<Relationship> => [])
  for (const relationship of relationships) {
    const [group, other] = relationship.ends.map((end) => groupOf.get(end))
    if (group !== undefined && group === other) inner[group]?.push(relationship)
  }
  const shelf = passages.map(sentencesOf)
  const known = frequencies(shelf)
  const sentencesUnder = (places: ReadonlyArray<number>) =>
    mostSpecific(
      places.flatMap((place) => shelf[place] ?? []),
      known,
      count,
      reportTokens
    )
  /** As many lines as a model is shown. */
  const shown = (lines: ReadonlyArray<string>) => {
    let left = shownTokens / 2
    return lines.filter((line) => {
      left -= count(line)
      return left >= 0
    })
  }
  const reported = (asker: Asker, own: ReadonlyArray<number>, within: ReadonlyArray<Relationship>) => {
    const lineOf = ({ name, told }: Entity) => `${name}: ${toldText(told)}`
    const asked = {
      entities: shown(own.flatMap((place) => entities[place] ?? []).map(lineOf)),
      relationships: shown(
        within.map(({ ends, told }) => [...ends.map((end) => entities[end]?.name ?? ""), toldText(told)].join(" - "))
      )
    }
    return Effect.map(asker.value(prompts.report, asked, writtenTokens), ({ findings, summary, title }) =>
      written([title, summary, ...findings].join("\n"))
    )
  }
  const communities = yield* Effect.forEach(
    groups,
    (own, group) => {
      const within = inner[group] ?? []
      const times = new Map<number, number>()
      for (const { passages } of within) for (const place of passages) times.set(place, (times.get(place) ?? 0) + 1)
      const places = [...times].sort(([x, a], [y, b]) => b - a || x - y).map(([place]) => place)
      const report = Option.match(asker, {
        onNone: () => Effect.sync(() => quoted(sentencesUnder(places))),
        onSome: (held) => orElse(missing, () => quoted(sentencesUnder(places)))(reported(held, own, within))
      })
      return Effect.map(report, (report): Community => ({ entities: own, report, passages: places }))
    },
    { concurrency }
  )
  const substitutes = Option.isNone(asker)
    ? "title and name links for OpenIE, sentences for descriptions and reports"
    : missing.note("passages, descriptions and reports")
  const note = substitutes === undefined ? "Louvain for Leiden" : `Louvain for Leiden, ${substitutes}`
  return { passages, entities, vectors, relationships, communities, note } satisfies EntityGraph
})
