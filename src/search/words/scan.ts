import type { AnalyzedText, NoteWords, WordSink } from '../../core/search-writer.ts'
import { languageOf } from '../languages/language-of.ts'
import { classAt, foldWord, IN_DICTIONARY, MARK, MAX_FORM, SEPARATOR, SPACED, UNSPACED, widthAt } from './fold-word.ts'
import { PART, readJoinedWord, TAIL, WORD } from './joined-word.ts'
import { isStopWord, stemOf } from './stem.ts'

/** This gap between the positions of two strings prevents a phrase from spanning both. */
const GAP = 4

const LOWER = 1

const UPPER = 2

const DIGIT = 3

/**
 * The class of characters that may join a word to the next one: `'` `’` `.` `_` `@` `,` `-` `+` `#`, and all non-ASCII
 * characters.
 */
const LINK = 4

const ascii = new Uint8Array(128)

for (let unit = 48; unit < 58; unit++) ascii[unit] = DIGIT

for (let unit = 65; unit < 91; unit++) ascii[unit] = UPPER

for (let unit = 97; unit < 123; unit++) ascii[unit] = LOWER

for (const link of "'._@,-+#") ascii[link.charCodeAt(0)] = LINK

/**
 * The methods are cached, because V8 would look them up for each character: strings have many representations (slices, ropes, one
 * or two bytes per character).
 */
const { charCodeAt, slice } = String.prototype

/**
 * Passes the words of a text to the sink, starting at `position`, and returns the position after the last one. A word is a run of
 * letters, digits and marks; case and accents are ignored. An apostrophe joins (`don't` becomes `dont`), except that `'s`, `'re`
 * etc. are dropped and elisions are split (`l'eau`). Words joined by `.`, `_` or `@` (`node.js`, `foo_bar`, email addresses) or
 * in camel case are indexed as a whole and in parts, and so are dates. Hyphens split words. `c++`, `c#`, `.net`, `3.14` and
 * `v2.1` are words, and `1,000` becomes `1000`. Thai, Lao, Khmer and Burmese are split with dictionaries; Chinese, Japanese and
 * Korean become overlapping pairs of characters. The function takes linear time.
 */
export function scanWords(text: string, sink: WordSink, position = 0): number {
  const length = text.length
  let next = position
  let at = 0
  while (at < length) {
    const unit = charCodeAt.call(text, at)
    const kind = unit < 128 ? (ascii[unit] as number) : LINK
    if (kind === 0) {
      at++
      continue
    }
    if (kind === LINK) {
      const unitClass = unit < 128 ? SEPARATOR : classAt(text, at)
      if (unitClass === SPACED) {
        const end = readJoinedWord(text, at, next, sink)
        next = end.position
        at = end.at
      } else if (unitClass === UNSPACED) {
        const end = readUnspaced(text, at, next, sink)
        next = end.position
        at = end.at
      } else if (unitClass === IN_DICTIONARY) {
        const end = readByDictionary(text, at, next, sink)
        next = end.position
        at = end.at
      } else at += unit < 128 ? 1 : widthAt(text, at)
      continue
    }
    const start = at
    const plain = plainEnd(text, start, length)
    if (plain < 0) {
      const joined = readJoinedWord(text, start, next, sink)
      next = joined.position
      at = joined.at
      continue
    }
    at = plain >> 1
    sink(foldPlain(text, start, plain), WORD, next++, start, at)
  }
  return next
}

/**
 * Returns twice the end of a plain ASCII word, plus 1 if it contains capitals, or -1 if `readJoinedWord` must read it. `length`
 * is a parameter, because reading it takes as long as everything else.
 */
function plainEnd(text: string, start: number, length: number): number {
  if (start > 0 && charCodeAt.call(text, start - 1) === 46) return -1
  let at = start
  let lower = false
  let upper = 0
  for (; at < length; at++) {
    const unit = charCodeAt.call(text, at)
    const kind = unit < 128 ? (ascii[unit] as number) : LINK
    if (kind === LOWER) lower = true
    else if (kind === UPPER) {
      if (lower || (at > start + 1 && at + 1 < length && ascii[charCodeAt.call(text, at + 1)] === LOWER)) return -1
      upper = 1
    } else if (kind === LINK) return joins(text, at, unit) ? -1 : 2 * at + upper
    else if (kind === 0) break
  }
  return 2 * at + upper
}

function joins(text: string, at: number, unit: number): boolean {
  if (unit >= 128) return classAt(text, at) !== SEPARATOR || unit === 0x2019
  const next = charCodeAt.call(text, at + 1)
  if (unit === 43 || unit === 35) return unit === 35 || next === 43
  // A hyphen matters only in dates, and a comma only in numbers.
  if (unit === 45 || unit === 44) return ascii[charCodeAt.call(text, at - 1)] === DIGIT && next < 128 && ascii[next] === DIGIT
  return next >= 128 ? classAt(text, at + 1) !== SEPARATOR : (ascii[next] as number) > 0 && (ascii[next] as number) < LINK
}

function foldPlain(text: string, start: number, plain: number): string {
  const end = plain >> 1
  const form = slice.call(text, start, end - start > MAX_FORM ? start + MAX_FORM : end)
  // Lowercasing takes as long as finding a word, so skip words without capitals.
  return plain % 2 === 0 ? form : form.toLowerCase()
}

/** Splits Chinese, Japanese and Korean into overlapping pairs of characters. */
function readUnspaced(text: string, start: number, position: number, sink: WordSink): { at: number; position: number } {
  let at = start
  let next = position
  let before = ''
  let beforeStart = start
  while (at < text.length && classAt(text, at) === UNSPACED) {
    const from = at
    at += widthAt(text, at)
    while (at < text.length && classAt(text, at) === MARK) at += widthAt(text, at)
    const folded = foldWord(text.slice(from, at))
    if (before !== '') sink(before + folded, WORD, next++, beforeStart, at)
    before = folded
    beforeStart = from
  }
  if (before !== '') sink(before, next === position ? WORD : TAIL, next++, beforeStart, at)
  return { at, position: next }
}

/** Splits a run with ICU's dictionaries. Long runs are processed in pieces, because ICU takes quadratic time. */
function readByDictionary(text: string, start: number, position: number, sink: WordSink): { at: number; position: number } {
  let at = start
  let next = position
  let from = start
  while (at < text.length && classAt(text, at) === IN_DICTIONARY) {
    at += widthAt(text, at)
    while (at < text.length && classAt(text, at) === MARK) at += widthAt(text, at)
    if (at - from < PIECE && at < text.length && classAt(text, at) === IN_DICTIONARY) continue
    segmenter ??= new Intl.Segmenter('th', { granularity: 'word' })
    for (const { segment, index } of segmenter.segment(text.slice(from, at))) {
      const form = foldWord(segment)
      // A segment without a form consists of joiners only.
      if (form !== '') sink(form, WORD, next++, from + index, from + index + segment.length)
    }
    from = at
  }
  return { at, position: next }
}

const PIECE = 256

/** The segmenter, created on demand. Any locale has all dictionaries. */
let segmenter: Intl.Segmenter | undefined

export interface Token {
  /** The word in lower case, without accents. */
  readonly form: string
  /** The stem by the English rules. */
  readonly stem: string
  /**
   * The kind of the word. `part`: a part of the previous word, at the same position. `tail`: the last character of a run without
   * spaces.
   */
  readonly kind: 'word' | 'part' | 'tail'
  readonly position: number
  /** The UTF-16 offsets. `end` is exclusive. */
  readonly start: number
  readonly end: number
  readonly isStopWord: boolean
}

export function analyze(text: string, languages?: readonly string[]): readonly Token[] {
  const tokens: Token[] = []
  const language = languageOf(text, languages)?.code
  scanWords(text, (form, kind, position, start, end) => {
    const name = kind === PART ? 'part' : kind === TAIL ? 'tail' : 'word'
    tokens.push({ form, stem: stemOf(form), kind: name, position, start, end, isStopWord: isStopWord(form, language) })
  })
  return tokens
}

export interface NoteFields {
  readonly title: readonly string[]
  /** The headings, which are also part of the body. */
  readonly headings: readonly string[]
  readonly body: string
  readonly tags: readonly string[]
  readonly properties: readonly string[]
}

export function analyzeNote({ title, headings, body, tags, properties }: NoteFields): Pick<NoteWords, 'title' | 'body'> {
  return { title: wordsOf(title), body: wordsOf([body, ...headings, ...tags, ...properties]) }
}

function wordsOf(texts: readonly string[]): AnalyzedText {
  return (sink) => {
    let position = 0
    let words = 0
    for (const text of texts) {
      const end = scanWords(text, sink, position)
      words += end - position
      if (end > position) position = end + GAP
    }
    return words
  }
}
