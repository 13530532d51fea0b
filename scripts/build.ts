/**
 * Builds `dist/`: the library (ES modules with their types, by tsc) and the command (one file, by esbuild, with its compiled code
 * beside it, and the launcher `dist/staterag.js`).
 *
 * The command starts in a fraction of the time when it is one file without what it does not use. Native modules and the token vocabulary
 * stay outside the file.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as esbuild from "esbuild"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, "dist")
/** Built here and then put in the place of `dist/`, so that a build that fails leaves the last one. */
const staging = path.join(root, `.build-${process.pid}`)
const require = createRequire(import.meta.url)

/** Function exports of the barrel `effect`, which are no modules. */
const functions = new Set(["pipe", "flow", "identity", "absurd", "hole", "unsafeCoerce"])

/** Where `name` of the barrel `specifier` lies, if it is a module of its own. */
const moduleOf = (specifier: string, name: string): string | undefined =>
  [`${specifier}/${name}`, `${specifier}/HelpDoc/${name}`].find((candidate) => {
    try {
      require.resolve(candidate)
      return true
    } catch {
      return false
    }
  })

/**
 * `import { Effect, type Layer, pipe } from "effect"` as imports of the modules themselves: a namespace that comes out of a barrel is kept
 * whole by the bundler, one that is imported directly is shaken.
 */
const withoutBarrels: esbuild.Plugin = {
  name: "without-barrels",
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path: file }) => {
      const source = fs.readFileSync(file, "utf8")
      const contents = source.replace(
        /^import \{([^}]*)\} from "(effect|@effect\/[a-z-]+)"$/gm,
        (whole, list: string, specifier: string) => {
          const names = list
            .split(",")
            .map((name) => name.trim())
            .filter((name) => name !== "" && !name.startsWith("type "))
          const rewritten = names.map((name) => {
            const [imported = "", local = imported] = name.split(/\s+as\s+/)
            if (specifier === "effect" && functions.has(imported)) return `import { ${name} } from "effect/Function"`
            const module = moduleOf(specifier, imported)
            return module === undefined ? undefined : `import * as ${local} from "${module}"`
          })
          return rewritten.includes(undefined) ? whole : rewritten.join(";")
        }
      )
      return { contents, loader: "ts" }
    })
  }
}

/** The command, and the launcher that keeps its compiled code. */
const command = async (): Promise<void> => {
  const bundle = path.join(staging, "staterag.cjs")
  const launcher = path.join(staging, "staterag.js")
  await esbuild.build({
    entryPoints: [path.join(root, "src", "programs", "main.ts")],
    outfile: bundle,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    // packages that are loaded late come through `require`, which code that was compiled before can do
    supported: { "dynamic-import": false },
    external: [
      "better-sqlite3",
      "usearch",
      "gpt-tokenizer",
      "gpt-tokenizer/*",
      "openai",
      "undici",
      "jsonrepair",
      "graphology",
      "graphology-communities-louvain",
      "ml-pca"
    ],
    plugins: [withoutBarrels],
    minifyWhitespace: true,
    minifySyntax: true,
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning"
  })
  fs.copyFileSync(path.join(root, "scripts", "launcher.mjs"), launcher)
  fs.chmodSync(launcher, 0o755)
  const work = fs.mkdtempSync(path.join(os.tmpdir(), "staterag-build-"))
  try {
    fs.writeFileSync(path.join(work, "report.md"), sample)
    run([path.join(root, "scripts", "warm.cjs"), bundle, path.join(work, "report.md"), path.join(work, "state")])
  } finally {
    fs.rmSync(work, { recursive: true, force: true })
  }
}

/** Something to index and ask about, so that the compiled code is that of real work. */
const sample = [
  "# The parser\n\nThe parser is maintained by Ada Winter. It was written in 2019 for the Harbour project.",
  "# The Harbour project\n\nThe Harbour project is led by Jon Field. A report of 2021 names the parser as its best part.",
  "# Ada Winter\n\nAda Winter lives in Bremen and works for the Harbour project. She also maintains the printer."
].join("\n\n")

const run = (args: ReadonlyArray<string>): void => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", 2, 2] })
  if (status !== 0) throw new Error(`${path.basename(args[0] ?? "")} failed`)
}

/** What draws the plots of `report.html`: one file, which pages carry in themselves. */
const reportPage = async (): Promise<void> => {
  await esbuild.build({
    entryPoints: [path.join(root, "scripts", "report-page", "main.ts")],
    outfile: path.join(staging, "report-page.js"),
    bundle: true,
    platform: "browser",
    target: "es2022",
    format: "iife",
    minify: true,
    charset: "ascii",
    legalComments: "none",
    logLevel: "warning"
  })
}

const library = (): void =>
  run([
    path.join(path.dirname(require.resolve("typescript/package.json")), "bin", "tsc"),
    "-p",
    "tsconfig.build.json",
    "--outDir",
    staging
  ])

try {
  await command()
  await reportPage()
  library()
  fs.writeFileSync(path.join(staging, ".complete"), "")
  fs.rmSync(dist, { recursive: true, force: true })
  fs.renameSync(staging, dist)
} finally {
  fs.rmSync(staging, { recursive: true, force: true })
}
