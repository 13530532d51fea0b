/**
 * A hundred index runs of the built command, killed at random moments (SIGKILL): what each leaves, and whether the next run mends it.
 *
 * Gate: every state is the one before or the one after, `verify` finds nothing wrong, and the next run comes to the same index.
 */

import { join } from "node:path"
import { killAtRandom } from "../../test/support/RandomKills.ts"
import { table } from "../report.ts"

export const about = "index runs killed at random moments"

/** Runs the benchmark; false where its gate is broken. */
export const main = async (args: ReadonlyArray<string>): Promise<boolean> => {
  const at = args.indexOf("--rounds")
  const rounds = at < 0 ? 100 : Number(args[at + 1])
  const { after, before, killed, wrong } = await killAtRandom(join(process.cwd(), "dist", "staterag.js"), 2, rounds)
  process.stdout.write(
    `${table(
      ["index runs", String(rounds)],
      [
        ["killed before their end", String(killed)],
        ["left the state before", String(before)],
        ["left the state after", String(after)],
        ["left anything else, or were not mended", String(wrong.length)]
      ]
    )}\n${wrong.map((line) => `${line}\n`).join("")}`
  )
  return wrong.length === 0
}
