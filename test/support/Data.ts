/** The evaluation data, where STATERAG_DATA names its folder; what needs it runs only there. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

export const dataFolder: string | undefined = process.env.STATERAG_DATA

/** A path inside the data folder. */
export const dataPath = (...parts: ReadonlyArray<string>): string => join(dataFolder ?? "", ...parts)

const lines = (file: string): ReadonlyArray<unknown> =>
  readFileSync(dataPath(file), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line): unknown => JSON.parse(line))

const Question = Schema.Struct({ id: Schema.String, question: Schema.String, answers: Schema.Array(Schema.String) })
export const questionsOf = (set: string): ReadonlyArray<typeof Question.Type> =>
  lines(`${set}.jsonl`).map((record) => Schema.decodeUnknownSync(Question)(record))

const Record = Schema.Struct({ id: Schema.String, title: Schema.String, text: Schema.String })
export const recordsOf = (set: string): ReadonlyArray<typeof Record.Type> =>
  lines(`${set}.corpus.jsonl`).map((record) => Schema.decodeUnknownSync(Record)(record))
