/** What every TamStore promises. It is run beside the CorpusStore that the graph is about. */
import { expect, layer as provide } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { edgeKey, nodeTypes, rootId } from "../../src/domain/Tam.ts"
import { CorpusStore } from "../../src/services/CorpusStore.ts"
import { TamStore } from "../../src/services/TamStore.ts"
import { awkward, edge, link, newScope, node, nodeId, passageId, single, smallTam, tam } from "../support/Corpora.ts"

/** A scope whose corpus holds the passages of {@link smallTam}. */
const indexedScope = Effect.gen(function* () {
  const scope = newScope()
  yield* (yield* CorpusStore).put(scope, [single("a", "text a"), single("b", "text b")])
  return scope
})

export const contract = (name: string, stores: Layer.Layer<TamStore | CorpusStore, unknown>): void =>
  provide(stores)(`TamStore ${name}`, (it) => {
    it.effect("holds nothing in a scope that was never indexed", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = newScope()
        const [some] = [[nodeId("root")]]
        expect(yield* store.nodes(scope, some)).toEqual([])
        expect(yield* store.children(scope, some)).toEqual([])
        expect(yield* store.parents(scope, some)).toEqual([])
        expect(yield* store.region(scope, nodeId("e1"))).toEqual([])
        expect((yield* store.evidenceOf(scope, [passageId("p-a")])).size).toBe(0)
        expect(yield* store.links(scope, [passageId("p-a")])).toEqual([])
        expect(yield* store.ground(scope, some)).toEqual({ root: rootId, types: new Map(), edges: new Set() })
        expect(yield* store.page(scope, "Root", "", 5)).toEqual([])
        expect(yield* store.counts(scope)).toEqual({
          nodes: { Root: 0, Topic: 0, Relation: 0, Evidence: 0 },
          edges: 0,
          depth: 0
        })
        expect(yield* Effect.flip(store.load(scope))).toMatchObject({ _tag: "MalformedTam", reason: "NoRoot" })
        for (const nothing of [
          store.nodes(scope, []),
          store.children(scope, []),
          store.parents(scope, []),
          store.links(scope, [])
        ]) {
          expect(yield* nothing).toEqual([])
        }
      })
    )

    it.effect("C5 gives the graph back, whole and in parts", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = yield* indexedScope
        yield* store.replace(scope, smallTam)
        const ids = (...names: ReadonlyArray<string>) => names.map(nodeId)
        expect(yield* store.nodes(scope, ids("e2", "nobody", "root", "e2"))).toEqual([
          node("e2", "Evidence"),
          node("root", "Root"),
          node("e2", "Evidence")
        ])
        expect(yield* store.children(scope, ids("r2", "nobody", "t1", "r2", "e1"))).toEqual([
          edge("r2", "e1"),
          edge("r2", "e2"),
          edge("t1", "r1"),
          edge("t1", "t2")
        ])
        expect(yield* store.parents(scope, ids("t2", "e1", "root"))).toEqual([
          edge("t1", "t2"),
          edge("r1", "e1"),
          edge("r2", "e1")
        ])
        expect(yield* store.region(scope, nodeId("e1"))).toEqual(["p-a", "p-b"])
        expect(yield* store.region(scope, nodeId("r1"))).toEqual([])
        expect(yield* store.evidenceOf(scope, ["p-b", "nobody", "p-a"].map(passageId))).toEqual(
          new Map([
            ["p-b", "e2"],
            ["p-a", "e1"]
          ])
        )
        expect(yield* store.links(scope, [passageId("p-b")])).toEqual([link("p-a", "p-b", 0.25), link("p-b", "p-a", 1)])
        expect(yield* store.counts(scope)).toEqual({
          nodes: { Root: 1, Topic: 2, Relation: 2, Evidence: 2 },
          edges: 7,
          depth: 4
        })
        const loaded = yield* store.load(scope)
        expect(loaded.root).toBe(rootId)
        expect([...loaded.nodes.values()]).toEqual([...smallTam.nodes].sort((a, b) => (a.id < b.id ? -1 : 1)))
        expect(loaded.regions).toEqual(smallTam.regions)
        expect(
          [...loaded.children].flatMap(([from, targets]) => targets.map((to) => edgeKey(from, to))).sort()
        ).toEqual(smallTam.edges.map(({ from, to }) => edgeKey(from, to)).sort())
      })
    )

    it.effect("C13 grounds any path, real or not", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = yield* indexedScope
        yield* store.replace(scope, smallTam)
        const ground = yield* store.ground(scope, ["root", "t1", "r2", "e1", "nobody"].map(nodeId))
        expect(ground.root).toBe(rootId)
        expect(ground.types).toEqual(
          new Map([
            ["root", "Root"],
            ["t1", "Topic"],
            ["r2", "Relation"],
            ["e1", "Evidence"]
          ])
        )
        expect(ground.edges).toEqual(
          new Set([edgeKey(nodeId("root"), nodeId("t1")), edgeKey(nodeId("r2"), nodeId("e1"))])
        )
        expect(yield* store.ground(scope, [nodeId("t2")])).toEqual({
          root: rootId,
          types: new Map([["t2", "Topic"]]),
          edges: new Set()
        })
        expect(yield* store.ground(scope, [])).toEqual({ root: rootId, types: new Map(), edges: new Set() })
      })
    )

    it.effect("pages the nodes of a type by id", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = newScope()
        const names = ["b", "a", "B", "10", "9", "c"]
        yield* store.replace(
          scope,
          tam(
            [node("root", "Root"), ...names.map((id) => node(id, "Topic"))],
            names.map((id) => edge("root", id)),
            {}
          )
        )
        const seen: Array<string> = []
        for (let after = ""; ; ) {
          const page = yield* store.page(scope, "Topic", after, 4)
          const last = page.at(-1)
          if (last === undefined) break
          seen.push(...page.map(({ id }) => id))
          after = last.id
        }
        expect(seen).toEqual([...names].sort())
        for (const type of nodeTypes) {
          expect((yield* store.page(scope, type, "", 99)).every((found) => found.type === type)).toBe(true)
        }
      })
    )

    it.effect("replacing leaves nothing of the old graph", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = yield* indexedScope
        yield* store.replace(scope, smallTam)
        const next = tam(
          [node("root", "Root"), node("t1", "Topic", "new"), node("r9", "Relation"), node("e2", "Evidence")],
          [edge("root", "t1"), edge("t1", "r9"), edge("r9", "e2")],
          { e2: ["p-b"] }
        )
        yield* store.replace(scope, next)
        expect(yield* store.counts(scope)).toEqual({
          nodes: { Root: 1, Topic: 1, Relation: 1, Evidence: 1 },
          edges: 3,
          depth: 3
        })
        expect(yield* store.nodes(scope, ["t1", "e1", "r1"].map(nodeId))).toEqual([node("t1", "Topic", "new")])
        expect(yield* store.children(scope, [nodeId("t1")])).toEqual([edge("t1", "r9")])
        expect(yield* store.parents(scope, [nodeId("e2")])).toEqual([edge("r9", "e2")])
        expect(yield* store.region(scope, nodeId("e1"))).toEqual([])
        expect(yield* store.links(scope, [passageId("p-a"), passageId("p-b")])).toEqual([])
        expect(yield* store.evidenceOf(scope, ["p-a", "p-b"].map(passageId))).toEqual(new Map([["p-b", "e2"]]))
        yield* store.load(scope)
        yield* store.replace(scope, tam([], [], {}))
        expect((yield* store.counts(scope)).nodes).toEqual({ Root: 0, Topic: 0, Relation: 0, Evidence: 0 })
      })
    )

    it.effect("C5 loading a malformed graph is a typed error that names the node", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = yield* indexedScope
        const { nodes, edges } = smallTam
        const regions = { e1: ["p-a"], e2: ["p-b"] }
        const cases = [
          ["SeveralRoots", "root2", tam([...nodes, node("root2", "Root")], edges, regions)],
          ["Cycle", undefined, tam(nodes, [...edges, edge("t2", "t1")], regions)],
          ["Unreachable", "t3", tam([...nodes, node("t3", "Topic")], edges, regions)],
          ["RegionMissing", "e2", tam(nodes, edges, { e1: ["p-a"] })],
          ["RegionMisplaced", "r1", tam(nodes, edges, { ...regions, r1: ["p-a"] })],
          ["RegionUnresolved", "e2", tam(nodes, edges, { e1: ["p-a"], e2: ["p-b", "p-zzz"] })],
          [
            "NoAdmissiblePath",
            "e1",
            tam(nodes, edges.filter(({ to }) => to !== "e1").concat(edge("t1", "e1")), regions)
          ]
        ] as const
        for (const [reason, at, graph] of cases) {
          yield* store.replace(scope, graph)
          const error = yield* Effect.flip(store.load(scope))
          expect(error).toMatchObject({ _tag: "MalformedTam", reason, ...(at === undefined ? {} : { node: at }) })
        }
        yield* store.replace(scope, smallTam)
        yield* (yield* CorpusStore).remove(scope, [single("b", "").document.id])
        expect(yield* Effect.flip(store.load(scope))).toMatchObject({ reason: "RegionUnresolved" })
      })
    )

    it.effect("a graph that names nodes it does not have, or one twice, is a defect and changes nothing", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = yield* indexedScope
        yield* store.replace(scope, smallTam)
        for (const broken of [
          { ...smallTam, edges: [...smallTam.edges, edge("t1", "nobody")] },
          { ...smallTam, nodes: [...smallTam.nodes, node("t1", "Topic", "again")] },
          { ...smallTam, regions: new Map([[nodeId("nobody"), [passageId("p-a")]]]) },
          { ...smallTam, evidence: new Map([[passageId("p-a"), nodeId("nobody")]]) }
        ]) {
          const exit = yield* Effect.exit(store.replace(scope, broken))
          expect(Exit.isFailure(exit) && exit.cause._tag === "Die").toBe(true)
          expect((yield* store.counts(scope)).edges).toBe(7)
        }
        yield* store.load(scope)
      })
    )

    it.effect("pain 33: ids and texts are data", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = newScope()
        const nodes = [node("root", "Root"), ...awkward.map((id) => node(id, "Topic", id))]
        yield* store.replace(scope, {
          ...tam(
            nodes,
            awkward.map((id) => edge("root", id)),
            {}
          ),
          links: awkward.map((id) => link(id, "p"))
        })
        expect(yield* store.nodes(scope, awkward.map(nodeId))).toEqual(nodes.slice(1))
        expect((yield* store.children(scope, [nodeId("root")])).map(({ to }) => to)).toEqual([...awkward].sort())
        for (const id of awkward) {
          expect(yield* store.parents(scope, [nodeId(id)])).toEqual([edge("root", id)])
          expect(yield* store.links(scope, [passageId(id)])).toEqual([link(id, "p")])
          expect((yield* store.ground(scope, [nodeId("root"), nodeId(id)])).edges.size).toBe(1)
        }
      })
    )

    it.effect("C27 two scopes with the same ids never see each other", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const [mine, theirs] = [yield* indexedScope, yield* indexedScope]
        yield* store.replace(mine, smallTam)
        yield* store.replace(theirs, {
          ...smallTam,
          nodes: smallTam.nodes.map((one) => ({ ...one, abstraction: "theirs" })),
          edges: [...smallTam.edges, edge("t1", "r2")],
          links: [link("p-a", "p-secret")]
        })
        expect(yield* store.nodes(mine, [nodeId("t1")])).toEqual([node("t1", "Topic")])
        expect(yield* store.children(mine, [nodeId("t1")])).toHaveLength(2)
        expect(yield* store.links(mine, [passageId("p-a"), passageId("p-secret")])).toHaveLength(2)
        expect((yield* store.counts(mine)).edges).toBe(7)
        expect((yield* store.ground(mine, ["t1", "r2"].map(nodeId))).edges.size).toBe(0)
        yield* store.replace(mine, tam([], [], {}))
        expect((yield* store.counts(theirs)).edges).toBe(8)
        yield* store.load(theirs)
      })
    )

    it.effect("takes 40,000 nodes and 80,000 edges at once", () =>
      Effect.gen(function* () {
        const store = yield* TamStore
        const scope = newScope()
        const names = Array.from({ length: 40_000 }, (_, i) => i.toString(36).padStart(4, "0"))
        const nodes = [node("root", "Root"), ...names.map((id) => node(id, "Topic"))]
        const edges = names.flatMap((id, i) => [edge("root", id), edge(names[Math.floor(i / 2)] ?? "root", id)])
        yield* store.replace(
          scope,
          tam(
            nodes,
            edges.filter(({ from, to }) => from !== to),
            {}
          )
        )
        const counts = yield* store.counts(scope)
        expect(counts.nodes.Topic).toBe(40_000)
        expect(counts.edges).toBe(79_999)
        expect(counts.depth).toBeGreaterThan(10)
        expect(yield* store.nodes(scope, names.map(nodeId))).toHaveLength(40_000)
        expect(yield* store.children(scope, names.map(nodeId))).toHaveLength(39_999)
        expect((yield* store.load(scope)).nodes.size).toBe(40_001)
      })
    )
  })
