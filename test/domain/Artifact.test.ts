/** The permission table and what artifacts can hold: pure, total, in one place. */
import { describe, expect, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck, Schema } from "effect"
import type { Reading } from "../../src/domain/Answer.ts"
import {
  Actor,
  Artifact,
  artifactKinds,
  type Claim,
  Draft,
  identity,
  keysOf,
  MemoryScope,
  Operation,
  Payload,
  permissions,
  permit,
  permitOwn,
  permitPersist,
  permitRead,
  quotesOf
} from "../../src/domain/Artifact.ts"
import { ArtifactId, DocumentId } from "../../src/domain/Ids.ts"
import { Role } from "../../src/domain/State.ts"
import { artifact, bridge, failed, hash, nasty, runId, scopeKey, surface } from "../support/Runs.ts"

const [mine, other] = [scopeKey("mine"), scopeKey("other")]
const [run, another] = [runId("run"), runId("another")]
const ids = [ArtifactId.make("a"), ArtifactId.make("b"), ArtifactId.make("c")]

const claims: FastCheck.Arbitrary<Claim> = FastCheck.record({
  actor: FastCheck.constantFrom(...Actor.literals),
  operation: FastCheck.constantFrom(...Operation.literals),
  scopeKey: FastCheck.constantFrom(mine, other),
  run: FastCheck.constantFrom(run, another),
  exposed: FastCheck.subarray(ids)
})
const held = FastCheck.record({
  id: FastCheck.constantFrom(...ids),
  scopeKey: FastCheck.constantFrom(mine, other),
  scope: FastCheck.constantFrom(...MemoryScope.literals),
  run: FastCheck.constantFrom(run, another),
  producer: FastCheck.constantFrom(...Role.literals)
})
/** A property over claims and artifacts that fails if it never meets its case. */
const always = (
  law: (claim: Claim, one: typeof held extends FastCheck.Arbitrary<infer A> ? A : never) => boolean | undefined
) => {
  let met = 0
  FastCheck.assert(
    FastCheck.property(claims, held, (claim, one) => {
      const holds = law(claim, one)
      if (holds !== undefined) met++
      return holds ?? true
    }),
    { numRuns: 5_000, seed: 23 }
  )
  expect(met).toBeGreaterThan(100)
}
const allowed = (claim: Claim, one: Parameters<typeof permit>[1]) => Either.isRight(permit(claim, one))

describe("C23 the permission table", () => {
  it("is total, and says this and nothing else", () => {
    const said = Actor.literals.flatMap((actor) =>
      Operation.literals.flatMap((operation) =>
        MemoryScope.literals.map((scope) => `${actor} ${operation} ${scope}: ${permissions[actor][operation][scope]}`)
      )
    )
    expect(said.length).toBe(5 * 3 * 3)
    expect(said.filter((line) => line.endsWith("true")).map((line) => line.replace(": true", ""))).toEqual([
      ...["Planner", "Navigator", "Retriever"].flatMap((actor) => [
        `${actor} read Global`,
        `${actor} read Task`,
        `${actor} read Private`,
        `${actor} write Task`,
        `${actor} write Private`
      ]),
      "Verifier read Global",
      "Verifier read Task",
      "Verifier read Private",
      "Verifier write Global",
      "Verifier write Task",
      "Verifier write Private",
      "Controller expose Global",
      "Controller expose Task"
    ])
  })

  it("permit is what the contract says in words, for every claim and artifact", () => {
    always((claim, one) => {
      const table = permissions[claim.actor][claim.operation][one.scope]
      const key = one.scopeKey === claim.scopeKey
      const ownRun = one.run === claim.run
      const ownRole = one.producer === claim.actor
      const shown = claim.exposed.includes(one.id)
      const expected =
        table &&
        key &&
        (claim.operation === "write"
          ? ownRun && ownRole
          : one.scope === "Private"
            ? ownRun && ownRole
            : (one.scope === "Global" || ownRun) && (claim.operation === "expose" || shown))
      return allowed(claim, one) === expected
    })
  })

  it("a refusal names actor, operation, scope and the first constraint that fails, and says it", () => {
    always((claim, one) =>
      Either.match(permit(claim, one), {
        onRight: () => undefined,
        onLeft: (denied) => {
          const { actor, constraint, message, operation, scope } = denied
          return (
            actor === claim.actor &&
            operation === claim.operation &&
            scope === one.scope &&
            (constraint === "Table") === !permissions[actor][operation][scope] &&
            message.startsWith(`${actor} may not ${operation} ${scope} memory: `)
          )
        }
      })
    )
  })

  it("is monotone in U: showing more never takes a right away", () => {
    always((claim, one) =>
      allowed(claim, one) ? allowed({ ...claim, exposed: [...claim.exposed, ...ids] }, one) : undefined
    )
  })
})

describe("C22, C27 what stays apart", () => {
  it("nothing of another scope key is ever allowed", () => {
    always((claim, one) => (claim.scopeKey === one.scopeKey ? undefined : !allowed(claim, one)))
  })
  it("nothing private is ever allowed to anybody but its role in its run", () => {
    always((claim, one) =>
      one.scope === "Private" && (one.producer !== claim.actor || one.run !== claim.run)
        ? !allowed(claim, one)
        : undefined
    )
  })
  it("nothing of another run's task memory is ever allowed", () => {
    always((claim, one) => (one.scope === "Task" && one.run !== claim.run ? !allowed(claim, one) : undefined))
  })
  it("only the Verifier writes global memory, so only what was verified outlives its run", () => {
    always((claim, one) =>
      claim.operation === "write" && one.scope === "Global" && claim.actor !== "Verifier"
        ? !allowed(claim, one)
        : undefined
    )
  })
})

describe("C23 reading and persisting many", () => {
  const of = (scope: MemoryScope, producer: Role = "Verifier") =>
    artifact({ scopeKey: mine, run, scope, producer, payload: bridge("a", "b") })

  it("one denied artifact refuses the read, whichever place it has", () => {
    const [open, task, secret] = [of("Global"), of("Task"), of("Private", "Planner")]
    const claim: Claim = {
      actor: "Navigator",
      operation: "read",
      scopeKey: mine,
      run,
      exposed: [open.id, task.id, secret.id]
    }
    expect(permitRead(claim, [])).toEqual(Either.right([]))
    expect(permitRead(claim, [open, task])).toEqual(Either.right([open, task]))
    for (const list of [[secret], [open, secret], [secret, open], [open, secret, task]])
      expect(Either.isLeft(permitRead(claim, list))).toBe(true)
  })

  it("a read counts as a read, whatever operation the claim names", () => {
    const global = of("Global")
    for (const claim of [
      { actor: "Controller", operation: "expose", exposed: [global.id] },
      { actor: "Verifier", operation: "write", exposed: [] }
    ] as const) {
      expect(allowed({ ...claim, scopeKey: mine, run }, global)).toBe(true)
      expect(Either.isLeft(permitRead({ ...claim, scopeKey: mine, run }, [global]))).toBe(true)
    }
  })

  it("every role has private memory of its own; the Controller has none", () => {
    for (const actor of Actor.literals) {
      const own = permitOwn({ actor, operation: "read", scopeKey: mine, run, exposed: [] })
      expect(Either.isRight(own)).toBe(actor !== "Controller")
    }
  })

  it("what is persisted lies under the run's scope key, in its run, where its producer may write", () => {
    FastCheck.assert(
      FastCheck.property(held, (one) => {
        const whole = { ...of(one.scope, one.producer), ...one }
        return (
          Either.isRight(permitPersist(mine, run, [of("Task"), whole])) ===
          (one.scopeKey === mine && one.run === run && (one.scope !== "Global" || one.producer === "Verifier"))
        )
      }),
      { numRuns: 1_000, seed: 24 }
    )
  })
})

describe("C26 what artifacts can hold", () => {
  /** Paths of the strings of a value, with the brand's name or the literals taken off. */
  const strings = (value: unknown, path = ""): ReadonlyArray<string> =>
    typeof value === "string"
      ? [path]
      : typeof value === "object" && value !== null
        ? Object.entries(value).flatMap(([key, inner]) => strings(inner, path === "" ? key : `${path}.${key}`))
        : []
  const decode = Schema.decodeUnknownEither(Payload, { onExcessProperty: "error" })

  it("no kind has a text besides its quotes: the rest are ids, digests and its own name", () => {
    const found = new Map<string, Set<string>>()
    for (const payload of FastCheck.sample(Arbitrary.make(Payload), { numRuns: 300, seed: 26 })) {
      const paths = found.get(payload.kind) ?? new Set()
      for (const path of strings(payload)) paths.add(path)
      found.set(payload.kind, paths)
    }
    expect([...found.keys()].sort()).toEqual([...artifactKinds].sort())
    const quote = (at: string) => [`${at}.span.document`, `${at}.text`]
    expect(Object.fromEntries([...found].map(([kind, paths]) => [kind, [...paths].sort()]))).toEqual({
      SurfaceForm: ["kind", "node", ...quote("surface")],
      Bridge: [...quote("from"), "kind", ...quote("to")],
      FailedRegion: ["kind", "node", "signature"]
    })
  })

  it("every text of a payload is one of quotesOf, which the controller checks against the corpus", () => {
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Payload), (payload) => {
        const texts = new Set(quotesOf(payload).map((quote) => quote.text))
        return strings(payload).every((path) => {
          const value = path
            .split(".")
            .reduce<unknown>((inner, key) => (inner as Record<string, unknown>)[key], payload)
          return /(^|\.)(kind|node|signature|document)$/.test(path) || texts.has(String(value))
        })
      }),
      { numRuns: 500, seed: 27 }
    )
  })

  it("an answer, a label or a reading is no payload, alone or hidden in one", () => {
    const reading: Reading = { text: "42", citations: [] }
    for (const forged of [
      reading,
      { kind: "Answer", text: "42" },
      { kind: "Label", gold: "42" },
      { ...bridge("a", "b"), answer: "42" },
      { ...surface("a"), note: "the answer is 42" },
      { ...failed("plan"), signature: "the answer is 42" },
      { kind: "SurfaceForm", surface: "42", node: "n" },
      { kind: "Bridge", from: { text: "42" }, to: { text: "42" } }
    ])
      expect(Either.isLeft(decode(forged))).toBe(true)
    expect(Object.keys(Draft.fields).sort()).toEqual(["payload", "restsOn", "scope"])
  })
})

describe("C24 the identity of an artifact", () => {
  const base = {
    scopeKey: mine,
    run,
    producer: "Verifier",
    payload: bridge("a", "b"),
    restsOn: [hash("x"), hash("y")]
  } as const
  const of = (scope: MemoryScope, change: Partial<Artifact> = {}) =>
    JSON.stringify(identity({ ...base, scope, ...change }))

  it("equal finds in one memory are one; two memories, two contents, two versions of a document are two", () => {
    for (const scope of MemoryScope.literals) {
      expect(of(scope)).toBe(of(scope, { restsOn: [hash("y"), hash("x")] }))
      expect(of(scope, { run: another }) === of(scope)).toBe(scope === "Global")
      expect(of(scope, { producer: "Planner" }) === of(scope)).toBe(scope !== "Private")
      for (const change of [
        { scopeKey: other },
        { payload: bridge("b", "a") },
        { payload: failed("a") },
        { restsOn: [hash("x"), hash("z")] },
        { restsOn: [] }
      ])
        expect(of(scope, change)).not.toBe(of(scope))
    }
    expect(new Set(MemoryScope.literals.map((scope) => of(scope))).size).toBe(3)
  })

  it("different payloads have different identities, and the order of properties is no difference", () => {
    const equal = Schema.equivalence(Payload)
    FastCheck.assert(
      FastCheck.property(Arbitrary.make(Payload), Arbitrary.make(Payload), (a, b) => {
        const turned = Object.fromEntries(Object.entries(a).reverse()) as Payload
        return (
          (of("Global", { payload: a }) === of("Global", { payload: b })) === equal(a, b) &&
          of("Global", { payload: turned }) === of("Global", { payload: a })
        )
      }),
      { numRuns: 500, seed: 25 }
    )
  })
})

describe("C1 artifacts as JSON", () => {
  it("decode(encode(a)) is a; one without an expiry never expires", () => {
    const round = Schema.decodeUnknownSync(Schema.parseJson(Artifact))
    const encode = Schema.encodeSync(Schema.parseJson(Artifact))
    for (const text of nasty) {
      const made = artifact({ scopeKey: mine, run, payload: bridge(text, "b"), expiresAt: 7 })
      expect(round(encode(made))).toEqual(made)
      const { expiresAt: _, ...old } = made
      expect(round(JSON.stringify(old)).expiresAt).toBeNull()
    }
  })

  it("is found again by the folded words of its quotes, once each, in order; a failed region by its signature", () => {
    expect(keysOf(bridge("The Running dogs", "running THE"))).toEqual(
      [...new Set(keysOf(bridge("The Running dogs", "x")))].filter((key) => key !== "x")
    )
    expect(keysOf(failed("plan"))).toEqual([hash("plan")])
    const quote = { span: { document: DocumentId.make("d"), start: 0, end: 3 }, text: "a b a" }
    expect(keysOf({ kind: "Bridge", from: quote, to: quote })).toEqual(["a", "b"])
  })
})
