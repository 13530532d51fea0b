/**
 * The whole ruler in a few minutes: every method that can be asked on the first questions of the four public sets, two sets at a time; with
 * `--full` on all of their questions. `STATERAG_DATA` names the folder with `SET.jsonl` and `SET.corpus.jsonl`. Indexes and results are kept,
 * so that a second run, or one after an interruption, asks nothing again; arguments are handed on (`--limit 200`, `--model openai:NAME`,
 * `--methods first,staterag`, `--set maxCycles=2`, `--fresh`).
 */
import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const command = path.join(root, "dist", "staterag.js")
const sets = ["musique", "hotpotqa", "2wikimultihopqa", "2wikimultihopqa-hipporag"]
const isFull = process.argv.includes("--full")
const given = process.argv.slice(2).filter((argument) => argument !== "--full")
const atOnce = 2
const data = process.env.STATERAG_DATA

interface Ended {
  readonly code: number
  readonly said: string
}

const measure = (folder: string, set: string): Promise<Ended> =>
  new Promise((resolve) => {
    const file = (name: string) => path.join(folder, name)
    const out = path.join(root, ".staterag", isFull ? "eval-full" : "eval-small", set)
    const own = ["eval", file(`${set}.jsonl`), "--corpus", file(`${set}.corpus.jsonl`), "--out", out]
    const limit = isFull || given.includes("--limit") ? [] : ["--limit", "60"]
    const methods = given.includes("--methods") ? [] : ["--methods", "all"]
    const args = [command, ...own, ...limit, ...methods, "--quiet", ...given]
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })
    const parts: Array<Buffer> = []
    child.stdout.on("data", (part: Buffer) => parts.push(part))
    child.on("close", (code) => resolve({ code: code ?? 1, said: Buffer.concat(parts).toString() }))
  })

if (data === undefined || data === "") {
  console.error("STATERAG_DATA is not set: name the folder that holds the evaluation data")
  process.exitCode = 2
} else {
  const startedAt = Date.now()
  const waiting = [...sets]
  const ended = new Map<string, Ended>()
  const worker = async (): Promise<void> => {
    for (let set = waiting.shift(); set !== undefined; set = waiting.shift()) ended.set(set, await measure(data, set))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  for (const set of sets) console.log(`\n${set}\n\n${ended.get(set)?.said ?? ""}`)
  console.log(`${Math.round((Date.now() - startedAt) / 1000)} s`)
  process.exitCode = Math.max(...[...ended.values()].map(({ code }) => code))
}
