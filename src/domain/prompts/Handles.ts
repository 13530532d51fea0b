/** Short names under which a prompt shows passages and slots: a model repeats `p2` without a mistake, and an id of sixty letters not. */
import type { EvidenceItem } from "../Evidence.ts"
import type { Slot } from "../Plan.ts"
import type { Datum } from "./Fence.ts"

export type Kind = "passage" | "slot" | "trace" | "fact" | "report"

const letter = (kind: Kind): string => kind.slice(0, 1)

export const handle = (kind: Kind, index: number): string => `${letter(kind)}${index + 1}`

/** What a handle stands for; undefined where nothing was shown under it. */
export const held = <A>(kind: Kind, items: ReadonlyArray<A>, said: string): A | undefined => {
  const digits = new RegExp(`^\\W*${letter(kind)}?(\\d{1,4})\\W*$`, "i").exec(said)?.[1]
  return digits === undefined ? undefined : items[Number(digits) - 1]
}

/** As much of a passage as a prompt shows. */
export type Shown = Pick<EvidenceItem, "title" | "text">

/** Passages as data: the title on a line of its own, then the text. */
export const passages = (items: ReadonlyArray<Shown>): ReadonlyArray<Datum> =>
  items.map(({ text, title }, i) => ({
    name: handle("passage", i),
    text: title === "" ? text : `Title: ${title}\n\n${text}`
  }))

export const slots = (all: ReadonlyArray<Slot>): ReadonlyArray<Datum> =>
  all.map(({ description, name }, i) => ({ name: handle("slot", i), text: `${name}: ${description}` }))
