import { blankData } from '../../core/text/inline-data.ts'
import { codeIn } from '../../markdown/code.ts'
import { findMatches, type Match, type SnippetQuery, weightOf } from '../../search/words/matches.ts'
import { snippetWith } from '../../search/words/snippet.ts'

/** Matches images. Badges and screenshots have no readable text apart from their address. */
const IMAGE = /!\[[^[\]]*\](?:\([^()\n]*\)|\[[^[\]]*\])|!\[\[[^[\]\n]*\.(?:avif|bmp|gif|jpe?g|png|svg|webp)(?:\|[^[\]\n]*)?\]\]/gi
/** HTML tags. Does not match addresses in angle brackets. */
const TAG = /<\/?[a-z][a-z0-9-]*(?:[\s/][^<>]*)?>/gi
const COMMENTS = [
  ['<!--', '-->'],
  ['%%', '%%'],
] as const
/** Matches a link's address. Readers do not see the address, but may search for it. */
const ADDRESS = /\]\([^()\n]*\)/g
/** Matches the end of a sentence or line. */
const END = /[.!?…]["'”’)\]*_]*(?=\s)|[。！？]|\n/g

/** Returns the text with hidden parts (comments, tags, images) replaced by spaces, so all other text and code keeps its position. */
export function legible(text: string): string {
  const whole = blankData(text)
  const shown = withoutHidden(whole)
  if (shown === whole || !mayHideCode(whole)) return shown
  const code = codeIn(whole)
  if (code.length === 0) return shown
  const withoutCode = replaced(whole, code, (part) => part.replace(/[^\n]/g, STANDS_FOR_CODE))
  const left = withoutHidden(withoutCode)
  // Code inside a comment is hidden together with the comment.
  const seen = code.filter(({ start }) => left[start] === STANDS_FOR_CODE)
  return replaced(left, seen, (_, { start, end }) => whole.slice(start, end))
}

const STANDS_FOR_CODE = 'x'
const HIDES = /<|!\[|%%/

/**
 * Checks whether the text may contain fences, or code and hidden text on the same line. Finding code takes a tenth of the time of
 * finding a note.
 */
function mayHideCode(text: string): boolean {
  if (text.includes('```') || text.includes('~~~')) return true
  for (let at = text.indexOf('`'); at >= 0; ) {
    const end = text.indexOf('\n', at)
    if (HIDES.test(text.slice(text.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end))) return true
    at = end < 0 ? -1 : text.indexOf('`', end)
  }
  return false
}

function withoutHidden(text: string): string {
  let shown = text
  for (const [open, close] of COMMENTS) if (shown.includes(open)) shown = blankBetween(shown, open, close)
  if (shown.includes('![')) shown = shown.replace(IMAGE, blank)
  return shown.includes('<') ? shown.replace(TAG, blank) : shown
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Replaces parts of the text with strings of the same length. `parts` must be in order and must not be nested. */
function replaced(text: string, parts: readonly Range[], by: (part: string, range: Range) => string): string {
  let at = 0
  let made = ''
  for (const part of parts) {
    made += text.slice(at, part.start) + by(text.slice(part.start, part.end), part)
    at = part.end
  }
  return made + text.slice(at)
}

/** Returns the searchable text, that is, everything readers see except link addresses. */
export function wordsOf(text: string): string {
  return withoutAddresses(legible(text))
}

function withoutAddresses(seen: string): string {
  return seen.includes('](') ? seen.replace(ADDRESS, blank) : seen
}

function blankBetween(text: string, open: string, close: string): string {
  let shown = ''
  let at = 0
  for (let from = text.indexOf(open); from >= 0; from = text.indexOf(open, at)) {
    const end = text.indexOf(close, from + open.length)
    if (end < 0) break
    shown += text.slice(at, from) + blank(text.slice(from, end + close.length))
    at = end + close.length
  }
  return shown + text.slice(at)
}

/** Works line by line, because replacing each character would take a tenth of the search time. */
function blank(hidden: string): string {
  if (!hidden.includes('\n')) return ' '.repeat(hidden.length)
  const lines = hidden.split('\n')
  return lines.map((line) => ' '.repeat(line.length)).join('\n')
}

/** A chunk and the positions of a question's words in it. */
export interface ReadChunk {
  readonly text: string
  /** `text` with hidden parts replaced by spaces. */
  readonly seen: string
  /** Matches in `seen`, excluding link addresses. */
  readonly matches: readonly Match[]
}

/** Finds words in the visible text. */
export function readChunk(text: string, find: (text: string) => readonly Match[]): ReadChunk {
  const seen = legible(text)
  return { text, seen, matches: find(withoutAddresses(seen)) }
}

/** The part of a chunk that is shown. */
export interface PassageText {
  readonly text: string
  /** UTF-16 offsets within the chunk. */
  readonly start: number
  readonly end: number
}

/**
 * Returns the part of a chunk to show, in at most `maxLength` UTF-16 code units: the whole chunk if it fits, or else the consecutive
 * sentences and lines with the most words. Hidden text is shown only if there is nothing else.
 */
export function passageText({ text: chunk, seen, matches }: ReadChunk, words: SnippetQuery, maxLength: number): PassageText {
  const hidden = matches.length === 0 ? findMatches(chunk, words) : []
  const isHidden = hidden.length > 0 || seen.trim() === ''
  const text = isHidden ? chunk : seen
  const tidy = text === chunk ? chunk : withoutGaps(text)
  if (tidy.length <= maxLength) return { text: tidy, start: 0, end: chunk.length }
  const start = bestStart(text, isHidden ? hidden : matches, maxLength)
  if (start !== undefined) return cutAt(text, start, maxLength)
  // If a sentence is too long for a passage, ignore sentence boundaries and use only the positions of the words.
  return { text: snippetWith(text, 0, words, { maxLength, gap }).text, start: 0, end: chunk.length }
}

/** Removes the gaps left by hidden parts. */
function withoutGaps(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd().replace(/(?<=\S)\s{2,}/g, ' '))
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/**
 * Returns the start of the run of sentences whose distinct words have the highest total weight. Among equal runs, prefers the one
 * whose words are closest together. Returns `undefined` if no run contains enough of the words.
 */
function bestStart(text: string, matches: readonly Match[], room: number): number | undefined {
  const starts = startsOf(text)
  let best = { first: starts[0] ?? 0, weight: 0, length: 0 }
  let next = 0
  for (const start of starts) {
    while (next < matches.length && (matches[next]?.start ?? 0) < start) next++
    const first = matches[next]?.start ?? start
    const { weight, end } = heldWithin(matches, next, start + room)
    const more = weight - best.weight
    if (more > ROUNDING || (more > -ROUNDING && weight > 0 && end - first < best.length))
      best = { first, weight, length: end - first }
  }
  if (matches.length > 0 && best.weight < weightOf(matches) * LEAST_HELD) return undefined
  const start = starts.findLast((one) => one <= best.first)
  // Near the end of a chunk, there is room for text before the match.
  return text.length - (start ?? 0) < room ? starts.find((one) => text.length - one < room) : start
}

const ROUNDING = 1e-9
/** A run of sentences with less than this share of the words is worse than an excerpt that ignores sentence boundaries. */
const LEAST_HELD = 0.5

function startsOf(text: string): readonly number[] {
  const starts: number[] = []
  for (const end of [0, ...[...text.matchAll(END)].map(({ index, 0: mark }) => index + mark.length)]) {
    // Do not scan the same white space for every line break in it.
    if (end <= (starts.at(-1) ?? -1)) continue
    NO_SPACE.lastIndex = end
    const start = NO_SPACE.exec(text)?.index
    if (start === undefined) break
    starts.push(start)
  }
  return starts
}

const NO_SPACE = /\S/g

/** Returns the total weight of the words before `end`, counting each word only once, and the end of the last word counted. */
function heldWithin(matches: readonly Match[], from: number, end: number): { readonly weight: number; readonly end: number } {
  const held = new Set<number>()
  let weight = 0
  let last = 0
  for (let at = from; at < matches.length && (matches[at]?.end ?? 0) <= end; at++) {
    const match = matches[at] as Match
    if (held.has(match.term)) continue
    held.add(match.term)
    weight += match.weight
    last = match.end
  }
  return { weight, end: last }
}

/**
 * Normalizes the whitespace between two words. Preserves line breaks, which matter in code and tables, but keeps at most one empty
 * line.
 */
function gap(space: string): string {
  const last = space.lastIndexOf('\n')
  if (last < 0) return ' '
  return (space.indexOf('\n') < last ? '\n\n' : '\n') + space.slice(last + 1)
}

/** Returns the text from `start`, truncated after the last word that fits. */
function cutAt(text: string, start: number, maxLength: number): PassageText {
  const before = text.slice(0, start).trim() === '' ? '' : '…'
  let shown = ''
  let end = start
  for (const { index, 0: word } of text.slice(start).matchAll(/\S+/g)) {
    const next = shown === '' ? before + word : shown + gap(text.slice(end, start + index)) + word
    if (next.length > maxLength - 1) break
    shown = next
    end = start + index + word.length
  }
  if (shown !== '') return { text: text.slice(end).trim() === '' ? shown : `${shown}…`, start, end }
  const room = maxLength - before.length - 1
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(start + room - 1))
  end = start + (isSplit ? room - 1 : room)
  return { text: `${before}${text.slice(start, end)}…`, start, end }
}
