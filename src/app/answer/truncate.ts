import { graphemes } from '../../core/text/graphemes.ts'
import { MARKER } from '../../core/text/partial-reading.ts'

/** Characters shown of a node, by where it is shown. */
export const CONTENT_LIMITS = { single: 10_000, list: 500, neighbor: 200 } as const

export interface Cut {
  readonly text: string
  /** Where the rest begins; absent when nothing is left. */
  readonly next?: number
}

export interface Span {
  readonly start: number
  readonly end: number
}

/**
 * The part of a text that fits the limit, with the marker where something is left out. Neither a surrogate pair nor a
 * sequence that shows as one character is split, unless it alone is longer than the limit.
 */
export function truncate(text: string, limit: number, span: Span = { start: 0, end: text.length }): Cut {
  if (span.end - span.start <= limit) return { text: text.slice(span.start, span.end) }
  const next = cutBefore(text, span.start, span.start + limit - MARKER.length)
  return { text: text.slice(span.start, next) + MARKER, next }
}

/**
 * Like `truncate`, but starts `offset` characters into the span, or at the start of the visible character there. `next`
 * is always beyond the offset, so paging ends.
 */
export function truncateFrom(text: string, limit: number, { start, end }: Span, offset: number): Cut {
  const asked = Math.min(start + offset, end)
  const cut = truncate(text, limit, { start: boundaryBefore(text, start, asked), end })
  if (cut.next === undefined || cut.next > asked) return cut
  // The character there is longer than the limit, and its beginning was shown before.
  return truncate(text, limit, { start: isLowSurrogate(text, asked) ? asked - 1 : asked, end })
}

/** Quotes a caller's text for a message and cuts long ones. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED ? `${text.slice(0, boundaryBefore(text, 0, QUOTED))}…` : text)
}

/** Characters of a caller's text that a message repeats. */
const QUOTED = 100

/** An excerpt at a limit; `more` says that the text goes on after it. */
export function truncateExcerpt(excerpt: string, limit: number, more: boolean): string {
  if (!more || excerpt.length > limit) return truncate(excerpt, limit).text
  const room = limit - MARKER.length
  return (excerpt.length > room ? excerpt.slice(0, cutBefore(excerpt, 0, room)) : excerpt) + MARKER
}

/** The last position at or before `index`, not before `start`, where no character is split. */
export function boundaryBefore(text: string, start: number, index: number): number {
  if (index <= start) return start
  if (index >= text.length) return text.length
  if (isPlainBoundary(text, index)) return index
  // Segmenting is slow, and right only from a boundary on: look back for one, ever farther.
  for (let reach = 64; ; reach *= 4) {
    const from = Math.max(start, index - reach)
    const plain = plainBoundary(text, from, index)
    if (plain !== undefined || from === start) return lastSegmentStart(text, plain ?? start, index)
  }
}

/** Like `boundaryBefore`, but never `start` itself: a sequence longer than the limit is cut between code points. */
function cutBefore(text: string, start: number, index: number): number {
  const boundary = boundaryBefore(text, start, index)
  if (boundary > start) return boundary
  return index > start + 1 && isLowSurrogate(text, index) ? index - 1 : Math.max(index, start + 1)
}

/** The first boundary between `from` and `index` that needs no segmenting. */
function plainBoundary(text: string, from: number, index: number): number | undefined {
  for (let at = from + 1; at < index; at += 1) if (isPlainBoundary(text, at)) return at
  return undefined
}

/**
 * Characters that never join a neighbour of their kind: what is below the combining marks, and the common letters of
 * Greek, Cyrillic, Hebrew, Arabic, Devanagari, Thai, kana, Han and Hangul. CR is out because of CRLF.
 */
const PLAIN =
  /[\t\n -\u02ff\u0370-\u0482\u048a-\u052f\u05d0-\u05ea\u0620-\u064a\u0904-\u0939\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]/

function isPlainBoundary(text: string, at: number): boolean {
  return PLAIN.test(text.charAt(at)) && PLAIN.test(text.charAt(at - 1))
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function lastSegmentStart(text: string, from: number, index: number): number {
  let last = from
  // True if there is a break at `index` depends on the text before it and on the next code point.
  for (const { index: at } of graphemes().segment(text.slice(from, index + 2))) {
    if (from + at > index) break
    last = from + at
  }
  return last
}
