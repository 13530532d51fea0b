import * as fs from "node:fs"
import * as path from "node:path"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Answer } from "../../src/domain/Answer.ts"
import { Event } from "../../src/domain/Event.ts"
import { EvidenceItem } from "../../src/domain/Evidence.ts"
import { IndexEstimate, IndexReport } from "../../src/domain/IndexReport.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { Explanation } from "../../src/programs/Explain.ts"
import { build, command, documents, run, staterag, temporary, write } from "../support/Command.ts"

const folder = temporary()
const said = (args: ReadonlyArray<string>, input = "") => staterag(args, { cwd: folder, input })
/** Decodes, and refuses what the schema does not name. */
const decoded = <A, I>(schema: Schema.Schema<A, I>, text: string): A =>
  Schema.decodeUnknownSync(Schema.parseJson(schema), { onExcessProperty: "error" })(text)
const source = (document: string): string => fs.readFileSync(path.join(folder, "docs", document), "utf8")

const question = "Where was the maintainer of the parser born?"

beforeAll(async () => {
  build()
  write(folder, documents)
  const { code, stderr } = await said(["index", "docs"])
  if (code !== 0) throw new Error(stderr)
}, 120_000)
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe("index", () => {
  it("reports as its schema says; a second run changes nothing; --estimate touches nothing", async () => {
    const again = decoded(IndexReport, (await said(["index", "docs", "--json"])).stdout)
    expect(again.documents).toEqual({ added: 0, changed: 0, unchanged: 5, removed: 0, skipped: [] })
    expect(again.nodes.Root).toBe(1)
    expect(again.nodes.Evidence).toBe(again.passages)
    const told = await said(["index", "docs", "--estimate", "--embedding", "openai:vectors", "--dir", "nowhere"])
    expect(told.stdout).toMatch(/ 0 calls of a language model.*\nopenai:vectors would embed them/)
    const estimated = await said(["index", "docs", "--estimate", "--json", "--dir", "nowhere"])
    expect(estimated.code).toBe(0)
    expect(decoded(IndexEstimate, estimated.stdout)).toMatchObject({ documents: 5, calls: 0, skipped: [] })
    expect(fs.existsSync(path.join(folder, "nowhere"))).toBe(false)
  })

  it("keeps scopes apart", async () => {
    write(folder, { "other/only.md": "# Only\n\nThe lighthouse is kept by Mara Quill.\n" })
    expect((await said(["index", "other", "--scope", "other"])).code).toBe(0)
    const status = JSON.parse((await said(["status", "--scope", "other", "--json"])).stdout)
    expect(status).toMatchObject({ scope: "other", scopes: ["default", "other"], documents: 1 })
    const answer = decoded(Answer, (await said(["ask", "Who keeps the lighthouse?", "--json"])).stdout)
    expect(JSON.stringify(answer)).not.toContain("Mara")
    const near = await said(["ask", "Who keeps the lighthouse?", "--scope", "othre"])
    expect([near.code, near.stdout]).toEqual([1, ""])
    expect(near.stderr).toMatch(/no scope othre\. Did you mean other\?/)
  })
})

describe("ask", () => {
  it("--json is an Answer whose quotations are the files' own words, with their lines (C14, C21)", async () => {
    const { code, stderr, stdout } = await said(["ask", question, "--json"])
    expect([code, stderr]).toEqual([0, ""])
    const answer = decoded(Answer, stdout)
    expect(answer.question).toBe(question)
    expect(answer.usage).toMatchObject({ calls: 0, money: null })
    expect(answer.evidence.length).toBeGreaterThan(0)
    for (const { document, end, line, start, text } of [...answer.citations, ...answer.evidence]) {
      expect(source(document).slice(start, end)).toBe(text)
      expect(source(document).slice(0, start).split("\n").length).toBe(line)
    }
    const evidence = answer.evidence.map(({ document, end, start }) => ({ document, start, end }))
    for (const cited of answer.citations)
      expect(evidence.some((e) => e.document === cited.document && e.start <= cited.start && cited.end <= e.end)).toBe(
        true
      )
  })

  it("gives the same answer from standard input, words, and either order", async () => {
    const piped = decoded(Answer, (await said(["ask", "-", "--json"], `${question}\n`)).stdout)
    const words = decoded(Answer, (await said(["--json", "ask", ...question.split(" ")])).stdout)
    expect({ ...piped, run: "", elapsedMs: 0 }).toEqual({ ...words, run: "", elapsedMs: 0 })
  })

  it("as text: the answer, numbered quotations with file:line and offsets, branch, cycles, usage", async () => {
    const { code, stdout } = await said(["ask", "Who maintains the parser?"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/Ada Winter/)
    expect(stdout).toMatch(/^\[1\] \w+\.md:\d+ \(\d+-\d+\)$/m)
    expect(stdout).toMatch(
      /^(?:Bypass, no cycle|(?:Release|Fallback) after \d cycles?) · 0 model calls, 0 tokens · .* · run \w{26}$/m
    )
  })

  it("says what is missing where nothing answers, and that is no failure", async () => {
    const { code, stdout } = await said(["ask", "What is the boiling point of tungsten?"])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Not found/)
    expect(stdout).toMatch(/^Missing: ./m)
  })

  it("takes policies by name and by option; --within filters before ranking", async () => {
    const one = decoded(
      Answer,
      (await said(["ask", question, "--json", "--max-cycles", "1", "--set", "compactEvidence=off"])).stdout
    )
    expect(one.cycles).toBe(1)
    const within = decoded(Answer, (await said(["ask", question, "--json", "--within", "j*.md"])).stdout)
    expect(new Set(within.evidence.map((item) => item.document))).toEqual(new Set(["jon.md"]))
    const empty = await said(["ask", question, "--within", ""])
    expect([empty.code, empty.stdout]).toEqual([2, ""])
    expect(empty.stderr).toMatch(/--within "" names nothing\n {2}\S/)
    const none = await said(["ask", question, "--within", "parsre.md"])
    expect([none.code, none.stdout]).toEqual([1, ""])
    expect(none.stderr).toMatch(/no document matches parsre\.md\. Did you mean parser\.md\?/)
  })

  it("ends in ⊥ with exit code 3 and the reason where a budget is struck inside a cycle (C10, C35)", async () => {
    const args = ["ask", question, "--set", "budget.time=0.001", "--set", "compactEvidence=off"]
    const { code, stdout } = await said([...args, "--json"])
    expect(code).toBe(3)
    const answer = decoded(Answer, stdout)
    expect(answer).toMatchObject({ outcome: "Incomplete", answer: null, answered: false, citations: [] })
    expect(answer.reason?.tag).toBe("BudgetExhausted")
    const text = await said(args)
    expect(text.code).toBe(3)
    expect(text.stdout).toMatch(/^No answer: the run is incomplete at \w+ \(BudgetExhausted\)/)
    const runs = JSON.parse((await said(["runs", "--outcome", "incomplete", "--json"])).stdout)
    expect(runs.runs.map((r: { outcome: string }) => r.outcome)).toEqual(["Incomplete", "Incomplete"])
  })

  it("--stream prints one event a line, as the journal has them (C30)", async () => {
    const { code, stderr, stdout } = await said(["ask", question, "--stream"])
    expect([code, stderr]).toEqual([0, ""])
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => decoded(Event, line))
    expect(events.map((event) => event.sequence)).toEqual(events.map((_, i) => i))
    expect(events[0]?.tag).toBe("RunStarted")
    expect(events.at(-1)?.tag).toBe("RunEnded")
    const told = decoded(Explanation, (await said(["explain", events[0]?.run ?? "", "--json"])).stdout)
    expect(told.events).toEqual(events)
  })

  it("takes 100 kB with quotes and braces as it is (pain 33)", async () => {
    const long = `Who maintains the "parser"? \${x} {y} {{z}} ' \` <| ## %s \\ ${"and the printer? ".repeat(6000)}`
    const { code, stdout } = await said(["ask", "-", "--json"], long)
    expect(code).toBe(0)
    expect(decoded(Answer, stdout).question).toBe(long.trim())
  })

  it("warns when an indexed file has changed since", async () => {
    const file = path.join(folder, "docs", "jon.md")
    const before = fs.readFileSync(file, "utf8")
    try {
      fs.writeFileSync(file, `${before}\nHe sails.\n`)
      const { code, stderr } = await said(["ask", question])
      expect(code).toBe(0)
      expect(stderr).toMatch(/warning: .*jon\.md has changed since; run `staterag index` again/)
      expect((await said(["ask", question, "--quiet"])).stderr).toBe("")
      expect(JSON.parse((await said(["status", "--json"])).stdout).stale.files).toEqual(["jon.md"])
    } finally {
      fs.writeFileSync(file, before)
      await said(["index", "docs"])
    }
  })
})

describe("search", () => {
  it("gives distinct passages, best first, each with the parts of its score", async () => {
    const { code, stdout } = await said(["search", "parser maintained", "--top", "3", "--json"])
    expect(code).toBe(0)
    const item = Schema.Struct({
      ...EvidenceItem.fields,
      parts: Schema.Struct({ lexical: Schema.Number, dense: Schema.Number, links: Schema.Number })
    })
    const { results } = decoded(Schema.Struct({ results: Schema.Array(item) }), stdout)
    expect(results.length).toBeGreaterThan(0)
    expect(results.length).toBeLessThanOrEqual(3)
    expect(new Set(results.map((result) => result.passage)).size).toBe(results.length)
    expect(results.map((r) => r.score)).toEqual(results.map((r) => r.score).sort((a, b) => b - a))
    for (const { document, end, start, text } of results) expect(source(document).slice(start, end)).toBe(text)
    expect((await said(["search", "parser"])).stdout).toMatch(/^1\. \w+\.md:\d+ \(\d+-\d+\)/)
  })
})

describe("explain", () => {
  it("tells the latest run from its journal: state after each commit, path, verdict, action", async () => {
    const answer = decoded(Answer, (await said(["ask", question, "--json", "--set", "compactEvidence=off"])).stdout)
    const told = decoded(Explanation, (await said(["explain", "--json"])).stdout)
    expect(told.run).toEqual(answer)
    expect(told.states.length).toBeGreaterThanOrEqual(5)
    const text = (await said(["explain"])).stdout
    for (const part of [
      /^Cycle 1$/m,
      /^ {2}Plan /m,
      /^ {2}Path +Root/m,
      /└─ Evidence/,
      /^ {2}Verdict +(Pass|Fail)/m,
      /^ {2}Action /m
    ])
      expect(text).toMatch(part)
    const chart = (await said(["explain", answer.run, "--format", "mermaid"])).stdout
    expect(chart).toMatch(/^flowchart TD\n/)
    expect(chart).toMatch(/Evidence: /)
  })

  it("knows no other run, and names the nearest", async () => {
    const latest = decoded(Explanation, (await said(["explain", "--json"])).stdout).run.run
    const { code, stderr, stdout } = await said(["explain", `${latest.slice(0, -1)}_`])
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toContain(`Did you mean ${latest}?`)
  })
})

describe("show", () => {
  it("prints the stored text exactly, or the part of it that an answer quotes", async () => {
    expect((await said(["show", "strange.txt"])).stdout).toBe(source("strange.txt"))
    const part = await said(["show", "parser.md", "--from", "2", "--to", "12"])
    expect(part.stdout).toBe(source("parser.md").slice(2, 12))
    const json = JSON.parse((await said(["show", "parser.md", "--from", "2", "--to", "12", "--json"])).stdout)
    expect(json).toMatchObject({ document: "parser.md", from: 2, to: 12, text: source("parser.md").slice(2, 12) })
    const outside = await said(["show", "parser.md", "--to", "100000"])
    expect(outside.code).toBe(2)
    const near = await said(["show", "prser.md"])
    expect([near.code, near.stdout]).toEqual([1, ""])
    expect(near.stderr).toMatch(/no document prser\.md\. Did you mean parser\.md\?/)
  })
})

describe("status and runs", () => {
  it("tell what is there", async () => {
    const status = JSON.parse((await said(["status", "--json"])).stdout)
    expect(status).toMatchObject({
      documents: 5,
      nodes: { Root: 1 },
      stale: { files: [], vectorIndex: false, embedding: false }
    })
    expect(status.sizes.total).toBeGreaterThan(0)
    expect(status.corpusRevision).toMatch(/^[0-9a-f]{64}$/)
    expect((await said(["status"])).stdout).toMatch(/^Stale +nothing$/m)
    const { sizes } = JSON.parse((await said(["status", "--tables", "--json"])).stdout)
    const tables = Object.values<number>(sizes.tables).reduce((sum, size) => sum + size, 0)
    expect(Object.keys(sizes.tables)).toEqual(
      expect.arrayContaining(["staterag_text", "staterag_fts_passage (content)"])
    )
    // what is neither: the schema, the ledger of FTS5, free pages
    expect(tables / sizes.files["staterag.db"]).toBeGreaterThan(0.8)
    expect(tables).toBeLessThanOrEqual(sizes.files["staterag.db"] + (sizes.files["staterag.db-wal"] ?? 0))
    expect((await said(["status", "--tables"])).stdout).toMatch(/B staterag_text, [\d,]+ a passage *$/m)
    const { runs } = JSON.parse((await said(["runs", "--limit", "2", "--json"])).stdout)
    expect(runs).toHaveLength(2)
    expect(runs[0].startedAt).toBeGreaterThanOrEqual(runs[1].startedAt)
    expect(runs[0]).toMatchObject({ scope: "default", usage: { calls: 0 } })
    expect((await said(["runs"])).stdout).toMatch(/^RUN +STARTED/)
  })
})

describe("what documents say cannot steer a terminal", () => {
  it("is escaped in every text, and in JSON", async () => {
    for (const args of [["ask", "What does the beacon say?"], ["search", "beacon"], ["explain"]]) {
      const { stdout } = await said(args)
      expect(stdout).toContain("\\x1b[31mred")
      expect(stdout).toContain("\\u202eturned")
      expect(stdout).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
    const { stdout } = await said(["search", "beacon", "--json"])
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    expect(JSON.parse(stdout).results[0].text).toBe(source("strange.txt").trimEnd())
  })
})

describe("a broken pipe", () => {
  it("that takes nothing (a full disk) is a failure with what to do, not a trace", async () => {
    const script = `"${process.execPath}" "${command}" config 1< "${path.join(folder, "docs", "ada.md")}"`
    const { code, stderr, stdout } = await run("bash", ["-c", script], { cwd: folder })
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/^staterag: the result cannot be written: .*\n {2}\S.*\n$/)
  })

  it("is no fault: `| head` ends quietly", async () => {
    write(folder, { "big/big.txt": "The harbour is wide and the parser is small.\n".repeat(20_000) })
    await said(["index", "big", "--dir", "big-state"])
    const script = `set -o pipefail; "${process.execPath}" "${command}" show big.txt --dir big-state | head -c 20`
    const { code, stderr, stdout } = await run("bash", ["-c", script], { cwd: folder })
    expect([code, stderr, stdout.length]).toEqual([0, "", 20])
  })
})

describe("the default policy", () => {
  it("is what runs without settings", async () => {
    const { stdout } = await said(["ask", question, "--stream"])
    expect(decoded(Event, stdout.split("\n")[0] ?? "")).toMatchObject({ tag: "RunStarted", policy: defaultPolicy })
  })
})
