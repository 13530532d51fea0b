/** Runs, events and artifacts for the stores' suites. */
import { createHash } from "node:crypto"
import { Arbitrary, Either, FastCheck, Option, Schema } from "effect"
import { type Artifact, identity, type Payload } from "../../src/domain/Artifact.ts"
import type { Document } from "../../src/domain/Corpus.ts"
import { Event, type Fact } from "../../src/domain/Event.ts"
import { decodeEvent, encodeEvent } from "../../src/domain/EventJson.ts"
import { ArtifactId, ContentHash, CorpusRevision, DocumentId, NodeId, RunId, ScopeKey } from "../../src/domain/Ids.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import type { ModelCall } from "../../src/domain/Usage.ts"
import type { KeptCall } from "../../src/services/Journal.ts"

export const scopeKey = ScopeKey.make
export const runId = RunId.make
/** A content hash that says which one it is. */
export const hash = (name: string): ContentHash =>
  ContentHash.make(
    [...name]
      .map((character) => (character.codePointAt(0) ?? 0).toString(16))
      .join("")
      .padEnd(8, "0")
      .slice(0, 64)
  )

/** Text that breaks what splices strings. */
export const nasty = [
  `it's "quoted"; DROP TABLE staterag_run; --`,
  "braces {x} $\u007by} {{z}} %s ?1 :a $b <|end|> ##",
  "nul \u0000, lone \ud800 surrogate, \u2028 line, emoji 👩‍👩‍👧, 日本語, e\u0301",
  "\\ \n \t \r \b \\u0000 ' '' \"\" ` ```"
]

type Started = Extract<Event, { readonly tag: "RunStarted" }>

export const started = (run: RunId, scope: ScopeKey, question = "who?", at = 1_000): Started => ({
  run,
  sequence: 0,
  at,
  version: 1,
  cycle: 0,
  tag: "RunStarted",
  question,
  scope,
  policy: defaultPolicy,
  policyHash: "00",
  corpusRevision: CorpusRevision.make("r1"),
  versions: { staterag: "0.1.0" }
})

/** Stamps facts as the events of a run from `from` on. */
export const stamped = (run: RunId, from: number, facts: ReadonlyArray<Fact>): ReadonlyArray<Event> =>
  facts.map((fact, i) => ({ run, sequence: from + i, at: 1_000 + from + i, version: 1, cycle: 1, ...fact }))

export const cycle: ReadonlyArray<Fact> = [
  { tag: "CycleStarted" },
  { tag: "ActionSelected", action: "Revise", reason: "Fail in cycle 1 of 3" }
]
export const ended = (outcome: "Release" | "Incomplete"): Fact => ({ tag: "RunEnded", outcome, reason: null })

/** A fact for every kind of event that is stored, as JSON keeps it (no -0, no undefined). */
export const facts: FastCheck.Arbitrary<Fact> = FastCheck.oneof(
  ...Event.members
    .filter((member) => member !== Event.members[0] && member.fields.tag.literals[0] !== "AnswerDelta")
    .map((member) => Arbitrary.make(Schema.make<Event>(member.ast)))
).map((event) => {
  const {
    at: _,
    cycle: __,
    run: ___,
    sequence: ____,
    version: _____,
    ...fact
  } = Either.getOrThrow(Either.flatMap(encodeEvent({ ...event, at: 0 }), decodeEvent))
  return fact as Fact
})

export const document = (id: string, text: string): Document => ({
  id: DocumentId.make(id),
  title: id,
  format: "text",
  source: id,
  hash: hash(id + text),
  text
})

const quote = (text: string) => ({ span: { document: DocumentId.make("d"), start: 0, end: text.length }, text })
export const surface = (text: string, node = "n"): Payload => ({
  kind: "SurfaceForm",
  surface: quote(text),
  node: NodeId.make(node)
})
export const bridge = (from: string, to: string): Payload => ({ kind: "Bridge", from: quote(from), to: quote(to) })
export const failed = (signature: string, node = "n"): Payload => ({
  kind: "FailedRegion",
  signature: hash(signature),
  node: NodeId.make(node)
})

/** An artifact of the Verifier, global, unless told otherwise; its id is its identity. */
export const artifact = (
  given: Pick<Artifact, "scopeKey" | "run" | "payload"> & Partial<Omit<Artifact, "id">>
): Artifact => {
  const whole = {
    scope: "Global" as const,
    producer: "Verifier" as const,
    restsOn: [],
    createdAt: 1_000,
    expiresAt: null,
    ...given
  }
  return {
    ...whole,
    id: ArtifactId.make(
      createHash("sha256")
        .update(JSON.stringify(identity(whole)))
        .digest("hex")
    )
  }
}

/** A model call at a place, answered with `text`; of no answer where that is null. */
export const keptCall = (
  given: Partial<Omit<KeptCall, "reply" | "call">> & {
    readonly text?: string | null
    readonly call?: Partial<ModelCall>
  }
): KeptCall => {
  const { call, text = "yes", ...place } = given
  return {
    cycle: 1,
    stage: "Planner",
    attempt: 0,
    at: 1_000,
    request: "request",
    ...place,
    call: {
      role: "Planner",
      model: "m",
      promptTokens: 7,
      completionTokens: 3,
      sizeRatio: 0.5,
      money: 0.25,
      cached: false,
      estimated: false,
      ...call
    },
    reply: text === null ? null : { text, finish: "Stop", promptTokens: 7, completionTokens: 3, estimated: false }
  }
}

export const firstOf = <A>(items: ReadonlyArray<A>): A => Option.getOrThrow(Option.fromNullable(items[0]))
