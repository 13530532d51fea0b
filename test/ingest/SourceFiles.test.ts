import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, symlinkSync, utimesSync } from "node:fs"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, layer } from "@effect/vitest"
import { Chunk, Effect, Layer, Stream } from "effect"
import * as SourceFilesLocal from "../../src/layers/ingest/SourceFilesLocal.ts"
import * as DigestNode from "../../src/layers/platform/DigestNode.ts"
import { type Found, type Selection, SourceFiles } from "../../src/services/SourceFiles.ts"
import { tree } from "../support/Tree.ts"

const services = SourceFilesLocal.layer.pipe(Layer.provide(DigestNode.layer), Layer.provideMerge(NodeContext.layer))
const selection = (paths: ReadonlyArray<string>, more: Partial<Selection> = {}): Selection => ({
  paths,
  include: [],
  exclude: [],
  format: undefined,
  maxBytes: 1 << 20,
  ...more
})
const find = (paths: ReadonlyArray<string>, more?: Partial<Selection>) =>
  Effect.flatMap(SourceFiles, (files) => files.find(selection(paths, more)))
const pathsOf = (paths: ReadonlyArray<string>, more?: Partial<Selection>) =>
  Effect.map(find(paths, more), ({ found }) => found.map(({ path }) => path))
const reasonsOf = (items: ReadonlyArray<{ readonly path: string; readonly reason: string }>) =>
  items.map(({ path, reason }) => `${path} ${reason}`)
const readAll = (found: ReadonlyArray<Found>) =>
  Effect.flatMap(SourceFiles, (files) =>
    Effect.map(Stream.runCollect(files.read(found, undefined)), Chunk.toReadonlyArray)
  )

describe("SourceFilesLocal", () => {
  layer(services)((it) => {
    it.scoped("finds the kinds that it reads, in canonical order, and nothing hidden", () =>
      Effect.gen(function* () {
        const { root } = yield* tree({
          "z.md": "z",
          "a/b.txt": "b",
          "a.md": "a",
          "A.md": "A",
          "a/c/d.jsonl": "{}",
          "picture.png": "x",
          "source.py": "x",
          ".git/config.md": "x",
          ".staterag/notes.md": "x",
          ".hidden.md": "x",
          "node_modules/p/README.md": "x",
          "a/node_modules/p/README.md": "x"
        })
        const { found, skipped } = yield* find([root])
        expect(found.map(({ path }) => path)).toEqual(["A.md", "a.md", "a/b.txt", "a/c/d.jsonl", "z.md"])
        expect(new Set(found.map((file) => file.root))).toEqual(new Set([root]))
        expect(skipped).toEqual([])
      })
    )

    it.scoped("respects .gitignore at every level, and above the root up to the repository's", () =>
      Effect.gen(function* () {
        const { at, root } = yield* tree({
          ".git/HEAD": "x",
          ".gitignore": "\ufeff# comment\n/build/\n*.log\n!keep.log\ndocs/secret.md\n",
          "build/a.md": "x",
          "x.log": "x",
          "keep.log": "x",
          "docs/secret.md": "x",
          "docs/build/a.md": "x",
          "docs/.gitignore": "*.txt\n!/sub/\n",
          "docs/a.txt": "x",
          "docs/sub/.gitignore": "!b.txt\n*.md\n",
          "docs/sub/b.txt": "x",
          "docs/sub/c.txt": "x",
          "docs/sub/d.md": "x"
        })
        expect(yield* pathsOf([root])).toEqual(["docs/build/a.md", "docs/sub/b.txt", "keep.log"])
        expect(yield* pathsOf([at("docs")])).toEqual(["build/a.md", "sub/b.txt"])
        // whoever names an ignored folder or file wants it
        expect(yield* pathsOf([at("build")])).toEqual(["a.md"])
        expect(yield* pathsOf([at("docs/secret.md")])).toEqual(["secret.md"])
      })
    )

    it.scoped("looks at no .gitignore above a folder that lies in no repository", () =>
      Effect.gen(function* () {
        const { at } = yield* tree({ ".gitignore": "*.md\n", "docs/a.md": "x" })
        expect(yield* pathsOf([at("docs")])).toEqual(["a.md"])
      })
    )

    it.scoped("tells of a .gitignore that cannot be read", () =>
      Effect.gen(function* () {
        const { root } = yield* tree({ "a.md": "x", "sub/.gitignore/x": "x" })
        const { found, skipped } = yield* find([root])
        expect(found.map(({ path }) => path)).toEqual(["a.md"])
        expect(reasonsOf(skipped)).toEqual([expect.stringMatching(/^sub\/\.gitignore cannot be read.*not applied$/)])
      })
    )

    it.scoped("follows no link out of the root, and no loop", () =>
      Effect.gen(function* () {
        const outside = yield* tree({ "far/x.md": "x", "y.md": "y", "z.png": "z" })
        const { at, root } = yield* tree({ "a/b.md": "b" })
        symlinkSync(root, at("a/loop"))
        symlinkSync(at("a"), at("again"))
        symlinkSync(at("a/b.md"), at("same.md"))
        symlinkSync(outside.at("far"), at("away"))
        symlinkSync(outside.at("y.md"), at("y.md"))
        symlinkSync(outside.at("z.png"), at("z.png"))
        symlinkSync("nowhere", at("dangling.md"))
        symlinkSync("self.md", at("self.md"))
        const { found, skipped } = yield* find([root])
        expect(found.map(({ path }) => path)).toEqual(["a/b.md"])
        expect(reasonsOf(skipped)).toEqual([
          `away is a link that leads out of ${root}: name ${outside.at("far")} itself to index it`,
          "dangling.md is a link to nowhere, which is not there",
          "self.md is a link to self.md, which is not there",
          `y.md is a link that leads out of ${root}: name ${outside.at("y.md")} itself to index it`
        ])
        // a link that is named is followed
        expect([...(yield* pathsOf([at("away"), at("y.md")]))].sort()).toEqual(["x.md", "y.md"])
      })
    )

    it.scoped("opens nothing but regular files", () =>
      Effect.gen(function* () {
        const { at, root } = yield* tree({ "folder.md/inside.md": "x" })
        execFileSync("mkfifo", [at("pipe.md")])
        mkdirSync(at("empty.md"))
        const { found, skipped } = yield* find([root])
        expect(found.map(({ path }) => path)).toEqual(["folder.md/inside.md"])
        expect(reasonsOf(skipped)).toEqual(["pipe.md is a named pipe, not a regular file"])
        expect(reasonsOf((yield* find([at("pipe.md")])).skipped)).toEqual([
          "pipe.md is a named pipe, not a regular file"
        ])
        // one that takes a file's place afterwards does not hang the reader
        const late = [{ path: "pipe.md", root, bytes: 1, modifiedAt: 1 }]
        expect(yield* readAll(late)).toEqual([{ path: "pipe.md", reason: "is a named pipe, not a regular file" }])
      })
    )

    it.scoped("takes globs, --include and --exclude", () =>
      Effect.gen(function* () {
        const { at, root } = yield* tree({
          "a.md": "",
          "b.py": "",
          "sub/c.md": "",
          "sub/d.py": "",
          "sub/e.png": "",
          "drafts/f.md": "",
          "[g].md": ""
        })
        expect(yield* pathsOf([at("*.md")])).toEqual(["[g].md", "a.md"])
        expect(yield* pathsOf([at("**/*.md")])).toEqual(["[g].md", "a.md", "drafts/f.md", "sub/c.md"])
        expect(yield* pathsOf([at("**/*.py")])).toEqual(["b.py", "sub/d.py"])
        expect(yield* pathsOf([at("[g].md")])).toEqual(["[g].md"])
        expect(yield* pathsOf([root], { include: ["*.py"] })).toEqual(["b.py", "sub/d.py"])
        expect(yield* pathsOf([root], { include: ["sub/**"] })).toEqual(["sub/c.md"])
        expect(yield* pathsOf([root], { exclude: ["drafts/", "[[]*"] })).toEqual(["a.md", "sub/c.md"])
        expect(yield* pathsOf([root], { exclude: ["**/c.*", "a.md"] })).toEqual(["[g].md", "drafts/f.md"])
        expect(yield* pathsOf([root], { format: "text", include: ["sub/**"] })).toEqual([
          "sub/c.md",
          "sub/d.py",
          "sub/e.png"
        ])
        const none = yield* Effect.flip(find([at("*.rst")]))
        expect(none.message).toContain("matches no file")
      })
    )

    it.scoped("lists a file that is named twice once, under the outer folder", () =>
      Effect.gen(function* () {
        const { at, root } = yield* tree({ "sub/a.md": "x", "b.md": "x" })
        expect(yield* pathsOf([at("sub/a.md"), at("sub"), root, root])).toEqual(["b.md", "sub/a.md"])
      })
    )

    it.scoped("says what is near a name that is not there, and covers what was looked at", () =>
      Effect.gen(function* () {
        const { at, root } = yield* tree({ "docs/a.md": "x", "notes.py": "x" })
        expect((yield* Effect.flip(find([at("dosc")]))).message).toContain("Did you mean docs?")
        expect((yield* Effect.flip(find([at("x/*.md")]))).message).toContain("there is no folder")
        const folder = yield* find([at("docs")])
        expect(folder.covers({ root, path: "docs/gone.md" })).toBe(true)
        expect(folder.covers({ root, path: "docsx/gone.md" })).toBe(false)
        const glob = yield* find([at("docs/*.md")])
        expect(glob.covers({ root, path: "docs/gone.md" })).toBe(true)
        expect(glob.covers({ root, path: "docs/gone.txt" })).toBe(false)
        const file = yield* find([at("notes.py")])
        expect(file.found.map(({ path }) => path)).toEqual(["notes.py"])
        expect([file.covers({ root, path: "notes.py" }), file.covers({ root, path: "x" })]).toEqual([true, false])
      })
    )

    it.scoped("decodes UTF-8 and UTF-16, drops the mark and changes nothing else", () =>
      Effect.gen(function* () {
        const text = "One\r\ntwo\u2028 é 😀\r\n"
        const little = Buffer.from(`\ufeff${text}`, "utf16le")
        const { root } = yield* tree({
          "a.md": `\ufeff${text}`,
          "b.md": little,
          "c.md": Buffer.from(little).swap16(),
          "d.md": `\ufeff\ufeff${text}`
        })
        const read = yield* readAll((yield* find([root])).found)
        expect(read.map((item) => ("text" in item ? item.text : item))).toEqual([text, text, text, `\ufeff${text}`])
      })
    )

    it.scoped("skips what is binary, not UTF-8, too large or gone, with what to do", () =>
      Effect.gen(function* () {
        const { at, root } = yield* tree({
          "binary.md": Uint8Array.of(35, 32, 0, 1),
          "gone.md": "x",
          "large.md": "x".repeat(2 << 20),
          "latin.md": Buffer.from("one\ntwo caf\u00e9", "latin1"),
          "good.md": "x"
        })
        const { found, skipped } = yield* find([root])
        rmSync(at("gone.md"))
        const read = yield* readAll(found)
        expect(reasonsOf(skipped)).toEqual([
          "large.md is 2.0 MiB, more than the 1.0 MiB that a file may have: split it, or raise the limit (--max-size)"
        ])
        expect(read.map((item) => ("reason" in item ? `${item.path} ${item.reason}` : item.text))).toEqual([
          "binary.md is binary: it holds NUL bytes",
          "gone.md is gone: it was removed or renamed while it was being indexed",
          "x",
          "latin.md is not valid UTF-8 (line 2): convert it, for example with `iconv -f LATIN1 -t UTF-8`"
        ])
      })
    )

    it.scoped("knows what has changed since, and that a touched file has not", () =>
      Effect.gen(function* () {
        const { at, root, write } = yield* tree({ "a.md": "a", "b.md": "b", "c.md": "c", "d.md": "d" })
        const files = yield* SourceFiles
        const read = yield* readAll((yield* find([root])).found)
        const sources = read.flatMap((item) => ("source" in item ? [item.source] : []))
        expect(sources).toHaveLength(4)
        expect(yield* files.stale(sources)).toEqual([])
        rmSync(at("a.md"))
        write("b.md", "B")
        utimesSync(at("b.md"), 1, 1)
        utimesSync(at("c.md"), 1, 1)
        write("d.md", "longer")
        expect(yield* files.stale(sources)).toEqual(["a.md", "b.md", "d.md"])
      })
    )
  })
})
