/** Answers on a tape: the contract over both sides of it, what is on it, and what is not. */
import { readFileSync } from "node:fs"
import { FileSystem } from "@effect/platform"
import { NodeFileSystem } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Layer, Redacted, Stream } from "effect"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import * as Cassette from "../../src/layers/model/Cassette.ts"
import { make } from "../../src/layers/model/Making.ts"
import { provider as openAi } from "../../src/layers/model/OpenAi.ts"
import * as Client from "../../src/layers/model/OpenAiClient.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import { type Said, scripted } from "../../src/layers/model/Scripted.ts"
import { contract } from "../contracts/LanguageModel.contract.ts"
import * as FaultServer from "../support/FaultServer.ts"
import { platform, request } from "../support/ModelRuns.ts"

const who = { id: "openai:m", system: "openai", model: "m", settings: "" }
const made = (provider: Effect.Effect.Success<ReturnType<typeof Cassette.replaying>>) =>
  Effect.flatMap(Pacing.make({ backoff: "1 millis" }), (pacing) =>
    make(provider, { pacing, cards: {}, readerModel: "m" })
  )

contract(
  "on a tape that records",
  Effect.gen(function* () {
    const answers: Array<Said> = []
    const model = scripted(() => answers.shift() ?? "nothing was scripted")
    // a tape of its own for each call: what it holds would not be asked again
    const each = <A>(use: (provider: typeof model.provider) => A) =>
      Effect.map(Cassette.recording(model.provider, Cassette.memory()), use)
    return {
      model: yield* made({
        ...model.provider,
        complete: (asked) => Effect.flatten(each(({ complete }) => complete(asked))).pipe(Effect.provide(platform)),
        stream: (asked) => Stream.unwrap(each(({ stream }) => stream(asked))).pipe(Stream.provideLayer(platform))
      }),
      script: (next) => Effect.sync(() => void answers.splice(0, answers.length, ...next)),
      asked: Effect.sync(() => model.asked().length)
    }
  })
)

const ask = (provider: Effect.Effect.Success<ReturnType<typeof Cassette.replaying>>, asked: ModelRequest) =>
  Effect.map(provider.complete(asked), ({ text }) => text)

describe("a tape", () => {
  it.effect("gives back what was recorded, plainly and streamed, and asks nobody", () =>
    Effect.gen(function* () {
      const tape = Cassette.memory()
      const model = scripted(({ role }) => ({ text: `${role} says {"a": 1}`, finish: "Stop" }), "m")
      const recording = yield* Cassette.recording(model.provider, tape)
      const [plain, streamed] = [request(), request({ role: "Planner" })]
      expect(yield* ask(recording, plain)).toBe('Reader says {"a": 1}')
      yield* Stream.runDrain(recording.stream(streamed))
      yield* ask(recording, plain)
      expect(model.asked()).toHaveLength(2)
      const replaying = yield* Cassette.replaying({ ...who, system: "scripted" }, tape)
      expect(yield* ask(replaying, streamed)).toBe('Planner says {"a": 1}')
      const parts = Chunk.toReadonlyArray(yield* Stream.runCollect(replaying.stream(plain)))
      expect(parts.flatMap((part) => (part._tag === "Text" ? part.text : []))).toEqual(['Reader says {"a": 1}'])
      expect(parts.at(-1)).toMatchObject({ _tag: "End", finish: "Stop" })
      // tokens as they were said, and as they were not
      const whole = yield* model.provider.complete(plain)
      expect((yield* replaying.complete(plain)).tokens).toEqual(whole.tokens)
      expect(model.asked()).toHaveLength(3)
    }).pipe(Effect.provide(platform))
  )

  it.effect("what failed is not recorded, and may succeed later", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const model = scripted(() => "Paris")
      const recording = yield* Cassette.recording(model.provider, Cassette.memory(lines))
      model.failNext(1, "Unavailable")
      yield* Effect.flip(ask(recording, request()))
      expect(lines).toEqual([])
      expect(yield* ask(recording, request())).toBe("Paris")
      expect(lines).toHaveLength(1)
    }).pipe(Effect.provide(platform))
  )

  const different: ReadonlyArray<readonly [part: string, changes: Partial<ModelRequest>, says: RegExp]> = [
    ["role", { role: "Planner" }, /differs in role \(Planner; recorded is Reader\)/],
    ["promptVersion", { promptVersion: "v2" }, /differs in promptVersion \(v2; recorded is v1\)/],
    ["system", { system: "Answer in two words." }, /differs in system, from character \d+|differs in system \(/],
    [
      "messages",
      { messages: [{ author: "User", text: "What is the capital of Spain, where the rain falls?" }] },
      /differs in messages, from character 30 \(".*Spain.*; recorded is ".*France/
    ],
    ["shape", { shape: { name: "x", schema: {} } }, /differs in shape/],
    ["maxTokens", { maxTokens: 101 }, /differs in maxTokens \(101; recorded is 100\)/],
    ["temperature", { temperature: 0.5 }, /differs in temperature \(0.5; recorded is 0\)/],
    ["seed", { seed: null }, /differs in seed \(null; recorded is 7\)/]
  ]
  it.effect.each(different)("another %s is another request, and the nearest is told", ([, changes, says]) =>
    Effect.gen(function* () {
      const tape = Cassette.memory()
      const recording = yield* Cassette.recording(scripted(() => "Paris", "m").provider, tape)
      yield* ask(recording, request({ role: "Verifier", promptVersion: "v0" }))
      yield* ask(recording, request())
      const replaying = yield* Cassette.replaying({ ...who, system: "scripted" }, tape)
      const error = yield* Effect.flip(ask(replaying, request(changes)))
      expect(error).toMatchObject({ _tag: "ModelError", model: "openai:m", fault: "Unrecorded" })
      expect(error.detail).toMatch(says)
    }).pipe(Effect.provide(platform))
  )

  it.effect("another model, other settings: not recorded; an empty tape says so", () =>
    Effect.gen(function* () {
      const tape = Cassette.memory()
      yield* ask(yield* Cassette.recording({ ...scripted(() => "Paris").provider, ...who }, tape), request())
      expect(yield* ask(yield* Cassette.replaying(who, tape), request())).toBe("Paris")
      for (const other of [{ model: "n" }, { system: "gguf" }, { settings: "effort=high" }]) {
        const replaying = yield* Cassette.replaying({ ...who, ...other }, tape)
        expect((yield* Effect.flip(ask(replaying, request()))).detail).toMatch(/the model or its settings/)
      }
      const empty = yield* Cassette.replaying(who, Cassette.memory())
      expect((yield* Effect.flip(ask(empty, request()))).detail).toMatch(/nothing is recorded/)
    }).pipe(Effect.provide(platform))
  )
})

describe("a tape in a file", () => {
  it.scopedLive("holds questions and answers, and no key, address or header; many at once are whole lines", () =>
    Effect.gen(function* () {
      const folder = yield* (yield* FileSystem.FileSystem).makeTempDirectoryScoped()
      const tape = yield* Cassette.file(`${folder}/tape.jsonl`)
      const server = yield* FaultServer.start
      server.says(() => "Paris")
      const client = yield* Client.make("openai:m", {
        baseUrl: server.url,
        apiKey: Redacted.make("sk-secret-key"),
        organization: "org-secret",
        headers: { "x-secret-header": "secret-value" }
      })
      const recording = yield* Cassette.recording(openAi(client, { model: "m" }), tape)
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, seed) => seed),
        (seed) => ask(recording, request({ seed })),
        { concurrency: "unbounded" }
      )
      const text = readFileSync(`${folder}/tape.jsonl`, "utf8")
      expect(text).not.toMatch(/secret|127\.0\.0\.1|localhost|http/i)
      const lines = text.trimEnd().split("\n")
      expect(lines.map((line) => JSON.parse(line).reply.text)).toEqual(lines.map(() => "Paris"))
      expect(lines).toHaveLength(20)
      const { id, model, settings, system } = recording
      const replaying = yield* Cassette.replaying({ id, model, settings, system }, tape)
      expect(yield* ask(replaying, request({ seed: 19 }))).toBe("Paris")
    }).pipe(Effect.provide(Layer.merge(platform, NodeFileSystem.layer)))
  )

  it.scopedLive("that is none is told with its line, and one that cannot be written keeps nothing unsaid", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/bad.jsonl`, '\n{"hash": 1}\n')
      const bad = yield* Effect.flip(Cassette.replaying(who, yield* Cassette.file(`${folder}/bad.jsonl`)))
      expect(bad.fault).toBe("BadFile")
      expect(bad.detail).toMatch(/line 1 of .*bad\.jsonl/)
      const isFolder = yield* Effect.flip(Cassette.replaying(who, yield* Cassette.file(folder)))
      expect(isFolder.fault).toBe("BadFile")
      const nowhere = yield* Cassette.recording(
        scripted(() => "Paris").provider,
        yield* Cassette.file(`${folder}/none/tape.jsonl`)
      )
      expect((yield* Effect.flip(ask(nowhere, request()))).fault).toBe("Unkept")
    }).pipe(Effect.provide(Layer.merge(platform, NodeFileSystem.layer)))
  )
})
