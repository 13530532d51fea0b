/** CPU time, which does not grow with what else the machine is doing. */

/** Milliseconds of this process' CPU that `body` takes. */
export const cpuMs = (body: () => void): number => {
  const before = process.cpuUsage()
  body()
  const { system, user } = process.cpuUsage(before)
  return (system + user) / 1000
}
