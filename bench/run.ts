/**
 * `npm run bench -- NAME [options]`: bundles one benchmark and runs it in a node of its own, since code that a development loader transforms
 * is slower than what is shipped. Exits 1 where the benchmark's gate is broken.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(here)
const names = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(here, entry.name, "bench.ts")))
  .map((entry) => entry.name)
  .sort()

const usage = `usage: npm run bench -- NAME [--rounds N] [--questions N] [--profile DIR]

benchmarks: ${names.join(", ")}

  --model, --planner-model, --verifier-model, --reader-model, --embedding, --config
                  models of what asks questions (ask, faults, memory, stream, sweep), as the command takes them
  --profile DIR   write a CPU profile to DIR (open it in a browser's developer tools)
  --only SIDE     run one side alone, for a profile (controller: product, plain)
`

const [name, ...rest] = process.argv.slice(2)
if (name === undefined || name === "--help" || name === "-h") {
  process.stdout.write(usage)
  process.exit(0)
}
if (!names.includes(name)) {
  process.stderr.write(`there is no benchmark ${name}\n\n${usage}`)
  process.exit(2)
}

const folder = join(root, "node_modules", ".cache", "staterag-bench")
mkdirSync(folder, { recursive: true })
const entry = join(here, name, "bench.ts")
const outfile = join(folder, `${name}.mjs`)
await build({
  stdin: {
    contents: `import { main } from ${JSON.stringify(entry)}\nprocess.exitCode = (await main(process.argv.slice(2))) ? 0 : 1\n`,
    resolveDir: here
  },
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external"
})
const profile = rest.indexOf("--profile")
const flags = profile < 0 ? [] : ["--cpu-prof", "--cpu-prof-dir", rest[profile + 1] ?? "."]
const { status } = spawnSync(process.execPath, [...flags, "--expose-gc", outfile, ...rest], {
  stdio: "inherit",
  cwd: root
})
process.exit(status ?? 1)
