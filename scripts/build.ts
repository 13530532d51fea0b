/**
 * Builds `dist/`: the library (ES modules with their types, by tsc) and the command (`dist/staterag.js`, one file, by esbuild).
 *
 * The command starts in a third of the time when it is one file without what it does not use. Native modules and the token vocabulary stay
 * outside the file.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as esbuild from "esbuild"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const dist = path.join(root, "dist")
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

/** The database's driver is loaded when its layer is, not when the command starts: an external import would be hoisted. */
const lateDriver: esbuild.Plugin = {
  name: "late-driver",
  setup(build) {
    build.onResolve({ filter: /^better-sqlite3$/ }, () => ({ path: "better-sqlite3", namespace: "late" }))
    build.onLoad({ filter: /.*/, namespace: "late" }, () => ({
      contents:
        'import { createRequire } from "node:module"\nexport default createRequire(import.meta.url)("better-sqlite3")'
    }))
  }
}

const bundle = async (): Promise<void> => {
  const outfile = path.join(dist, "staterag.js")
  await esbuild.build({
    entryPoints: [path.join(root, "src", "programs", "main.ts")],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["usearch", "gpt-tokenizer", "gpt-tokenizer/*"],
    plugins: [withoutBarrels, lateDriver],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
    logLevel: "warning"
  })
  fs.chmodSync(outfile, 0o755)
}

const library = (): void => {
  const { status } = spawnSync(
    process.execPath,
    [path.join(path.dirname(require.resolve("typescript/package.json")), "bin", "tsc"), "-p", "tsconfig.build.json"],
    {
      cwd: root,
      stdio: ["ignore", 2, 2]
    }
  )
  if (status !== 0) process.exit(1)
}

fs.rmSync(dist, { recursive: true, force: true })
await bundle()
library()
fs.writeFileSync(path.join(dist, ".complete"), "")
