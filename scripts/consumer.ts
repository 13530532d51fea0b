/**
 * Is the package fit for somebody else? Packs it, installs it in an empty project with copies of its own, compiles and runs a program
 * there that uses the root and every kind of sub-path, and asks publint and attw. Needs the registry or npm's cache.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const work = fs.mkdtempSync(path.join(os.tmpdir(), "staterag-consumer-"))
const bin = (name: string) => path.join(root, "node_modules", ".bin", name)

const failures: Array<string> = []
/** Runs a command; its output is shown only where it fails. Gives what it printed. */
const run = (what: string, command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = {}): string => {
  const started = Date.now()
  const { error, status, stderr, stdout } = spawnSync(command, args, {
    cwd: work,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024
  })
  const took = `${((Date.now() - started) / 1000).toFixed(1)} s`
  if (status === 0) console.log(`ok      ${what} (${took})`)
  else {
    failures.push(what)
    console.log(`FAILED  ${what} (${took})\n${error?.message ?? ""}${stdout}${stderr}`)
  }
  return stdout
}
const expect = (what: string, holds: boolean, seen: string): void => {
  if (holds) console.log(`ok      ${what}: ${seen}`)
  else {
    failures.push(what)
    console.log(`FAILED  ${what}: ${seen}`)
  }
}

const program = `
import { Effect, Schema } from "effect"
import { Ask, Embedded, Ids, IndexCorpus, Planner } from "staterag"
import { Plan } from "staterag/domain/Plan"
import * as Testing from "staterag/testing"
import { Journal } from "staterag/services/Journal"
import * as EmbeddedAgain from "staterag/layers/Embedded"
import { ask } from "staterag/programs/Ask"

const scope = Ids.ScopeKey.make("consumer")
const program = Effect.gen(function* () {
  const report = yield* IndexCorpus.indexCorpus({ scope, paths: ["documents"] })
  const answer = yield* Ask.ask("Who maintains the parser?", { scope })
  const journal = yield* Journal
  const events = yield* journal.events(scope, answer.run)
  return {
    passages: report.passages,
    answer: answer.answer,
    cited: answer.citations.length,
    events: events.length,
    isPlan: Schema.is(Plan)({}),
    sameModule: ask === Ask.ask && EmbeddedAgain.layer === Embedded.layer,
    hasTag: Planner.key
  }
})
const main = async () => {
  const onDisk = await Effect.runPromise(Effect.provide(program, Embedded.layer({ directory: "state" })))
  const inMemory = await Effect.runPromise(Effect.provide(program, Testing.layer))
  console.log(JSON.stringify({ onDisk, inMemory }))
}
await main()
`
const consumer = {
  "package.json": JSON.stringify({
    name: "consumer",
    private: true,
    type: "module",
    dependencies: { effect: "3.22.4", staterag: "file:./staterag.tgz" },
    devDependencies: { "@types/node": "20.19.43", typescript: "7.0.2" }
  }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      module: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: true,
      types: ["node"],
      outDir: "out"
    },
    files: ["main.ts"]
  }),
  "main.ts": program,
  "documents/parser.md": "# The parser\n\nThe parser is maintained by Ada Winter. It was written in 2019.\n"
}

/** A compiled better-sqlite3 as its installer takes it from a folder, so that it need not be compiled again. */
const prebuilt = (): NodeJS.ProcessEnv => {
  const from = path.join(root, "node_modules", "better-sqlite3")
  if (!fs.existsSync(path.join(from, "build", "Release", "better_sqlite3.node"))) return {}
  const { version } = JSON.parse(fs.readFileSync(path.join(from, "package.json"), "utf8")) as { version: string }
  const name = `better-sqlite3-v${version}-node-v${process.versions.modules}-${process.platform}-${process.arch}.tar.gz`
  const packed = spawnSync("tar", ["czf", path.join(work, name), "-C", from, "build/Release/better_sqlite3.node"])
  return packed.status === 0 ? { npm_config_better_sqlite3_local_prebuilds: work } : {}
}

/** Where copies of \`effect\` lie below a folder. */
const copies = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /(^|[\\/])effect[\\/]package\.json$/.test(name))
    .filter((name) => !/[\\/](dist|src|build)[\\/]/.test(name))
    .filter(
      (name) => (JSON.parse(fs.readFileSync(path.join(folder, name), "utf8")) as { name?: string }).name === "effect"
    )

try {
  for (const [name, text] of Object.entries(consumer)) {
    fs.mkdirSync(path.dirname(path.join(work, name)), { recursive: true })
    fs.writeFileSync(path.join(work, name), text)
  }
  const packed = run("npm pack", "npm", ["pack", root, "--json", "--ignore-scripts"])
  const [pack] = JSON.parse(packed) as ReadonlyArray<{
    filename: string
    files: ReadonlyArray<{ path: string }>
    size: number
  }>
  if (pack === undefined) throw new Error("npm pack made nothing")
  fs.renameSync(path.join(work, pack.filename), path.join(work, "staterag.tgz"))
  const strays = pack.files
    .map((file) => file.path)
    .filter((name) => !/^(dist\/|README\.md$|LICENSE$|package\.json$)/.test(name))
  expect(
    "only what is meant is packed",
    strays.length === 0,
    `${pack.files.length} files, ${Math.round(pack.size / 1024)} kB ${strays.join(" ")}`
  )
  run("publint", bin("publint"), ["run", "staterag.tgz", "--strict"])
  run("attw", bin("attw"), ["staterag.tgz", "--profile", "esm-only"])
  run("npm install", "npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], prebuilt())
  const listed = run("npm ls", "npm", ["ls", "effect", "--all", "--json"])
  const versions = [...new Set([...listed.matchAll(/"effect": \{\s*"version": "([^"]+)"/g)].map((match) => match[1]))]
  const found = copies(path.join(work, "node_modules"))
  expect(
    "one effect",
    versions.length === 1 && found.length === 1,
    `version ${versions.join(", ")}, ${found.length} copy`
  )
  run("tsc", path.join(work, "node_modules", ".bin", "tsc"), ["-p", "."])
  const said = run("the program", process.execPath, ["out/main.js"])
  const line = said.trim().split("\n").at(-1) ?? ""
  const answered =
    /^\{"onDisk":\{"passages":1,"answer":"Ada Winter.*"inMemory":\{"passages":1,"answer":"Ada Winter/.test(line)
  expect("it answers, on disk and in memory", answered, line.slice(0, 100))
  expect("root and sub-paths are one module", !line.includes('"sameModule":false'), "Ask, Embedded")
  const shown = run("the command", path.join(work, "node_modules", ".bin", "staterag"), [
    "ask",
    "Who maintains the parser?",
    "--dir",
    "state",
    "--scope",
    "consumer",
    "--json"
  ])
  expect("it answers too", shown.includes("Ada Winter"), shown.slice(0, 80).replaceAll(/\s+/g, " "))
} finally {
  fs.rmSync(work, { recursive: true, force: true })
}
console.log(failures.length === 0 ? "the package is fit for use" : `${failures.length} failed: ${failures.join(", ")}`)
process.exit(failures.length === 0 ? 0 : 1)
