/**
 * What a command runs with: option, else environment, else config file, else default, one by one, and where each came from.
 *
 * Every policy is a setting: `maxCycles` is `--set maxCycles=2`, `STATERAG_MAX_CYCLES=2`, or `{ "maxCycles": 2 }` in the config file.
 */
import { Effect, Either, Option, Schema } from "effect"
import { ScopeKey } from "../../domain/Ids.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { defaultPolicy, type Policy, policyNames, setPolicy } from "../../domain/Policy.ts"
import { UsageError } from "./Failure.ts"
import { Host, type HostError } from "./Host.ts"

/** A value, as text, and where it came from: `--dir`, `STATERAG_DIR`, the config file's path, or `default`. */
export interface Setting {
  readonly name: string
  readonly value: string
  readonly origin: "option" | "environment" | "file" | "default"
  readonly source: string
}

export interface Settings {
  /** Absolute. */
  readonly directory: string
  readonly scope: ScopeKey
  readonly logLevel: string
  readonly policy: Policy
  /** All of them, the general ones first, then the policies in the order of their schema. */
  readonly list: ReadonlyArray<Setting>
  /** Environment variables that look like settings and are none. */
  readonly unknown: ReadonlyArray<string>
}

/** What the command line says; undefined where it says nothing. */
export interface Given {
  readonly dir: string | undefined
  readonly scope: string | undefined
  readonly logLevel: string | undefined
  readonly config: string | undefined
  /** Policies by name, in order; the later wins. `source` is the option that set it. */
  readonly policies: ReadonlyArray<{ readonly name: string; readonly value: string; readonly source: string }>
}

const defaults = { dir: ".staterag", scope: "default", logLevel: "warning" } as const
type General = keyof typeof defaults
const general: ReadonlyArray<General> = ["dir", "scope", "logLevel"]
const defaultFile = "staterag.config.json"
/** Variables of the test-suite and the benchmarks. */
const notOurs = new Set(["STATERAG_DATA", "STATERAG_MODELS"])

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The leaves of a value with their dotted names; lists are leaves. */
const leaves = (value: unknown, prefix = ""): ReadonlyArray<readonly [name: string, value: unknown]> =>
  isRecord(value)
    ? Object.keys(value).flatMap((key) => leaves(value[key], prefix === "" ? key : `${prefix}.${key}`))
    : [[prefix, value]]

const text = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(",") : value === null ? "none" : String(value)

/** Every policy by its dotted name: `maxCycles`, `budget.tokens`, … */
export const policyLeaves = (policy: Policy): ReadonlyArray<readonly [name: string, value: string]> =>
  leaves(policy).map(([name, value]) => [name, text(value)] as const)

/** The environment variable of a setting: `budget.tokens` is `STATERAG_BUDGET_TOKENS`. */
export const variableOf = (name: string): string =>
  `STATERAG_${name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(".", "_")
    .toUpperCase()}`

const fromFile = (
  given: Given
): Effect.Effect<
  { readonly path: string; readonly values: ReadonlyMap<string, string> },
  UsageError | HostError,
  Host
> =>
  Effect.gen(function* () {
    const host = yield* Host
    const path = host.resolve(given.config ?? defaultFile)
    const content = yield* host.readText(path)
    if (Option.isNone(content)) {
      if (given.config === undefined) return { path, values: new Map() }
      return yield* new UsageError({
        message: `there is no config file ${given.config}`,
        advice: `leave --config out, or create it: { "dir": ".staterag", "maxCycles": 3 }`
      })
    }
    const parsed = yield* Effect.try({
      try: (): unknown => JSON.parse(content.value),
      catch: (cause) =>
        new UsageError({
          message: `${path} is no JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
          advice: "mend it, or remove it"
        })
    })
    if (!isRecord(parsed))
      return yield* new UsageError({ message: `${path} holds no JSON object`, advice: `write { "maxCycles": 3 }` })
    const known = [...general, ...policyNames]
    const stranger = Object.keys(parsed).find((key) => !known.includes(key))
    if (stranger !== undefined)
      return yield* new UsageError({
        message: `${path}: there is no setting ${stranger}.${didYouMean(stranger, known)}`,
        advice: "`staterag config` lists every setting"
      })
    return { path, values: new Map(leaves(parsed).map(([name, value]) => [name, text(value)])) }
  })

/** Resolves all settings. Fails where one is unknown or does not fit, naming where it stands. */
export const resolve = (given: Given): Effect.Effect<Settings, UsageError | HostError, Host> =>
  Effect.gen(function* () {
    const host = yield* Host
    const file = yield* fromFile(given)
    const variable = (name: string) => {
      const value = host.environment[variableOf(name)]
      return value === undefined || value === "" ? undefined : value
    }

    const list: Array<Setting> = general.map((name) => {
      const source = variableOf(name)
      const option = given[name]
      const inEnvironment = variable(name)
      const inFile = file.values.get(name)
      return option !== undefined
        ? { name, value: option, origin: "option", source: name === "logLevel" ? "--log-level" : `--${name}` }
        : inEnvironment !== undefined
          ? { name, value: inEnvironment, origin: "environment", source }
          : inFile !== undefined
            ? { name, value: inFile, origin: "file", source: file.path }
            : { name, value: defaults[name], origin: "default", source: "default" }
    })
    const valueOf = (name: General) =>
      list[general.indexOf(name)] ?? { value: defaults[name], origin: "default", source: "default" }

    const names = policyLeaves(defaultPolicy).map(([name]) => name)
    const settings = [
      ...[...file.values]
        .filter(([name]) => !general.some((key) => key === name))
        .map(([name, value]) => ({ name, value, origin: "file" as const, source: file.path })),
      ...names.flatMap((name) => {
        const value = variable(name)
        return value === undefined ? [] : [{ name, value, origin: "environment" as const, source: variableOf(name) }]
      }),
      ...given.policies.map((policy) => ({ ...policy, origin: "option" as const }))
    ]
    let policy = defaultPolicy
    const origins = new Map<string, Setting>()
    for (const setting of settings) {
      const next = setPolicy(policy, setting.name, setting.value)
      if (Either.isLeft(next))
        return yield* new UsageError({
          message: `${setting.source}: ${next.left.reason}`,
          advice: "`staterag config` lists every policy and its value"
        })
      policy = next.right
      origins.set(setting.name, setting)
    }
    for (const [name, value] of policyLeaves(policy)) {
      const set = origins.get(name)
      list.push(
        set === undefined
          ? { name, value, origin: "default", source: "default" }
          : { name, value, origin: set.origin, source: set.source }
      )
    }

    const scope = valueOf("scope")
    if (!Schema.is(ScopeKey)(scope.value))
      return yield* new UsageError({
        message: `${scope.source}: "${scope.value}" cannot name a scope`,
        advice: "a scope is a letter or digit, then letters, digits, dots, dashes and underscores, 128 at most"
      })
    const dir = valueOf("dir")
    const variables = new Set([...general, ...names].map(variableOf))
    return {
      directory: dir.origin === "file" ? host.resolve(file.path, "..", dir.value) : host.resolve(dir.value),
      scope: scope.value,
      logLevel: valueOf("logLevel").value,
      policy,
      list,
      unknown: Object.keys(host.environment)
        .filter((name) => name.startsWith("STATERAG_") && !variables.has(name) && !notOurs.has(name))
        .sort()
    }
  })
