/**
 * Keeps the compiled code of the command: runs what users run most in this process, then writes what V8 has compiled. What takes long anyway
 * (`index`) is run beside it: every command pays for all code that is kept.
 *
 *     node scripts/warm.cjs dist/staterag.cjs FOLDER-TO-INDEX EMPTY-FOLDER
 */
const { spawnSync } = require("node:child_process")
const { readFileSync, writeFileSync } = require("node:fs")
const { createRequire, wrap } = require("node:module")
const { dirname } = require("node:path")
const { Script } = require("node:vm")

const [, self, filename, documents, state] = process.argv
const script = new Script(wrap(readFileSync(filename, "latin1")), { filename })
const commands = [
  ["--help"],
  ["config"],
  ["ask", "Who maintains the parser, and which report names it?"],
  ["explain"],
  ["search", "parser"],
  ["status"],
  ["status", "--json"],
  ["ask", "What does the report say about the parser?", "--json"]
]

const indexing = spawnSync(process.execPath, [filename, "index", documents, "--dir", state, "--quiet"], {
  stdio: ["ignore", "ignore", "inherit"]
})
if (indexing.status !== 0) process.exit(1)

process.stdout.write = (_text, done) => {
  if (typeof done === "function") process.nextTick(done)
  return true
}
// fires whenever a command has nothing left to do
process.on("beforeExit", () => {
  const next = commands.shift()
  if (next === undefined) {
    if (script.cachedDataWritten === undefined) {
      script.cachedDataWritten = true
      writeFileSync(filename.replace(/\.cjs$/, ".cache"), script.createCachedData())
    }
    return
  }
  process.argv = [process.execPath, self, ...next, ...(next[0].startsWith("-") ? [] : ["--dir", state, "--quiet"])]
  const loaded = { exports: {} }
  script.runInThisContext()(loaded.exports, createRequire(filename), loaded, filename, dirname(filename))
})
