import { readable, type Word, wordsIn } from './words.ts'

/** Where a quote stands. */
export interface FoundQuote {
  /** UTF-16 offsets of its first and after its last word. */
  readonly start: number
  readonly end: number
  /** Word by word; else some words of the text were left out. */
  readonly isExact: boolean
}

/** A text, prepared for finding quotes. */
export interface QuotedText {
  readonly text: string
  readonly words: readonly Word[]
  /** The numbers of each word's occurrences. */
  readonly places: ReadonlyMap<string, readonly number[]>
}

/** How many words of the text a quote may leave out, as a share of its own words. */
const MOST_SKIPPED = 0.15
/** Longer quotes are not looked up, which bounds the work. */
const MOST_WORDS = 2_000

/** Reads a text once for many quotes. */
export function quotedText(text: string): QuotedText {
  const shown = readable(text)
  const words = wordsIn(shown)
  const places = new Map<string, number[]>()
  for (const [at, { text: word }] of words.entries()) {
    const known = places.get(word)
    if (known === undefined) places.set(word, [at])
    else known.push(at)
  }
  return { text: shown, words, places }
}

/**
 * Finds a quote: the same words in the same order, whatever their case, signs and markup; or all of its words in order where the text has
 * some more between them, at most 15 % of the quote's and none of them a number or a negation. A quote that leaves out the "not" beside it
 * is none.
 */
export function findQuote(quote: string, source: QuotedText): FoundQuote | undefined {
  const wanted = wordsIn(readable(quote)).map(({ text }) => text)
  const { words, places } = source
  const [first] = wanted
  if (first === undefined || wanted.length > MOST_WORDS) return undefined
  const most = Math.floor(wanted.length * MOST_SKIPPED)
  let best: { readonly from: number; readonly to: number; readonly skipped: number } | undefined
  for (const from of places.get(first) ?? []) {
    const match = matchFrom(words, from, { wanted, most })
    if (match !== undefined && !isNegated(source, from, match.to) && (best === undefined || match.skipped < best.skipped))
      best = { from, ...match }
    if (best?.skipped === 0) break
  }
  if (best === undefined) return undefined
  return { start: words[best.from]?.start ?? 0, end: words[best.to]?.end ?? 0, isExact: best.skipped === 0 }
}

/** Takes each word at its first occurrence, which leaves out the fewest words. */
function matchFrom(
  words: readonly Word[],
  from: number,
  { wanted, most }: { readonly wanted: readonly string[]; readonly most: number },
): { readonly to: number; readonly skipped: number } | undefined {
  let skipped = 0
  let at = from
  for (const [position, word] of wanted.entries()) {
    for (; words[at]?.text !== word; at++) {
      const left = words[at]
      if (left === undefined || left.kind !== 'plain' || ++skipped > most) return undefined
    }
    if (position < wanted.length - 1) at++
  }
  return { to: at, skipped }
}

/** Negations that follow the negated words: `er backt das Brot nicht`. Others, such as `without sugar`, start a new thought. */
const TURNS_BACK: ReadonlySet<string> = new Set(['not', 'nicht', 'niet', 'pas', 'inte', 'ikke'])

/** Tells whether a negation stands directly before or after the match, with only markup in between. */
function isNegated({ text, words }: QuotedText, from: number, to: number): boolean {
  const [before, first, last, after] = [words[from - 1], words[from], words[to], words[to + 1]]
  if (first === undefined || last === undefined) return false
  const isBeside = (start: number, end: number): boolean => /^[\s*_~`]*$/.test(text.slice(start, end))
  if (before?.kind === 'negation' && isBeside(before.end, first.start)) return true
  return after !== undefined && TURNS_BACK.has(after.text) && isBeside(last.end, after.start)
}
