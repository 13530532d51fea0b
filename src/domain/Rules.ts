/**
 * V_f, the validation rules: what each field accepts (C9, C11, C13 to C15).
 *
 * A rule is a named value. The controller judges a proposal in two steps: {@link decode} (is it this role's field, does it fit the schema?),
 * then, with what it looked up in the corpus (the {@link Grounds}), {@link check}: the first rule that objects is named in the refusal.
 */
import { Either, Option, ParseResult, Schema } from "effect"
import { compile } from "./Compiled.ts"
import { lineBreaks, type Passage, type Span, spanKey, splitsSurrogate } from "./Corpus.ts"
import { Evidence, type EvidenceItem } from "./Evidence.ts"
import type { NodeId, PassageId } from "./Ids.ts"
import { Plan } from "./Plan.ts"
import type { Field, Fields, State } from "./State.ts"
import { edgeKey, isAdmissible, Path, type PathGround } from "./Tam.ts"
import { type Support, Verification } from "./Verification.ts"

/** What the controller looked up so that a proposal can be judged. */
export interface Grounds {
  readonly plan: {
    /** The corpus' own text at the spans that the plan names, by `spanKey`; absent where there is none. */
    readonly quoted: ReadonlyMap<string, string>
    /** The terminals of this run's committed cycles, oldest first. */
    readonly visited: ReadonlyArray<NodeId>
  }
  readonly path: PathGround
  readonly evidence: {
    /** R = ρ(last π). */
    readonly region: ReadonlyMap<PassageId, Passage>
    readonly cycle: number
  }
  readonly verification: Record<never, never>
}

/** Why a proposal was not committed: an outcome that the journal records, not an exception. */
export interface Refusal {
  readonly rule: string
  readonly reason: string
}

export interface Rule<F extends Field> {
  readonly name: string
  readonly clause: string
  /** Why `value` may not be committed to `staged`, if it may not. */
  readonly objection: (value: Fields[F], staged: State, ground: Grounds[F]) => Option.Option<string>
}

const rule = <F extends Field>(name: string, clause: string, objection: Rule<F>["objection"]): Rule<F> => ({
  name,
  clause,
  objection
})
const first = <A>(
  items: ReadonlyArray<A>,
  wrong: (item: A, index: number) => boolean,
  say: (item: A) => string
): Option.Option<string> => {
  for (let i = 0; i < items.length; i++) {
    const item = items[i]
    if (item !== undefined && wrong(item, i)) return Option.some(say(item))
  }
  return Option.none()
}
const slotNames = (plan: Plan): ReadonlySet<string> => new Set(plan.slots.map((slot) => slot.name))
const stagedSlots = (state: State): ReadonlySet<string> =>
  Option.match(state.plan, { onNone: () => new Set(), onSome: slotNames })

// ---- plan (C11)

export const SlotsAreDistinct = rule<"plan">("SlotsAreDistinct", "C11", (plan) =>
  first(
    plan.slots,
    (slot, i) => plan.slots.findIndex((other) => other.name === slot.name) < i,
    (slot) => `slot ${slot.name} stands twice`
  )
)
export const MissingAreSlots = rule<"plan">("MissingAreSlots", "C11", (plan) => {
  const names = slotNames(plan)
  return first(
    plan.missing,
    (name) => !names.has(name),
    (name) => `${name} is missing but is no slot of the plan`
  )
})
export const KnownAreSlots = rule<"plan">("KnownAreSlots", "C11", (plan) => {
  const names = slotNames(plan)
  return first(
    plan.known,
    (binding) => !names.has(binding.slot) || plan.missing.includes(binding.slot),
    (binding) => `${binding.slot} is bound but is no slot of the plan, or is called missing as well`
  )
})
export const KnownIsVerbatim = rule<"plan">("KnownIsVerbatim", "C11", (plan, _, ground) =>
  first(
    plan.known,
    (binding) => binding.text === "" || ground.quoted.get(spanKey(binding.span)) !== binding.text,
    (binding) => `${binding.slot} is bound to a text that the corpus does not say at ${spanKey(binding.span)}`
  )
)
export const VisitedIsTrue = rule<"plan">("VisitedIsTrue", "C11", (plan, _, ground) =>
  plan.visited.length === ground.visited.length && plan.visited.every((visit, i) => visit.node === ground.visited[i])
    ? Option.none()
    : Option.some(
        `the plan claims ${plan.visited.length} visits; the run has committed ${ground.visited.length}: [${ground.visited.join(", ")}]`
      )
)

// ---- path (C7, C13)

export const NodesExist = rule<"path">("NodesExist", "C7", (path, _, ground) =>
  first(
    path,
    (node) => !ground.types.has(node),
    (node) => `${node} is no node of this corpus revision`
  )
)
export const StartsAtRoot = rule<"path">("StartsAtRoot", "C7", (path, _, ground) =>
  path[0] === ground.root ? Option.none() : Option.some(`the path starts at ${path[0]}, not at the root`)
)
export const StepsAreAdmissible = rule<"path">("StepsAreAdmissible", "C6", (path, _, ground) =>
  first(
    path.slice(1),
    (node, i) => !isAdmissible(typeAt(ground, path[i]), ground.types.get(node)),
    (node) => `no traversal may step into ${node} (${ground.types.get(node)}) from the node before it`
  )
)
export const StepsAreEdges = rule<"path">("StepsAreEdges", "C7", (path, _, ground) =>
  first(
    path.slice(1),
    (node, i) => !hasEdge(ground, path[i], node),
    (node) => `there is no edge into ${node} from the node before it`
  )
)
export const EndsAtEvidence = rule<"path">("EndsAtEvidence", "C7", (path, _, ground) => {
  const last = path[path.length - 1]
  return typeAt(ground, last) === "Evidence"
    ? Option.none()
    : Option.some(`the path ends at ${last}, which is no Evidence node`)
})
const typeAt = (ground: PathGround, node: NodeId | undefined) =>
  node === undefined ? undefined : ground.types.get(node)
const hasEdge = (ground: PathGround, from: NodeId | undefined, to: NodeId) =>
  from !== undefined && ground.edges.has(edgeKey(from, to))

// ---- evidence (C14)

const joins = /^(?:\p{M}|\u200d|[\ufe0e\ufe0f]|[\u{1f3fb}-\u{1f3ff}])/u
const pictograph = /^\p{Extended_Pictographic}/u
const joiner = 0x200d
/** True where a cut at `offset` would part a surrogate pair, a mark or joiner from what it belongs to, or two joined pictographs. */
const partsCharacter = (text: string, offset: number): boolean => {
  if (offset <= 0 || offset >= text.length || text.charCodeAt(offset) <= 0xa8) return false
  if (splitsSurrogate(text, offset)) return true
  const next = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  return joins.test(next) || (text.charCodeAt(offset - 1) === joiner && pictograph.test(next))
}
const at = (passage: Passage, offset: number) => offset - passage.start

export const WithinRegion = rule<"evidence">("WithinRegion", "C14", (evidence, _, { region }) =>
  first(
    evidence,
    (item) => {
      const passage = region.get(item.passage)
      return passage === undefined || item.start < passage.start || item.end > passage.end || item.start >= item.end
    },
    (item) => `${spanKey(item)} lies outside the region that the path opened`
  )
)
export const NamesItsPlace = rule<"evidence">("NamesItsPlace", "C14", (evidence, _, { region }) =>
  first(
    evidence,
    (item) => {
      const passage = region.get(item.passage)
      return (
        passage === undefined ||
        item.document !== passage.document ||
        item.title !== passage.title ||
        item.line !== passage.line + lineBreaks(passage.text, 0, at(passage, item.start))
      )
    },
    (item) => `${spanKey(item)} misnames its document, title or line (${item.line})`
  )
)
export const NamesItsCycle = rule<"evidence">("NamesItsCycle", "C14", (evidence, _, { cycle }) =>
  first(
    evidence,
    (item) => item.cycle !== cycle,
    (item) => `${spanKey(item)} claims cycle ${item.cycle}; this is cycle ${cycle}`
  )
)
export const CutsNoCharacter = rule<"evidence">("CutsNoCharacter", "C14", (evidence, _, { region }) =>
  first(
    evidence,
    (item) => {
      const passage = region.get(item.passage)
      return (
        passage === undefined ||
        partsCharacter(passage.text, at(passage, item.start)) ||
        partsCharacter(passage.text, at(passage, item.end))
      )
    },
    (item) => `${spanKey(item)} begins or ends inside a character`
  )
)
export const IsVerbatim = rule<"evidence">("IsVerbatim", "C14", (evidence, _, { region }) =>
  first(
    evidence,
    (item) => {
      const passage = region.get(item.passage)
      return passage === undefined || passage.text.slice(at(passage, item.start), at(passage, item.end)) !== item.text
    },
    (item) => `the corpus does not say this at ${spanKey(item)}`
  )
)
export const SpansAreDistinct = rule<"evidence">("SpansAreDistinct", "C14", (evidence) => {
  const seen = new Set<string>()
  return first(
    evidence,
    (item) => {
      const key = spanKey(item)
      return seen.has(key) || !seen.add(key)
    },
    (item) => `${spanKey(item)} stands twice`
  )
})

// ---- verification (C15)

export const VerdictIsReached = rule<"verification">("VerdictIsReached", "C15", ({ verdict }) =>
  verdict === "Pending" ? Option.some("Pending is the controller's word, not a verdict") : Option.none()
)
export const FailSaysWhy = rule<"verification">("FailSaysWhy", "C15", ({ justification, verdict }) =>
  verdict === "Fail" && justification.text.trim() === "" ? Option.some("Fail without a justification") : Option.none()
)
export const PassLacksNothing = rule<"verification">("PassLacksNothing", "C15", ({ justification, verdict }) =>
  verdict === "Pass" && justification.missing.length > 0
    ? Option.some(`Pass, and yet ${justification.missing.join(", ")} is missing`)
    : Option.none()
)
export const LacksAreSlots = rule<"verification">("LacksAreSlots", "C15", ({ justification }, staged) => {
  const names = stagedSlots(staged)
  return first(
    [...justification.missing, ...justification.supported.map((support) => support.slot)],
    (name) => !names.has(name),
    (name) => `${name} is no slot of the committed plan`
  )
})
export const SupportIsHeld = rule<"verification">("SupportIsHeld", "C15", ({ justification }, staged) => {
  const held = new Set<string>(staged.evidence.map((item) => item.passage))
  return first(
    justification.supported,
    ({ passage }) => !held.has(passage),
    ({ passage }) => `${passage} is not among the committed evidence`
  )
})
export const SupportIsVerbatim = rule<"verification">("SupportIsVerbatim", "C15", ({ justification }, { evidence }) =>
  first(
    justification.supported,
    (support) => "span" in support && !evidence.some((item) => saysAt(item, support)),
    ({ passage, slot }) => `what is quoted for ${slot} is not what the evidence of ${passage} says there`
  )
)
const saysAt = (item: EvidenceItem, { passage, span, text }: Extract<Support, { readonly span: Span }>): boolean =>
  item.passage === passage &&
  item.document === span.document &&
  span.start >= item.start &&
  span.end <= item.end &&
  item.text.slice(span.start - item.start, span.end - item.start) === text

/** Every rule, in the order in which it is asked. */
export const rules: { readonly [F in Field]: ReadonlyArray<Rule<F>> } = {
  plan: [SlotsAreDistinct, MissingAreSlots, KnownAreSlots, KnownIsVerbatim, VisitedIsTrue],
  path: [NodesExist, StartsAtRoot, StepsAreAdmissible, StepsAreEdges, EndsAtEvidence],
  evidence: [WithinRegion, NamesItsPlace, NamesItsCycle, CutsNoCharacter, IsVerbatim, SpansAreDistinct],
  verification: [VerdictIsReached, FailSaysWhy, PassLacksNothing, LacksAreSlots, SupportIsHeld, SupportIsVerbatim]
}

const schemas: { readonly [F in Field]: Schema.Schema<Fields[F]> } = {
  plan: Schema.typeSchema(Plan),
  path: Schema.typeSchema(Path),
  evidence: Schema.typeSchema(Evidence),
  verification: Schema.typeSchema(Verification)
}
const compiled: { readonly [F in Field]: (input: unknown) => Option.Option<Fields[F]> } = {
  plan: compile(schemas.plan),
  path: compile(schemas.path),
  evidence: compile(schemas.evidence),
  verification: compile(schemas.verification)
}
/** Total: a value nested too deeply to be printed is refused like any other. */
const explain = (field: Field, value: unknown): string =>
  Either.try(() =>
    Either.match(
      Schema.decodeUnknownEither<unknown, unknown>(schemas[field] as Schema.Schema<unknown>, {
        onExcessProperty: "error"
      })(value),
      {
        onLeft: (error) => ParseResult.TreeFormatter.formatErrorSync(error).slice(0, 2000),
        onRight: () => "the value has properties that its schema does not know"
      }
    )
  ).pipe(Either.getOrElse(() => "the value does not fit, and is too large or too deep to say where"))

/**
 * Whatever a role said, as a value for `field`: refused by `OwnsField` if it is for another field or no proposal at all, by `FitsSchema` if
 * it does not decode. The value returned is a frozen copy.
 */
export const decode = <F extends Field>(field: F, proposal: unknown): Either.Either<Fields[F], Refusal> => {
  const isObject = typeof proposal === "object" && proposal !== null
  const named: unknown = isObject ? Reflect.get(proposal, "field") : undefined
  if (named !== field || (isObject && Object.keys(proposal).length !== 2)) {
    return Either.left({
      rule: "OwnsField",
      reason: `this stage writes ${field}; the proposal is for ${typeof named === "string" ? named : "no field"}`
    })
  }
  const value: unknown = isObject ? Reflect.get(proposal, "value") : undefined
  return Option.match(compiled[field](value), {
    onNone: () => Either.left({ rule: "FitsSchema", reason: explain(field, value) }),
    onSome: (fitting) => Either.right(fitting)
  })
}

/** The first rule of `field` that objects to `value`, if one does. */
export const check = <F extends Field>(
  field: F,
  value: Fields[F],
  staged: State,
  ground: Grounds[F]
): Option.Option<Refusal> => {
  for (const { name, objection } of rules[field]) {
    const said = objection(value, staged, ground)
    if (Option.isSome(said)) return Option.some({ rule: name, reason: said.value })
  }
  return Option.none()
}
