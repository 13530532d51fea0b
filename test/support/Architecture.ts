/**
 * The rules of the folders, checked on sources as text: which file imports what, and where the outside world may be touched.
 *
 * Files come as a map from path to source, so that the rules can be tried on sources that break them.
 */
import { posix } from "node:path"

export interface Import {
  readonly from: string
  /** Names taken from it; `*` for a namespace, a dynamic import or a side effect. */
  readonly names: ReadonlyArray<{ readonly name: string; readonly typeOnly: boolean }>
  readonly typeOnly: boolean
}
export interface Violation {
  readonly rule: string
  readonly file: string
  readonly detail: string
}
export type Files = ReadonlyMap<string, string>

interface Token {
  readonly kind: "word" | "string" | "mark"
  readonly text: string
}

const wordStart = /[\p{L}_$]/u
const wordPart = /[\p{L}\p{N}_$]/u
/** After these a slash divides; after anything else it opens a regular expression. */
const endsOperand = (token: Token | undefined): boolean =>
  token !== undefined &&
  (token.kind === "string" ||
    (token.kind === "word" && !/^(?:return|typeof|case|in|of|yield|await|void|else)$/.test(token.text)) ||
    /^[)\]}]$/.test(token.text))

/** Words, strings and marks of a TypeScript source, without comments, regular expressions and the text of templates. */
export const tokens = (source: string): ReadonlyArray<Token> => {
  const found: Array<Token> = []
  /** How deep in braces each open `${` began. */
  const templates: Array<number> = []
  let depth = 0
  let i = 0
  const template = () => {
    while (i < source.length && source[i] !== "`") {
      if (source[i] === "\\") i++
      else if (source[i] === "$" && source[i + 1] === "{") {
        i += 2
        templates.push(depth)
        return
      }
      i++
    }
    i++
    found.push({ kind: "string", text: "`" })
  }
  while (i < source.length) {
    const c = source[i] ?? ""
    if (c === "/" && source[i + 1] === "/") {
      while (i < source.length && source[i] !== "\n") i++
    } else if (c === "/" && source[i + 1] === "*") {
      const end = source.indexOf("*/", i + 2)
      i = end < 0 ? source.length : end + 2
    } else if (c === '"' || c === "'") {
      const start = ++i
      while (i < source.length && source[i] !== c) i += source[i] === "\\" ? 2 : 1
      found.push({ kind: "string", text: source.slice(start, i) })
      i++
    } else if (c === "`") {
      i++
      template()
    } else if (c === "}" && templates[templates.length - 1] === depth) {
      templates.pop()
      i++
      template()
    } else if (c === "/" && !endsOperand(found[found.length - 1])) {
      let inClass = false
      for (i++; i < source.length && (inClass || source[i] !== "/") && source[i] !== "\n"; i++) {
        if (source[i] === "\\") i++
        else if (source[i] === "[") inClass = true
        else if (source[i] === "]") inClass = false
      }
      i++
      found.push({ kind: "string", text: "/" })
    } else if (wordStart.test(c)) {
      const start = i
      while (i < source.length && wordPart.test(source[i] ?? "")) i++
      found.push({ kind: "word", text: source.slice(start, i) })
    } else {
      if (c === "{") depth++
      if (c === "}") depth--
      if (!/[\s\d]/.test(c)) found.push({ kind: "mark", text: c })
      i++
    }
  }
  return found
}

const named = (list: ReadonlyArray<Token>, typeOnly: boolean): Import["names"] => {
  const names: Array<{ name: string; typeOnly: boolean }> = []
  let inBraces = false
  let own = typeOnly
  let fresh = true
  for (const { kind, text } of list) {
    if (text === "{") inBraces = true
    else if (text === "}") inBraces = false
    else if (text === ",") {
      fresh = true
      own = typeOnly
    } else if (text === "*") names.push({ name: "*", typeOnly })
    else if (kind === "word" && inBraces && fresh) {
      if (text === "type") own = true
      else {
        names.push({ name: text, typeOnly: own })
        fresh = false
      }
    } else if (kind === "word" && !inBraces && text !== "as" && text !== "type" && names.length === 0)
      names.push({ name: "default", typeOnly })
  }
  return names
}

/** Every import of a source: static, re-exported, dynamic, `require`d, and `import("…")` in types. */
export const importsOf = (source: string): ReadonlyArray<Import> => {
  const all = tokens(source)
  const found: Array<Import> = []
  all.forEach((token, i) => {
    const next = all[i + 1]
    const member = all[i - 1]?.text === "."
    if (token.kind !== "word" || member || next === undefined) return
    if (token.text === "require" || (token.text === "import" && next.text === "(")) {
      const argument = all[i + 2]
      if (next.text !== "(" || argument === undefined) return
      const typeOnly = all[i - 1]?.text === "typeof" || all[i - 1]?.text === ":"
      const from = argument.kind === "string" ? argument.text : "(computed)"
      found.push({ from, names: [{ name: "*", typeOnly }], typeOnly })
      return
    }
    if (token.text !== "import" && token.text !== "export") return
    if (token.text === "import" && next.kind === "string") {
      found.push({ from: next.text, names: [{ name: "*", typeOnly: false }], typeOnly: false })
      return
    }
    const isType = next.text === "type" && all[i + 2]?.text !== "from"
    const start = isType ? i + 2 : i + 1
    if (token.text === "export" && !["{", "*"].includes(all[start]?.text ?? "")) return
    let end = start
    while (end < all.length && all[end]?.text !== "from" && end - start < 400) {
      const { text } = all[end] ?? { text: "" }
      if (/^[;=(]$/.test(text)) return
      end++
    }
    const from = all[end + 1]
    if (from?.kind !== "string") return
    const names = named(all.slice(start, end), isType)
    found.push({
      from: from.text,
      names,
      typeOnly: isType || (names.length > 0 && names.every((name) => name.typeOnly))
    })
  })
  return found
}

// ---- the rules

/** Data modules of effect: values and functions, no programs. */
const dataModules = new Set(
  "Array BigDecimal BigInt Boolean Brand Chunk Data Duration Either Equal Equivalence Function HashMap HashSet Hash Inspectable Iterable Match Number Option Order Ordering ParseResult Pipeable Predicate Record Schema SchemaAST SortedMap SortedSet String Struct Tuple absurd flow hole identity pipe unsafeCoerce".split(
    " "
  )
)
/** What a service's interface may name, as types. */
const interfaceModules = new Set(["Effect", "Exit", "Stream", "Scope"])

const walls: ReadonlyArray<{ readonly vendor: RegExp; readonly within: ReadonlyArray<string> }> = [
  { vendor: /^(?:@effect\/sql(?:-|\/|$)|better-sqlite3)/, within: ["src/layers/sql/"] },
  { vendor: /^usearch(?:\/|$)/, within: ["src/layers/index/"] },
  {
    vendor: /^(?:openai|undici|jsonrepair|node-llama-cpp|@huggingface)(?:\/|$)/,
    within: ["src/layers/model/", "src/layers/embedding/"]
  },
  { vendor: /^gpt-tokenizer(?:\/|$)/, within: ["src/layers/platform/", "src/layers/model/"] },
  // plots are drawn in the page alone
  { vendor: /^(?:@observablehq|d3)(?:[-/]|$)/, within: [] },
  { vendor: /^(?:graphology|ml-)/, within: ["src/layers/grouping/"] },
  { vendor: /^(?:ignore|picomatch|mdast|micromark|unified)(?:[-/]|$)/, within: ["src/layers/ingest/"] }
]
const main = "src/programs/main.ts"
const cli = "src/programs/cli/"
const isRoot = (file: string): boolean => /^src\/layers\/[^/]+\.ts$/.test(file)
const folderOf = (path: string): string => path.split("/")[1] ?? ""
const sub = (path: string): string | undefined => /^src\/layers\/([^/]+)\//.exec(path)?.[1]
const isEffect = (from: string): boolean => from === "effect" || from.startsWith("effect/")
/** The modules of effect that an import names. */
const effectModules = ({ from, names }: Import) =>
  from === "effect" ? names : names.map(({ typeOnly }) => ({ name: from.slice("effect/".length), typeOnly }))

const allowedFolders: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: ["domain"],
  services: ["domain", "services"],
  layers: ["domain", "services", "layers"],
  programs: ["domain", "services", "programs"]
}

/** What is wrong with one import of `file`, if anything is. */
const judgeImport = (file: string, source: string, it: Import): ReadonlyArray<readonly [string, string]> => {
  const folder = folderOf(file)
  const wrong: Array<readonly [string, string]> = []
  if (it.from.startsWith(".")) {
    const target = posix.join(posix.dirname(file), it.from)
    if (!it.from.endsWith(".ts")) wrong.push(["RelativeImportsEndInTs", it.from])
    if (file === main || !(folder in allowedFolders)) return wrong
    if (!target.startsWith("src/")) wrong.push(["StaysInSource", it.from])
    else if (!allowedFolders[folder]?.includes(folderOf(target))) wrong.push([`${folder}ImportsOnlyItsOwn`, it.from])
    else if (folderOf(target) === "layers" && !isRoot(file) && sub(file) !== sub(target))
      wrong.push(["SiblingLayers", it.from])
    return wrong
  }
  const wall = walls.find(({ vendor }) => vendor.test(it.from))
  // a composition root names a vendor's service in its type, and no more
  const namesOnly = isRoot(file) && it.typeOnly
  if (wall !== undefined && !wall.within.some((place) => file.startsWith(place)) && !namesOnly)
    wrong.push(["VendorWalls", it.from])
  if (folder === "domain") {
    if (!isEffect(it.from)) wrong.push(["DomainIsPure", it.from])
    else
      for (const { name } of effectModules(it))
        if (!dataModules.has(name)) wrong.push(["DomainIsPure", `${it.from}: ${name}`])
  }
  if (folder === "services") {
    if (!isEffect(it.from)) wrong.push(["ServicesAreInterfaces", it.from])
    else
      for (const { name, typeOnly } of effectModules(it)) {
        // the default of a reference is a value
        const asType = typeOnly || /\bContext\.Reference\b/.test(source)
        if (!dataModules.has(name) && name !== "Context" && !(interfaceModules.has(name) && asType))
          wrong.push(["ServicesAreInterfaces", `${it.from}: ${name}`])
      }
  }
  if (folder === "programs" && file !== main) {
    const isCli = /^@effect\/(?:cli|printer|printer-ansi)(?:\/|$)/.test(it.from)
    if (isCli && !file.startsWith(cli)) wrong.push(["CommandLineStaysInItsFiles", it.from])
    if (!isCli && !isEffect(it.from)) wrong.push(["ProgramsKnowNoVendor", it.from])
  }
  return wrong
}

/** Sequences of tokens that may stand in one place only. */
const confined: ReadonlyArray<{ readonly rule: string; readonly tokens: ReadonlyArray<RegExp>; readonly in?: string }> =
  [
    {
      rule: "ProcessOnlyInMain",
      tokens: [/^process$/, /^\.$/, /^(?:env|argv|exit|stdin|stdout|stderr|cwd|on)$/],
      in: main
    },
    { rule: "ConsoleOnlyInMain", tokens: [/^console$/, /^\.$/], in: main },
    { rule: "EffectsRunOnlyInMain", tokens: [/^Effect$/, /^\.$/, /^run[A-Z]\w*$/], in: main },
    { rule: "Deterministic", tokens: [/^Math$/, /^\.$/, /^random$/] },
    { rule: "Deterministic", tokens: [/^Date$/, /^\.$/, /^now$/] },
    { rule: "Deterministic", tokens: [/^localeCompare$/] },
    { rule: "NoFaultIsHidden", tokens: [/^Effect$/, /^\.$/, /^(?:ignore|ignoreLogged|orDie)$/] },
    { rule: "TypesAreHonest", tokens: [/^as$/, /^(?:any|unknown)$/, /^as$/] },
    { rule: "TypesAreHonest", tokens: [/^as$/, /^any$/] }
  ]

/** A cycle among value imports through `file`, if there is one. */
const cycles = (edges: ReadonlyMap<string, ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  const found: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const walk = (at: string, trail: ReadonlyArray<string>): void => {
    const start = trail.indexOf(at)
    if (start >= 0) {
      found.push([...trail.slice(start), at])
      return
    }
    if (done.has(at)) return
    for (const next of edges.get(at) ?? []) walk(next, [...trail, at])
    done.add(at)
  }
  for (const file of edges.keys()) walk(file, [])
  return found
}

/** Lines that a module may have. */
export const longest = 400

/** Everything that the files break. */
export const violations = (files: Files): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const edges = new Map<string, ReadonlyArray<string>>()
  for (const [file, source] of files) {
    const imports = importsOf(source)
    for (const it of imports)
      for (const [rule, detail] of judgeImport(file, source, it)) found.push({ rule, file, detail })
    edges.set(
      file,
      imports
        .filter((it) => !it.typeOnly && it.from.startsWith("."))
        .map((it) => posix.join(posix.dirname(file), it.from))
        .filter((target) => files.has(target))
    )
    const all = tokens(source)
    for (const { in: place, rule, tokens: wanted } of confined) {
      if (file === place) continue
      const at = all.findIndex(
        ({ kind }, i) =>
          kind === "word" && all[i - 1]?.text !== "." && wanted.every((mark, n) => mark.test(all[i + n]?.text ?? ""))
      )
      const alone =
        wanted.length === 1 && all.some(({ kind, text }) => kind === "word" && wanted[0]?.test(text) === true)
      if (at >= 0 || alone) found.push({ rule, file, detail: wanted.map(String).join(" ") })
    }
    const lines = source.split("\n").length
    if (lines > longest) found.push({ rule: "ModulesAreShort", file, detail: `${lines} lines` })
  }
  for (const cycle of cycles(edges)) found.push({ rule: "NoCycles", file: cycle[0] ?? "", detail: cycle.join(" → ") })
  return found
}
