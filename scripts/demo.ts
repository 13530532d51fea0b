/**
 * The demonstration: real documents (guides of packages that this project installs), indexed and asked with the command as a user types it.
 * Each question shows one way for a run to end; that it did is checked, so that the demonstration cannot tell what is not so.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const command = path.join(root, "dist", "staterag.js")
/** Guides that lie on disk after `npm ci`, by package. */
const guides = [
  "@effect/cli",
  "@effect/platform",
  "@effect/printer",
  "@effect/rpc",
  "@effect/sql",
  "@effect/typeclass",
  "@effect/vitest",
  "fast-check",
  "ignore",
  "openai",
  "picomatch",
  "usearch"
]

interface Told {
  readonly run: {
    readonly outcome: string
    readonly answered: boolean
    readonly cycles: number
    readonly citations: ReadonlyArray<{
      readonly document: string
      readonly start: number
      readonly end: number
      readonly text: string
    }>
  }
}

interface Scene {
  readonly why: string
  readonly question: string
  readonly outcome: string
  readonly answered: boolean
  /** Different places that are quoted, at least. */
  readonly places: number
}

const scenes: ReadonlyArray<Scene> = [
  {
    why: "Bypass: a yes-or-no question whose name has a passage of its own. No cycle is needed.",
    question: "Does the Realtime API support text and audio?",
    outcome: "Bypass",
    answered: true,
    places: 1
  },
  {
    why: "Release: no document says most of it alone. The evidence of a cycle was verified.",
    question: "How do I handle errors of a request and log them?",
    outcome: "Release",
    answered: true,
    places: 1
  },
  {
    why: "Fallback: no cycle's evidence passed the Verifier; what all of them found is merged and answered from.",
    question: "How are requests retried and timed out by default?",
    outcome: "Fallback",
    answered: true,
    places: 1
  },
  {
    why: "Not found: the documents do not say. That is said, with what is missing, instead of a guess.",
    question: "What is the capital of Peru?",
    outcome: "Fallback",
    answered: false,
    places: 0
  }
]

const work = fs.mkdtempSync(path.join(os.tmpdir(), "staterag-demo-"))
const documents = path.join(work, "guides")
const faults: Array<string> = []
const startedAt = process.hrtime.bigint()

const heading = (text: string): void => {
  process.stdout.write(`\n${"─".repeat(100)}\n${text}\n\n`)
}

/** Runs the command in the demonstration's folder, as typed. */
const staterag = (args: ReadonlyArray<string>, show: boolean): string => {
  if (show)
    process.stdout.write(`$ staterag ${args.map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")}\n\n`)
  const { error, status, stderr, stdout } = spawnSync(process.execPath, [command, ...args], {
    cwd: work,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  if (status !== 0) faults.push(`\`staterag ${args.join(" ")}\` ended with ${status}: ${error?.message ?? stderr}`)
  if (show) process.stdout.write(stdout)
  return stdout
}

const check = (scene: Scene): void => {
  const { run }: Told = JSON.parse(staterag(["explain", "--json"], false))
  const expect = (what: string, holds: boolean): void => {
    if (!holds) faults.push(`${JSON.stringify(scene.question)}: ${what}`)
  }
  expect(`ended in ${run.outcome}, not in ${scene.outcome}`, run.outcome === scene.outcome)
  expect(scene.answered ? "was not answered" : "was answered", run.answered === scene.answered)
  const places = new Set(run.citations.map(({ document, start }) => `${document}:${start}`))
  expect(`quotes ${places.size} places`, places.size >= scene.places)
  for (const { document, end, start, text } of run.citations) {
    const source = fs.readFileSync(path.join(documents, document), "utf8").replace(/^\ufeff/, "")
    expect(`${document} does not say ${JSON.stringify(text)} at ${start}`, source.slice(start, end) === text)
  }
}

try {
  fs.mkdirSync(documents)
  for (const name of guides) {
    const guide = path.join(root, "node_modules", name, "README.md")
    fs.copyFileSync(guide, path.join(documents, `${name.replace(/^@/, "").replace("/", "-")}.md`))
  }
  heading(`${guides.length} guides of packages that this project installs, indexed. No model, no key, no network.`)
  staterag(["index", "guides"], true)
  for (const scene of scenes) {
    heading(scene.why)
    staterag(["ask", scene.question], true)
    check(scene)
    if (scene.outcome === "Release") {
      heading("How that was found, step by step, from the run's journal:")
      staterag(["explain"], true)
    }
  }
  const seconds = (Number(process.hrtime.bigint() - startedAt) / 1e9).toFixed(1)
  if (faults.length > 0) {
    process.stdout.write(`\nThe demonstration is not what it says:\n${faults.map((fault) => `  ${fault}\n`).join("")}`)
    process.exitCode = 1
  } else {
    heading(`Every answer was checked against the files (${seconds} s). Now your own documents:`)
    process.stdout.write(`  npm run --silent staterag -- index PATH-TO-YOUR-FOLDER
  npm run --silent staterag -- ask "your question"
  npm run --silent staterag -- explain

State is kept in ./.staterag (choose another folder with --dir); \`npm run --silent staterag -- --help\` tells the rest.
`)
  }
} finally {
  fs.rmSync(work, { recursive: true, force: true })
}
