/**
 * A server that answers at once, as a process of its own, so that its work is not counted: it prints its port, and answers chat and embeddings
 * with bytes that were made before. Started by `node … server`.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

export const dimensions = 384

const chat = JSON.stringify({
  id: "1",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: '{"answer": "Paris"}' }, finish_reason: "stop" }],
  usage: { prompt_tokens: 900, completion_tokens: 12, total_tokens: 912 }
})
const vectors = Array.from({ length: 2048 }, (_, i) =>
  JSON.stringify(Array.from({ length: dimensions }, (__, k) => Math.sin(i + k) / 20))
)
const embeddings = (count: number): string =>
  `{"object":"list","data":[${vectors
    .slice(0, count)
    .map((vector, index) => `{"object":"embedding","index":${index},"embedding":${vector}}`)
    .join(",")}],"usage":{"prompt_tokens":${count * 100},"total_tokens":${count * 100}}}`
const made = new Map<number, string>()

/** Listens until its standard input ends. */
export const serve = (): void => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      let body = chat
      if (request.url?.endsWith("/embeddings")) {
        const { input } = JSON.parse(Buffer.concat(chunks).toString("utf8"))
        body = made.get(input.length) ?? embeddings(input.length)
        made.set(input.length, body)
      }
      response.writeHead(200, { "content-type": "application/json" }).end(body)
    })
  })
  server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
  process.stdin.on("end", () => process.exit(0)).resume()
}
