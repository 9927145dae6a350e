import { graphemes } from '../../core/text/graphemes.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { MARKER } from '../../core/text/partial-reading.ts'

export const CONTENT_LIMITS = { single: 10_000, list: 500, neighbor: 200 } as const

export interface Cut {
  readonly text: string
  /** The offset of the remaining text. It is omitted if nothing is left. */
  readonly next?: number
}

/** Truncates at a grapheme cluster boundary, and appends a marker. */
export function truncate(text: string, limit: number, span: TextRange = { start: 0, end: text.length }): Cut {
  if (span.end - span.start <= limit) return { text: text.slice(span.start, span.end) }
  const next = cutBefore(text, span.start, span.start + limit - MARKER.length)
  return { text: text.slice(span.start, next) + MARKER, next }
}

/** Like `truncate`, but starts at `offset` within the span. `next` is always greater than `offset`. */
export function truncateFrom(text: string, limit: number, { start, end }: TextRange, offset: number): Cut {
  const from = Math.min(start + offset, end)
  const part = truncate(text, limit, { start: boundaryBefore(text, start, from), end })
  if (part.next === undefined || part.next > from) return part
  return truncate(text, limit, { start: isLowSurrogate(text, from) ? from - 1 : from, end })
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, boundaryBefore(text, 0, MAX_QUOTED_LENGTH))}…` : text)
}

const MAX_QUOTED_LENGTH = 100

export function truncateExcerpt(excerpt: string, limit: number, more: boolean): string {
  if (!more || excerpt.length > limit) return truncate(excerpt, limit).text
  const room = limit - MARKER.length
  return (excerpt.length > room ? excerpt.slice(0, cutBefore(excerpt, 0, room)) : excerpt) + MARKER
}

export function boundaryBefore(text: string, start: number, index: number): number {
  if (index <= start) return start
  if (index >= text.length) return text.length
  if (isPlainBoundary(text, index)) return index
  // `Intl.Segmenter` is slow and must start at a grapheme boundary, so the search begins close to `index` and then widens.
  for (let reach = 64; ; reach *= 4) {
    const from = Math.max(start, index - reach)
    const plain = plainBoundary(text, from, index)
    if (plain !== undefined || from === start) return lastSegmentStart(text, plain ?? start, index)
  }
}

/** Like `boundaryBefore`, but splits a grapheme cluster that exceeds the limit. */
function cutBefore(text: string, start: number, index: number): number {
  const boundary = boundaryBefore(text, start, index)
  if (boundary > start) return boundary
  return index > start + 1 && isLowSurrogate(text, index) ? index - 1 : Math.max(index, start + 1)
}

function plainBoundary(text: string, from: number, index: number): number | undefined {
  for (let at = from + 1; at < index; at += 1) if (isPlainBoundary(text, at)) return at
  return undefined
}

/** These characters never combine into grapheme clusters. CR is not among them, because CRLF is a single cluster. */
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
  // The code point after `index` is enough to detect a boundary.
  for (const { index: at } of graphemes().segment(text.slice(from, index + 2))) {
    if (from + at > index) break
    last = from + at
  }
  return last
}
