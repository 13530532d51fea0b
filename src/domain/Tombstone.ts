/**
 * What stands in a journal in the place of a document that has been forgotten (C34): `[forgotten]`, wherever the document spoke.
 *
 *     evidence item, binding, citation   of the document: no id, no offsets, no text are left; score, cycle and marker are
 *     what was made of it                an answer, a plan's hypothesis, a name on the path: gone where it says what only the document said
 *     the question                       stays: it is the asker's own word, and so is what repeats no more than it
 *
 * Events keep their number, order and tags, so a journal folds as it did. "What only the document said" is a run of up to three folded
 * words that no document says that is left.
 */
import type { Citation } from "./Answer.ts"
import { type IncompleteCause, ProposalRefused, RequiredUpdateFailure, RoleFailed } from "./Errors.ts"
import type { Event } from "./Event.ts"
import type { EvidenceItem } from "./Evidence.ts"
import { DocumentId, PassageId, SlotName } from "./Ids.ts"
import type { Binding, Hypothesis, Plan } from "./Plan.ts"
import type { Support, Verification } from "./Verification.ts"
import { isStopWord, terms } from "./Words.ts"

export const tombstone = "[forgotten]"
const noDocument = DocumentId.make(tombstone)
const noPassage = PassageId.make(tombstone)

/** Whether an item, binding or citation is what is left of one. */
export const isForgotten = (of: { readonly document: DocumentId }): boolean => of.document === noDocument

/** Words in a row that are taken together. */
const longest = 3

const shinglesOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let at = 0; at < words.length; at++) {
    let shingle = ""
    let says = false
    for (let i = at; i < Math.min(at + longest, words.length); i++) {
      const word = words[i] ?? ""
      shingle = i === at ? word : `${shingle} ${word}`
      says ||= !isStopWord(word)
      if (says) found.push(shingle)
    }
  }
  return found
}

/** Every run of one to three folded words of a text, but those of stop words alone, which say nothing of where they come from. */
export const shingles = (text: string): ReadonlyArray<string> => shinglesOf(terms(text))

export interface Forgotten {
  readonly documents: ReadonlySet<DocumentId>
  /** Their passages, as far as they are known. */
  readonly passages: ReadonlySet<PassageId>
  /** {@link shingles} of the documents that nothing else says. */
  readonly distinctive: ReadonlySet<string>
}

/** Whether a text says what only the forgotten documents said; `except` does not count. */
export const speaksOf = ({ distinctive }: Forgotten, text: string, except?: ReadonlySet<string>): boolean =>
  shingles(text).some((shingle) => distinctive.has(shingle) && except?.has(shingle) !== true)

/** The same value where nothing of it changes, so that a caller can tell. */
const each = <A>(values: ReadonlyArray<A>, change: (value: A) => A): ReadonlyArray<A> => {
  const next = values.map(change)
  return next.every((value, i) => value === values[i]) ? values : next
}
const patched = <A extends object>(value: A, patch: Partial<A>): A =>
  Object.entries(patch).every(([name, part]) => Reflect.get(value, name) === part) ? value : { ...value, ...patch }

/** Whether a part of a journal is one of the forgotten documents' own. */
const isOf = (forgotten: Forgotten) => ({
  item: (item: EvidenceItem): boolean =>
    forgotten.documents.has(item.document) ||
    forgotten.passages.has(item.passage) ||
    speaksOf(forgotten, item.title) ||
    speaksOf(forgotten, item.text),
  binding: ({ span, text }: Binding): boolean => forgotten.documents.has(span.document) || speaksOf(forgotten, text),
  citation: ({ document, text }: Citation): boolean => forgotten.documents.has(document) || speaksOf(forgotten, text)
})

const padded = (text: string): string => ` ${terms(text).join(" ")} `

/** What the run took from the documents, as folded words: a date, a name. Other documents may say it too, but here it came from these. */
const takenBy = (events: ReadonlyArray<Event>, forgotten: Forgotten, question: string): ReadonlyArray<string> => {
  const own = isOf(forgotten)
  const asked = padded(question)
  const taken = events.flatMap((event): ReadonlyArray<{ readonly text: string }> => {
    if (event.tag === "PlanCommitted") return event.plan.known.filter(own.binding)
    if (event.tag === "VerificationCommitted")
      return event.verification.justification.supported.flatMap((of) => ("span" in of && own.binding(of) ? of : []))
    return event.tag === "AnswerRead" ? event.reading.citations.filter(own.citation) : []
  })
  return [...new Set(taken.map(({ text }) => padded(text)))].filter(
    (words) => !asked.includes(words) && words.split(" ").some((word) => word !== "" && !isStopWord(word))
  )
}

/** A journal cuts some texts off after so many UTF-16 units; the last word of one may be half a word. */
const cuts: ReadonlySet<number> = new Set([160, 2000])

/** The events of a run with tombstones where they speak of what is forgotten; the same array where they do not. */
export const bury = (events: ReadonlyArray<Event>, forgotten: Forgotten): ReadonlyArray<Event> => {
  const question = events[0]?.tag === "RunStarted" ? events[0].question : ""
  const asked = new Set(shingles(question))
  const taken = takenBy(events, forgotten, question)
  const own = isOf(forgotten)

  const beginsWord = (part: string): boolean =>
    Array.from(forgotten.distinctive).some(
      (shingle) => shingle.startsWith(part) && !shingle.includes(" ") && !asked.has(shingle)
    )
  const says = (text: string): boolean => {
    if (speaksOf(forgotten, text, asked)) return true
    const words = taken.length === 0 ? "" : padded(text)
    if (taken.some((part) => words.includes(part))) return true
    const last = cuts.has(text.length) ? terms(text).at(-1) : undefined
    return last !== undefined && last.length > 2 && beginsWord(last)
  }
  const text = (value: string): string => (value !== tombstone && says(value) ? tombstone : value)
  const slot = (name: SlotName): SlotName => (says(name) ? SlotName.make(tombstone) : name)

  const item = (value: EvidenceItem): EvidenceItem =>
    own.item(value)
      ? {
          ...value,
          passage: noPassage,
          document: noDocument,
          title: tombstone,
          start: 0,
          end: 0,
          line: 1,
          text: tombstone
        }
      : value
  const binding = (value: Binding): Binding =>
    own.binding(value)
      ? { slot: slot(value.slot), span: { document: noDocument, start: 0, end: 0 }, text: tombstone }
      : patched(value, { slot: slot(value.slot) })
  const citation = (value: Citation): Citation =>
    own.citation(value) ? { ...value, document: noDocument, start: 0, end: 0, line: 1, text: tombstone } : value
  const hypothesis = (value: Hypothesis): Hypothesis =>
    (value.from !== null && forgotten.passages.has(value.from)) ||
    says(value.query) ||
    value.terms.some(({ term }) => forgotten.distinctive.has(term) && !asked.has(term))
      ? { ...value, from: null, query: tombstone, terms: [] }
      : value
  const plan = (value: Plan): Plan =>
    patched(value, {
      entities: each(value.entities, text),
      slots: each(value.slots, (of) => patched(of, { name: slot(of.name), description: text(of.description) })),
      objective: text(value.objective),
      hypotheses: each(value.hypotheses, hypothesis),
      known: each(value.known, binding),
      missing: each(value.missing, slot),
      frontier: each(value.frontier, (of) => patched(of, { name: text(of.name) }))
    })
  const verification = (value: Verification): Verification => {
    const { justification } = value
    const supported = each(justification.supported, (of): Support => {
      const named = patched(of, { slot: slot(of.slot) })
      if ("span" in named && own.binding(named)) return { ...binding(named), passage: noPassage }
      return patched(named, { passage: forgotten.passages.has(of.passage) ? noPassage : of.passage })
    })
    const touched = supported.some((of, i) => of.passage !== justification.supported[i]?.passage)
    return patched(value, {
      justification: patched(justification, {
        text: touched && justification.text !== "" ? tombstone : text(justification.text),
        missing: each(justification.missing, slot),
        supported
      })
    })
  }
  const cause = (value: IncompleteCause): IncompleteCause => {
    switch (value._tag) {
      case "RoleFailed":
        return text(value.detail) === value.detail ? value : new RoleFailed({ ...value, detail: tombstone })
      case "ProposalRefused":
        return text(value.reason) === value.reason ? value : new ProposalRefused({ ...value, reason: tombstone })
      case "RequiredUpdateFailure":
        return text(value.reason) === value.reason ? value : new RequiredUpdateFailure({ reason: tombstone })
      case "BudgetExhausted":
      case "CorpusChanged":
        return value
    }
  }

  return each(events, (event): Event => {
    switch (event.tag) {
      case "EvidenceInitialized":
      case "EvidenceCommitted":
      case "EvidenceSelected":
        return patched(event, { evidence: each(event.evidence, item) })
      case "BypassMatched":
        return patched(event, { reason: text(event.reason), evidence: each(event.evidence, item) })
      case "BypassDeclined":
        return patched(event, { reason: text(event.reason) })
      case "PlanCommitted":
        return patched(event, { plan: plan(event.plan) })
      case "PathCommitted":
        return patched(event, {
          trace: each(event.trace, (node) => patched(node, { abstraction: text(node.abstraction) }))
        })
      case "VerificationCommitted":
        return patched(event, { verification: verification(event.verification) })
      case "ProposalRefused":
        return patched(event, { reason: text(event.reason), context: text(event.context) })
      case "StageFailed":
        return patched(event, { cause: cause(event.cause) })
      case "AnswerRead": {
        const citations = each(event.reading.citations, citation)
        const said = event.reading.text
        const isGone = said !== null && (citations !== event.reading.citations || says(said))
        return patched(event, {
          reading: patched(event.reading, { text: isGone ? tombstone : said, citations })
        })
      }
      case "RunEnded":
        return event.reason === null
          ? event
          : patched(event, { reason: patched(event.reason, { cause: cause(event.reason.cause) }) })
      case "RunStarted": {
        const within = event.within && each(event.within, (id) => (forgotten.documents.has(id) ? noDocument : id))
        return within === undefined ? event : patched(event, { within })
      }
      case "RunResumed":
      // its reason is the controller's own word
      case "ActionSelected":
      case "ArtifactsExposed":
      case "CycleStarted":
      case "ModelCalled":
      case "ArtifactsPersisted":
      case "ReaderAdmitted":
      case "AnswerDelta":
        return event
    }
  })
}
