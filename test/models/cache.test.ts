/** C28, pain 27: an answer is found again only where nothing differs that could change it; what is found is marked, and costs no money. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { ModelRequest } from "../../src/domain/ModelRequest.ts"
import { make, requestHash } from "../../src/layers/model/Making.ts"
import * as Pacing from "../../src/layers/model/Pacing.ts"
import { scripted } from "../../src/layers/model/Scripted.ts"
import * as Client from "../../src/layers/sql/Client.ts"
import * as Migrations from "../../src/layers/sql/Migrations.ts"
import * as ModelCacheSql from "../../src/layers/sql/ModelCacheSql.ts"
import { Digest } from "../../src/services/Digest.ts"
import type { Provider } from "../../src/services/LanguageModel.ts"
import { platform, recorder, request } from "../support/ModelRuns.ts"

const cache = ModelCacheSql.layer.pipe(
  Layer.provide(Migrations.layer),
  Layer.provide(Client.layer({ filename: ":memory:", create: true }))
)
const [first] = request().messages
const shape = { name: "answer", schema: { type: "object" } }

/** Every part of a request, changed alone; the compiler misses one that is left out. */
const requests: { readonly [K in keyof ModelRequest]: ReadonlyArray<Partial<ModelRequest>> } = {
  role: [{ role: "Planner" }],
  promptVersion: [{ promptVersion: "v2" }],
  system: [{ system: "Answer in two words." }, { system: "" }],
  messages: [
    { messages: [{ ...first, text: `${first.text} ` }] },
    { messages: [{ ...first, author: "Model" }] },
    { messages: [first, { author: "Model", text: "" }] },
    { messages: [first, first] }
  ],
  shape: [
    { shape },
    { shape: { ...shape, name: "other" } },
    { shape: { ...shape, schema: { type: "object", required: ["a"] } } }
  ],
  maxTokens: [{ maxTokens: 101 }],
  temperature: [{ temperature: 0.1 }],
  seed: [{ seed: 8 }, { seed: null }]
}
/** What of a provider can change an answer. */
const providers: ReadonlyArray<Partial<Provider>> = [
  { system: "another" },
  { endpoint: "https://elsewhere.example/v1" },
  { model: "scripted-2" },
  { settings: "top_p=0.5" }
]
const changes = Object.values(requests).flat()

describe("C28 the key of a cached answer", () => {
  it.effect("each part of the request, of the provider and the scope, changed alone, misses; the same hits", () =>
    Effect.gen(function* () {
      const script = scripted((_, call) => `answer ${call}`)
      const pacing = yield* Pacing.make({})
      const modelOf = (changed: Partial<Provider> = {}) =>
        make({ ...script.provider, ...changed }, { pacing, cards: {}, readerModel: "scripted" })
      const mine = recorder()
      const ask = (given: ModelRequest, changed?: Partial<Provider>, who = mine) =>
        Effect.flatMap(modelOf(changed), ({ text }) => who.within(text(given)))
      const original = yield* ask(request())
      let asked = script.asked().length
      const misses = (what: unknown) => {
        expect(script.asked().length, JSON.stringify(what)).toBe(++asked)
      }
      for (const change of changes) {
        yield* ask(request(change))
        misses(change)
      }
      for (const change of providers) {
        yield* ask(request(), change)
        misses(change)
      }
      yield* ask(request(), undefined, recorder({ scope: Option.some("another") }))
      misses("scope")
      // outside of any scope nothing is cached
      for (let i = 0; i < 2; i++) {
        yield* ask(request(), undefined, recorder({ scope: Option.none() }))
        misses("no scope")
      }
      const before = mine.records.length
      // a copy of everything, and another name for the same model, by which settings may call it
      expect(yield* ask(structuredClone(request()))).toEqual(original)
      for (const change of [...changes, ...changes]) yield* ask(request(change))
      expect(script.asked().length).toBe(asked)
      const hits = mine.records.slice(before)
      expect(hits.length).toBe(1 + 2 * changes.length)
      for (const { call } of hits) {
        expect(call).toMatchObject({ cached: true })
        expect(call.money ?? 0).toBe(0)
        expect(call.promptTokens + call.completionTokens).toBeGreaterThan(0)
      }
    }).pipe(Effect.provide(Layer.merge(platform, cache)))
  )

  it.effect("no two of them have one hash, and no two parts run together", () =>
    Effect.gen(function* () {
      const { hash } = yield* Digest
      const { provider } = scripted(() => "")
      const hashes = [
        requestHash(hash, provider, request()),
        ...changes.map((change) => requestHash(hash, provider, request(change))),
        ...providers.map((change) => requestHash(hash, { ...provider, ...change }, request())),
        requestHash(hash, { ...provider, model: "a", settings: "b" }, request()),
        requestHash(hash, { ...provider, model: "ab", settings: "" }, request()),
        requestHash(hash, provider, request({ role: "ab", promptVersion: "c" })),
        requestHash(hash, provider, request({ role: "a", promptVersion: "bc" }))
      ]
      expect(new Set(hashes).size).toBe(hashes.length)
      expect(requestHash(hash, provider, structuredClone(request()))).toBe(hashes[0])
    }).pipe(Effect.provide(platform))
  )
})
