/** The command `staterag`: wiring. Settings come in here, layers are chosen here, and this is the only place that runs an effect. */
import * as fs from "node:fs"
import * as path from "node:path"
import { type Runtime, Terminal } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { Cause, Effect, Exit, Layer, Logger, Option } from "effect"
import type { ModelError } from "../domain/ModelError.ts"
import { isEmbedded } from "../domain/ModelSettings.ts"
import { version } from "../domain/Version.ts"
import * as CpuTimeNode from "../layers/platform/CpuTimeNode.ts"
import * as ProgressStderr from "../layers/platform/ProgressStderr.ts"
import type { EmbeddingError } from "../services/EmbeddingModel.ts"
import type { StoreError } from "../services/StoreError.ts"
import { run } from "./cli/App.ts"
import { exitCodes, failure, installAdvice } from "./cli/Failure.ts"
import { Host, HostError, type House } from "./cli/Host.ts"
import { printable } from "./cli/Text.ts"

const hostError = (file: string) => (cause: unknown) =>
  new HostError({ path: file, detail: cause instanceof Error ? cause.message : String(cause) })

/** A call of Node's as an effect, with `absent` where there is no such file. */
const attempt = <A>(file: string, use: () => A, absent: A): Effect.Effect<A, HostError> =>
  Effect.try({
    try: () => {
      try {
        return use()
      } catch (cause) {
        const code = cause instanceof Error && "code" in cause ? cause.code : undefined
        if (code === "ENOENT" || code === "ENOTDIR") return absent
        throw cause
      }
    },
    catch: hostError(file)
  })

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<void> =>
  Effect.async((resume) => {
    stream.write(text, () => resume(Effect.void))
  })

// what some commands do not need (`--help`, `config`) is loaded when it is asked for, here and below
const platform = Layer.unwrapEffect(
  Effect.promise(async () => {
    const files = await import("@effect/platform-node/NodeFileSystem")
    const paths = await import("@effect/platform-node/NodePath")
    return Layer.merge(files.layer, paths.layer)
  })
)

const asked = Effect.dieMessage("the command asks nothing at the terminal")
/** The parser of command lines could ask for what is missing; ours has nothing to ask. */
const terminal = Layer.succeed(Terminal.Terminal, {
  columns: Effect.succeed(process.stdout.columns || 80),
  rows: Effect.succeed(process.stdout.rows || 24),
  isTTY: Effect.succeed(false),
  readInput: asked,
  readLine: asked,
  display: () => asked
})

/** Progress on standard error, or none. */
const progressLayer = (isShown: boolean): Layer.Layer<never> =>
  isShown
    ? ProgressStderr.layer({
        write: (text) => process.stderr.write(text),
        isTerminal: process.stderr.isTTY === true,
        columns: process.stderr.columns || 80
      })
    : Layer.empty

const host = Layer.succeed(Host, {
  environment: process.env,
  resolve: (...parts) => path.resolve(...parts),
  matcher: (pattern) =>
    Effect.promise(() => import("../layers/ingest/Globs.ts")).pipe(
      Effect.flatMap(({ glob }) => glob(pattern, true)),
      Effect.mapBoth({
        onSuccess: ({ matches }) => matches,
        onFailure: (detail) => new HostError({ path: pattern, detail })
      })
    ),
  kindOf: (file) =>
    attempt<"File" | "Folder" | "Absent">(file, () => (fs.statSync(file).isDirectory() ? "Folder" : "File"), "Absent"),
  readText: (file) => attempt(file, () => Option.some(fs.readFileSync(file, "utf8")), Option.none()),
  built: (name) => {
    const file = path.join(path.dirname(fs.realpathSync(process.argv[1] ?? ".")), name)
    return attempt(file, () => Option.some(fs.readFileSync(file, "utf8")), Option.none())
  },
  writeText: (file, text) =>
    Effect.try({
      try: () => {
        fs.mkdirSync(path.dirname(file), { recursive: true })
        fs.writeFileSync(`${file}.new`, text)
        fs.renameSync(`${file}.new`, file)
      },
      catch: hostError(file)
    }),
  append: (file, text) =>
    Effect.try({
      try: () => {
        fs.mkdirSync(path.dirname(file), { recursive: true })
        fs.appendFileSync(file, text)
      },
      catch: hostError(file)
    }),
  sizes: (folder) =>
    attempt(
      folder,
      () =>
        fs
          .readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => path.join(entry.parentPath, entry.name))
          .map((file) => ({
            path: path.relative(folder, file).split(path.sep).join("/"),
            bytes: fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
          }))
          .sort((a, b) => (a.path < b.path ? -1 : 1)),
      []
    ),
  stdin: Effect.tryPromise({
    try: () => import("node:stream/consumers").then(({ text }) => text(process.stdin)),
    catch: hostError("standard input")
  }),
  out: (text) => write(process.stdout, text),
  err: (text) => write(process.stderr, text),
  terminal: {
    in: process.stdin.isTTY === true,
    out: process.stdout.isTTY === true,
    columns: process.stdout.columns || 80
  },
  platform: Layer.merge(platform, terminal),
  ingest: (progress) =>
    Layer.unwrapEffect(
      Effect.promise(async () => {
        const parser = await import("../layers/ingest/DocumentParserLocal.ts")
        const files = await import("../layers/ingest/SourceFilesLocal.ts")
        const digest = await import("../layers/platform/DigestNode.ts")
        const tokens = await import("../layers/platform/TokenCounterO200k.ts")
        return Layer.mergeAll(parser.layer, files.layer, tokens.layer, progressLayer(progress)).pipe(
          Layer.provide(digest.layer)
        )
      })
    ).pipe(Layer.provide(platform)),
  look: (directory) =>
    Layer.unwrapEffect(
      Effect.promise(() => import("../layers/EmbeddedCorpus.ts").then(({ layer }) => layer({ directory })))
    ),
  open: ({ progress, settings: { directory, models, openai } }) =>
    Layer.unwrapEffect(
      Effect.promise(async () => {
        const house: Layer.Layer<House, StoreError | ModelError | EmbeddingError> = isEmbedded(models)
          ? (await import("../layers/Embedded.ts")).layer({ directory })
          : (await import("../layers/Models.ts")).layer({ directory, settings: models, openai })
        return Layer.merge(house, progressLayer(progress))
      })
    )
})

const logger = Logger.replace(
  Logger.defaultLogger,
  Logger.make(({ logLevel, message }) => {
    const parts = Array.isArray(message) ? message.map(String) : [String(message)]
    process.stderr.write(`staterag: ${logLevel._tag.toLowerCase()}: ${printable(parts.join(" "))}\n`)
  })
)

let terminated = false
let signals = 0
// these stay: packages that end the process where nobody else listens (signal-exit, below the runtime of model files) look while the
// listeners of the runtime of effects, which hear a signal once, are gone already
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    if (signal === "SIGTERM") terminated = true
    // whoever asks twice does not wait for what is being put away
    if (++signals > 1) process.exit(terminated ? exitCodes.terminated : exitCodes.interrupted)
  })
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // whoever was reading has had enough: that is no fault
    if (error.code === "EPIPE") process.exit(exitCodes.done)
    if (stream === process.stdout)
      process.stderr.write(
        `staterag: the result cannot be written: ${error.message}\n  what was stored is stored; free some disk space, or write it elsewhere\n`
      )
    process.exit(exitCodes.failed)
  })
}

const teardown: Runtime.Teardown = (exit, onExit) => {
  if (Exit.isSuccess(exit)) return onExit(exitCodes.done)
  if (Cause.isInterruptedOnly(exit.cause)) {
    process.stderr.write("staterag: interrupted; what was stored before is as it was\n")
    return onExit(terminated ? exitCodes.terminated : exitCodes.interrupted)
  }
  const failed = Cause.failureOption(exit.cause)
  if (Option.isNone(failed)) {
    const pretty = Cause.pretty(exit.cause)
    const advice = installAdvice(pretty)
    if (advice !== undefined) {
      process.stderr.write(`staterag: ${printable(pretty.split("\n")[0] ?? "")}\n  ${advice}\n`)
      return onExit(exitCodes.failed)
    }
    process.stderr.write(
      `staterag: this is a defect of staterag ${version} (node ${process.version}, ${process.platform}), not a mistake of yours.\n${printable(pretty)}\nPlease report it with the lines above and the command that you ran; nothing that was stored before is lost.\n`
    )
    return onExit(exitCodes.defect)
  }
  const { advice, code, message } = failure(failed.value)
  if (message !== "") process.stderr.write(`staterag: ${printable(message)}\n`)
  if (advice !== "") process.stderr.write(`  ${printable(advice)}\n`)
  onExit(code)
}

run(process.argv.slice(2)).pipe(
  Effect.provide(Layer.mergeAll(host, logger, CpuTimeNode.layer)),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true, teardown })
)
