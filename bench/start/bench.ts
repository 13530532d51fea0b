/**
 * What a command costs to start: the built command on a small index against `node -e 0`, as interleaved pairs of processes, by CPU time of the
 * whole process. It builds nothing; `npm run bench` has built what is older than its sources.
 *
 * A parent cannot read what one child has used, so each child says it itself when it exits, through a file that Node loads first.
 *
 * Gates: the median of the pairs' ratios of each command is at most {@link gates}.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { median, table } from "../report.ts"

export const about = "what a command costs to start, against `node -e 0` (CPU)"

/** What nothing answers takes all three cycles, the dearest of questions. */
const question = "Where was the author of the printer's first manual born?"
/** Times a bare Node, at most. */
const gates: ReadonlyArray<readonly [args: ReadonlyArray<string>, gate: number]> = [
  [["--version"], 2.5],
  [["--help"], 2.5],
  [["status", "--json"], 3.5],
  [["ask", question], 6]
]

const documents = [
  "# The parser\n\nThe parser is maintained by Ada Winter. It was written in 2019 for the Harbour project.",
  "# The Harbour project\n\nThe Harbour project is led by Jon Field. A report of 2021 names the parser as its best part.",
  "# Ada Winter\n\nAda Winter lives in Bremen and works for the Harbour project. She also maintains the printer."
].join("\n\n")

const meter = `process.on("exit", () => {
  const { system, user } = process.cpuUsage()
  require("node:fs").writeFileSync(process.env.METER_FILE, String((system + user) / 1000))
})
`

/** Runs the benchmark; false where a gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const at = args.indexOf("--rounds")
  const rounds = at < 0 ? 9 : Number(args[at + 1])
  if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error("--rounds is a whole number from 1")
  const command = join(process.cwd(), "dist", "staterag.js")
  if (!existsSync(command)) throw new Error(`there is no ${command}: run \`npm run build\``)
  const home = mkdtempSync(join(tmpdir(), "staterag-bench-"))
  try {
    const hook = join(home, "meter.cjs")
    const file = join(home, "cpu")
    writeFileSync(hook, meter)
    writeFileSync(join(home, "report.md"), documents)

    /** CPU milliseconds of one process of Node's, from its start to its exit. */
    const cpu = (rest: ReadonlyArray<string>): number => {
      const { status, stderr } = spawnSync(process.execPath, ["--require", hook, ...rest], {
        cwd: home,
        env: { ...process.env, METER_FILE: file },
        encoding: "utf8",
        stdio: ["ignore", "ignore", "pipe"]
      })
      if (status !== 0) throw new Error(`node ${rest.join(" ")} ended with ${status}\n${stderr}`)
      return Number(readFileSync(file, "utf8"))
    }

    copyFileSync(join(process.cwd(), "README.md"), join(home, "readme.md"))
    cpu([command, "index", "report.md", "readme.md", "--quiet"])
    // once, so that files and compiled code are where later runs find them
    for (const [words] of gates) cpu([command, ...words])
    const bare: Array<number> = []
    const measured = gates.map(([words, gate]) => ({ words, gate, own: [] as number[], ratios: [] as number[] }))
    for (let round = 0; round < rounds; round++) {
      for (const { own, ratios, words } of measured) {
        const base = cpu(["-e", "0"])
        const whole = cpu([command, ...words])
        bare.push(base)
        own.push(whole)
        ratios.push(whole / base)
      }
    }

    console.log(`${about}; ${rounds} pairs each, medians; node ${process.version}\n`)
    const rows = measured.map(({ gate, own, ratios, words }) => [
      `staterag ${words[0]}${words[1] === "--json" ? " --json" : ""}`,
      median(own).toFixed(0),
      median(ratios).toFixed(2),
      gate.toFixed(1),
      median(ratios) <= gate ? "held" : "BROKEN"
    ])
    console.log(
      table(["", "CPU ms", "× bare node", "gate", ""], [["node -e 0", median(bare).toFixed(0), "1", "", ""], ...rows])
    )
    return measured.every(({ gate, ratios }) => median(ratios) <= gate)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
