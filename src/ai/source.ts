import type { TextRange } from '../core/text/link-slots.ts'
import { splitSentences } from './sentences.ts'
import { findQuote, type QuotedText, quotedText } from './verify-quote.ts'
import { readable, stem, type Word, wordsIn } from './words.ts'

/** A passage in a model's prompt. `[S1]` in the answer refers to the first passage. */
export interface CitedPassage {
  readonly startLine: number
  readonly text: string
  /** Comments in the text, in order of appearance. They are never quoted. */
  readonly hidden?: readonly TextRange[]
  /** Titles of the note and its headings. An answer may put them in quotation marks. */
  readonly names?: readonly string[]
}

/** Maximum quote length in UTF-16 units. Longer quotes are truncated. */
const MAX_QUOTED = 400

/** A passage, preprocessed once for all of its citations. */
export class Source {
  readonly #text: string
  /** Text in which comments are replaced with spaces. */
  readonly #visible: string
  readonly #hidden: readonly TextRange[]
  readonly #startLine: number
  readonly #names: readonly string[]
  #words: ReadonlySet<string> | undefined
  #hasNegation = false
  #sentences: readonly (TextRange & { readonly stems: ReadonlySet<string> })[] | undefined
  #quoted: QuotedText | undefined

  constructor({ text, startLine, hidden = [], names = [] }: CitedPassage) {
    this.#text = text
    this.#visible = blanked(text, hidden)
    this.#hidden = hidden
    this.#startLine = startLine
    this.#names = names.map(foldedWords)
  }

  /** Finds a quotation. Returns `undefined` if the passage does not contain it. */
  find(quotation: string): TextRange | undefined {
    this.#quoted ??= quotedText(this.#visible)
    return findQuote(quotation, this.#quoted)
  }

  isNamed(quotation: string): boolean {
    return this.#names.includes(foldedWords(quotation))
  }

  supports(words: readonly Word[]): boolean {
    if (this.#words === undefined) {
      const sourceWords = wordsIn(this.#visible)
      this.#words = new Set(sourceWords.flatMap(({ text }) => [text, stem(text)]))
      this.#hasNegation = sourceWords.some(({ kind }) => kind === 'negation')
    }
    const all = this.#words
    if (words.some(({ kind, text }) => kind === 'number' && !all.has(text))) return false
    if (!this.#hasNegation && words.some(({ kind }) => kind === 'negation')) return false
    return words.some(({ text }) => text.length > 3 && all.has(stem(text)))
  }

  /**
   * Returns the sentence that shares the most words with the given ones, optionally within a span. If there is a tie, the first
   * sentence wins.
   */
  best(words: readonly Word[], within?: TextRange): TextRange {
    this.#sentences ??= sentencesOf(this.#visible, this.#hidden).map((span) => ({
      ...span,
      stems: new Set(wordsIn(readable(this.#visible.slice(span.start, span.end))).map(({ text }) => stem(text))),
    }))
    const questionStems = new Set(words.map(({ text }) => stem(text)))
    let best: TextRange | undefined
    let highest = -1
    for (const { start, end, stems } of this.#sentences) {
      if (within !== undefined && (end <= within.start || start >= within.end)) continue
      let shared = 0
      for (const stemmed of stems) if (questionStems.has(stemmed)) shared += stemmed.length > 3 ? 1 : 0.1
      const score = shared / Math.sqrt(4 + stems.size)
      if (score > highest) {
        highest = score
        best = { start, end }
      }
    }
    return best ?? { start: 0, end: 0 }
  }

  quote({ start, end }: TextRange): { readonly startLine: number; readonly endLine: number; readonly quote: string } {
    const line = this.#startLine + lineBreaks(this.#text.slice(0, start))
    const quote = this.#text.slice(start, end)
    return { startLine: line, endLine: line + lineBreaks(quote), quote }
  }
}

/** Replaces spans with spaces or removes them, preserving line breaks. */
export function blanked(text: string, spans: readonly TextRange[], by: ' ' | '' = ' '): string {
  let result = ''
  let at = 0
  for (const { start, end } of spans) {
    result += text.slice(at, start) + text.slice(start, end).replace(/[^\n]/g, by)
    at = end
  }
  return result + text.slice(at)
}

function foldedWords(text: string): string {
  return wordsIn(text)
    .map(({ text: word }) => word)
    .join(' ')
}

export function lineBreaks(text: string): number {
  return text.split('\n').length - 1
}

/** Matches lines that end the preceding sentence, such as list items, headings, table rows, fences and empty lines. */
const BEGINS = /^[ \t>]*(?:$|[-*+] |\d{1,9}[.)] |#{1,6} |\||```|~~~|---)/

/** Returns the trimmed sentences of a passage, split at comments. */
function sentencesOf(text: string, hidden: readonly TextRange[]): readonly TextRange[] {
  const endsAtBreak = (at: number): boolean =>
    BEGINS.test(lineAt(text, at + 1)) || /^#{1,6} /.test(lineAt(text, text.lastIndexOf('\n', at - 1) + 1))
  return splitSentences(text, { endsAtBreak })
    .flatMap((sentence) => without(sentence, hidden))
    .flatMap(({ start, end }) => trimSpan(text, start, end))
}

function without(span: TextRange, hidden: readonly TextRange[]): readonly TextRange[] {
  const remaining: TextRange[] = []
  let from = span.start
  for (const { start, end } of hidden) {
    if (end <= from || start >= span.end) continue
    if (start > from) remaining.push({ start: from, end: start })
    from = end
  }
  return from < span.end ? [...remaining, { start: from, end: span.end }] : remaining
}

/** Returns up to 80 characters of a line, starting at an offset. */
function lineAt(text: string, at: number): string {
  const [line = ''] = text.slice(at, at + 80).split('\n', 1)
  return line
}

function trimSpan(text: string, start: number, end: number): readonly TextRange[] {
  const whole = text.slice(start, end)
  const from = end - whole.trimStart().length
  let to = start + whole.trimEnd().length
  if (to - from > MAX_QUOTED) {
    const cutAt = text.lastIndexOf(' ', from + MAX_QUOTED)
    to = cutAt > from ? cutAt : wholeCharacter(text, from + MAX_QUOTED)
  }
  return to > from ? [{ start: from, end: to }] : []
}

function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at - 1)
  return code >= 0xd800 && code <= 0xdbff ? at - 1 : at
}
