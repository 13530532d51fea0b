/** CPU time of this process, where the platform tells it: what does not grow with whatever else the machine does. */
import { Context } from "effect"

export class CpuTime extends Context.Reference<CpuTime>()("staterag/services/CpuTime", {
  defaultValue: (): { readonly milliseconds: () => number | null } => ({ milliseconds: () => null })
}) {}
