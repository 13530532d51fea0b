/** SIGKILL of the built command at random moments of an index run, and what it leaves. */
import { spawn } from "node:child_process"
import { cpSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import * as Embedded from "../../src/layers/Embedded.ts"
import { verify } from "../../src/programs/Verify.ts"
import { folder, index, portrait, scope, write } from "./Living.ts"
import { random } from "./Random.ts"

const note = (i: number, year: number): string =>
  `# Note ${i}\n\nNote ${i} is about the bridge of Town ${i % 10}. It was built in ${year} by Keeper ${i}.\n\nSee Note ${(i + 7) % 30}.\n`
const notes = (year: number) =>
  Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`n${i}.md`, note(i, year + i)]))

/** Runs a Node and kills it after so many milliseconds; how it ended. */
const run = (args: ReadonlyArray<string>, after: number): Promise<number | NodeJS.Signals> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: "ignore" })
    const timer = setTimeout(() => child.kill("SIGKILL"), after)
    child.on("error", reject)
    child.on("exit", (code, signal) => {
      clearTimeout(timer)
      resolve(signal ?? code ?? 0)
    })
  })
const longest = 120_000

export interface Tally {
  /** Runs that died; the others had ended before. */
  readonly killed: number
  readonly before: number
  readonly after: number
  /** What was neither, or was not mended by the next run; empty. */
  readonly wrong: ReadonlyArray<string>
}

/** Kills `times` index runs of the built `command` over 30 changed files, each over a copy of the same state. */
export const killAtRandom = async (command: string, seed: number, times: number): Promise<Tally> => {
  const r = random(seed)
  const root = write(folder(), notes(1700))
  const start = join(folder(), "state")
  const indexing = [command, "index", root, "--quiet", "--dir"]
  const whole = async (directory: string) => {
    const ended = await run([...indexing, directory], longest)
    if (ended !== 0) throw new Error(`the command ends with ${ended}`)
  }
  await whole(start)
  const inHouse = <A, E>(directory: string, effect: Effect.Effect<A, E, Embedded.Services>): Promise<A> =>
    Effect.runPromise(Effect.provide(effect, Embedded.layer({ directory })))
  const before = JSON.stringify(await inHouse(start, portrait))
  write(root, notes(1800))
  rmSync(join(root, "n5.md"))
  const end = join(folder(), "state")
  cpSync(start, end, { recursive: true })
  const began = performance.now()
  await whole(end)
  const takes = performance.now() - began
  const after = JSON.stringify(await inHouse(end, portrait))

  const tally = { killed: 0, before: 0, after: 0 }
  const wrong: Array<string> = []
  for (let i = 0; i < times; i++) {
    const directory = join(folder(), "state")
    cpSync(start, directory, { recursive: true })
    const delay = Math.floor(r.next() * takes * 1.1)
    if ((await run([...indexing, directory], delay)) === "SIGKILL") tally.killed++
    const say = (what: string) => wrong.push(`kill ${i}, after ${delay} ms: ${what}`)
    const left = await inHouse(
      directory,
      Effect.gen(function* () {
        const { findings } = yield* verify({ scope })
        for (const { derived, message } of findings) if (derived !== "VectorFiles") say(message)
        const found = JSON.stringify(yield* portrait)
        yield* index(root)
        if (JSON.stringify(yield* portrait) !== after) say("the next run does not come to the same index")
        if (!(yield* verify({ scope })).sound) say("something is wrong after the next run")
        return found
      })
    )
    if (left === after) tally.after++
    else if (left === before) tally.before++
    else say("the state is neither the one before nor the one after")
    rmSync(directory, { recursive: true })
  }
  return { ...tally, wrong }
}
