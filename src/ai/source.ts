import { groupBy } from '../core/group-by.ts'
import { wholeCharacterEnd } from '../core/text/graphemes.ts'
import type { TextRange } from '../core/text/link-slots.ts'
import { readable, splitSentences, stem, type Word, wordsIn } from './words-and-sentences.ts'

/** A cited passage. `[S1]` refers to the first one. */
export interface CitedPassage {
  readonly startLine: number
  readonly text: string
  readonly hidden?: readonly TextRange[]
  /** The titles and headings, which an answer may put in quotation marks. */
  readonly names?: readonly string[]
}

/** Maximum length in UTF-16 code units. */
const MAX_QUOTED = 400

const HANGUL_WORD = /^\p{scx=Hangul}{2,}$/u
/** A single character of these scripts often matches by chance. */
const HAN_OR_KATAKANA = /^[\p{scx=Han}\p{scx=Katakana}]$/u

export type Source = ReturnType<typeof sourceOf>

export function sourceOf({ text, startLine, hidden = [], names = [] }: CitedPassage) {
  const visible = blanked(text, hidden)
  const foldedNames = names.map(foldedWords)
  let ownWords: ReadonlySet<string> | undefined
  let hasNegation = false
  let sentences: readonly (TextRange & { readonly stems: ReadonlySet<string> })[] | undefined
  let quoted: QuotedText | undefined
  return {
    find(quotation: string): TextRange | undefined {
      quoted ??= quotedText(visible)
      return findQuote(quotation, quoted)
    },
    isNamed(quotation: string): boolean {
      return foldedNames.includes(foldedWords(quotation))
    },
    supports(words: readonly Word[]): boolean {
      if (ownWords === undefined) {
        const sourceWords = wordsIn(visible)
        ownWords = new Set(sourceWords.flatMap(({ text }) => [text, stem(text)]))
        hasNegation = sourceWords.some(({ kind }) => kind === 'negation')
      }
      const all = ownWords
      if (words.some(({ kind, text }) => kind === 'number' && !all.has(text))) return false
      if (!hasNegation && words.some(({ kind }) => kind === 'negation')) return false
      const shared = words.filter(({ text }) => all.has(stem(text)))
      if (shared.some(({ text }) => text.length > 3 || HANGUL_WORD.test(text))) return true
      return new Set(shared.flatMap(({ text }) => (HAN_OR_KATAKANA.test(text) ? text : []))).size > 1
    },
    /** Returns the sentence that shares the most words, the first in a tie. */
    best(words: readonly Word[], within?: TextRange): TextRange {
      sentences ??= sentencesOf(visible, hidden).map((span) => ({
        ...span,
        stems: new Set(wordsIn(readable(visible.slice(span.start, span.end))).map(({ text }) => stem(text))),
      }))
      const questionStems = new Set(words.map(({ text }) => stem(text)))
      let best: TextRange | undefined
      let highest = -1
      for (const { start, end, stems } of sentences) {
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
    },
    quote({ start, end }: TextRange): { readonly startLine: number; readonly endLine: number; readonly quote: string } {
      const line = startLine + lineBreaks(text.slice(0, start))
      const quote = text.slice(start, end)
      return { startLine: line, endLine: line + lineBreaks(quote), quote }
    },
  }
}

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

/** A line of this form ends the preceding sentence. */
const BEGINS = /^[ \t>]*(?:$|[-*+] |\d{1,9}[.)] |#{1,6} |\||```|~~~|---)/

function sentencesOf(text: string, hidden: readonly TextRange[]): readonly TextRange[] {
  const endsAtBreak = (at: number): boolean =>
    BEGINS.test(lineAt(text, at + 1)) || /^#{1,6} /.test(lineAt(text, text.lastIndexOf('\n', at - 1) + 1))
  const links = linksAndCode(text)
  const isInLink = new Uint8Array(text.length)
  for (const { start, end } of links) isInLink.fill(1, start, end)
  const isOpaque = (at: number): boolean => isInLink[at] === 1
  return splitSentences(text, { endsAtBreak, isOpaque })
    .flatMap((sentence) => without(sentence, hidden))
    .flatMap(({ start, end }) => trimSpan(text, { start, end }, links))
}

const LINK_OR_CODE =
  /!?\[\[[^\][\n]+\]\]|!?\[[^\][\n]*\]\((?:<[^<>\n]*>|[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)|(?<!`)(`+)(?!`)[^\n]{0,1000}?(?<!`)\1(?!`)/g

/** Finds wikilinks, Markdown links and code of up to 1,000 characters, which a quote must not cut. */
export function linksAndCode(text: string): readonly TextRange[] {
  return [...text.matchAll(LINK_OR_CODE)].map(({ index, 0: whole }) => ({ start: index, end: index + whole.length }))
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

function lineAt(text: string, at: number): string {
  const [line = ''] = text.slice(at, at + 80).split('\n', 1)
  return line
}

function trimSpan(text: string, { start, end }: TextRange, links: readonly TextRange[]): readonly TextRange[] {
  const whole = text.slice(start, end)
  const from = end - whole.trimStart().length
  let to = start + whole.trimEnd().length
  if (to - from > MAX_QUOTED) {
    const cutAt = text.lastIndexOf(' ', from + MAX_QUOTED)
    to = cutAt > from ? cutAt : wholeCharacterEnd(text, from + MAX_QUOTED)
    const link = links.find((each) => each.start < to && to < each.end)
    if (link !== undefined && link.start > from) to = from + text.slice(from, link.start).trimEnd().length
  }
  return to > from ? [{ start: from, end: to }] : []
}

export interface FoundQuote {
  /** UTF-16 offsets of the matched words. */
  readonly start: number
  readonly end: number
  /** The value is false if the quote omits words. */
  readonly isExact: boolean
}

export interface QuotedText {
  readonly text: string
  readonly words: readonly Word[]
  readonly places: ReadonlyMap<string, readonly number[]>
}

const MAX_SKIPPED = 0.15
const MAX_WORDS = 2_000

export function quotedText(text: string): QuotedText {
  const visible = readable(text)
  const words = wordsIn(visible)
  const places = groupBy(words.keys(), (at) => words[at]?.text ?? '')
  return { text: visible, words, places }
}

/**
 * Finds a quote in a source, ignoring case, punctuation and markup. A quote may omit a few words, but no number or negation, and
 * no adjacent "not".
 */
export function findQuote(quote: string, source: QuotedText): FoundQuote | undefined {
  const quoteWords = wordsIn(readable(quote)).map(({ text }) => text)
  const { words, places } = source
  const [first] = quoteWords
  if (first === undefined || quoteWords.length > MAX_WORDS) return undefined
  const maxSkipped = Math.floor(quoteWords.length * MAX_SKIPPED)
  let best: { readonly from: number; readonly to: number; readonly skipped: number } | undefined
  for (const from of places.get(first) ?? []) {
    const match = matchFrom(words, from, { wanted: quoteWords, most: maxSkipped })
    if (match !== undefined && !isNegated(source, from, match.to) && (best === undefined || match.skipped < best.skipped))
      best = { from, ...match }
    if (best?.skipped === 0) break
  }
  if (best === undefined) return undefined
  return { start: words[best.from]?.start ?? 0, end: words[best.to]?.end ?? 0, isExact: best.skipped === 0 }
}

/** Matches the first occurrence of each word, which skips the fewest words. */
function matchFrom(
  words: readonly Word[],
  from: number,
  { wanted, most }: { readonly wanted: readonly string[]; readonly most: number },
): { readonly to: number; readonly skipped: number } | undefined {
  let skipped = 0
  let at = from
  for (const [position, word] of wanted.entries()) {
    for (; words[at]?.text !== word; at++) {
      const textWord = words[at]
      if (textWord === undefined || textWord.kind !== 'plain' || ++skipped > most) return undefined
    }
    if (position < wanted.length - 1) at++
  }
  return { to: at, skipped }
}

/** These negations follow the negated words, as in `er backt das Brot nicht`. */
const TRAILING_NEGATIONS: ReadonlySet<string> = new Set(['not', 'nicht', 'niet', 'pas', 'inte', 'ikke'])

function isNegated({ text, words }: QuotedText, from: number, to: number): boolean {
  const [before, first, last, after] = [words[from - 1], words[from], words[to], words[to + 1]]
  if (first === undefined || last === undefined) return false
  const isBeside = (start: number, end: number): boolean => /^[\s*_~`]*$/.test(text.slice(start, end))
  if (before?.kind === 'negation' && isBeside(before.end, first.start)) return true
  return after !== undefined && TRAILING_NEGATIONS.has(after.text) && isBeside(last.end, after.start)
}
