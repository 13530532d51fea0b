/**
 * What size costs: invented corpora of growing size, each indexed in one process and asked in another, by CPU time and peak memory; and what
 * lies on disk, by table. Growth is fitted over the sizes from 1,000 on: an exponent of 1 is proportional, 2 quadratic.
 *
 * Sizes: `--sizes 0,1,2,11,12,6000,20000` (records; the default). 200,000 passages are `--sizes 6000,185000`, which takes its time.
 * `--heap-growing PERCENT` has V8 collect garbage when the heap has grown by so much, which trades CPU for memory.
 * Gates, at 200,000: 600 passages a second of CPU, 1.5 GB, a median question of 120 ms, and 0.7 for the exponent of a question's time.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { Effect, Schema } from "effect"
import * as Client from "../../src/layers/sql/Client.ts"
import { median, table } from "../report.ts"
import { type Asked, asking, type Indexed, index } from "./child.ts"
import { encyclopaedia } from "./corpus.ts"

export const about = "index, memory, questions and disk by size of the corpus"

const recordsAFile = 10_000

/** The corpus of `size` records, in files of {@link recordsAFile}. */
const write = (folder: string, size: number): void => {
  mkdirSync(folder, { recursive: true })
  const { record } = encyclopaedia(size)
  for (let from = 0; from === 0 || from < size; from += recordsAFile) {
    const lines: Array<string> = []
    for (let n = from; n < Math.min(size, from + recordsAFile); n++) lines.push(`${JSON.stringify(record(n))}\n`)
    writeFileSync(join(folder, `part-${from}.jsonl`), lines.join(""))
  }
}

const decodeSizes = Schema.decodeUnknownPromise(Schema.Array(Schema.Struct({ name: Schema.String, bytes: Schema.Int })))

/** Bytes by table with its indexes, largest first; a word table with its shadow tables under one name each. */
const onDisk = async (filename: string): Promise<ReadonlyArray<readonly [table: string, bytes: number]>> => {
  const rows = await Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`SELECT m.tbl_name AS name, sum(s.pgsize) AS bytes
      FROM dbstat s JOIN sqlite_master m ON m.name = s.name GROUP BY m.tbl_name`)
  ).pipe(Effect.provide(Client.layer({ filename, create: false })), Effect.runPromise)
  const sizes = new Map<string, number>()
  for (const { bytes, name } of await decodeSizes(rows)) {
    const shown = name.replace(/_\d+(?:_(\w+))?$/, (_, part?: string) => (part === undefined ? "" : ` (${part})`))
    sizes.set(shown, (sizes.get(shown) ?? 0) + bytes)
  }
  return [...sizes].sort(([, a], [, b]) => b - a)
}

/** The slope of log y over log x. */
const exponent = (points: ReadonlyArray<readonly [number, number]>): number => {
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const)
  const mean = (at: 0 | 1) => logs.reduce((sum, point) => sum + point[at], 0) / logs.length
  const [x, y] = [mean(0), mean(1)]
  return (
    logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) /
    logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
  )
}

/** Runs the benchmark; false where a corpus cannot be indexed or a gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const after = (name: string, otherwise: string) =>
    args.includes(name) ? (args[args.indexOf(name) + 1] ?? otherwise) : otherwise
  if (args[0] === "--child") {
    const [, role, directory = "", rest = "", questions = ""] = args
    console.log(
      JSON.stringify(
        role === "index" ? await index(directory, rest) : await asking(directory, Number(rest), Number(questions))
      )
    )
    return true
  }
  const growing = after("--heap-growing", "")
  const flags = growing === "" ? [] : [`--heap-growing-percent=${growing}`]
  const child = <A>(...words: ReadonlyArray<string>): A => {
    const self = process.argv[1] ?? ""
    const { status, stdout } = spawnSync(process.execPath, [...flags, self, "--child", ...words], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 1 << 28
    })
    if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}`)
    return JSON.parse(stdout) as A
  }
  const sizes = after("--sizes", "0,1,2,11,12,6000,20000").split(",").map(Number)
  const questions = Number(after("--questions", "40"))
  const home = mkdtempSync(join(tmpdir(), "staterag-size-"))
  const runs: Array<{
    readonly made: Indexed
    readonly asked: Asked | undefined
    readonly disk: Awaited<ReturnType<typeof onDisk>>
  }> = []
  let holds = true
  try {
    for (const size of sizes) {
      const [folder, directory] = [join(home, `corpus-${size}`), join(home, `state-${size}`)]
      write(folder, size)
      const made = child<Indexed>("index", directory, folder)
      const empty = size === 0
      if ((made.error === null) === empty) holds = false
      const asked = empty ? undefined : child<Asked>("ask", directory, String(size), String(Math.min(size, questions)))
      runs.push({ made, asked, disk: empty ? [] : await onDisk(join(directory, "staterag.db")) })
      rmSync(folder, { recursive: true })
      rmSync(directory, { recursive: true, force: true })
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }

  const ms = (value: number) => value.toFixed(0)
  console.log(`${about}; node ${process.version}\n`)
  console.log(
    table(
      [
        "passages",
        "Relations",
        "index CPU s",
        "passages/s",
        "peak MB",
        "first ms",
        "question ms",
        "peak MB",
        "bytes/passage"
      ],
      runs.map(({ asked, disk, made }) => [
        made.error ?? String(made.passages),
        String(made.relations),
        (made.cpu / 1000).toFixed(1),
        ms((made.passages / made.cpu) * 1000),
        ms(made.peakMB),
        ms(asked?.first ?? Number.NaN),
        ms(median(asked?.each ?? [])),
        ms(asked?.peakMB ?? Number.NaN),
        ms(disk.reduce((sum, [, bytes]) => sum + bytes, 0) / made.passages)
      ])
    )
  )
  const last = runs.at(-1)
  if (last !== undefined && last.made.passages > 0) {
    const { disk, made } = last
    console.log(`\non disk at ${made.passages} passages\n`)
    console.log(
      table(
        ["table", "bytes a passage"],
        disk.slice(0, 16).map(([name, bytes]) => [name, ms(bytes / made.passages)])
      )
    )
    console.log(`\nindexing ${made.passages} passages\n`)
    console.log(
      table(
        ["part", "CPU ms a passage"],
        Object.entries(made.parts).map(([name, cpu]) => [name, (cpu / made.passages).toFixed(3)])
      )
    )
  }
  const large = runs.filter(({ made }) => made.passages >= 1000)
  if (large.length > 1) {
    const slope = (value: (run: (typeof large)[number]) => number) =>
      exponent(large.map((run) => [run.made.passages, value(run)] as const))
    const growth = slope(({ asked }) => median(asked?.each ?? []))
    console.log(
      `\nexponents: index CPU ${slope(({ made }) => made.cpu).toFixed(2)}, memory ${slope(({ made }) => made.peakMB).toFixed(2)}, ` +
        `question ${growth.toFixed(2)} (gate 0.7)`
    )
    holds &&= growth <= 0.7
  }
  if (last !== undefined && last.made.passages >= 150_000) {
    holds &&= (last.made.passages / last.made.cpu) * 1000 >= 600 && last.made.peakMB <= 1536
    holds &&= median(last.asked?.each ?? []) <= 120
  }
  console.log(holds ? "\nholds" : "\nBROKEN")
  return holds
}
