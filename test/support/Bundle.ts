/** A program of the tests in processes of its own, bundled once: a loader would cost each of them seconds. */
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const here = dirname(fileURLToPath(import.meta.url))
// beside the packages that it imports
const target = join(dirname(dirname(here)), "node_modules", ".cache", "staterag-test")

/** Bundles `test/support/NAME.ts`; gives the file to run. */
export const bundle = async (name: string): Promise<string> => {
  mkdirSync(target, { recursive: true })
  const outfile = join(target, `${basename(name, ".ts")}.mjs`)
  await build({
    entryPoints: [join(here, name)],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external"
  })
  return outfile
}

export interface Child {
  readonly code: number | null
  readonly output: string
}

/** Runs a bundled program to its end. */
export const start = (file: string, args: ReadonlyArray<string>): Promise<Child> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    const output: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => output.push(chunk))
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, output: Buffer.concat(output).toString() }))
  })
