#!/usr/bin/env node
// Starts the command, `staterag.cjs` beside this file. Compiling it takes longer than most commands run, so its compiled code is kept:
// by Node's own compile cache where there is one (22.8 and newer), else by the file that the build left here. Code that was compiled by
// another version of Node is rejected by V8 and not used.
import { existsSync, readFileSync } from "node:fs"
import module from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { Script } from "node:vm"

const folder = dirname(fileURLToPath(import.meta.url))
const filename = join(folder, "staterag.cjs")
const require = module.createRequire(filename)
const kept = join(folder, "staterag.cache")

if (module.enableCompileCache !== undefined) {
  module.enableCompileCache()
  require(filename)
} else {
  const cachedData = existsSync(kept) ? readFileSync(kept) : undefined
  const script = new Script(module.wrap(readFileSync(filename, "utf8")), { filename, cachedData })
  const loaded = { exports: {} }
  script.runInThisContext()(loaded.exports, require, loaded, filename, folder)
}
