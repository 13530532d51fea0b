/**
 * What a command runs with: option, else environment, else config file, else default, one by one, and where each came from.
 *
 * Every policy is a setting: `maxCycles` is `--set maxCycles=2`, `STATERAG_MAX_CYCLES=2`, or `{ "maxCycles": 2 }` in the config file. So is
 * every setting of a model. How a provider is reached comes from the variables that its own tools read.
 */
import { type Context, Effect, Either, Option, Redacted, Schema } from "effect"
import { ScopeKey } from "../../domain/Ids.ts"
import { defaultModelSettings, type ModelSettings, modelSettingNames, setModel } from "../../domain/ModelSettings.ts"
import { didYouMean } from "../../domain/Nearest.ts"
import { defaultPolicy, type Policy, policyNames, setPolicy } from "../../domain/Policy.ts"
import { ModelCards } from "../../domain/Pricing.ts"
import { UsageError } from "./Failure.ts"
import { Host, type HostError } from "./Host.ts"

/** A value, as text, and where it came from: `--dir`, `STATERAG_DIR`, the config file's path, or `default`. */
export interface Setting {
  readonly name: string
  /** The environment variable that sets it. */
  readonly variable: string
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
  readonly models: ModelSettings
  readonly openai: OpenAiAccess
  /** All of them, the general ones first, then the policies in the order of their schema. */
  readonly list: ReadonlyArray<Setting>
  /** Environment variables that look like settings and are none. */
  readonly unknown: ReadonlyArray<string>
}

/** How OpenAI's API is reached. */
export interface OpenAiAccess {
  readonly apiKey?: Redacted.Redacted
  readonly baseUrl?: string
  readonly organization?: string
  readonly project?: string
  readonly proxy?: string
  readonly noProxy?: string
}

/** What the command line says; undefined where it says nothing. */
export interface Given {
  readonly dir: string | undefined
  readonly scope: string | undefined
  readonly logLevel: string | undefined
  readonly config: string | undefined
  /** Policies and settings of models by name, in order; the later wins. `source` is the option that set it. */
  readonly policies: ReadonlyArray<{ readonly name: string; readonly value: string; readonly source: string }>
}

const defaults = { dir: ".staterag", scope: "default", logLevel: "warning" } as const
type General = keyof typeof defaults
const general: ReadonlyArray<General> = ["dir", "scope", "logLevel"]
const defaultFile = "staterag.config.json"
/** What a provider's own tools read, by the name of the setting; the first that is set counts. */
const access: {
  readonly [K in keyof OpenAiAccess]-?: {
    readonly name: string
    readonly variables: readonly [string, ...Array<string>]
  }
} = {
  apiKey: { name: "openaiApiKey", variables: ["OPENAI_API_KEY"] },
  baseUrl: { name: "openaiBaseUrl", variables: ["OPENAI_BASE_URL"] },
  organization: { name: "openaiOrganization", variables: ["OPENAI_ORG_ID"] },
  project: { name: "openaiProject", variables: ["OPENAI_PROJECT_ID"] },
  proxy: { name: "openaiProxy", variables: ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"] },
  noProxy: { name: "openaiNoProxy", variables: ["NO_PROXY", "no_proxy"] }
}
const accessNames = Object.values(access).flatMap(({ name }) => (name === "openaiApiKey" ? [] : [name]))
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

/** Every setting of a model by its dotted name, but for the cards. */
const modelLeaves = ({
  modelCards,
  ...settings
}: ModelSettings): ReadonlyArray<readonly [name: string, value: string]> =>
  leaves(settings).map(([name, value]) => [name, text(value)] as const)
const isOfModels = (name: string): boolean => modelSettingNames.includes(name.split(".")[0] ?? "")

/** The environment variable of a setting: `budget.tokens` is `STATERAG_BUDGET_TOKENS`. */
export const variableOf = (name: string): string =>
  `STATERAG_${name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(".", "_")
    .toUpperCase()}`

/** Where settings are read from. */
type Place = Pick<Context.Tag.Service<Host>, "environment" | "resolve" | "readText">

const fromFile = (
  host: Place,
  given: Given
): Effect.Effect<
  { readonly path: string; readonly values: ReadonlyMap<string, string>; readonly cards: ModelSettings["modelCards"] },
  UsageError | HostError
> =>
  Effect.gen(function* () {
    const path = host.resolve(given.config ?? defaultFile)
    const content = yield* host.readText(path)
    if (Option.isNone(content)) {
      if (given.config === undefined) return { path, values: new Map(), cards: {} }
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
    const known = [...general, ...policyNames, ...modelSettingNames, ...accessNames]
    const stranger = Object.keys(parsed).find((key) => !known.includes(key))
    if (stranger !== undefined)
      return yield* new UsageError({
        message: `${path}: there is no setting ${stranger}.${didYouMean(stranger, known)}`,
        advice: "`staterag config` lists every setting"
      })
    const { modelCards = {}, ...values } = parsed
    const cards = yield* Effect.mapError(
      Schema.decodeUnknown(ModelCards, { onExcessProperty: "error" })(modelCards),
      ({ message }) =>
        new UsageError({
          message: `${path}: modelCards does not fit: ${message}`,
          advice: `write { "modelCards": { "NAME": { "prompt": 0.5, "completion": 1.5, "size": 8 } } }: money a million tokens, billions of parameters, null where unknown`
        })
    )
    return { path, values: new Map(leaves(values).map(([name, value]) => [name, text(value)])), cards }
  })

/** Resolves all settings. Fails where one is unknown or does not fit, naming where it stands. */
export const resolve = (given: Given): Effect.Effect<Settings, UsageError | HostError, Host> =>
  Effect.flatMap(Host, (host) => resolveOn(host, given))

/** {@link resolve} where there is no {@link Host}. */
export const resolveOn = (host: Place, given: Given): Effect.Effect<Settings, UsageError | HostError> =>
  Effect.gen(function* () {
    const file = yield* fromFile(host, given)
    const variable = (name: string) => {
      const value = host.environment[variableOf(name)]
      return value === undefined || value === "" ? undefined : value
    }

    const list: Array<Setting> = general.map((name) => {
      const source = variableOf(name)
      const known = { name, variable: source }
      const option = given[name]
      const inEnvironment = variable(name)
      const inFile = file.values.get(name)
      return option !== undefined
        ? { ...known, value: option, origin: "option", source: name === "logLevel" ? "--log-level" : `--${name}` }
        : inEnvironment !== undefined
          ? { ...known, value: inEnvironment, origin: "environment", source }
          : inFile !== undefined
            ? { ...known, value: inFile, origin: "file", source: file.path }
            : { ...known, value: defaults[name], origin: "default", source: "default" }
    })
    const valueOf = (name: General) =>
      list[general.indexOf(name)] ?? { value: defaults[name], origin: "default", source: "default" }

    const names = [...policyLeaves(defaultPolicy), ...modelLeaves(defaultModelSettings)].map(([name]) => name)
    const settings = [
      ...[...file.values]
        .filter(([name]) => !general.some((key) => key === name) && !accessNames.includes(name))
        .map(([name, value]) => ({ name, value, origin: "file" as const, source: file.path })),
      ...names.flatMap((name) => {
        const value = variable(name)
        return value === undefined ? [] : [{ name, value, origin: "environment" as const, source: variableOf(name) }]
      }),
      ...given.policies.map((policy) => ({ ...policy, origin: "option" as const }))
    ]
    let policy = defaultPolicy
    let models: ModelSettings = { ...defaultModelSettings, modelCards: file.cards }
    const origins = new Map<string, Omit<Setting, "variable">>()
    for (const setting of settings) {
      const { name, source, value } = setting
      const wrong = (reason: string) =>
        new UsageError({
          message: `${source}: ${reason}`,
          advice: "`staterag config` lists every setting and its value"
        })
      if (isOfModels(name)) models = yield* Either.mapLeft(setModel(models, name, value), wrong)
      else policy = yield* Either.mapLeft(setPolicy(policy, name, value), ({ reason }) => wrong(reason))
      origins.set(setting.name, setting)
    }
    for (const [name, value] of [...policyLeaves(policy), ...modelLeaves(models)]) {
      const { origin, source } = origins.get(name) ?? { origin: "default", source: "default" }
      list.push({ name, variable: variableOf(name), value, origin, source })
    }

    const openai: { -readonly [K in keyof OpenAiAccess]: OpenAiAccess[K] } = {}
    for (const key of ["apiKey", "baseUrl", "organization", "project", "proxy", "noProxy"] as const) {
      const { name, variables } = access[key]
      const found = variables.find((name) => (host.environment[name] ?? "") !== "")
      const inFile = file.values.get(name)
      const value = found === undefined ? inFile : host.environment[found]
      if (value !== undefined) {
        if (key === "apiKey") openai.apiKey = Redacted.make(value)
        else openai[key] = value
      }
      list.push({
        name,
        variable: variables[0],
        value: value === undefined ? "none" : key === "apiKey" ? "(set)" : value,
        origin: found !== undefined ? "environment" : inFile !== undefined ? "file" : "default",
        source: found ?? (inFile === undefined ? "default" : file.path)
      })
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
      models,
      openai,
      list,
      unknown: Object.keys(host.environment)
        .filter((name) => name.startsWith("STATERAG_") && !variables.has(name) && !notOurs.has(name))
        .sort()
    }
  })
