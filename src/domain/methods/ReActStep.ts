/** What a step of ReAct says: a thought, and the first action that can be read. Only a model's own words are read so, never a document's. */

export interface Action {
  readonly name: "Search" | "Lookup" | "Finish"
  readonly argument: string
}
export interface Step {
  readonly thought: string
  readonly action: Action | undefined
}

/** Characters of an argument that count. */
const longest = 300
const line = /^[ \t*]*(?:Action(?:[ \t]+\d+)?[ \t*]*:[ \t*]*)?(Search|Lookup|Finish)[ \t]*\[(.*)\][ \t.*]*$/imu
const label = /^[ \t*]*Thought(?:[ \t]+\d+)?[ \t*]*:[ \t*]*/iu
/** Where a model goes on to write what is not its own: an observation, or the step after. */
const beyond = /\n[ \t*]*(?:Observation(?:[ \t]+\d+)?[ \t*]*:|Thought(?:[ \t]+\d+)?[ \t*]*:)/iu

const names: { readonly [name: string]: Action["name"] } = { search: "Search", lookup: "Lookup", finish: "Finish" }

/** The step in `said`: what stands after an observation or a second thought of the model's own making does not count. */
export const parse = (said: string): Step => {
  const trimmed = said.trim()
  const end = beyond.exec(trimmed)?.index ?? trimmed.length
  const own = trimmed.slice(0, end)
  const found = line.exec(own)
  const name = names[found?.[1]?.toLowerCase() ?? ""]
  const [thought = ""] = own
    .slice(0, found?.index ?? own.length)
    .replace(label, "")
    .trim()
    .split("\n")
  return {
    thought,
    action: name === undefined ? undefined : { name, argument: (found?.[2] ?? "").trim().slice(0, longest) }
  }
}

export const stepText = (thought: string, action: Action): string =>
  `Thought: ${thought}\nAction: ${action.name}[${action.argument}]`
