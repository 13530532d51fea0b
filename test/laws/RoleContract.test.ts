/** C2, C10: the contract as a check that users run on roles of their own; it finds nothing in ours and everything in broken ones. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ScopeKey } from "../../src/domain/Ids.ts"
import { defaultPolicy } from "../../src/domain/Policy.ts"
import { propose } from "../../src/domain/Proposal.ts"
import { pending } from "../../src/domain/Verification.ts"
import type { Services } from "../../src/layers/Embedded.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"
import { layer, Navigator, Retriever, RoleContract, RoleFailed, script, Verifier } from "../../src/testing.ts"

const scope = ScopeKey.make("contract")
const policy = { ...defaultPolicy, compactEvidence: "off" as const }
const questions = ["Who wrote the parser?", "Where was Charles Babbage born?"]

const checked = async (roles: Layer.Layer<Services>) => {
  const folder = mkdtempSync(join(tmpdir(), "staterag-contract-"))
  writeFileSync(
    join(folder, "parser.md"),
    "# The parser\n\nThe parser was written by Ada Lovelace for the Analytical Engine.\n"
  )
  writeFileSync(
    join(folder, "babbage.md"),
    "# Charles Babbage\n\nCharles Babbage was born in London. He met Ada Lovelace.\n"
  )
  const program = Effect.zipRight(
    IndexCorpus.indexCorpus({ scope, paths: [folder] }),
    RoleContract.check(questions, { scope, policy })
  )
  return Effect.runPromise(Effect.provide(program, roles)).finally(() => rmSync(folder, { recursive: true }))
}

describe("C2, C10 the contract for roles of one's own", () => {
  it("the embedded roles keep it", async () => {
    expect(await checked(layer)).toEqual([])
  })
  it("a Verifier that says Pending, a Retriever that alters text, a role that fails", async () => {
    const pendingVerifier = Layer.succeed(Verifier, { propose: () => Effect.succeed(propose("verification", pending)) })
    expect(await checked(Layer.merge(layer, pendingVerifier))).toMatchObject(
      questions.map((question) => ({ question, stage: "Verifier", clause: "rule VerdictIsReached" }))
    )
    const failing = script(() => Effect.fail(new RoleFailed({ role: "Navigator", reason: "Failed", detail: "no map" })))
    expect(await checked(Layer.merge(layer, Layer.succeed(Navigator, { propose: failing.call })))).toMatchObject([
      { stage: "Navigator", clause: "C10" },
      { stage: "Navigator", clause: "C10" }
    ])
    const altering = Layer.effect(
      Retriever,
      Effect.map(Retriever, (retriever) => ({
        propose: (turn: Parameters<typeof retriever.propose>[0]) =>
          Effect.map(retriever.propose(turn), ({ value }) =>
            propose(
              "evidence",
              value.map((item) => ({ ...item, text: `${item.text.slice(0, -1)}!` }))
            )
          )
      }))
    )
    expect(await checked(Layer.provideMerge(altering, layer))).toMatchObject([
      { clause: "rule IsVerbatim" },
      { clause: "rule IsVerbatim" }
    ])
  })
})
