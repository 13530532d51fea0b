/** CPU time of this Node process: user and system, all threads. */
import { Layer } from "effect"
import { CpuTime } from "../../services/CpuTime.ts"

export const layer: Layer.Layer<never> = Layer.succeed(CpuTime, {
  milliseconds: () => {
    const { system, user } = process.cpuUsage()
    return (system + user) / 1000
  }
})
