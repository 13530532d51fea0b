import { defineConfig } from "vitest/config"

// tests on real models run by `npm run test:models`, which provides them
const include = process.env.STATERAG_LOCAL_MODELS === undefined ? ["test/**/*.test.ts"] : ["test/local/**/*.local.ts"]

export default defineConfig({
  test: {
    include,
    setupFiles: ["test/setup.ts"],
    testTimeout: 20_000,
    pool: "forks",
    poolOptions: { forks: { maxForks: 2 } }
  }
})
