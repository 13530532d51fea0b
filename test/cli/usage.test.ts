import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { version } from "../../src/domain/Version.ts"
import { build, staterag, temporary, write } from "../support/Command.ts"

const folder = temporary()
const said = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  staterag(args, { cwd: folder, env })

beforeAll(() => {
  build()
  write(folder, { "docs/a.md": "# A\n\nThe parser is maintained by Ada Winter.\n" })
}, 120_000)
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

interface Shown {
  readonly settings: ReadonlyArray<{ readonly name: string; readonly value: string; readonly origin: string }>
}
const setting = async (name: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) => {
  const { code, stderr, stdout } = await said(["config", "--json", ...args], env)
  expect(stderr).toBe("")
  expect(code).toBe(0)
  const { settings }: Shown = JSON.parse(stdout)
  const found = settings.find((candidate) => candidate.name === name)
  return found === undefined ? undefined : [found.value, found.origin]
}

describe("help", () => {
  it("teaches what to do first, and knows the exit codes, for the command and for each of its commands", async () => {
    const { code, stderr, stdout } = await said(["--help"])
    expect([code, stderr]).toEqual([0, ""])
    const first = [/staterag index docs/, /staterag ask/, /STATERAG_MAX_CYCLES/, /completions/, /incomplete/, /130/]
    for (const part of first) expect(stdout).toMatch(part)
    const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].flatMap(([, name = ""]) => name)
    expect(names).toEqual(
      expect.arrayContaining(["index", "ask", "search", "explain", "show", "status", "runs", "config"])
    )
    for (const name of names) {
      const help = await said([name, "--help"])
      expect([name, help.code, help.stderr]).toEqual([name, 0, ""])
      expect(help.stdout).toMatch(/^Examples$/m)
      expect(help.stdout).toMatch(/^Exit codes$/m)
      expect(help.stdout).toContain("--dir DIR")
    }
  })

  it("is given whatever else is wrong, and without escapes", async () => {
    const help = await said(["ask", "--max-cycles", "many", "--help"])
    expect(help.code).toBe(0)
    expect(help.stdout).toContain("--max-cycles N")
    expect(help.stdout).not.toContain("\u001b")
    expect((await said(["help", "ask"])).stdout).toBe(help.stdout)
  })

  it("says the package's version", async () => {
    expect(version).toBe(packageJson.version)
    expect((await said(["--version"])).stdout).toBe(`${version}\n`)
  })

  it("completes commands and options in three shells", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await said(["--completions", shell])
      expect(code).toBe(0)
      expect(stdout).toContain("explain")
      expect(stdout).toContain("max-cycles")
    }
  })
})

describe("wrong usage ends with exit code 2 and the nearest name", () => {
  const cases: ReadonlyArray<readonly [args: ReadonlyArray<string>, message: RegExp]> = [
    [[], /no command was given[\s\S]*staterag index PATH/],
    [["explian"], /no command explian\. Did you mean explain\?/],
    [["ask", "who?", "--max-cycle", "2"], /no option --max-cycle\. Did you mean --max-cycles\?/],
    [["ask", "who?", "--max-cycles"], /--max-cycles needs a value/],
    [["ask", "who?", "--max-cycles", "many"], /many is no whole number\n {2}\S/],
    [["ask", "who?", "--set", "maxCycle=2"], /no policy maxCycle\. Did you mean maxCycles\?/],
    [["ask", "who?", "--set", "maxCycles=none"], /none does not fit/],
    [["ask", "who?", "--set", "maxCycles=0"], /maxCycles=0: 0 does not fit: a positive number is expected\n {2}\S/],
    [["ask", "who?", "--set", "mergeOrder=oldestfirst"], /"document" is expected\. Did you mean oldestFirst\?\n {2}\S/],
    [["ask", "who?", "--set", "budget.token=5"], /no policy budget\.token\. Did you mean budget\.tokens\?/],
    [["ask", "who?", "--set", "maxCycles"], /no NAME=VALUE/],
    [["ask", "who?", "--timeout", "soon"], /soon is no time/],
    [["ask", "who?", "--json=yes"], /--json takes no value/],
    [["ask", "who?", "--log-level", "loud"], /no log level loud/],
    [["ask", "who?", "--scope", "../x"], /cannot name a scope/],
    [["ask", ""], /the question is empty[\s\S]*staterag ask "/],
    [["ask", "  \n "], /the question is empty/],
    [["ask", "-"], /the question is empty/],
    [["ask"], /the question is empty/],
    [["ask", "-who"], /text that starts with a dash goes after --/],
    [["index"], /no path was given/],
    [["index", ""], /a path is empty/],
    [["index", ".", "--include", ""], /--include needs a value/],
    [["index", ".", "--max-size", "huge"], /--max-size huge is no size/],
    [["index", ".", "--format", "markdwon"], /Did you mean markdown\?/],
    [["explain", "--format", "memraid"], /Did you mean mermaid\?/],
    [["runs", "--outcome", "Releas"], /Did you mean Release\?/],
    [["runs", "--limit", "0"], /--limit is at least 1/],
    [["search", "x", "--top", "0"], /--top is at least 1/],
    [["show"], /DOCUMENT/],
    [["config", "surplus"], /surplus/],
    [["config", "--config", "absent.json"], /no config file absent\.json/],
    [["--completions", "csh"], /no completions for csh/]
  ]
  it.each(cases)("%j", async (args, message) => {
    const { code, stderr, stdout } = await said(args)
    expect(stderr).toMatch(message)
    expect([code, stdout]).toEqual([2, ""])
    expect(fs.existsSync(path.join(folder, ".staterag"))).toBe(false)
  })
})

describe("the order of arguments", () => {
  it("does not matter, `--name=value` works, the later option wins, and -- ends options", async () => {
    const before = await said(["--json", "config", "--set", "maxCycles=2"])
    const after = await said(["config", "--set=maxCycles=7", "--json", "--set", "maxCycles=2"])
    const outside = await said(["--set", "maxCycles=2", "config", "--json"])
    expect(before.code).toBe(0)
    expect(outside.stdout).toBe(before.stdout)
    const value = (text: string) =>
      JSON.parse(text).settings.find((s: { name: string }) => s.name === "maxCycles").value
    expect(value(after.stdout)).toBe("2")
    const dashed = await said(["search", "--dir", "absent", "--", "--json"])
    expect([dashed.code, dashed.stdout]).toEqual([1, ""])
    expect(dashed.stderr).toMatch(/nothing has been indexed here yet/)
  })
})

describe("settings", () => {
  it("come from the option, else the environment, else the config file, else the default", async () => {
    expect(await setting("maxCycles", [])).toEqual(["3", "default"])
    write(folder, {
      "staterag.config.json": '{ "maxCycles": 4, "budget": { "tokens": 900 }, "itemsPerCycle": [4, 1] }'
    })
    try {
      expect(await setting("maxCycles", [])).toEqual(["4", "file"])
      expect(await setting("budget.tokens", [])).toEqual(["900", "file"])
      expect(await setting("itemsPerCycle", [])).toEqual(["4,1", "file"])
      expect(await setting("maxCycles", [], { STATERAG_MAX_CYCLES: "5" })).toEqual(["5", "environment"])
      expect(await setting("budget.tokens", [], { STATERAG_BUDGET_TOKENS: "7" })).toEqual(["7", "environment"])
      expect(await setting("maxCycles", ["--set", "maxCycles=6"], { STATERAG_MAX_CYCLES: "5" })).toEqual([
        "6",
        "option"
      ])
      expect(await setting("scope", [], { STATERAG_SCOPE: "docs" })).toEqual(["docs", "environment"])
      expect(await setting("scope", ["--scope", "notes"], { STATERAG_SCOPE: "docs" })).toEqual(["notes", "option"])
      expect(await setting("scope", ["--scope", "first", "--scope=second"])).toEqual(["second", "option"])
      expect(await setting("logLevel", ["--log-level", "debug"])).toEqual(["debug", "option"])
      write(folder, { "other.json": '{ "maxCycles": 1 }' })
      expect(await setting("maxCycles", ["--config", "other.json"])).toEqual(["1", "file"])
    } finally {
      fs.rmSync(path.join(folder, "staterag.config.json"))
    }
  })

  it("that do not fit are refused with where they stand", async () => {
    const env = await said(["config"], { STATERAG_MAX_CYCLES: "many" })
    expect(env.code).toBe(2)
    expect(env.stderr).toMatch(/STATERAG_MAX_CYCLES: many does not fit/)
    write(folder, { "bad.json": "{", "strange.json": '{ "maxCycle": 2 }', "list.json": "[]" })
    for (const [file, message] of [
      ["bad.json", /bad\.json is no JSON: [^\n]+\n {2}mend it/],
      ["strange.json", /no setting maxCycle\. Did you mean maxCycles\?/],
      ["list.json", /no JSON object/]
    ] as const) {
      const { code, stderr } = await said(["config", "--config", file])
      expect(stderr).toMatch(message)
      expect(code).toBe(2)
    }
  })

  it("in the environment that are none of ours are named, unless --quiet", async () => {
    const env = { STATERAG_MAX_CYCLE: "2", STATERAG_DATA: "/data" }
    const loud = await said(["config"], env)
    expect(loud.code).toBe(0)
    expect(loud.stderr).toMatch(/STATERAG_MAX_CYCLE: no such setting/)
    expect(loud.stderr).not.toContain("STATERAG_DATA")
    expect((await said(["config", "--quiet"], env)).stderr).toBe("")
  })
})
