/** C24, C30, pain 10: the command itself, killed at random moments. `npm run bench -- kill` does it a hundred times. */
import { beforeAll, describe, expect, it } from "vitest"
import { build, command } from "../support/Command.ts"
import { killAtRandom } from "../support/RandomKills.ts"

beforeAll(build, 300_000)

describe("C24, C30 an index run that is killed at a random moment", () => {
  it("leaves the state before or the state after, and the next run ends well", async () => {
    const { after, before, killed, wrong } = await killAtRandom(command, 1, 8)
    expect(wrong).toEqual([])
    expect(before + after).toBe(8)
    expect(killed).toBeGreaterThan(3)
  }, 240_000)
})
