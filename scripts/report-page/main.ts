/** Draws the plots of `report.html` from the data in the page, again whenever the page changes its width. */
import * as Plot from "@observablehq/plot"
import type { PageData } from "../../src/domain/ReportPage.ts"

const narrowest = 320
const symbols = ["circle", "square", "triangle", "diamond", "star", "cross", "wye", "times", "plus", "hexagon"] as const

/** Plots at the width of their place. */
const draw = (id: string, plot: (width: number) => (SVGSVGElement | HTMLElement) & Plot.Plot): void => {
  const place = document.getElementById(id)
  if (place === null) return
  let drawn = 0
  const again = () => {
    const width = Math.max(narrowest, Math.floor(place.clientWidth))
    if (width === drawn) return
    drawn = width
    place.replaceChildren(plot(width))
  }
  new ResizeObserver(again).observe(place)
  again()
}

const style = { background: "none", color: "inherit", fontSize: "12px" }
const longest = (names: ReadonlyArray<string>): number => 12 + 7 * Math.max(0, ...names.map((name) => name.length))

const data: PageData = JSON.parse(document.getElementById("data")?.textContent ?? "null")
const names = data.methods.map(({ method }) => method)
const left = Math.min(170, longest(names))
const ours = (method: string): boolean => method.startsWith("staterag")
const weight = ({ method }: { readonly method: string }): number => (ours(method) ? 2.5 : 1.2)

/** Means with their intervals, one row a method. */
const rows = (points: PageData["methods"], facet?: { readonly fy: string }) => [
  Plot.ruleY(points, { y: "method", x1: "low", x2: "high", stroke: "currentColor", strokeWidth: weight, ...facet }),
  Plot.dot(points, {
    y: "method",
    x: "value",
    r: 4,
    fill: (it: { readonly method: string }) => (ours(it.method) ? "var(--ink)" : "var(--paper)"),
    stroke: "currentColor",
    title: ({ high, low, method, value }: PageData["methods"][number]) =>
      `${method}: ${value.toFixed(1)} [${low.toFixed(1)}, ${high.toFixed(1)}]`,
    ...facet
  })
]

draw("methods", (width) =>
  Plot.plot({
    width,
    height: 50 + 22 * names.length,
    marginLeft: left,
    marginBottom: 44,
    style,
    x: { label: "percent", grid: true, nice: true },
    y: { domain: names, label: null },
    marks: rows(data.methods)
  })
)

draw("cost", (width) => {
  const best = data.cost.filter(({ isBest }) => isBest).sort((a, b) => a.ms - b.ms)
  return Plot.plot({
    width,
    height: Math.min(520, Math.max(340, width * 0.55)),
    marginRight: Math.min(120, left),
    marginBottom: 44,
    style,
    x: { type: "log", label: "mean milliseconds a question", grid: true, tickFormat: "~s" },
    y: { label: "F1, percent", grid: true, nice: true },
    marks: [
      Plot.line(best, { x: "ms", y: "value", stroke: "currentColor", strokeDasharray: "4,3", curve: "step-after" }),
      Plot.ruleX(data.cost, { x: "ms", y1: "low", y2: "high", stroke: "currentColor", strokeOpacity: 0.35 }),
      Plot.dot(data.cost, {
        x: "ms",
        y: "value",
        r: 5,
        stroke: "currentColor",
        fill: (it: PageData["cost"][number]) => (it.isBest ? "var(--ink)" : "var(--paper)")
      }),
      Plot.text(data.cost, {
        x: "ms",
        y: "value",
        text: "method",
        dx: 8,
        dy: -8,
        textAnchor: "start",
        stroke: "var(--paper)",
        strokeWidth: 4,
        fill: "currentColor"
      })
    ]
  })
})

draw("curves", (width) =>
  Plot.plot({
    width,
    height: Math.min(520, Math.max(340, width * 0.55)),
    marginBottom: 44,
    style,
    symbol: { domain: names, range: names.map((_, i) => symbols[i % symbols.length] ?? "circle"), legend: true },
    color: { domain: names, scheme: "Observable10" },
    x: { label: "k", ticks: 10, tickFormat: "d" },
    y: { label: "recall@k, percent", grid: true, nice: true },
    marks: [
      Plot.line(data.curves, { x: "k", y: "recall", z: "method", stroke: "method", strokeWidth: weight }),
      Plot.dot(data.curves, { x: "k", y: "recall", stroke: "method", symbol: "method", r: 3.5, tip: true })
    ]
  })
)

draw("types", (width) => {
  const types = [...new Set(data.types.map(({ type }) => type))]
  return Plot.plot({
    width,
    height: 70 + types.length * (28 + 16 * names.length),
    marginLeft: left,
    marginRight: 8,
    style,
    x: { label: "percent", grid: true, nice: true },
    y: { domain: names, label: null },
    fy: { domain: types, label: null, axis: null, padding: 0.2 },
    marginTop: 28,
    marginBottom: 44,
    marks: [
      ...rows(data.types, { fy: "type" }),
      Plot.text(types, { fy: (type) => type, text: (type) => type, frameAnchor: "top-left", dy: -14, fontWeight: 700 }),
      Plot.frame({ stroke: "currentColor", strokeOpacity: 0.2 })
    ]
  })
})

draw("faults", (width) => {
  const carriers = [...new Set(data.faults.map(({ carrier }) => carrier))]
  const outcomes = [...new Set(data.faults.map(({ outcome }) => outcome))]
  return Plot.plot({
    width,
    height: outcomes.length * 220,
    marginRight: 8,
    style,
    symbol: { domain: carriers, range: carriers.map((_, i) => symbols[i % symbols.length] ?? "circle"), legend: true },
    color: { domain: carriers, scheme: "Observable10" },
    x: { label: "faults, percent of proposals", nice: true },
    y: { label: null, grid: true, nice: true },
    fy: { domain: outcomes, label: null, axis: null, padding: 0.15 },
    marginTop: 28,
    marginBottom: 44,
    marks: [
      Plot.ruleX(data.faults, {
        fy: "outcome",
        x: "rate",
        y1: "low",
        y2: "high",
        stroke: "carrier",
        strokeOpacity: 0.4
      }),
      Plot.line(data.faults, { fy: "outcome", x: "rate", y: "value", z: "carrier", stroke: "carrier" }),
      Plot.dot(data.faults, { fy: "outcome", x: "rate", y: "value", stroke: "carrier", symbol: "carrier", tip: true }),
      Plot.text(outcomes, { fy: (it) => it, text: (it) => it, frameAnchor: "top-left", dy: -14, fontWeight: 700 }),
      Plot.frame({ stroke: "currentColor", strokeOpacity: 0.2 })
    ]
  })
})
