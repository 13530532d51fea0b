/** The built command in a process of its own, as users run it. */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
export const command = path.join(root, "dist", "staterag.js")

/** Builds what is older than its sources; does nothing where all is fresh. */
export const build = (): void => {
  const { status, stderr } = spawnSync(process.execPath, [path.join(root, "scripts", "ensure.mjs"), "--build"], {
    encoding: "utf8"
  })
  if (status !== 0) throw new Error(stderr)
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Sent this long (ms) after the start. */
  readonly signal?: readonly [NodeJS.Signals, number]
}

const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("STATERAG_")))

/** Any command, with its output. */
export const run = (file: string, args: ReadonlyArray<string>, options: Options): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: options.cwd, env: { ...inherited, ...options.env } })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.on("error", reject)
    child.on("close", (code, signal) =>
      resolve({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() })
    )
    child.stdin.on("error", () => undefined)
    child.stdin.end(options.input ?? "")
    if (options.signal !== undefined) {
      const [signal, after] = options.signal
      setTimeout(() => child.kill(signal), after)
    }
  })

export const staterag = (args: ReadonlyArray<string>, options: Options): Promise<Ended> =>
  run(process.execPath, [command, ...args], options)

/** A folder of its own for a test file. */
export const temporary = (): string => fs.mkdtempSync(path.join(os.tmpdir(), "staterag-test-"))

/** Writes files, by path relative to `folder`. */
export const write = (folder: string, files: Readonly<Record<string, string | Uint8Array>>): void => {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, content)
  }
}

/** A small corpus with a name in two documents, and characters that a terminal would obey. */
export const documents = {
  "docs/parser.md":
    "# The parser\n\nThe parser is maintained by Ada Winter. It was written in 2019 for the Harbour project.\n\n## Limits\n\nThe parser reads files of up to 64 megabytes.\n",
  "docs/harbour.md":
    "# Harbour\n\nThe Harbour project is led by Jon Field, who lives in Bremen. A report of 2021 names the parser as its best part.\n",
  "docs/ada.md": "# Ada Winter\n\nAda Winter was born in Oslo. Ada Winter works for the Harbour project.\n",
  "docs/jon.md": "# Jon Field\n\nJon Field was born in Turin. He also leads the printing house.\n",
  "docs/strange.txt": "The beacon says \u001b[31mred\u001b[0m and \u0007 and \u202eturned\u202c.\n"
} as const
