/**
 * Roles that go wrong now and then, the same ones in the same turns whatever carries their state: whether, and how, is drawn for each
 * (question, cycle, role) by the seed, and what goes wrong at one rate goes wrong at every higher one.
 *
 *     wrongField     a value for a field of another role
 *     stalePath      the trace to another Evidence node, whose last step is no edge (any more)
 *     alteredText    evidence at its true places, whose names and numbers have become others
 *     foreignPassage the best item is another passage of the corpus, from outside of the region that was opened
 *     misshapen      the same in words, or without the places where it stands
 *     silence        no proposal
 *     prematurePass  Pass, whatever the evidence lacks: its form is right, and no rule can see it
 */
import { Effect, Option } from "effect"
import type { Passage } from "../../domain/Corpus.ts"
import { RoleFailed } from "../../domain/Errors.ts"
import { type Evidence, itemOf } from "../../domain/Evidence.ts"
import { fingerprint } from "../../domain/Fingerprint.ts"
import { NodeId, PassageId } from "../../domain/Ids.ts"
import type { ProposalOf } from "../../domain/Proposal.ts"
import { type Field, type Role, roles, type State } from "../../domain/State.ts"
import { type Generator, generator } from "../../domain/Statistics.ts"
import { noJustification } from "../../domain/Verification.ts"
import { fold } from "../../domain/Words.ts"
import { CorpusStore } from "../../services/CorpusStore.ts"
import type { Inquiry } from "../../services/Roles.ts"
import type { StoreError } from "../../services/StoreError.ts"
import { TamStore } from "../../services/TamStore.ts"
import { openRegion } from "../Lookups.ts"
import { type Bend, sent } from "./Bent.ts"
import { blankPlan } from "./FreeForm.ts"

export const faultKinds = [
  "wrongField",
  "stalePath",
  "alteredText",
  "foreignPassage",
  "misshapen",
  "silence",
  "prematurePass"
] as const
export type FaultKind = (typeof faultKinds)[number]

/** Those that a rule of the contract can see. */
export const visible: ReadonlyArray<FaultKind> = faultKinds.filter((kind) => kind !== "prematurePass")

/** Who can go wrong in which way. */
const possible: { readonly [R in Role]: ReadonlyArray<FaultKind> } = {
  Planner: ["wrongField", "misshapen", "silence"],
  Navigator: ["wrongField", "stalePath", "misshapen", "silence"],
  Retriever: ["wrongField", "alteredText", "foreignPassage", "misshapen", "silence"],
  Verifier: ["wrongField", "misshapen", "silence", "prematurePass"]
}

export interface Faulty {
  readonly seed: number
  /** The share of turns that go wrong, of those that can go wrong in one of these ways. */
  readonly rate: number
  readonly kinds: ReadonlyArray<FaultKind>
}

/** The dice of one turn; they know nothing of the carrier. */
const diceOf = (seed: number, question: string, cycle: number, role: Role): Generator =>
  generator(Number.parseInt(fingerprint(JSON.stringify([seed, question, cycle, role])).slice(-6), 36))

/** What goes wrong in a turn, if anything does. */
export const faultOf = (
  { kinds, rate, seed }: Faulty,
  question: string,
  cycle: number,
  role: Role
): { readonly kind: FaultKind; readonly dice: Generator } | undefined => {
  const own = possible[role].filter((kind) => kinds.includes(kind))
  const dice = diceOf(seed, question, cycle, role)
  const isDue = dice.word() / 4294967296 < rate
  const kind = own[dice.int(Math.max(1, own.length))]
  return isDue && kind !== undefined ? { kind, dice } : undefined
}

/** Whether anything goes wrong in a question of so many cycles. */
export const isHarmed = (faulty: Faulty, question: string, cycles: number): boolean =>
  Array.from({ length: cycles }, (_, i) =>
    roles.some((role) => faultOf(faulty, question, i + 1, role) !== undefined)
  ).includes(true)

/** A text of the same length that says something else: digits move on, and names that the question does not say are spelt backwards. */
export const altered = (text: string, question: string): string => {
  const asked = new Set(question.match(/[\p{L}\p{M}]+/gu)?.map(fold))
  const moved = text.replace(/\d/g, (digit) => String((Number(digit) + 3) % 10))
  return moved.replace(/\p{Lu}\p{Ll}+/gu, (name) => {
    if (asked.has(fold(name))) return name
    const back = [...name.toLowerCase()].reverse().join("")
    const other = back.charAt(0).toUpperCase() + back.slice(1)
    return other.length === name.length ? other : name
  })
}

type Asked = Inquiry & { readonly cycle: number; readonly state: State }

/** What the dice draw from the corpus. */
const drawing = (corpus: typeof CorpusStore.Service, tam: typeof TamStore.Service) => {
  /** A passage that is none of `avoided`: the next one after a random id; none in a corpus that has no other. */
  const passage = Effect.fnUntraced(function* (dice: Generator, { scope }: Asked, avoided: ReadonlySet<PassageId>) {
    const after = PassageId.make(dice.word().toString(16).padStart(8, "0"))
    const fits = ({ id, text }: Passage) => text !== "" && !avoided.has(id)
    const found = (yield* corpus.page(scope, Option.some(after), 64)).find(fits)
    return found ?? (yield* corpus.page(scope, Option.none(), 64)).find(fits)
  })
  return {
    /** The evidence with another passage, from outside of the open region, in the place of the best item. */
    foreign: Effect.fnUntraced(function* (dice: Generator, asked: Asked, evidence: Evidence) {
      const region = Option.isNone(asked.state.path)
        ? []
        : yield* openRegion(corpus, tam, asked, asked.state.path.value, [])
      const avoided = new Set([...evidence.map(({ passage }) => passage), ...region.map(({ id }) => id)])
      const found = yield* passage(dice, asked, avoided)
      if (found === undefined) return evidence
      return [itemOf(found, Math.max(1, ...evidence.map(({ score }) => score)), asked.cycle), ...evidence.slice(1)]
    }),
    /** This trace with the Evidence node of another passage in the place of its own. */
    trace: Effect.fnUntraced(function* (dice: Generator, asked: Asked, path: ReadonlyArray<string>) {
      const held = new Set(asked.state.evidence.map((item) => item.passage))
      const last = NodeId.make(path.at(-1) ?? "root")
      const own = new Set((yield* tam.region(asked.scope, last)).slice(0, 1))
      const other = (yield* passage(dice, asked, held)) ?? (yield* passage(dice, asked, own))
      const [node] = other === undefined ? [] : (yield* tam.evidenceOf(asked.scope, [other.id])).values()
      return [...path.slice(0, -1), node ?? "gone"]
    })
  }
}
type Drawing = ReturnType<typeof drawing>

const inWords: { readonly [R in Role]: (said: ProposalOf<R>) => unknown } = {
  Planner: ({ value }) => value.objective,
  Navigator: ({ value }) => value.join(" > "),
  Retriever: ({ value }) => value.map(({ text, title }) => ({ title, text })),
  Verifier: ({ value }) => `${value.verdict}: ${value.justification.text}`
}

/** What only one of the roles can do. */
const peculiar: {
  readonly [R in Role]: (
    kind: FaultKind,
    said: ProposalOf<R>,
    asked: Asked,
    dice: Generator,
    draw: Drawing
  ) => Effect.Effect<unknown, StoreError>
} = {
  Planner: (_, said) => Effect.succeed(said),
  Navigator: (_, { field, value }, asked, dice, draw) =>
    Effect.map(draw.trace(dice, asked, value), (path) => ({ field, value: path })),
  Retriever: (kind, { field, value }, asked, dice, draw) =>
    kind === "alteredText"
      ? Effect.succeed({ field, value: value.map((item) => ({ ...item, text: altered(item.text, asked.question) })) })
      : Effect.map(draw.foreign(dice, asked, value), (evidence) => ({ field, value: evidence })),
  Verifier: (_, { field, value }) =>
    Effect.succeed({ field, value: { verdict: "Pass", justification: { ...value.justification, missing: [] } } })
}

const fields: ReadonlyArray<Field> = ["plan", "path", "evidence", "verification"]

/** A value for another role's field. */
const trespass = (own: Field, asked: Asked, dice: Generator, draw: Drawing): Effect.Effect<unknown, StoreError> => {
  const { question, state } = asked
  const others = fields.filter((field) => field !== own)
  const field = others[dice.int(others.length)]
  const proposal = (value: unknown) => ({ field, value })
  switch (field) {
    case "path":
      return Effect.map(
        draw.trace(
          dice,
          asked,
          Option.getOrElse(state.path, () => ["root"])
        ),
        proposal
      )
    case "evidence":
      return Effect.map(draw.foreign(dice, asked, state.evidence), proposal)
    case "verification":
      return Effect.succeed(proposal({ verdict: "Pass", justification: noJustification }))
    default:
      return Effect.succeed({ field: "plan", value: blankPlan(question) })
  }
}

/** Roles that go wrong. */
export const faults = (faulty: Faulty): Effect.Effect<Bend, never, CorpusStore | TamStore> =>
  Effect.map(Effect.all([CorpusStore, TamStore]), ([corpus, tam]): Bend => {
    const draw = drawing(corpus, tam)
    return (role, turn, said) => {
      const fault = faultOf(faulty, turn.question, turn.cycle, role)
      if (fault === undefined) return said
      const { dice, kind } = fault
      return Effect.flatMap(said, (honest) => {
        const wrong =
          kind === "silence"
            ? Effect.succeed(null)
            : kind === "misshapen"
              ? Effect.succeed({ field: honest.field, value: inWords[role](honest) })
              : kind === "wrongField"
                ? trespass(honest.field, turn, dice, draw)
                : peculiar[role](kind, honest, turn, dice, draw)
        return Effect.mapBoth(wrong, {
          onFailure: ({ message }) => new RoleFailed({ role, reason: "Failed", detail: message }),
          onSuccess: (proposal) => sent<typeof honest>(proposal)
        })
      })
    }
  })
