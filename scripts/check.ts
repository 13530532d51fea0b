/**
 * Types with the Effect diagnostics, lint and format, and the architecture (folders, vendors, cycles).
 *
 * A checker that is set up wrongly checks nothing and says nothing, so it is first shown a file that it must refuse.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const require = createRequire(import.meta.url)

const checker = path.join(root, "scripts", "checker")

/** The compiler with the Effect diagnostics built in, where the platform has one; else the plain one. It is large, so it is no dependency. */
const compiler = (): { readonly command: ReadonlyArray<string>; readonly knowsEffect: boolean } => {
  const version: string = require("typescript/package.json").version
  if (process.platform === "linux" && process.arch === "x64") {
    const installed = path.join(checker, "node_modules", "@effect", "tsgo-linux-x64")
    if (!fs.existsSync(installed))
      spawnSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: checker, stdio: ["ignore", 2, 2] })
    const binary = path.join(installed, "artifacts", "typescript", version, "tsc")
    if (fs.existsSync(binary)) return { command: [binary], knowsEffect: true }
  }
  return {
    command: [process.execPath, path.join(path.dirname(require.resolve("typescript/package.json")), "bin", "tsc")],
    knowsEffect: false
  }
}

const bin = (name: string): string => path.join(root, "node_modules", ".bin", name)
let failed = 0

const step = (name: string, [command = "", ...args]: ReadonlyArray<string>): void => {
  process.stdout.write(`${name} …\n`)
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" })
  if (status === 0) return
  failed++
  process.stdout.write(`${name}: FAILED\n`)
}

const { command, knowsEffect } = compiler()
if (knowsEffect) {
  const [binary = "", ...args] = command
  const { stdout, status } = spawnSync(binary, [...args, "-p", "test/fixtures/known-bad", "--noEmit"], {
    cwd: root,
    encoding: "utf8"
  })
  if (status === 0 || !stdout.includes("floatingEffect")) {
    process.stdout.write(
      `The Effect diagnostics did not refuse test/fixtures/known-bad: they check nothing.\n${stdout}`
    )
    failed++
  }
} else process.stdout.write("The Effect diagnostics are not available on this platform: plain type checking.\n")

step("Types", [...command, "-p", ".", "--noEmit"])
step("Types of the page", [...command, "-p", "scripts/report-page", "--noEmit"])
step("Lint and format", [bin("biome"), "check", "."])
step("Architecture", [bin("vitest"), "run", "test/Architecture.test.ts", "--reporter=dot"])
process.exit(failed === 0 ? 0 : 1)
