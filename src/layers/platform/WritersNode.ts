/**
 * {@link Writers} by process ids: `MACHINE PID START`, where START (Linux: clock ticks since the machine started) tells a process from a later
 * one of the same id.
 */
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { Effect, Layer } from "effect"
import { Writers } from "../../services/Writers.ts"

const startOf = (pid: number): string => {
  try {
    // the name before it may hold blanks and brackets
    return (
      readFileSync(`/proc/${pid}/stat`, "latin1")
        .replace(/^.*\) /s, "")
        .split(" ")[19] ?? ""
    )
  } catch {
    return ""
  }
}
const writerOf = (pid: number): string => `${hostname()} ${pid} ${startOf(pid)}`

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // it is another user's
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

export const layer: Layer.Layer<never> = Layer.sync(Writers, () => {
  const own = writerOf(process.pid)
  return {
    own,
    isThere: (writer) =>
      Effect.sync(() => {
        const pid = Number(writer.split(" ")[1])
        return writer !== own && Number.isSafeInteger(pid) && pid > 0 && writer === writerOf(pid) && isRunning(pid)
      })
  }
})
