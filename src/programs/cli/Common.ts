/** What every command shares: its options, its settings, the state folder, and how results are written. */
import { Options } from "@effect/cli"
import { Context, Effect, Logger, LogLevel, Option } from "effect"
import { CorpusStore } from "../../services/CorpusStore.ts"
import { UnknownScope } from "../../services/StoreError.ts"
import { NotFound, UsageError } from "./Failure.ts"
import { Host } from "./Host.ts"
import { type Given, resolve, type Settings } from "./Settings.ts"
import { json } from "./Text.ts"

/** What was said before the command's own options: the log level stands for the parser's built-in one. */
export class LogLevelOption extends Context.Reference<LogLevelOption>()("staterag/programs/cli/LogLevelOption", {
  defaultValue: (): string | undefined => undefined
}) {}

/** An option that may be given, with a text as its value. */
export const textOption = (name: string, placeholder: string, description: string) =>
  Options.text(name).pipe(Options.withPseudoName(placeholder), Options.withDescription(description), Options.optional)

/** The options of every command. */
export const common = {
  dir: textOption("dir", "DIR", "the state folder"),
  scope: textOption("scope", "KEY", "which corpus of the state folder"),
  json: Options.boolean("json").pipe(Options.withDescription("one JSON document on standard output")),
  quiet: Options.boolean("quiet").pipe(Options.withDescription("no progress, no warnings")),
  config: textOption("config", "FILE", "settings as JSON")
}

/** `--set NAME=VALUE`, for every policy and every setting of a model. */
export const set = Options.text("set").pipe(
  Options.withPseudoName("NAME=VALUE"),
  Options.withDescription(
    "sets a policy or a setting of models, such as maxCycles=2 or modelTimeout=90000; `staterag config` lists them"
  ),
  Options.repeated
)

/** What makes vectors: with what asks or adds passages. */
export const embedding = textOption(
  "embedding",
  "NAME",
  "what makes vectors: hashed (default), openai:NAME or transformers:FOLDER"
)
/** The models of a question. */
export const models = {
  model: textOption("model", "NAME", "model of Planner, Verifier and Reader: none (default), openai:NAME or gguf:FILE"),
  plannerModel: textOption("planner-model", "NAME", "another model for the Planner"),
  verifierModel: textOption("verifier-model", "NAME", "another model for the Verifier"),
  readerModel: textOption("reader-model", "NAME", "another model for the Reader"),
  embedding
}
type ModelValues = { readonly [K in keyof typeof models]?: Option.Option<string> }

/** What these options set. */
export const modelAssignments = (values: ModelValues): Given["policies"] =>
  (["model", "plannerModel", "verifierModel", "readerModel", "embedding"] as const).flatMap((name) =>
    Option.match(values[name] ?? Option.none(), {
      onNone: () => [],
      onSome: (value) => [
        { name, value, source: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}` }
      ]
    })
  )

/** `--within GLOB`, filtered before ranking. */
export const within = textOption("within", "GLOB", "only these documents; filtered before ranking")

export interface CommonValues {
  readonly dir: Option.Option<string>
  readonly scope: Option.Option<string>
  readonly json: boolean
  readonly quiet: boolean
  readonly config: Option.Option<string>
}

/** `NAME=VALUE` pairs as policies. */
export const assignments = (pairs: ReadonlyArray<string>): Effect.Effect<Given["policies"], UsageError> =>
  Effect.forEach(pairs, (pair) => {
    const at = pair.indexOf("=")
    return at < 1
      ? new UsageError({ message: `--set ${pair} is no NAME=VALUE`, advice: "write --set maxCycles=2" })
      : Effect.succeed({ name: pair.slice(0, at), value: pair.slice(at + 1), source: `--set ${pair}` })
  })

/** The settings of a command line; says on standard error which environment variables are none of ours. */
export const settingsOf = Effect.fnUntraced(function* (values: CommonValues, policies: Given["policies"] = []) {
  const settings = yield* resolve({
    dir: Option.getOrUndefined(values.dir),
    scope: Option.getOrUndefined(values.scope),
    config: Option.getOrUndefined(values.config),
    logLevel: yield* LogLevelOption,
    policies
  })
  if (settings.unknown.length > 0 && !values.quiet)
    yield* warn(`${settings.unknown.join(", ")}: no such setting in this version; \`staterag config\` lists them`)
  return settings
})

/** A line on standard error that is no failure. */
export const warn = (message: string): Effect.Effect<void, never, Host> =>
  Effect.flatMap(Host, (host) => host.err(`staterag: warning: ${message}\n`))

const level = (name: string): LogLevel.LogLevel =>
  LogLevel.allLevels.find((candidate) => candidate._tag.toLowerCase() === name.toLowerCase()) ?? LogLevel.Warning

const logging = <A, E, R>(settings: Settings, effect: Effect.Effect<A, E, R>) =>
  Logger.withMinimumLogLevel(effect, level(settings.logLevel))

const inHouse = <A, E, R>(settings: Settings, quiet: boolean, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Host, (host) => logging(settings, Effect.provide(effect, host.open({ settings, progress: !quiet }))))

/** Runs `effect` over the state folder, which is created if need be. */
export const creatingHouse = <A, E, R>(settings: Settings, quiet: boolean, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const host = yield* Host
    if ((yield* host.kindOf(settings.directory)) === "File")
      return yield* new NotFound({
        message: `${settings.directory} is a file, not a folder`,
        advice: "choose another --dir for the state"
      })
    return yield* inHouse(settings, quiet, effect)
  })

/** Fails where there is no state folder: nothing is created by looking. */
const mustExist = (settings: Settings) =>
  Effect.gen(function* () {
    const host = yield* Host
    if ((yield* host.kindOf(settings.directory)) === "File")
      return yield* new NotFound({
        message: `${settings.directory} is a file, not a state folder`,
        advice: "choose another --dir, or create one with `staterag index PATH`"
      })
    if ((yield* host.kindOf(host.resolve(settings.directory, "staterag.db"))) === "Absent")
      return yield* new UnknownScope({ scope: settings.scope, known: [] })
  })

/** Runs `effect` over a state folder that must be there. */
export const existingHouse = <A, E, R>(settings: Settings, quiet: boolean, effect: Effect.Effect<A, E, R>) =>
  Effect.zipRight(mustExist(settings), inHouse(settings, quiet, effect))

/** The same for what only tells what the folder holds. */
export const existingShelf = <A, E, R>(settings: Settings, effect: Effect.Effect<A, E, R>) =>
  Effect.zipRight(
    mustExist(settings),
    Effect.flatMap(Host, (host) => logging(settings, Effect.provide(effect, host.look(settings.directory))))
  )

/** The revision of the scope, or `UnknownScope` with the nearest one. */
export const revisionOf = (settings: Settings) =>
  Effect.flatMap(CorpusStore, (corpus) => corpus.revision(settings.scope))

/** Writes a result: its JSON with `--json`, else its text. */
export const print = (asJson: boolean, value: unknown, text: () => string): Effect.Effect<void, never, Host> =>
  Effect.flatMap(Host, (host) => host.out(asJson ? `${json(value)}\n` : text()))
