import { plainText } from '../../search/chunks.ts'
import { analyze } from '../../search/words/scan.ts'

/** Fewer words than these ask for nothing in particular. */
const FEWEST_WORDS = 4

/**
 * A sentence of Markdown as a question: as plain text, without every word that one of the names has in any form. `undefined`
 * where fewer than four words are left, stop words not counted.
 */
export function withoutWords(sentence: string, names: readonly string[]): string | undefined {
  const plain = plainText(sentence.replaceAll('…', ' ').replace(/\s+/g, ' '))
  const taboo = new Set(names.flatMap((name) => analyze(name)).map(({ stem }) => stem))
  const tokens = analyze(plain)
  let text = ''
  let from = 0
  for (const { stem, start, end } of tokens) {
    if (!taboo.has(stem) || start < from) continue
    text += plain.slice(from, start)
    from = end
  }
  const question = (text + plain.slice(from)).replace(/\s+/g, ' ').trim()
  const left = tokens.filter(({ kind, stem, isStopWord }) => kind === 'word' && !isStopWord && !taboo.has(stem))
  return left.length < FEWEST_WORDS ? undefined : question
}
