/**
 * A field as free-form text that everybody reads as well as they can (C31): what fits the field's schema is taken as it is; of anything else
 * what can be made out is kept, and what is missing is filled in with what says least. Places that were not said are places that are wrong.
 */
import { Array as Arr, Either, Option } from "effect"
import type { Evidence, EvidenceItem } from "../../domain/Evidence.ts"
import { DocumentId, PassageId } from "../../domain/Ids.ts"
import type { Plan } from "../../domain/Plan.ts"
import { decode } from "../../domain/Rules.ts"
import type { Field, Fields } from "../../domain/State.ts"
import { noJustification } from "../../domain/Verification.ts"

/** The value as its field's schema takes it: a frozen copy. */
const fitting = <F extends Field>(field: F, value: unknown): Option.Option<Fields[F]> =>
  Either.getRight(decode(field, { field, value }))

const properties = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** The plan that says nothing but what is looked for. */
export const blankPlan = (objective: string): Plan => ({
  type: "Generic",
  entities: [],
  slots: [],
  objective: objective.slice(0, 4096) || "?",
  hypotheses: [],
  known: [],
  missing: [],
  frontier: [],
  held: [],
  visited: []
})

const someOf = <A extends object>(least: A, value: unknown, fits: (made: object) => Option.Option<A>): A => {
  const said = properties(value)
  let made = least
  for (const name of Object.keys(least))
    if (name in said) made = Option.getOrElse(fits({ ...made, [name]: said[name] }), () => made)
  return made
}

const itemOf = (said: unknown): Option.Option<EvidenceItem> => {
  const text = typeof said === "string" ? said : properties(said).text
  if (typeof text !== "string" || text === "") return Option.none()
  const least: EvidenceItem = {
    passage: PassageId.make("?"),
    document: DocumentId.make("?"),
    title: "",
    start: 0,
    end: text.length,
    line: 1,
    text,
    score: 0,
    cycle: 0
  }
  return Option.some(someOf(least, said, (made) => Option.flatMap(fitting("evidence", [made]), Arr.head)))
}

const readings: { readonly [F in Field]: (value: unknown) => Option.Option<unknown> } = {
  plan: (value) =>
    typeof value === "string"
      ? Option.some(blankPlan(value))
      : typeof value === "object" && value !== null && "objective" in value
        ? Option.some(someOf(blankPlan("?"), value, (made) => fitting("plan", made)))
        : Option.none(),
  path: (value) => {
    const steps = typeof value === "string" ? value.split(/\s*(?:>|→|,|\n)\s*/) : Arr.isArray(value) ? value : []
    return Option.some(steps.filter((step) => typeof step === "string" && step !== ""))
  },
  evidence: (value) => {
    const items: Evidence = (Arr.isArray(value) ? value : [value]).flatMap((said) => Option.toArray(itemOf(said)))
    return Arr.isArray(value) || items.length > 0 ? Option.some(items) : Option.none()
  },
  verification: (value) => {
    const { justification, verdict } = properties(value)
    const said = typeof value === "string" ? value : typeof verdict === "string" ? verdict : ""
    const [word] = /\b(?:pass|fail)/i.exec(said) ?? []
    if (word === undefined) return Option.none()
    const reasons = typeof value === "string" ? { text: value.slice(0, 4096) } : justification
    return Option.some({
      verdict: word.toLowerCase() === "pass" ? "Pass" : "Fail",
      justification: someOf(noJustification, reasons, (made) =>
        Option.map(fitting("verification", { verdict: "Fail", justification: made }), (read) => read.justification)
      )
    })
  }
}

/** What can be read of `value` as `field`; none where nothing can. */
export const read = <F extends Field>(field: F, value: unknown): Option.Option<Fields[F]> =>
  Option.orElse(fitting(field, value), () => Option.flatMap(readings[field](value), (made) => fitting(field, made)))
