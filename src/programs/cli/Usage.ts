/** `staterag usage`: what models have cost. */
import { Command } from "@effect/cli"
import { Clock, Effect, Option } from "effect"
import type { Bill, Sums } from "../../domain/Bill.ts"
import { usage } from "../Usage.ts"
import { common, existingHouse, print, revisionOf, settingsOf, textOption } from "./Common.ts"
import { UsageError } from "./Failure.ts"
import type { Page } from "./Help.ts"
import { grouped, oneLine, table } from "./Text.ts"

const options = {
  since: textOption(
    "since",
    "TIME",
    "only what was called since: an age such as 30d or 12h, or a day such as 2026-01-31"
  )
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

const sinceOf = Effect.fnUntraced(function* (text: string) {
  const age = /^(\d+(?:\.\d+)?)([mhdw])$/.exec(text.trim())
  const unit = age?.[2]
  if (unit === "m" || unit === "h" || unit === "d" || unit === "w")
    return (yield* Clock.currentTimeMillis) - Number(age?.[1]) * units[unit]
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN
  return Number.isNaN(day)
    ? yield* new UsageError({ message: `--since ${text} is no time`, advice: "write 30d, 12h, 90m, 8w or 2026-01-31" })
    : day
})

/** Money to four digits after the point: a call may cost a hundredth of a cent. */
const money = ({ money: sum, unpriced }: Sums): string =>
  `${sum === null ? "-" : sum.toFixed(4)}${unpriced === 0 ? "" : ` (+ ${grouped(unpriced)} unpriced)`}`

const row = (name: string, sums: Sums): ReadonlyArray<string> => [
  oneLine(name, 60),
  grouped(sums.calls),
  grouped(sums.cached),
  grouped(sums.failed),
  grouped(sums.promptTokens),
  grouped(sums.completionTokens),
  grouped(Math.round(sums.readerEquivalentTokens)),
  money(sums)
]

const columns = ["CALLS", "CACHED", "FAILED", "PROMPT", "ANSWER", "RET", "MONEY"]

const billText = (bill: Bill): string => {
  if (bill.total.calls === 0)
    return bill.since === null ? "No model has been called.\n" : "No model has been called since then.\n"
  const parts = [
    ["ROLE", bill.byRole],
    ["MODEL", bill.byModel],
    ["DAY (UTC)", bill.byDay],
    ["SCOPE", bill.byScope]
  ] as const
  const rows = parts.flatMap(([name, by]) => [
    [name, ...columns],
    ...Object.entries(by).map(([key, sums]) => row(key, sums)),
    [""]
  ])
  const notes = [
    ...(bill.total.estimated ? ["Some tokens were counted here, because the provider did not say them."] : []),
    ...(bill.total.unpriced > 0 ? ["Calls without a known price are in no sum of money."] : [])
  ]
  return [table([...rows, ["ALL", ...columns], row("", bill.total)]), ...notes, ""].join("\n")
}

export const command = Command.make("usage", { ...common, ...options }, ({ since, ...values }) =>
  Effect.gen(function* () {
    const from = Option.getOrUndefined(yield* Effect.transposeMapOption(since, sinceOf))
    const settings = yield* settingsOf(values)
    const isNamed = Option.isSome(values.scope)
    const bill = yield* existingHouse(
      settings,
      values.quiet,
      Effect.gen(function* () {
        if (isNamed) yield* revisionOf(settings)
        return yield* usage({ scope: isNamed ? settings.scope : undefined, since: from })
      })
    )
    yield* print(values.json, bill, () => billText(bill))
  })
)

export const page: Page = {
  name: "usage",
  descriptor: command.descriptor,
  examples: [
    ["staterag usage", "all that was called, of every scope"],
    ["staterag usage --since 30d --scope docs", "of one scope, in the last 30 days"],
    ["staterag usage --since 2026-01-01 --json", "as JSON"]
  ],
  notes: [
    "RET are reader-equivalent tokens: each call's tokens times the size of its model over the size of the reader's. A cached answer counts its tokens there, and no money.",
    "Runs that `staterag prune` has removed are in the bill no more; forgetting a document leaves it as it is. Without a model, nothing is called."
  ]
}
