/** `forget`, `prune` and `verify` as users run them: exit codes, what is said, the JSON, the state folder. */
import * as fs from "node:fs"
import * as path from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { build, staterag, temporary } from "../support/Command.ts"
import { found } from "../support/Living.ts"

const folder = temporary()
const said = (args: ReadonlyArray<string>) => staterag(args, { cwd: folder })

beforeAll(async () => {
  build()
  fs.mkdirSync(path.join(folder, "docs/drafts"), { recursive: true })
  fs.writeFileSync(path.join(folder, "docs/a.md"), "# Alpha\n\nAlpha was made by Beta Smith in 1999.\n")
  fs.writeFileSync(path.join(folder, "docs/drafts/b.md"), "# Beta Smith\n\nBeta Smith was born in Zanzibaria.\n")
  fs.writeFileSync(
    path.join(folder, "docs/page.html"),
    "<title>Page</title>\n<h1>Gamma</h1>\n<p>Gamma lies\nby the sea.</p>\n"
  )
  expect((await said(["index", "docs"])).code).toBe(0)
  expect((await said(["ask", "Where was the maker of Alpha born?"])).code).toBe(0)
}, 300_000)

describe("forget, prune, verify", () => {
  it("wrong usage ends with 2, an unknown name with 1 and the nearest one", async () => {
    for (const [args, code, message] of [
      [["forget"], 2, /no document was named/],
      [["forget", "docs/drafts/c.md"], 1, /Did you mean drafts\/b\.md\?/],
      [["forget", "a.md", "--scope", "defualt"], 1, /no scope defualt\. Did you mean default\?/],
      [["prune", "--older-than", "soon"], 2, /soon is no age/],
      [["prune", "--keep", "-1"], 2, /--keep/],
      [["prune", "--kep", "3"], 2, /Did you mean --keep\?/],
      [["verify", "--repare"], 2, /Did you mean --repair\?/]
    ] as const) {
      const ended = await said(args)
      expect([ended.code, ended.stdout], args.join(" ")).toEqual([code, ""])
      expect(ended.stderr).toMatch(message)
    }
  }, 120_000)

  it("verify finds nothing wrong; after damage it says what, ends with 1, and --repair mends it", async () => {
    const sound = await said(["verify"])
    expect([sound.code, sound.stdout]).toEqual([0, expect.stringContaining("Everything is as it should be.")])
    const vectors = path.join(folder, ".staterag/vectors")
    const file = fs.readdirSync(vectors, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".ids"))
    fs.appendFileSync(path.join(vectors, file ?? ""), " ")
    const broken = await said(["verify", "--json"])
    expect(broken.code).toBe(1)
    expect(JSON.parse(broken.stdout)).toMatchObject({
      sound: false,
      findings: [{ clause: "C8", derived: "VectorFiles" }]
    })
    expect(broken.stderr).toContain("verify --repair")
    const mended = await said(["verify", "--repair"])
    expect([mended.code, mended.stdout]).toEqual([0, expect.stringContaining("All of it was mended.")])
    expect((await said(["verify"])).code).toBe(0)
  }, 120_000)

  it("forget leaves no byte, tells which files would come back, and explain prints [forgotten]", async () => {
    const state = path.join(folder, ".staterag")
    expect(found(state, ["Zanzibaria"]).length).toBeGreaterThan(0)
    const forgot = await said(["forget", "docs/drafts"])
    expect(forgot.code).toBe(0)
    expect(forgot.stdout).toMatch(/Forgot 1 document \(1 passage\):\n {2}drafts\/b\.md\n/)
    expect(forgot.stdout).toContain(path.join(folder, "docs/drafts/b.md"))
    expect(found(state, ["Zanzibaria", "zanzibaria"])).toEqual([])
    const explained = await said(["explain"])
    expect(explained.stdout).toContain("[forgotten]")
    expect(explained.stdout).toContain("Where was the maker of Alpha born?")
    const { code, stdout } = await said(["forget", "*.html", "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ documents: ["page.html"], passages: 1 })
    expect((await said(["verify"])).code).toBe(0)
  }, 120_000)

  it("prune says what went; a dry run changes nothing", async () => {
    const dry = await said(["prune", "--keep", "0", "--dry-run"])
    expect(dry.stdout).toMatch(/Would remove 1 run.*\n[\s\S]*Nothing was changed\./)
    expect(JSON.parse((await said(["runs", "--json"])).stdout).runs.length).toBe(1)
    const { code, stdout } = await said(["prune", "--keep", "0", "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ dryRun: false, runs: { removed: 1, kept: 0 } })
    expect(JSON.parse((await said(["runs", "--json"])).stdout).runs).toEqual([])
  }, 120_000)
})
