import { wholeCharacterEnd } from '../../core/text/graphemes.ts'
import { blank, legible, withoutGaps } from '../../markdown/prose/legible.ts'
import { findMatches, type Match, type SnippetQuery, weightOf } from '../../search/words/matches.ts'
import { queryTerms } from '../../search/words/query-terms.ts'
import { snippetWith } from '../../search/words/snippet.ts'

const ADDRESS = /\]\([^()\n]*\)/g
const END = /[.!?…]["'”’)\]*_]*(?=\s)|[。！？]|\n/g

export function wordsOf(text: string): string {
  return withoutAddresses(legible(text))
}

function withoutAddresses(visible: string): string {
  return visible.includes('](') ? visible.replace(ADDRESS, blank) : visible
}

export interface ReadChunk {
  readonly text: string
  readonly seen: string
  readonly matches: readonly Match[]
}

export function readChunk(text: string, find: (text: string) => readonly Match[]): ReadChunk {
  const seen = legible(text)
  return { text, seen, matches: find(withoutAddresses(seen)) }
}

export interface PassageText {
  readonly text: string
  readonly start: number
  readonly end: number
}

/**
 * Returns the whole chunk if it fits into `maxLength` UTF-16 code units, and otherwise the sentences with the most matching
 * words.
 */
export function passageText({ text: chunk, seen, matches }: ReadChunk, words: SnippetQuery, maxLength: number): PassageText {
  const hidden = matches.length === 0 ? findMatches(chunk, words) : []
  const isHidden = hidden.length > 0 || seen.trim() === ''
  const text = isHidden ? chunk : seen
  const compact = text === chunk ? chunk : withoutGaps(text)
  if (compact.length <= maxLength) return { text: compact, start: 0, end: chunk.length }
  const start = bestStart(text, isHidden ? hidden : matches, maxLength)
  if (start !== undefined) return cutAt(text, start, maxLength)
  return { text: snippetWith(text, 0, words, { maxLength, gap }).text, start: 0, end: chunk.length }
}

/** Returns the start of the sentences with the highest total word weight, or `undefined` below `MIN_WORD_SHARE`. */
function bestStart(text: string, matches: readonly Match[], room: number): number | undefined {
  const starts = startsOf(text)
  let best = { first: starts[0] ?? 0, weight: 0, length: 0 }
  let next = 0
  for (const start of starts) {
    while (next < matches.length && (matches[next]?.start ?? 0) < start) next++
    const first = matches[next]?.start ?? start
    const { weight, end } = weightWithin(matches, next, start + room)
    const more = weight - best.weight
    if (more > ROUNDING_ERROR || (more > -ROUNDING_ERROR && weight > 0 && end - first < best.length))
      best = { first, weight, length: end - first }
  }
  if (matches.length > 0 && best.weight < weightOf(matches) * MIN_WORD_SHARE) return undefined
  const start = starts.findLast((position) => position <= best.first)
  return text.length - (start ?? 0) < room ? starts.find((position) => text.length - position < room) : start
}

const ROUNDING_ERROR = 1e-9
/** If the best sentences contain a smaller share of the words, sentence boundaries are ignored. */
const MIN_WORD_SHARE = 0.5

function startsOf(text: string): readonly number[] {
  const starts: number[] = []
  for (const end of [0, ...[...text.matchAll(END)].map(({ index, 0: mark }) => index + mark.length)]) {
    // This check keeps the search linear on long runs of white space.
    if (end <= (starts.at(-1) ?? -1)) continue
    NO_SPACE.lastIndex = end
    const start = NO_SPACE.exec(text)?.index
    if (start === undefined) break
    starts.push(start)
  }
  return starts
}

const NO_SPACE = /\S/g

function weightWithin(matches: readonly Match[], from: number, end: number): { readonly weight: number; readonly end: number } {
  const words = new Set<number>()
  let weight = 0
  let last = 0
  for (let at = from; at < matches.length && (matches[at]?.end ?? 0) <= end; at++) {
    const match = matches[at] as Match
    if (words.has(match.term)) continue
    words.add(match.term)
    weight += match.weight
    last = match.end
  }
  return { weight, end: last }
}

/** Shortens white space to at most one empty line. Line breaks stay, because they matter in code and tables. */
function gap(space: string): string {
  const last = space.lastIndexOf('\n')
  if (last < 0) return ' '
  return (space.indexOf('\n') < last ? '\n\n' : '\n') + space.slice(last + 1)
}

function cutAt(text: string, start: number, maxLength: number): PassageText {
  const before = text.slice(0, start).trim() === '' ? '' : '…'
  let cut = ''
  let end = start
  for (const { index, 0: word } of text.slice(start).matchAll(/\S+/g)) {
    const next = cut === '' ? before + word : cut + gap(text.slice(end, start + index)) + word
    if (next.length > maxLength - 1) break
    cut = next
    end = start + index + word.length
  }
  if (cut !== '') return { text: text.slice(end).trim() === '' ? cut : `${cut}…`, start, end }
  const room = maxLength - before.length - 1
  end = wholeCharacterEnd(text, start + room)
  return { text: `${before}${text.slice(start, end)}…`, start, end }
}

/** Returns UTF-16 offsets in ascending order, without overlaps. */
export function highlightsOf(question: string, text: string): readonly (readonly [start: number, end: number])[] {
  const terms = queryTerms(question).map((term) => ({ term, weight: 1 }))
  const highlights: (readonly [number, number])[] = []
  let last = 0
  for (const { start, end } of findMatches(text, { terms, phrases: [] })) {
    // This word is part of a compound that has already been added.
    if (start < last) continue
    highlights.push([start, end])
    last = end
  }
  return highlights
}
