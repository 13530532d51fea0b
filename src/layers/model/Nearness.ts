/** Which of some requests comes nearest to another, and what it differs in: for who has changed a prompt and wonders what a tape lacks. */
import type { ModelRequest } from "../../domain/ModelRequest.ts"

const shownLength = 40

const fieldsOf = ({ maxTokens, messages, promptVersion, role, seed, shape, system, temperature }: ModelRequest) => ({
  role,
  promptVersion,
  shape: JSON.stringify(shape),
  system,
  messages: messages.map(({ author, text }) => `${author}: ${text}`).join("\n"),
  maxTokens: String(maxTokens),
  temperature: String(temperature),
  seed: String(seed)
})
type Fields = ReturnType<typeof fieldsOf>
const names = ["role", "promptVersion", "shape", "system", "messages", "maxTokens", "temperature", "seed"] as const

const shared = (a: string, b: string): number => {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  return at
}

const difference = (name: (typeof names)[number], wanted: Fields, other: Fields): string => {
  const [now, then] = [wanted[name], other[name]]
  if (now.length <= shownLength && then.length <= shownLength) return `${name} (${now}; recorded is ${then})`
  const at = shared(now, then)
  const from = Math.max(0, at - shownLength / 4)
  const shown = (text: string) => JSON.stringify(text.slice(from, from + shownLength))
  return `${name}, from character ${at + 1} (${shown(now)}; recorded is ${shown(then)})`
}

/** The nearest by role, then by how many parts differ, then by how much of the messages is the same. */
export const nearest = (request: ModelRequest, others: ReadonlyArray<ModelRequest>): string => {
  const wanted = fieldsOf(request)
  const ranked = others
    .map((other) => {
      const fields = fieldsOf(other)
      const differing = names.filter((name) => fields[name] !== wanted[name])
      return { fields, differing, same: shared(fields.messages, wanted.messages) }
    })
    .sort(
      (a, b) =>
        Number(a.fields.role !== wanted.role) - Number(b.fields.role !== wanted.role) ||
        a.differing.length - b.differing.length ||
        b.same - a.same
    )
  const [first] = ranked
  return first === undefined
    ? "nothing is recorded"
    : `the nearest of ${others.length} differs in ${first.differing.map((name) => difference(name, wanted, first.fields)).join(", and ") || "the model or its settings"}`
}
