/** `staterag eval` in a process of its own: files, exit codes, resumption, comparison. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Report } from "../../src/domain/EvalReport.ts"
import { build, command, documents, staterag, temporary, write } from "../support/Command.ts"

const folder = temporary()
const said = (args: ReadonlyArray<string>) => staterag(["eval", ...args], { cwd: folder })
const lines = (records: ReadonlyArray<unknown>): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("")
const question = (id: string, question: string, gold: ReadonlyArray<string>, answers: ReadonlyArray<string>) => ({
  id,
  question,
  gold,
  answers
})
const own = [
  question("ada", "Where was the maintainer of the parser born?", ["parser.md", "ada.md"], ["Oslo"]),
  question("jon", "Where was the leader of the Harbour project born?", ["harbour.md", "jon.md"], ["Turin"]),
  question("size", "How large are the files that the parser reads?", ["parser.md"], ["64 megabytes"])
]
const carried = {
  id: "c1",
  question: "Who leads the Harbour project?",
  answers: ["Jon Field"],
  type: "single",
  passages: [
    { id: "p1", title: "Harbour", text: "The Harbour project is led by Jon Field.", supporting: true },
    { id: "p2", title: "Bremen", text: "Bremen is a city on a river.", supporting: false }
  ]
}
const decoded = (file: string): Report =>
  Schema.decodeUnknownSync(Schema.parseJson(Report))(fs.readFileSync(path.join(folder, file), "utf8"))

beforeAll(() => {
  build()
  write(folder, {
    ...documents,
    "own.jsonl": lines(own),
    "carried.jsonl": lines([carried]),
    "bad.jsonl": `${lines(own)}{ no json\n${lines([own[0]])}`,
    "lost.jsonl": lines([question("lost", "Who?", ["nowhere.md"], ["x"])])
  })
}, 120_000)
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe("C29 staterag eval", () => {
  it("measures a user's own questions over a folder, and says the same again without asking", {
    timeout: 120_000
  }, async () => {
    const args = ["own.jsonl", "--corpus", "docs", "--methods", "staterag,bm25,first", "--out", "first"]
    const { code, stderr, stdout } = await said(args)
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/^method +R@2/)
    expect(stdout).toContain("3 questions, 0 of 9 results from before")
    const report = decoded("first/report.json")
    expect(Object.keys(report.methods)).toEqual(["bm25", "first", "staterag"])
    expect(report.questions.map(({ id }) => id)).toEqual([
      "ada",
      "jon",
      "size",
      "ada",
      "jon",
      "size",
      "ada",
      "jon",
      "size"
    ])
    expect(report.methods.first?.recall["5"]).toBe(100)
    expect(report.methods.first?.cost.cpuMs?.mean).toBeGreaterThan(0)
    const again = await said(args)
    expect(again.stdout).toContain("9 of 9 results from before")
    expect(decoded("first/report.json")).toEqual(report)
    const json = await said([...args, "--json"])
    expect(JSON.parse(json.stdout)).toEqual(JSON.parse(fs.readFileSync(path.join(folder, "first/report.json"), "utf8")))
    expect(fs.readFileSync(path.join(folder, "first/report.md"), "utf8")).toContain("## Paired differences")
  })

  it("goes on after a line that was cut short", { timeout: 120_000 }, async () => {
    const args = ["own.jsonl", "--corpus", "docs", "--methods", "bm25,first", "--out", "cut"]
    await said(args)
    const whole = decoded("cut/report.json")
    const file = path.join(folder, "cut/results.jsonl")
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").slice(0, -40))
    const resumed = await said(args)
    expect(resumed.code).toBe(0)
    expect(resumed.stderr).toContain("1 line of")
    expect(resumed.stdout).toContain("5 of 6 results from before")
    // what takes time, and who is not beaten in quality and time together, is measured again
    const strip = ({ frontier: _, methods, questions, ...rest }: Report) => ({
      ...rest,
      methods: Object.values(methods).map(({ cost: _, ...figures }) => figures),
      questions: questions.map(({ cpuMs: _, wallMs: __, ...told }) => told)
    })
    expect(strip(decoded("cut/report.json"))).toEqual(strip(whole))
    expect((await said(args)).stdout).toContain("6 of 6 results from before")
  })

  it("takes the passages that the questions carry where no corpus is named", { timeout: 60_000 }, async () => {
    const { code, stdout } = await said(["carried.jsonl", "--methods", "oracle-evidence", "--json", "--quiet"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).methods["oracle-evidence"].recall["2"]).toBe(100)
    expect(fs.existsSync(path.join(folder, ".staterag/eval/carried/report.md"))).toBe(true)
  })

  it("compares two reports pair by pair", { timeout: 120_000 }, async () => {
    const base = ["own.jsonl", "--corpus", "docs", "--methods", "bm25,first", "--quiet"]
    await said([...base, "--out", "one"])
    await said([...base, "--out", "two"])
    const same = await said(["compare", "one", "two", "--json"])
    expect(same.code).toBe(0)
    for (const { difference, interval, n, p } of JSON.parse(same.stdout).paired)
      expect([difference, interval, n, p]).toEqual([0, [0, 0], 3, 1])
    const across = await said(["compare", "one/report.json", "two", "--methods", "first,bm25", "--metrics", "recall@2"])
    expect(across.stdout).toMatch(/first +bm25 +recall@2/)
    const none = await said(["compare", "one", "nowhere"])
    expect([none.code, none.stderr.includes("there is no report")]).toEqual([1, true])
  })

  it("an interrupted evaluation ends with 130 and is taken up again", { timeout: 120_000 }, async () => {
    const many = Array.from({ length: 600 }, (_, i) => ({ ...own[i % 3], id: `q${i}` }))
    write(folder, { "many.jsonl": lines(many) })
    const args = ["many.jsonl", "--corpus", "docs", "--methods", "first", "--out", "many", "--quiet"]
    const file = path.join(folder, "many/results.jsonl")
    const finished = () =>
      fs.existsSync(file)
        ? fs
            .readFileSync(file, "utf8")
            .split("\n")
            .filter((line) => line.includes('"id":')).length
        : 0
    const child = spawn(process.execPath, [command, "eval", ...args], { cwd: folder, stdio: "ignore" })
    const watching = setInterval(() => {
      if (finished() < 20) return
      clearInterval(watching)
      child.kill("SIGINT")
    }, 20)
    const code = await new Promise((resolve) => child.on("close", resolve))
    expect(code).toBe(130)
    const kept = finished()
    expect(kept).toBeGreaterThanOrEqual(20)
    expect(kept).toBeLessThan(600)
    const resumed = await said(args)
    expect(resumed.code).toBe(0)
    expect(resumed.stdout).toContain(`600 questions, ${kept} of 600 results from before`)
  })
})

describe("C29 staterag eval refuses", () => {
  const refused = async (args: ReadonlyArray<string>, code: number, ...parts: ReadonlyArray<string>) => {
    const ended = await said(args)
    expect([ended.code, ended.stdout]).toEqual([code, ""])
    for (const part of parts) expect(ended.stderr).toContain(part)
  }
  it("a method or metric that it does not know, with the nearest name", async () => {
    await refused(["own.jsonl", "--methods", "bm52"], 2, "there is no method bm52. Did you mean bm25?")
    await refused(["own.jsonl", "--metrics", "recal@5"], 2, "there is no metric recal@5. Did you mean recall@5?")
    await refused(["own.jsonl", "--lines", "ood"], 2, "Did you mean odd?")
    await refused(["own.jsonl", "--limit", "0"], 2, "--limit is at least 1")
    await refused([], 2, "no dataset was named")
    await refused(["compare", "one"], 2, "compare takes two reports")
    await refused(["own.jsonl", "--set", "maxCicles=2"], 2, "maxCicles")
  })
  it("a dataset that is missing or wrong, by file and line", async () => {
    await refused(["none.jsonl"], 1, "there is no file none.jsonl")
    await refused(
      ["bad.jsonl", "--corpus", "docs"],
      1,
      "bad.jsonl:4: is no JSON",
      "bad.jsonl:5: repeats the id ada of line 1"
    )
    await refused(["own.jsonl"], 2, "--corpus")
    await refused(
      ["lost.jsonl", "--corpus", "docs"],
      1,
      "lost.jsonl:1: the corpus lacks nowhere.md, gold of question lost"
    )
  })
})
