/**
 * Makes a clone ready, doing only what is missing: installs the packages of the lock file, and with `--build` builds `dist/`.
 * It needs nothing but Node, so that it can run before anything is installed.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const at = (...parts) => join(root, ...parts)
const modified = (path) => (existsSync(path) ? statSync(path).mtimeMs : Number.NEGATIVE_INFINITY)

/** Runs a command; its output goes to standard error, so that results on standard output stay clean. */
const run = (command, args, env = process.env) => {
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: ["ignore", 2, 2] })
  if (status === 0) return
  process.stderr.write(`\`${[command, ...args].join(" ")}\` failed${error === undefined ? "" : `: ${error.message}`}\n`)
  process.exit(1)
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`staterag needs Node 20.19 or newer; this is ${process.version}\n`)
  process.exit(1)
}

/** Whether a process is still there. */
const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Does `work` while no other process of this clone does the like; what has become of `isDone` meanwhile is asked again. */
const alone = (isDone, work) => {
  const claim = at(".ensure.pid")
  for (;;) {
    if (isDone()) return
    try {
      writeFileSync(claim, String(process.pid), { flag: "wx" })
      break
    } catch (error) {
      if (error.code !== "EEXIST") throw error
    }
    const holder = existsSync(claim) ? Number(readFileSync(claim, "utf8")) : 0
    // an empty claim is being written
    if (holder > 0 && !isAlive(holder)) rmSync(claim, { force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
  }
  const release = () => rmSync(claim, { force: true })
  process.once("exit", release)
  if (!isDone()) work()
  release()
  process.removeListener("exit", release)
}

/** The environment in which a native module is compiled with Node's own headers, where they came along, and fetches none. */
const compiling = () => {
  const prefix = dirname(dirname(realpathSync(process.execPath)))
  const hasHeaders = existsSync(join(prefix, "include", "node", "node_version.h"))
  return hasHeaders ? { npm_config_nodedir: prefix, ...process.env } : process.env
}

const marker = at("node_modules", ".staterag-lock")
const installed = at("node_modules", ".package-lock.json")
const locked = () =>
  createHash("sha256")
    .update(readFileSync(at("package-lock.json")))
    .digest("hex")
const isInstalled = () =>
  existsSync(marker)
    ? existsSync(installed) && readFileSync(marker, "utf8") === locked()
    : modified(installed) >= modified(at("package-lock.json"))
alone(isInstalled, () => {
  process.stderr.write(
    "Installing what the lock file names (a native module may be compiled; this can take two minutes) …\n"
  )
  const lock = locked()
  run("npm", ["ci", "--no-audit", "--no-fund"], compiling())
  writeFileSync(marker, lock)
})

if (process.argv.includes("--build")) {
  const files = (folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  const sources = [
    ...files(at("src")),
    ...["build.ts", "launcher.mjs", "warm.cjs"].map((name) => at("scripts", name)),
    at("package.json"),
    at("package-lock.json")
  ]
  const isBuilt = () => {
    const built = Math.min(modified(at("dist", "staterag.js")), modified(at("dist", ".complete")))
    return sources.every((path) => modified(path) <= built)
  }
  alone(isBuilt, () => {
    process.stderr.write("Building …\n")
    run(process.execPath, ["--import", "tsx", at("scripts", "build.ts")])
  })
}
