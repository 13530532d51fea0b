import * as fs from "node:fs"
import * as path from "node:path"
import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Answer } from "../../src/domain/Answer.ts"
import { build, command, documents, run, staterag, temporary, write } from "../support/Command.ts"

const folder = temporary()
const said = (args: ReadonlyArray<string>) => staterag(args, { cwd: folder })
const answered = (text: string) => Schema.decodeUnknownSync(Schema.parseJson(Answer))(text)
const question = "Who maintains the parser?"

/** A state folder of its own, as `index` left it. */
const copy = (name: string): string => {
  fs.cpSync(path.join(folder, ".staterag"), path.join(folder, name), { recursive: true })
  return name
}
/** A failure that says what is wrong and what to do, and is not a defect. */
const failure = (ended: Awaited<ReturnType<typeof said>>, message: RegExp): void => {
  expect(ended.stderr).toMatch(message)
  expect(ended.stderr).toMatch(/\n {2}\S/)
  expect(ended.stderr).not.toMatch(/defect|\n\s+at /)
  expect([ended.code, ended.stdout]).toEqual([1, ""])
}

beforeAll(async () => {
  build()
  write(folder, documents)
  const { code, stderr } = await said(["index", "docs"])
  if (code !== 0) throw new Error(stderr)
}, 120_000)
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

describe("what cannot be indexed", () => {
  it("is skipped with its reason and exit code 4; the rest is indexed", async () => {
    write(folder, {
      "mixed/good.md": "# Good\n\nThe beacon is lit by Ida Stern.\n",
      "mixed/binary.txt": new Uint8Array([0, 1, 2, 0, 255, 254, 0]),
      "mixed/latin.md": new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]),
      "mixed/lines.jsonl": '{"id":"one","title":"One","text":"The quay is long."}\nnot json\n{"title":"no id"}\n'
    })
    fs.symlinkSync(path.join(folder, "mixed", "gone.md"), path.join(folder, "mixed", "dangling.md"))
    const ended = await said(["index", "mixed", "--dir", "mixed-state", "--json"])
    expect(ended.code).toBe(4)
    const { documents: found } = JSON.parse(ended.stdout)
    expect(found.added).toBe(2)
    const skipped = found.skipped.map(({ path: name }: { path: string }) => name)
    expect(skipped).toEqual(expect.arrayContaining(["binary.txt", "latin.md", "lines.jsonl:2", "lines.jsonl:3"]))
    for (const { reason } of found.skipped) expect(reason).not.toBe("")
    const text = await said(["index", "mixed", "--dir", "mixed-state"])
    expect(text.code).toBe(4)
    expect(text.stdout).toMatch(/^Skipped \d+:$/m)
    expect(text.stdout).toMatch(/^ {2}binary\.txt: /m)
  })

  it("fails where it is all there is, or is not there", async () => {
    failure(await said(["index", "no-such-folder"]), /no-such-folder/)
    fs.mkdirSync(path.join(folder, "empty"))
    failure(await said(["index", "empty", "--dir", "empty-state"]), /no text to index in empty/)
    failure(await said(["ask", question, "--dir", "empty-state"]), /nothing has been indexed here yet/)
    write(folder, { "blank/blank.md": " \n\n" })
    failure(await said(["index", "blank", "--dir", "empty-state"]), /no text to index/)
  })
})

describe("a state folder", () => {
  it("that is not there is not made by looking", async () => {
    for (const args of [["ask", question], ["search", "x"], ["explain"], ["show", "a.md"], ["status"], ["runs"]]) {
      failure(await said([...args, "--dir", "absent"]), /nothing has been indexed here yet/)
    }
    expect(fs.existsSync(path.join(folder, "absent"))).toBe(false)
  })

  it("that is a file, or lies in one, is refused", async () => {
    write(folder, { file: "text" })
    failure(await said(["ask", question, "--dir", "file"]), /is a file/)
    failure(await said(["index", "docs", "--dir", "file"]), /is a file/)
    failure(await said(["index", "docs", "--dir", "file/inside"]), /file\/inside/)
    expect(fs.readFileSync(path.join(folder, "file"), "utf8")).toBe("text")
  })

  it("can be moved", async () => {
    const moved = await said(["ask", question, "--json", "--dir", copy("moved")])
    expect(moved.code).toBe(0)
    expect(answered(moved.stdout).answered).toBe(true)
  })
})

describe("a damaged database", () => {
  it("that is garbage is a failure with advice, and is left as it is", async () => {
    const state = copy("garbage")
    const file = path.join(folder, state, "staterag.db")
    for (const name of fs.readdirSync(path.join(folder, state)))
      if (/-(wal|shm)$/.test(name)) fs.rmSync(path.join(folder, state, name))
    fs.writeFileSync(file, "this is no database, but it is long enough to be taken for one\n".repeat(100))
    const before = fs.readFileSync(file)
    for (const args of [["ask", question], ["status"], ["index", "docs"]])
      failure(await said([...args, "--dir", state]), /not a database|NOTADB/)
    expect(fs.readFileSync(file).equals(before)).toBe(true)
  })

  it("that is cut off is a failure with advice", async () => {
    const state = copy("cut")
    const file = path.join(folder, state, "staterag.db")
    for (const name of fs.readdirSync(path.join(folder, state)))
      if (/-(wal|shm)$/.test(name)) fs.rmSync(path.join(folder, state, name))
    fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2 / 4096) * 4096)
    failure(await said(["ask", question, "--dir", state]), /malformed|CORRUPT|damaged|Unreadable/i)
  })

  it("that is empty holds nothing", async () => {
    const state = copy("void")
    for (const name of fs.readdirSync(path.join(folder, state)))
      if (name.startsWith("staterag.db")) fs.rmSync(path.join(folder, state, name))
    fs.writeFileSync(path.join(folder, state, "staterag.db"), "")
    failure(await said(["ask", question, "--dir", state]), /nothing has been indexed here yet/)
  })
})

describe("a damaged vector file", () => {
  const vectors = (state: string): ReadonlyArray<string> =>
    fs
      .readdirSync(path.join(folder, state, "vectors"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))

  it("is only a cache: cut, garbage or gone, the answer is the same", async () => {
    const whole = answered((await said(["ask", question, "--json"])).stdout)
    const damages: ReadonlyArray<readonly [name: string, damage: (file: string) => void]> = [
      ["cut-vectors", (file) => fs.truncateSync(file, Math.max(0, fs.statSync(file).size - 1))],
      ["garbage-vectors", (file) => fs.writeFileSync(file, "garbage")],
      ["no-vectors", (file) => fs.rmSync(file)]
    ]
    for (const [name, damage] of damages) {
      const state = copy(name)
      const files = vectors(state)
      expect(files.length).toBeGreaterThan(0)
      for (const file of files) damage(file)
      const ended = await said(["ask", question, "--json", "--dir", state])
      expect([name, ended.code, ended.stderr]).toEqual([name, 0, ""])
      expect({ ...answered(ended.stdout), run: "", elapsedMs: 0 }).toEqual({ ...whole, run: "", elapsedMs: 0 })
    }
  })
})

describe("a signal", () => {
  const signals: ReadonlyArray<readonly [signal: NodeJS.Signals, code: number, beside: string]> = [
    ["SIGINT", 130, "nothing else"],
    ["SIGTERM", 143, "nothing else"],
    ["SIGTERM", 143, "a package that ends the process"]
  ]
  /** As signal-exit does, which comes with the runtime of model files: where it is the last that listens, it ends the process. */
  const ending = `setTimeout(() => process.on("SIGTERM", function last() {
    if (process.listeners("SIGTERM").length > 1) return
    process.removeListener("SIGTERM", last)
    process.kill(process.pid, "SIGTERM")
  }), 700).unref()`
  it.each(signals)(
    "%s in the middle of an index run ends with %i and leaves the old index, beside %s",
    async (signal, code, beside) => {
      const state = copy(`state-${signal}-${beside.length}`)
      const env: Record<string, string> =
        beside === "nothing else" ? {} : { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ending)}` }
      const before = JSON.parse((await said(["status", "--json", "--dir", state])).stdout)
      const words = ["harbour", "parser", "beacon", "quay", "winter", "field", "report", "printer", "lamp", "tide"]
      const sentence = (n: number) => `The ${words[n % 10]} of ${n} names the ${words[(n * 7) % 10]} of Port${n % 97}. `
      const many = Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => [
          `many/${i}.md`,
          `# Report ${i}\n\n${Array.from({ length: 1500 }, (_, n) => sentence(i * 1500 + n)).join("")}\n`
        ])
      )
      write(folder, many)
      const ended = await staterag(["index", "many", "--dir", state], { cwd: folder, env, signal: [signal, 1500] })
      expect([ended.code, ended.signal, ended.stdout]).toEqual([code, null, ""])
      expect(ended.stderr).toMatch(/interrupted/)
      const after = JSON.parse((await said(["status", "--json", "--dir", state])).stdout)
      expect(after.corpusRevision).toBe(before.corpusRevision)
      expect(after.documents).toBe(before.documents)
      expect(after.passages).toBe(before.passages)
      expect(answered((await said(["ask", question, "--json", "--dir", state])).stdout).answered).toBe(true)
    }
  )
})

describe("an installation whose database driver", () => {
  /** The command beside a driver that throws, without its compiled code. */
  const withDriver = async (name: string, error: string) => {
    const home = path.join(folder, name)
    for (const file of ["staterag.js", "staterag.cjs"]) {
      fs.mkdirSync(path.join(home, "dist"), { recursive: true })
      fs.copyFileSync(path.join(path.dirname(command), file), path.join(home, "dist", file))
    }
    write(home, {
      "package.json": '{ "type": "module" }',
      "node_modules/better-sqlite3/package.json": '{ "name": "better-sqlite3", "main": "index.js" }',
      "node_modules/better-sqlite3/index.js": `module.exports = class { constructor() { throw ${error} } }`
    })
    return await run(process.execPath, [path.join(home, "dist", "staterag.js"), "status"], { cwd: folder })
  }

  it("has a bug shows a defect: exit 70, the trace, and how to report it", async () => {
    const { code, stderr, stdout } = await withDriver("buggy", 'new TypeError("boom \\u001b[31m")')
    expect([code, stdout]).toEqual([70, ""])
    expect(stderr).toMatch(/a defect of staterag \d+\.\d+\.\d+ \(node v/)
    expect(stderr).toContain("TypeError: boom \\x1b[31m")
    expect(stderr).toMatch(/Please report it/)
  })

  it("was built for another Node says how to build it again", async () => {
    const message = "was compiled against a different Node.js version using NODE_MODULE_VERSION 131."
    const { code, stderr, stdout } = await withDriver("foreign", `new Error("${message}")`)
    expect([code, stdout]).toEqual([1, ""])
    expect(stderr).toMatch(/npm rebuild better-sqlite3/)
    expect(stderr).not.toMatch(/defect/)
  })
})

describe("privacy", () => {
  it("nobody else may read the state", () => {
    expect(fs.statSync(path.join(folder, ".staterag", "staterag.db")).mode & 0o777).toBe(0o600)
    expect(fs.statSync(path.join(folder, ".staterag")).mode & 0o077).toBe(0)
  })

  it("a key in the environment changes nothing", async () => {
    const env = { OPENAI_API_KEY: "sk-secret", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" }
    const { code, stdout } = await staterag(["ask", question, "--json"], { cwd: folder, env })
    expect(code).toBe(0)
    expect(answered(stdout).usage.calls).toBe(0)
    const shown = await staterag(["config"], { cwd: folder, env })
    expect(shown.stdout).not.toContain("sk-secret")
  })
})
