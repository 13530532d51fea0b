#!/usr/bin/env node
// Starts the command, `staterag.cjs` beside this file. Compiling it takes longer than most commands run, so its compiled code is kept:
// by Node's own compile cache where there is one (22.8 and newer), else by the file that the build left here. Code that was compiled by
// another version of Node is rejected by V8 and not used.
import module from "node:module"

const require = module.createRequire(import.meta.url)
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
  // a command is over before the code that V8 optimises pays for itself, and its garbage is fewer collections' work in larger spaces:
  // optimise what has run four times as long, and let the young generation grow eightfold. Both were tried with this Node's V8 alone
  setFlagsFromString("--interrupt-budget=500000")
  setFlagsFromString("--semi-space-growth-factor=8")
  const loaded = { exports: {} }
  script.runInThisContext()(loaded.exports, require, loaded, filename, dirname(filename))
}
