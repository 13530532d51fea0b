#!/usr/bin/env node
// Starts the command, `staterag.cjs` beside this file. Compiling it takes longer than most commands run, so its compiled code is kept:
// by Node's own compile cache where there is one (22.8 and newer), else by the file that the build left here. Code that was compiled by
// another version of Node is rejected by V8 and not used.
import module from "node:module"

const require = module.createRequire(import.meta.url)
// packages that are taken when they are there may wait at their top, which `require` cannot
globalThis[Symbol.for("staterag.import")] = (name) => import(name)
const filename = require.resolve("./staterag.cjs")

if (module.enableCompileCache !== undefined) {
  module.enableCompileCache()
  require(filename)
} else {
  const { existsSync, readFileSync } = require("node:fs")
  const { dirname } = require("node:path")
  const { setFlagsFromString } = require("node:v8")
  const { Script } = require("node:vm")
  // the bundle is ASCII: as latin1 it is not decoded
  const kept = filename.replace(/\.cjs$/, ".cache")
  const cachedData = existsSync(kept) ? readFileSync(kept) : undefined
  const script = new Script(module.wrap(readFileSync(filename, "latin1")), { filename, cachedData })
  // A command is over before the code that V8 optimises pays for itself, and most of its garbage is never worth collecting: optimise what
  // has run four times as long as usual, and let the young generation grow to its limit at once. V8 reads both whenever it needs them; both
  // were tried with this line of Node alone, and flags that later ones do not know would be complained of on standard error.
  setFlagsFromString("--interrupt-budget=500000")
  setFlagsFromString("--semi-space-growth-factor=16")
  const loaded = { exports: {} }
  script.runInThisContext()(loaded.exports, require, loaded, filename, dirname(filename))
}
