/** The folders and their walls. The checker proves itself on planted violations, one for each rule, before it looks at the tree. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "@effect/vitest"
import { importsOf, longest, tokens, violations } from "./support/Architecture.ts"

const planted: ReadonlyArray<readonly [rule: string, file: string, source: string]> = [
  ["DomainIsPure", "src/domain/A.ts", 'import { Effect } from "effect"'],
  ["DomainIsPure", "src/domain/A.ts", 'import type { Effect } from "effect"'],
  ["DomainIsPure", "src/domain/A.ts", 'import { Schema, type Layer } from "effect"'],
  ["DomainIsPure", "src/domain/A.ts", 'import * as Effect from "effect/Effect"'],
  ["DomainIsPure", "src/domain/A.ts", 'import * as E from "effect"'],
  ["DomainIsPure", "src/domain/A.ts", 'import { createHash } from "node:crypto"'],
  ["DomainIsPure", "src/domain/A.ts", 'import type { FileSystem } from "@effect/platform"'],
  ["DomainIsPure", "src/domain/A.ts", 'export const load = () => import("node:fs")'],
  ["DomainIsPure", "src/domain/A.ts", 'const fs = require("node:fs")'],
  ["DomainIsPure", "src/domain/A.ts", 'import "reflect-metadata"'],
  ["DomainIsPure", "src/domain/A.ts", 'export { Effect } from "effect"'],
  ["DomainIsPure", "src/domain/A.ts", 'export * from "effect"'],
  ["DomainIsPure", "src/domain/A.ts", 'import {\n  Schema,\n  Context as C\n} from "effect"'],
  ["domainImportsOnlyItsOwn", "src/domain/A.ts", 'import { B } from "../services/B.ts"'],
  ["domainImportsOnlyItsOwn", "src/domain/A.ts", 'import type { B } from "../programs/B.ts"'],
  ["ServicesAreInterfaces", "src/services/A.ts", 'import { Effect } from "effect"'],
  ["ServicesAreInterfaces", "src/services/A.ts", 'import { Context, type Layer } from "effect"'],
  ["ServicesAreInterfaces", "src/services/A.ts", 'import { SqlClient } from "@effect/sql"'],
  ["servicesImportsOnlyItsOwn", "src/services/A.ts", 'import { B } from "../layers/sql/B.ts"'],
  ["layersImportsOnlyItsOwn", "src/layers/sql/A.ts", 'import { B } from "../../programs/B.ts"'],
  ["layersImportsOnlyItsOwn", "src/layers/Embedded.ts", 'import { B } from "../programs/B.ts"'],
  ["SiblingLayers", "src/layers/sql/A.ts", 'import { B } from "../index/B.ts"'],
  ["SiblingLayers", "src/layers/roles/embedded/A.ts", 'import type { B } from "../../sql/B.ts"'],
  ["SiblingLayers", "src/layers/sql/A.ts", 'import { B } from "../Embedded.ts"'],
  ["programsImportsOnlyItsOwn", "src/programs/A.ts", 'import { B } from "../layers/sql/B.ts"'],
  ["programsImportsOnlyItsOwn", "src/programs/cli/A.ts", 'const b = await import("../../layers/B.ts")'],
  ["ProgramsKnowNoVendor", "src/programs/A.ts", 'import { FileSystem } from "@effect/platform"'],
  ["ProgramsKnowNoVendor", "src/programs/cli/A.ts", 'import { readFile } from "node:fs"'],
  ["CommandLineStaysInItsFiles", "src/programs/A.ts", 'import { Command } from "@effect/cli"'],
  ["VendorWalls", "src/layers/index/A.ts", 'import { SqlClient } from "@effect/sql"'],
  ["VendorWalls", "src/layers/index/A.ts", 'import { SqliteClient } from "@effect/sql-sqlite-node"'],
  ["VendorWalls", "src/layers/Embedded.ts", 'import { SqlClient } from "@effect/sql/SqlClient"'],
  ["VendorWalls", "src/layers/memory/A.ts", 'import Database from "better-sqlite3"'],
  ["VendorWalls", "src/layers/sql/A.ts", 'import { Index } from "usearch"'],
  ["VendorWalls", "src/layers/sql/A.ts", 'const u = import("usearch")'],
  ["VendorWalls", "src/layers/roles/A.ts", 'import OpenAI from "openai"'],
  ["VendorWalls", "src/layers/sql/A.ts", 'import picomatch from "picomatch"'],
  ["VendorWalls", "src/programs/main.ts", 'import { fromMarkdown } from "mdast-util-from-markdown"'],
  ["VendorWalls", "src/layers/index/A.ts", 'const g = import("graphology-communities-louvain")'],
  ["VendorWalls", "src/layers/Embedded.ts", 'import { PCA } from "ml-pca"'],
  ["VendorWalls", "src/layers/sql/A.ts", 'import { encode } from "gpt-tokenizer/encoding/o200k_base"'],
  ["VendorWalls", "src/layers/report/A.ts", 'import * as Plot from "@observablehq/plot"'],
  ["RelativeImportsEndInTs", "src/domain/A.ts", 'import { B } from "./B"'],
  ["StaysInSource", "src/domain/A.ts", 'import { B } from "../../test/B.ts"'],
  ["ProcessOnlyInMain", "src/layers/sql/A.ts", "const key = process.env.KEY"],
  ["ProcessOnlyInMain", "src/programs/cli/A.ts", "process.exit(1)"],
  ["ConsoleOnlyInMain", "src/programs/A.ts", 'console.log("x")'],
  ["EffectsRunOnlyInMain", "src/programs/A.ts", "Effect.runSync(x)"],
  ["EffectsRunOnlyInMain", "src/layers/index/A.ts", `const y = \`$\{await Effect.runPromise(x)}\``],
  ["Deterministic", "src/domain/A.ts", "const x = Math.random()"],
  ["Deterministic", "src/layers/sql/A.ts", "const at = Date.now()"],
  ["Deterministic", "src/domain/A.ts", "names.sort((a, b) => a.localeCompare(b))"],
  ["NoFaultIsHidden", "src/programs/A.ts", "program.pipe(Effect.orDie)"],
  ["NoFaultIsHidden", "src/layers/sql/A.ts", "Effect.ignore(write)"],
  ["TypesAreHonest", "src/domain/A.ts", "const a = b as unknown as A"],
  ["TypesAreHonest", "src/domain/A.ts", "const a = b as any"],
  ["ModulesAreShort", "src/domain/A.ts", "\n".repeat(longest)]
]

/** What must not be mistaken for a violation. */
const harmless: ReadonlyArray<readonly [file: string, source: string]> = [
  ["src/domain/A.ts", 'import { Array as Arr, Option, pipe, Schema, type SchemaAST as AST } from "effect"'],
  [
    "src/domain/A.ts",
    '/** {@link import("../layers/B.ts").b}: console.log, process.env */\nimport { B } from "./B.ts"'
  ],
  ["src/domain/A.ts", "const help = \"import { Effect } from 'effect'\" // Effect.runSync"],
  ["src/domain/A.ts", `const quote = /["'\`]/u; const help = \`import x from "node:fs"; console.log \${a / b / c}\``],
  ["src/services/A.ts", 'import { Context, type Effect, type Stream } from "effect"'],
  ["src/services/A.ts", 'import { Context, Effect } from "effect"\nclass A extends Context.Reference<A>()("A", {}) {}'],
  ["src/layers/sql/A.ts", 'import { SqlClient } from "@effect/sql"\nimport { B } from "./B.ts"'],
  ["src/layers/sql/A.ts", 'import { B } from "../../domain/B.ts"\nimport type { C } from "../../services/C.ts"'],
  ["src/layers/roles/embedded/A.ts", 'import { B } from "../B.ts"'],
  ["src/layers/Embedded.ts", 'import type { SqlClient } from "@effect/sql"\nimport * as Client from "./sql/Client.ts"'],
  ["src/programs/cli/A.ts", 'import { Command } from "@effect/cli"\nimport { Effect } from "effect"'],
  ["src/programs/main.ts", 'const l = import("../layers/B.ts"); process.env; console.error("x"); Effect.runFork(x)'],
  ["src/index.ts", 'export * as Embedded from "./layers/Embedded.ts"'],
  ["src/programs/A.ts", "worker.process.exit; this.console.log; const ignore = Effect.asVoid"]
]

describe("the checker finds what is planted", () => {
  it.each(planted)("%s in %s: %s", (rule, file, source) => {
    expect(violations(new Map([[file, source]])).map((violation) => violation.rule)).toContain(rule)
  })

  it("NoCycles: of values, at any length; of types alone there may be some", () => {
    const of = (type: string) =>
      violations(
        new Map([
          ["src/domain/A.ts", 'import { b } from "./B.ts"'],
          ["src/domain/B.ts", `export * from "./C.ts"`],
          ["src/domain/C.ts", `import ${type}{ a } from "./A.ts"`]
        ])
      ).map(({ rule }) => rule)
    expect(of("")).toEqual(["NoCycles"])
    expect(of("type ")).toEqual([])
    expect(violations(new Map([["src/domain/A.ts", 'import { a } from "./A.ts"']]))[0]?.rule).toBe("NoCycles")
  })

  it.each(harmless)("nothing in %s: %s", (file, source) => {
    expect(violations(new Map([[file, source]]))).toEqual([])
  })

  it("reads every form of import", () => {
    const source = `
      import a, { b as c, type D } from "one"
      import type { E } from 'two'
      import * as F from "three"
      export type { G } from "four"
      export * as H from "five"
      import "six"
      const i = await import("seven")
      type J = typeof import("eight")
      import { type K } from "nine"
      export const notAnImport = { from: "ten" }
      export { local }
      const text = "import z from 'eleven'"
    `
    const found = importsOf(source)
    expect(found.map(({ from }) => from)).toEqual([
      "one",
      "two",
      "three",
      "four",
      "five",
      "six",
      "seven",
      "eight",
      "nine"
    ])
    expect(found.filter(({ typeOnly }) => typeOnly).map(({ from }) => from)).toEqual(["two", "four", "eight", "nine"])
    expect(found[0]?.names).toEqual([
      { name: "default", typeOnly: false },
      { name: "b", typeOnly: false },
      { name: "D", typeOnly: true }
    ])
  })

  it("is not led astray by templates, regular expressions and comments", () => {
    const words = tokens(
      `a\`x $\{b\`$\{c}\`} import\`; /["/*]/.test(d) // e\n/* f */ g / h / i; const r = x ? /j"/ : k`
    )
      .filter(({ kind }) => kind === "word")
      .map(({ text }) => text)
    expect(words).toEqual(["a", "b", "c", "test", "d", "g", "h", "i", "const", "r", "x", "k"])
  })
})

describe("the tree", () => {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const files = new Map(
    readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(root, "src", name))
      .map((path) => [relative(root, path).split(sep).join("/"), readFileSync(path, "utf8")] as const)
  )

  it("has sources in every folder, and the checker sees their imports", () => {
    for (const folder of ["domain", "services", "layers", "programs"])
      expect([...files.keys()].filter((file) => file.startsWith(`src/${folder}/`)).length).toBeGreaterThan(5)
    const all = [...files.values()].flatMap(importsOf)
    const plain = [...files.values()].join("\n").match(/^(?:import|export) [^;=]*? from "/gm) ?? []
    expect(all.length).toBeGreaterThanOrEqual(plain.length)
    expect(all.filter(({ from }) => from === "effect").length).toBeGreaterThan(50)
  })

  it("keeps to its folders", () => {
    const found = violations(files)
    expect(found.map(({ detail, file, rule }) => `${rule} ${file}: ${detail}`)).toEqual([])
  })
})
