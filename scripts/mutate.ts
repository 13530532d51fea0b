/**
 * Does a test notice when a rule is gone? Silences each validation rule, and some other lines that carry weight, one at a time in a copy of
 * the repository, runs the tests of that part there, and says which test was the first to go red. Exit code 1 if one mutant survives.
 */
import { spawn } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

interface Mutant {
  readonly name: string
  readonly file: string
  readonly mutate: (source: string) => string
  readonly test: string
}
interface Verdict {
  readonly mutant: Mutant
  /** The first red test; undefined where all stayed green. */
  readonly red: string | undefined
}

const root = fileURLToPath(new URL("..", import.meta.url))
const rulesFile = "src/domain/Rules.ts"
const rulesTest = "test/domain/Rules.test.ts"

const replaced =
  (from: string, to: string) =>
  (source: string): string => {
    if (source.split(from).length !== 2) throw new Error(`expected to find once: ${from}`)
    return source.replace(from, () => to)
  }
const at = (name: string, file: string, test: string, from: string, to: string): Mutant => ({
  name,
  file: `src/domain/${file}.ts`,
  test: `test/domain/${test}.test.ts`,
  mutate: replaced(from, to)
})

const table = /(export const rules: [^=]*= \{)([\s\S]*?)(\n\})/
/** One mutant for each name in the `rules` table: the rule stands there still, and objects to nothing. */
const withoutRule = (source: string): ReadonlyArray<Mutant> => {
  const body = table.exec(source)?.[2] ?? ""
  const names = [...body.matchAll(/\b[A-Z]\w+/g)].map((match) => match[0])
  if (names.length < 20) throw new Error("the rules table was not found")
  return names.map((name) => ({
    name,
    file: rulesFile,
    test: rulesTest,
    mutate: (text) =>
      text.replace(table, (_, head: string, rows: string, tail: string) => {
        const silent = rows.replace(new RegExp(`\\b${name}\\b`), `{ ...${name}, objection: () => Option.none() }`)
        return `${head}${silent}${tail}`
      })
  }))
}

const others: ReadonlyArray<Mutant> = [
  at("OwnsField", "Rules", "Rules", "named !== field || (isObject", "false && (isObject"),
  at("OwnsField, one property more", "Rules", "Rules", "Object.keys(proposal).length !== 2", "false"),
  at(
    "FitsSchema",
    "Rules",
    "Rules",
    'Either.left({ rule: "FitsSchema", reason: explain(field, value) })',
    "Either.right(value as Fields[F])"
  ),
  at("what is accepted is frozen", "Compiled", "Rules", "? freeze({ ${", "? ({ ${"),
  at("no property beside the schema's", "Compiled", "Rules", "countKeys(input) === ${", "countKeys(input) >= ${"),
  at(
    "the same where no code may be made",
    "Compiled",
    "Rules",
    "countKeys(given) === fields.length",
    "countKeys(given) >= fields.length"
  ),
  at(
    "A",
    "Tam",
    "Rules",
    "Topic: true, Relation: true, Evidence: false",
    "Topic: true, Relation: true, Evidence: true"
  ),
  at("staging clears z", "State", "State", "({ ...state, verification: pending })", "({ ...state })"),
  at("the sequence has no gaps", "Run", "Run", "event.sequence !== view.sequence", "false"),
  at("the phases", "Run", "Run", "|| !phasesOf[event.tag].includes(view.phase)", ""),
  at("commits keep their order", "Run", "Run", "|| expected?.field !== field", "|| expected === undefined"),
  at("the action follows from the verdict", "Run", "Run", "if (!follows)", "if (false)"),
  at("Fail revises below T_max", "Action", "Action", "completed < maxCycles", "completed <= maxCycles"),
  at("the reader's budget", "TerminalEvidence", "TerminalEvidence", "spent - freed + cost > budget", "spent > budget"),
  at("the same span once", "TerminalEvidence", "TerminalEvidence", "b.start < a.end", "b.start <= a.end"),
  at("a citation is the evidence's text", "Answer", "Answer", "=== citation.text", "!== undefined"),
  at("money is not paid twice", "Usage", "Usage", "call.cached || call.money === null", "call.money === null")
]

const run = (command: string, args: ReadonlyArray<string>, cwd: string): Promise<{ code: number; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1" }
    })
    let output = ""
    child.stdout.on("data", (chunk) => {
      output += chunk
    })
    child.stderr.on("data", (chunk) => {
      output += chunk
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code: code ?? 1, output }))
  })

const vitest = join(root, "node_modules/vitest/vitest.mjs")
const testsOf = (test: string, cwd: string) =>
  run(process.execPath, [vitest, "run", test, "--bail=1", "--pool=threads", "--reporter=default"], cwd)
const firstRed = (output: string): string | undefined => / FAIL {2}\S+ > (.*)/.exec(output)?.[1]?.trim()

/** A copy of what the domain's tests need; the installed packages are shared. */
const copy = async (to: string): Promise<void> => {
  await mkdir(to, { recursive: true })
  for (const part of ["src/domain", "src/services", "test/domain", "test/support", "test/setup.ts"])
    await cp(join(root, part), join(to, part), { recursive: true })
  for (const part of ["package.json", "tsconfig.json", "vitest.config.ts"]) await cp(join(root, part), join(to, part))
  await symlink(join(root, "node_modules"), join(to, "node_modules"))
}

/** Tries mutants one after another in one copy, each undone before the next. */
const worker = async (folder: string, queue: Array<Mutant>, done: Array<Verdict>): Promise<void> => {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const path = join(folder, mutant.file)
    const source = await readFile(path, "utf8")
    const mutated = mutant.mutate(source)
    if (mutated === source) throw new Error(`${mutant.name} changes nothing`)
    await writeFile(path, mutated)
    const { code, output } = await testsOf(mutant.test, folder)
    await writeFile(path, source)
    const red = code === 0 ? undefined : firstRed(output)
    if (code !== 0 && red === undefined) throw new Error(`${mutant.name}: no test went red, and yet\n${output}`)
    done.push({ mutant, red })
  }
}

const main = async (): Promise<number> => {
  const started = performance.now()
  const home = await mkdtemp(join(tmpdir(), "staterag-mutate-"))
  try {
    const mutants = [...withoutRule(await readFile(join(root, rulesFile), "utf8")), ...others]
    const folders = [join(home, "a"), join(home, "b")]
    for (const folder of folders) await copy(folder)
    const tests = [...new Set(mutants.map((mutant) => mutant.test))]
    const green = await run(process.execPath, [vitest, "run", ...tests], folders[0] ?? home)
    if (green.code !== 0) {
      console.error(`The tests are red before anything is mutated:\n${green.output}`)
      return 1
    }
    const queue = [...mutants]
    const done: Array<Verdict> = []
    await Promise.all(folders.map((folder) => worker(folder, queue, done)))
    for (const mutant of mutants) {
      const red = done.find((verdict) => verdict.mutant === mutant)?.red
      console.log(`${mutant.name.padEnd(36)} ${red === undefined ? "SURVIVES" : red}`)
    }
    const survivors = done.filter(({ red }) => red === undefined)
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    console.log(
      `${done.length} mutants, ${done.length - survivors.length} found, ${survivors.length} survive; ${seconds} s`
    )
    return survivors.length === 0 && done.length === mutants.length ? 0 : 1
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

process.exitCode = await main()
