/** C21 in languages that write no capital letters, and two of them no spaces: a question of the text's own language gets the sentence that answers it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Answer } from "../../src/domain/Answer.ts"
import { ScopeKey } from "../../src/domain/Ids.ts"
import * as Embedded from "../../src/layers/Embedded.ts"
import * as Ask from "../../src/programs/Ask.ts"
import * as IndexCorpus from "../../src/programs/IndexCorpus.ts"

interface Book {
  readonly language: string
  readonly text: string
  /** A question, and what stands in the sentence that answers it. */
  readonly asked: ReadonlyArray<readonly [question: string, held: string]>
  readonly unanswerable: ReadonlyArray<string>
}

const books: ReadonlyArray<Book> = [
  {
    language: "Japanese",
    text: `# 青葉灯台の記録

青葉灯台は岬の先端に立つ白い灯台である。高さは三十二メートルで、明治二十一年に初めて点灯した。設計したのは技師の森田清吉である。

## 灯器

最初の光源は石油ランプだった。大正九年に電気へ切り替えられ、光は四十キロ先の船からも見えるようになった。レンズは週に一度、灯台守が柔らかい布で磨く。

## 霧笛

霧の日には霧笛を三十秒ごとに鳴らす。霧笛の機械室は灯台の北側にあり、騒音のため宿舎から離して建てられた。

## 見学

見学は四月から十月までの土曜日に限られる。入場料は二百円で、小学生以下は無料である。展望台へは百十八段のらせん階段を上る。

## 宿舎

宿舎には二家族が交代で住んでいた。自動化によって昭和五十三年に最後の灯台守が島を離れた。`,
    asked: [
      ["青葉灯台の高さは何メートルですか？", "三十二メートル"],
      ["灯台を設計したのは誰ですか？", "森田清吉"],
      ["電気へ切り替えられたのはいつですか？", "大正九年"],
      ["霧笛は何秒ごとに鳴りますか？", "三十秒ごと"],
      ["見学の入場料はいくらですか？", "二百円"],
      ["展望台へ上る階段は何段ありますか？", "百十八段"],
      ["最後の灯台守が島を離れたのはいつですか？", "昭和五十三年"],
      ["機械室はどこにありますか？", "北側"]
    ],
    unanswerable: ["富士山の標高を教えてください。", "新幹線の運賃はいくらですか？"]
  },
  {
    language: "Chinese",
    text: `# 石桥镇志

石桥镇位于两条河流交汇之处。镇上的石桥建于清代，全长四十六米，由当地石匠陈守义设计。

镇图书馆每天上午九点开门，星期一闭馆。馆内收藏了一万二千册地方文献。

每年三月举行茶市，茶农从周围的山村赶来出售新茶。去年的茶市吸引了六千名游客。`,
    asked: [
      ["石桥是谁设计的？", "陈守义"],
      ["图书馆几点开门？", "九点"],
      ["茶市什么时候举行？", "三月"],
      ["石桥全长多少米？", "四十六米"]
    ],
    unanswerable: ["长城有多长？"]
  },
  {
    language: "Korean",
    text: `# 은하 천문대 안내

은하 천문대는 해발 천이백 미터의 산 위에 있다. 주 망원경의 지름은 일 미터이며 박서윤 박사가 설계했다.

관측은 매주 금요일 저녁 여덟 시에 시작한다. 비가 오는 날에는 관측을 취소하고 영상을 상영한다.

주차장은 정문 왼쪽에 있고 서른 대를 세울 수 있다.`,
    asked: [
      ["망원경은 누가 설계했습니까?", "박서윤"],
      ["관측은 언제 시작합니까?", "여덟 시"],
      ["주차장은 어디에 있습니까?", "왼쪽"]
    ],
    unanswerable: ["한라산의 높이는 얼마입니까?"]
  }
]

const answersOf = (text: string, questions: ReadonlyArray<string>): Promise<ReadonlyArray<Answer>> => {
  const directory = mkdtempSync(join(tmpdir(), "staterag-language-"))
  const docs = join(directory, "docs")
  mkdirSync(docs)
  writeFileSync(join(docs, "book.md"), text)
  const scope = ScopeKey.make("language")
  return Effect.gen(function* () {
    yield* IndexCorpus.indexCorpus({ scope, paths: [docs] })
    return yield* Effect.forEach(questions, (question) => Ask.ask(question, { scope }))
  })
    .pipe(Effect.provide(Embedded.layer({ directory: join(directory, "state") })), Effect.runPromise)
    .finally(() => rmSync(directory, { recursive: true, force: true }))
}

describe.each(books)("C21 a text in $language", ({ asked, text, unanswerable }) => {
  it("the first quotation answers its question, and stands in the text where it says", async () => {
    const answers = await answersOf(
      text,
      asked.map(([question]) => question)
    )
    for (const [i, [question, held]] of asked.entries()) {
      const [first, ...others] = answers[i]?.citations ?? []
      expect(first?.text, question).toContain(held)
      for (const one of first === undefined ? [] : [first, ...others])
        expect(text.slice(one.start, one.end)).toBe(one.text)
    }
  }, 60_000)

  it("what it does not say is not found", async () => {
    for (const { answer, question } of await answersOf(text, unanswerable)) expect(answer, question).toBeNull()
  }, 60_000)
})
