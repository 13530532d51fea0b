/**
 * `report.html`: one page with plots and tables of an evaluation, which needs no network and no other file.
 *
 * Tables and captions stand in the HTML; the plots are drawn by a script from the data in the page. What a document or a question says is
 * text in both, never markup.
 */
import { Schema } from "effect"
import type { MethodReport, Report } from "./EvalReport.ts"
import { mainTable, pairedTable, preparedTable, type Rows } from "./EvalText.ts"
import { recallAt } from "./Metrics.ts"
import { defaultSampling, mean, statistics } from "./Statistics.ts"

const Share = Schema.Struct({ n: Schema.Int, right: Schema.Number, wrong: Schema.Number })
const Rate = Schema.Struct({
  ...Share.fields,
  unsupported: Schema.Number,
  incomplete: Schema.Number,
  notFound: Schema.Number,
  interval: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Tuple(Schema.Number, Schema.Number) }))
})
/** What `bench faults` writes: by carrier, then by the rate of faults, in percent. */
export const Faults = Schema.Struct({
  kind: Schema.Literal("faults"),
  carriers: Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: Rate }) })
})
export type Faults = typeof Faults.Type

/** A mean with its interval. */
interface Point {
  readonly method: string
  readonly value: number
  readonly low: number
  readonly high: number
}

/** What the plots are drawn from; percent, milliseconds. */
export interface PageData {
  /** What `value` is everywhere but in `cost`. */
  readonly measure: string
  readonly methods: ReadonlyArray<Point>
  /** Answers against time; empty where no answer is known. */
  readonly cost: ReadonlyArray<Point & { readonly ms: number; readonly isBest: boolean }>
  readonly types: ReadonlyArray<Point & { readonly type: string; readonly n: number }>
  /** Recall among the first k distinct documents; empty where no gold is known. */
  readonly curves: ReadonlyArray<{ readonly method: string; readonly k: number; readonly recall: number }>
  readonly faults: ReadonlyArray<{
    readonly carrier: string
    readonly rate: number
    readonly outcome: string
    readonly value: number
    readonly low: number
    readonly high: number
  }>
}

const deepest = 10
const outcomes = {
  right: "answered and right",
  wrong: "answered and wrong",
  incomplete: "incomplete (⊥)",
  unsupported: "unsupported citations"
}
type Outcome = keyof typeof outcomes

const faultPoints = (faults: Faults | undefined): PageData["faults"] =>
  Object.entries(faults?.carriers ?? {}).flatMap(([carrier, rates]) =>
    Object.entries(rates).flatMap(([rate, it]) =>
      (Object.keys(outcomes) as ReadonlyArray<Outcome>).map((outcome) => {
        const [low, high] = it.interval?.[outcome] ?? [it[outcome], it[outcome]]
        return { carrier, rate: Number(rate), outcome: outcomes[outcome], value: it[outcome], low, high }
      })
    )
  )

const intervalOf = ({ interval }: MethodReport, metric: string, value: number): readonly [number, number] =>
  interval[metric] ?? [value, value]

export const pageData = ({ frontier, methods, questions, seed }: Report, faults: Faults | undefined): PageData => {
  const all = Object.entries(methods)
  const has = (metric: string) => questions.some(({ scores }) => (scores[metric] ?? null) !== null)
  const metric = ["recall@5", "evidenceRecall", "f1"].find(has) ?? "f1"
  const { interval } = statistics({ ...defaultSampling, seed })
  const valuesOf = (method: string, type: string | null, of: string): ReadonlyArray<number> =>
    questions.flatMap((it) => {
      const score = it.scores[of]
      return it.method === method && (type === null || it.type === type) && score != null ? [score] : []
    })
  const point = (method: string, values: ReadonlyArray<number>): Point => {
    const [low, high] = interval(values)
    return { method, value: mean(values), low, high }
  }
  const types = [...new Set(questions.flatMap(({ type }) => type ?? []))].sort()
  return {
    measure: metric,
    methods: all.flatMap(([method]) => {
      const values = valuesOf(method, null, metric)
      return values.length === 0 ? [] : [point(method, values)]
    }),
    cost: all.flatMap(([method, it]) => {
      if (it.f1 === null || it.n === 0) return []
      const [low, high] = intervalOf(it, "f1", it.f1)
      return [{ method, value: it.f1, low, high, ms: it.cost.wallMs.mean, isBest: frontier.includes(method) }]
    }),
    types: types.flatMap((type) =>
      all.flatMap(([method]) => {
        const values = valuesOf(method, type, metric)
        return values.length === 0 ? [] : [{ ...point(method, values), type, n: values.length }]
      })
    ),
    curves: has("recall@5")
      ? all.flatMap(([method]) => {
          const own = questions.filter((it) => it.method === method && it.gold.length > 0)
          return Array.from({ length: deepest }, (_, i) => ({
            method,
            k: i + 1,
            recall: 100 * mean(own.map(({ documents, gold }) => recallAt(gold, documents, i + 1) ?? 0))
          }))
        })
      : [],
    faults: faultPoints(faults)
  }
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)

const table = ([head, ...body]: Rows): string =>
  `<div class="wide"><table><thead><tr>${head.map((cell) => `<th>${escaped(cell)}</th>`).join("")}</tr></thead><tbody>${body
    .map((row) => `<tr>${row.map((cell) => `<td>${escaped(cell)}</td>`).join("")}</tr>`)
    .join("")}</tbody></table></div>`

const figure = (id: string, title: string, caption: string): string =>
  `<figure><h2>${escaped(title)}</h2><div class="plot" id="${id}"></div><figcaption>${escaped(caption)}</figcaption></figure>`

const measured: Readonly<Record<string, string>> = {
  "recall@5": "Recall@5",
  evidenceRecall: "Evidence recall",
  f1: "Token F1"
}

const style = `:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--rule:#d0d4da}
@media(prefers-color-scheme:dark){:root{--ink:#e6e8eb;--paper:#15181c;--rule:#3a4048}}
body{margin:0 auto;padding:1rem;max-width:72rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}figure{margin:0}figcaption,p{max-width:48rem}
figcaption{font-size:.9rem;opacity:.8}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .6rem;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}th:first-child,td:first-child{text-align:left}
.plot svg{max-width:100%;height:auto;overflow:visible}code{overflow-wrap:anywhere}`

export interface PageOptions {
  readonly faults?: Faults | undefined
  /** Draws the plots; undefined where it was not built, and the page has its tables alone. */
  readonly script: string | undefined
}

export const reportPage = (report: Report, { faults, script }: PageOptions): string => {
  const data = pageData(report, faults)
  const name = measured[data.measure] ?? data.measure
  const isEmpty = report.n === 0 || data.methods.length === 0
  const plots =
    isEmpty || script === undefined
      ? []
      : [
          figure("methods", `${name} by method`, "Percent, with 95 % bootstrap intervals."),
          ...(data.cost.length === 0
            ? []
            : [
                figure(
                  "cost",
                  "F1 against time",
                  "Token F1 against the mean time of a question, logarithmic. Filled: no other method is as good and as quick."
                )
              ]),
          ...(data.curves.length === 0
            ? []
            : [
                figure("curves", "Recall by depth", "Share of the gold documents among the first k distinct documents.")
              ]),
          ...(data.types.length === 0
            ? []
            : [figure("types", `${name} by type of question`, "Percent, with 95 % bootstrap intervals.")])
        ]
  const faulty =
    data.faults.length === 0 || script === undefined
      ? []
      : [
          figure(
            "faults",
            "Roles that go wrong",
            "What a run comes to where roles go wrong at a given rate, by how state is carried; percent of questions."
          )
        ]
  const scripts =
    plots.length + faulty.length === 0
      ? ""
      : `<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>\n<script>${(script ?? "").replaceAll("</script", "<\\/script")}</script>\n`
  const about = `${report.n} questions (${report.lines} lines), policy ${report.policy}, corpus ${report.corpusRevision.slice(0, 16)}, seed ${report.seed}, staterag ${report.version}.`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:">
<title>${escaped(report.dataset)}</title><style>${style}</style></head><body>
<h1>${escaped(report.dataset)}</h1>
<p>${escaped(about)} A run that ends incomplete (⊥) counts 0.</p>
${isEmpty ? "<p>No question was asked, so there is nothing to draw.</p>" : table(mainTable(report))}
${script === undefined ? "<p>The plots are drawn by a script that was not built with this command; the tables are whole.</p>" : ""}
${[...plots, ...faulty].join("\n")}
${report.paired.length === 0 ? "" : `<h2>Paired differences</h2>${table(pairedTable(report.paired))}`}
${preparedTable(report).length < 2 ? "" : `<h2>Made ready</h2><p>What a method took before its first question, the index that all share apart.</p>${table(preparedTable(report))}`}
<h2>How it was made</h2>
<p><code>staterag eval ${escaped(report.dataset)}.jsonl --methods ${escaped(Object.keys(report.methods).join(","))} --lines ${escaped(report.lines)} --seed ${report.seed}</code>, with these policies:</p>
<p><code>${escaped(JSON.stringify(report.settings))}</code></p>
${scripts}</body></html>
`
}
