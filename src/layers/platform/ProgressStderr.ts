/**
 * {@link Progress} as text, through a writer that the caller hands in: one line that is redrawn ten times a second on a terminal, else a line
 * every five seconds. What ends sooner is not shown at all where nothing can be redrawn.
 */
import { Clock, Effect, Layer } from "effect"
import { Progress, type Step } from "../../services/Progress.ts"

export interface Options {
  readonly write: (text: string) => void
  /** Whether what is written can be redrawn. */
  readonly isTerminal: boolean
  /** How wide the terminal is; 0 or less where that is not known. */
  readonly columns: number
}

const redrawMs = 100
const lineMs = 5000
const barWidth = 20
const erase = "\r\u001b[2K"

/** `reading files 12/40 30% 8 s left`. */
const words = ({ done, label, total }: Step, elapsedMs: number): string => {
  if (total === undefined || total === 0) return `${label} ${done}`
  const share = Math.min(1, done / total)
  const leftMs = done === 0 ? undefined : (elapsedMs * (total - done)) / done
  const left = leftMs === undefined || leftMs < 1000 ? "" : ` ${Math.round(leftMs / 1000)} s left`
  return `${label} ${done}/${total} ${Math.floor(share * 100)}%${left}`
}

const bar = ({ done, total }: Step): string => {
  const filled = total === undefined || total === 0 ? 0 : Math.floor(barWidth * Math.min(1, done / total))
  return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)} `
}

/** The line is taken away when the scope ends, so that what is written next stands alone. */
export const layer = ({ columns, isTerminal, write }: Options): Layer.Layer<never> =>
  Layer.scoped(
    Progress,
    Effect.gen(function* () {
      const width = columns > 0 ? columns - 1 : 79
      const gap = isTerminal ? redrawMs : lineMs
      let label = ""
      let startedAt = 0
      let drawnAt = yield* Clock.currentTimeMillis
      let isDrawn = false
      yield* Effect.addFinalizer(() => Effect.sync(() => (isDrawn ? write(erase) : undefined)))
      return {
        report: (step: Step) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (step.label !== label) {
              label = step.label
              startedAt = now
            }
            if (now - drawnAt < gap) return
            drawnAt = now
            const line = words(step, now - startedAt)
            write(isTerminal ? `${erase}${`${bar(step)}${line}`.slice(0, width)}` : `${line}\n`)
            isDrawn = isTerminal
          })
      }
    })
  )
