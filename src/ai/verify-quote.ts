import { groupBy } from '../core/group-by.ts'
import { readable, type Word, wordsIn } from './words.ts'

export interface FoundQuote {
  /** UTF-16 offset of the start of the first word. `end` is the end of the last word. */
  readonly start: number
  readonly end: number
  /** True if the quote matches word for word. Otherwise, the quote omits some words of the text. */
  readonly isExact: boolean
}

export interface QuotedText {
  readonly text: string
  readonly words: readonly Word[]
  /** Positions of each word, as indexes into the words. */
  readonly places: ReadonlyMap<string, readonly number[]>
}

/** Maximum number of words that a quote may omit, as a fraction of its own length. */
const MAX_SKIPPED = 0.15
/** Maximum quote length in words. Longer quotes are not looked up, to limit the work. */
const MAX_WORDS = 2_000

export function quotedText(text: string): QuotedText {
  const visible = readable(text)
  const words = wordsIn(visible)
  const places = groupBy(words.keys(), (at) => words[at]?.text ?? '')
  return { text: visible, words, places }
}

/**
 * Finds a quote in the text. An exact match has the same words in the same order, ignoring case, punctuation and markup. Otherwise,
 * the text may contain additional words, up to 15 % of the quote's length, but no additional number or negation. A quote that omits
 * an adjacent "not" is never a match.
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

/** Matches each word at its first occurrence, which skips the fewest words. */
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

/** Negations that follow the words they negate, as in `er backt das Brot nicht`. Others, such as `without`, start a new phrase. */
const TRAILING_NEGATIONS: ReadonlySet<string> = new Set(['not', 'nicht', 'niet', 'pas', 'inte', 'ikke'])

/** Checks whether a negation is directly before or after the match, separated by markup at most. */
function isNegated({ text, words }: QuotedText, from: number, to: number): boolean {
  const [before, first, last, after] = [words[from - 1], words[from], words[to], words[to + 1]]
  if (first === undefined || last === undefined) return false
  const isBeside = (start: number, end: number): boolean => /^[\s*_~`]*$/.test(text.slice(start, end))
  if (before?.kind === 'negation' && isBeside(before.end, first.start)) return true
  return after !== undefined && TRAILING_NEGATIONS.has(after.text) && isBeside(last.end, after.start)
}
