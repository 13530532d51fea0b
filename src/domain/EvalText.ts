/** An evaluation's report as text: Markdown for `report.md`, from which the command prints the main table. */
import type { Group, MethodReport, Paired, Report } from "./EvalReport.ts"

const figure = (value: number | null | undefined, digits = 1): string =>
  value === null || value === undefined ? "–" : value.toFixed(digits)

const triple = ({ "2": two, "5": five, "10": ten }: Group["recall"]): string =>
  `${figure(two)}/${figure(five)}/${figure(ten)}`

const bounds = (interval: readonly [number, number] | undefined): string =>
  interval === undefined ? "" : `[${figure(interval[0])}, ${figure(interval[1])}]`

export type Rows = readonly [head: ReadonlyArray<string>, ...body: ReadonlyArray<ReadonlyArray<string>>]

/** Rows of the main table, its head first. */
export const mainTable = ({ methods }: Report): Rows => {
  const all = Object.values(methods)
  // what a set has no word of is no column
  const extra: ReadonlyArray<readonly [string, (it: MethodReport) => string]> = [
    ...(all.some(({ evidenceRecall }) => evidenceRecall !== null)
      ? [["evidence", (it: MethodReport) => figure(it.evidenceRecall)] as const]
      : []),
    ...(all.every(({ mrr }) => mrr === null) ? [["ANLS", (it: MethodReport) => figure(it.anls)] as const] : []),
    ...(all.some(({ cost, index }) => cost.calls > 0 || (index?.calls ?? 0) > 0)
      ? ([
          ["calls", (it: MethodReport) => figure(it.cost.calls)],
          ["RET", (it: MethodReport) => figure(it.cost.readerEquivalentTokens, 0)],
          ["money", (it: MethodReport) => figure(it.cost.money, 4)]
        ] as const)
      : [])
  ]
  return [
    [
      "method",
      "R@2/R@5/R@10",
      "R@5 95 %",
      "all@5",
      "MRR",
      "nDCG",
      "EM",
      "F1",
      "cont.",
      "cite P/R",
      "⊥",
      "wall ms",
      "CPU ms",
      ...extra.map(([head]) => head)
    ],
    ...Object.entries(methods).map(([name, it]) => [
      name,
      triple(it.recall),
      bounds(it.interval["recall@5"]),
      figure(it.allSupport["5"]),
      figure(it.mrr),
      figure(it.ndcg),
      figure(it.em),
      figure(it.f1),
      figure(it.contained),
      `${figure(it.citationPrecision)}/${figure(it.citationRecall)}`,
      String(it.incomplete),
      figure(it.cost.wallMs.p50),
      it.cost.cpuMs === null ? "–" : figure(it.cost.cpuMs.p50),
      ...extra.map(([, of]) => of(it))
    ])
  ]
}

const chance = (p: number): string => (p < 0.001 ? "<0.001" : figure(p, 3))

export const pairedTable = (paired: ReadonlyArray<Paired>): Rows => [
  ["a", "b", "metric", "a − b", "95 %", "p", "Holm", "n"],
  ...paired.map(({ a, b, difference, holm, interval, metric, n, p }) => [
    a,
    b,
    metric,
    `${difference >= 0 ? "+" : ""}${figure(difference)}`,
    bounds(interval),
    chance(p),
    chance(holm),
    String(n)
  ])
]

const cell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ")

const markdown = ([head, ...body]: Rows): string =>
  [head, head.map(() => "---"), ...body].map((row) => `| ${row.map(cell).join(" | ")} |`).join("\n")

const groups = (title: string, methods: Report["methods"], of: (it: MethodReport) => Record<string, Group>): string => {
  const body = Object.entries(methods).flatMap(([name, it]) =>
    Object.entries(of(it)).map(([group, figures]) => [
      name,
      group,
      String(figures.n),
      figure((100 * figures.n) / it.n),
      triple(figures.recall),
      figure(figures.allSupport["5"]),
      figure(figures.em),
      figure(figures.f1)
    ])
  )
  if (body.length === 0) return ""
  return `## By ${title}\n\n${markdown([["method", title, "n", "share", "R@2/R@5/R@10", "all@5", "EM", "F1"], ...body])}\n`
}

const stages = (methods: Report["methods"]): string => {
  const body = Object.entries(methods).flatMap(([name, { stages: it }]) =>
    it === null
      ? []
      : [[name, String(it.questions), figure(it.initial), figure(it.regions), figure(it.evidence), figure(it.terminal)]]
  )
  if (body.length === 0) return ""
  const head = [
    "method",
    "questions",
    "in E⁰",
    "in the opened regions",
    "in committed evidence",
    "in terminal evidence"
  ]
  return `## Where gold gets to\n\nMean share of gold documents, questions that entered the cycles.\n\n${markdown([head, ...body])}\n`
}

const verdicts = (methods: Report["methods"]): string => {
  const body = Object.entries(methods).flatMap(([name, { verdicts: it }]) =>
    it === null
      ? []
      : [[name, `${figure(it.pass.allSupport)} (${it.pass.n})`, `${figure(it.fail.allSupport)} (${it.fail.n})`]]
  )
  if (body.length === 0) return ""
  return `## What a verdict tells\n\nAll gold in the evidence of cycle 1, percent (questions).\n\n${markdown([["method", "Pass", "Fail"], ...body])}\n`
}

const navigation = (methods: Report["methods"]): string => {
  const body = Object.entries(methods).flatMap(([name, { navigation: it }]) =>
    it === null ? [] : [[name, String(it.cycles), figure(it.agreement), figure(it.scored, 2)]]
  )
  if (body.length === 0) return ""
  return `## Navigation\n\n${markdown([["method", "cycles", "agrees with exhaustive, %", "Evidence nodes scored, %"], ...body])}\n`
}

/** What each method took to be made ready; the head alone where nothing is known of it. */
export const preparedTable = ({ methods }: Report): Rows => [
  ["method", "wall s", "CPU s", "calls", "RET", "money", "in place of what was published"],
  ...Object.entries(methods).flatMap(([name, { index, note }]) =>
    index === null
      ? []
      : [
          [
            name,
            figure(index.wallMs / 1000),
            index.cpuMs === null ? "–" : figure(index.cpuMs / 1000),
            String(index.calls),
            figure(index.readerEquivalentTokens, 0),
            figure(index.money, 4),
            note ?? ""
          ]
        ]
  )
]

const making = (report: Report): string => {
  const best = `No other method is as good in F1 and as quick as: ${report.frontier.join(", ") || "–"}.\n`
  const rows = preparedTable(report)
  if (rows.length < 2) return best
  return `## Made ready\n\nWhat a method took before its first question, the index that all share apart.\n\n${markdown(rows)}\n\n${best}`
}

/** `report.md`. */
export const reportText = (report: Report): string =>
  [
    `# ${report.dataset}`,
    "",
    `${report.n} questions (${report.lines} lines${report.leftOut > 0 ? `; ${report.leftOut} with incomplete gold left out` : ""}), policy ${report.policy}, corpus ${report.corpusRevision.slice(0, 16)}, seed ${report.seed}, staterag ${report.version}.`,
    "R@k is the share of a question's gold documents among the first k distinct documents, in percent; an incomplete run (⊥) counts 0. Times are medians a question.",
    "",
    markdown(mainTable(report)),
    "",
    report.paired.length === 0 ? "" : `## Paired differences\n\n${markdown(pairedTable(report.paired))}\n`,
    groups("branch", report.methods, (it) => it.byBranch),
    groups("type", report.methods, (it) => it.byType),
    groups("hops", report.methods, (it) => it.byHops),
    stages(report.methods),
    verdicts(report.methods),
    navigation(report.methods),
    making(report)
  ]
    .filter((part, i) => part !== "" || i < 6)
    .join("\n")
