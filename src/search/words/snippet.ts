import { graphemes } from '../../core/text/graphemes.ts'
import { lineNumber } from '../../core/text/line-number.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { findMatches, type Match, type SnippetQuery } from './matches.ts'

export interface Snippet {
  /** The text as written, by default with collapsed whitespace. `…` marks omitted text. */
  readonly text: string
  /** The UTF-16 offsets of matches, in ascending order and without overlaps. */
  readonly highlights: readonly (readonly [start: number, end: number])[]
  /** The one-based line of the first match, or of the start of the snippet. */
  readonly line: number
}

/** The number of UTF-16 units to search at a time. */
const MAX_SCANNED = 400_000
/** Consecutive parts share this many units, so no word is cut in both. */
const OVERLAP = 1_000
const ELLIPSIS = '…'
/** The distance in UTF-16 units that the snippet may move to keep a word or link intact. */
const MAX_STEP = 80

/**
 * Returns the part of a file with the densest matches, at most `maxLength` UTF-16 units long. Each word of the query counts once.
 * Without matches, the snippet is the start of the body. Graphemes, wikilinks, and words of up to 80 units are never split.
 */
export function snippet(
  text: string,
  bodyStart: number,
  query: SnippetQuery,
  options: Partial<Omit<SnippetOptions, 'gap'>> = {},
): Snippet {
  return snippetWith(text, bodyStart, query, { maxLength: 240, gap, ...options })
}

/** Replaces white space with a single space, or with a line break so list items remain separate. */
function gap(space: string): string {
  const last = space.lastIndexOf('\n')
  return last < 0 ? ' ' : space.slice(last)
}

export interface SnippetOptions {
  readonly maxLength: number
  readonly seen?: string
  /** The replacement must not be longer than the whitespace. */
  readonly gap: (space: string) => string
}

export function snippetWith(
  text: string,
  bodyStart: number,
  query: SnippetQuery,
  { maxLength, seen, gap }: SnippetOptions,
): Snippet {
  const end = beforeSpace(text, text.length)
  const start = Math.min(afterSpace(text, bodyStart), end)
  const matchesIn = (searched: string) => firstMatches(searched, { start, end }, query)
  const inSeen = seen === undefined ? [] : matchesIn(seen)
  const matches = inSeen.length > 0 ? inSeen : matchesIn(text)
  const cluster = densest(matches, maxLength - 2 * ELLIPSIS.length)
  const span = windowAround(text, { start, end }, { cluster, maxLength })
  const shownMatches = cluster === undefined ? [] : matches.filter((match) => match.start >= span.start && match.end <= span.end)
  return {
    ...collapse(text, span, { start, end, matches: shownMatches, gap }),
    line: lineNumber(text, (shownMatches[0] ?? span).start),
  }
}

/** Reads a long text only until each term has a match. */
function firstMatches(text: string, { start, end }: TextRange, query: SnippetQuery): readonly Match[] {
  const all: Match[] = []
  const found = new Set<number>()
  const wanted = query.terms.length + query.phrases.length
  for (let from = start; from < end && found.size < wanted; from += MAX_SCANNED - OVERLAP) {
    const seenTo = all.at(-1)?.start ?? -1
    for (const match of findMatches(text.slice(from, Math.min(end, from + MAX_SCANNED)), query)) {
      if (match.start + from <= seenTo) continue
      all.push({ ...match, start: match.start + from, end: match.end + from })
      found.add(match.term)
    }
  }
  return all
}

/**
 * Returns the matches with the highest total weight in `room` units. Among equals, the shortest comes first, and then the first.
 */
function densest(matches: readonly Match[], room: number): TextRange | undefined {
  const counts = new Map<number, number>()
  let best: (TextRange & { readonly weight: number }) | undefined
  let weight = 0
  let first = 0
  for (const match of matches) {
    const count = counts.get(match.term) ?? 0
    counts.set(match.term, count + 1)
    if (count === 0) weight += match.weight
    for (let leftmost = matches[first] as Match; leftmost !== match; leftmost = matches[first] as Match) {
      const count = counts.get(leftmost.term) ?? 0
      const tooFar = match.end - leftmost.start > room
      if (!tooFar && count < 2) break
      counts.set(leftmost.term, count - 1)
      if (count === 1) weight -= leftmost.weight
      first++
    }
    const { start } = matches[first] as Match
    const isBetter = best === undefined || weight > best.weight + 1e-9
    const isShorter = best !== undefined && weight > best.weight - 1e-9 && match.end - start < best.end - best.start
    if (isBetter || isShorter) best = { start, end: match.end, weight }
  }
  return best
}

function windowAround(
  text: string,
  body: TextRange,
  { cluster, maxLength }: { readonly cluster: TextRange | undefined; readonly maxLength: number },
): TextRange {
  // Whitespace is not collapsed first. That would leave room for more text, but the difference is barely visible.
  if (body.end - body.start <= maxLength) return body
  const room = maxLength - ELLIPSIS.length
  if (cluster === undefined) return { start: body.start, end: endBefore(text, body.start, body.start + room) }
  const spare = Math.max(0, room - ELLIPSIS.length - (cluster.end - cluster.start))
  const wished = Math.min(cluster.start - (spare >> 1), body.end - room)
  if (wished <= body.start)
    return { start: body.start, end: endBefore(text, Math.min(cluster.end, body.start + room), body.start + room) }
  const start = startAfter(text, wished, cluster.start)
  const limit = start + room - ELLIPSIS.length
  if (limit + ELLIPSIS.length >= body.end) return { start, end: body.end }
  return { start, end: endBefore(text, Math.min(cluster.end, limit), limit) }
}

function startAfter(text: string, wished: number, last: number): number {
  const link = linkAround(text, wished)
  const from = link === undefined || link.end > last ? wished : link.end
  if (isSpace(text, from - 1)) return afterSpace(text, from)
  for (let at = from; at < Math.min(last, from + MAX_STEP); at++)
    if (isSpace(text, at)) return Math.min(afterSpace(text, at), last)
  return graphemeAt(text, from, { first: from - MAX_STEP, forward: true })
}

function endBefore(text: string, minEnd: number, limit: number): number {
  const link = linkAround(text, limit)
  const from = link === undefined || link.start < minEnd ? limit : link.start
  if (isSpace(text, from)) return beforeSpace(text, from)
  for (let at = from; at > Math.max(minEnd, from - MAX_STEP); at--) if (isSpace(text, at - 1)) return beforeSpace(text, at)
  return graphemeAt(text, from, { first: Math.max(0, from - MAX_STEP), forward: false })
}

function linkAround(text: string, at: number): TextRange | undefined {
  const from = Math.max(0, at - MAX_STEP)
  const before = text.slice(from, at + 1)
  const open = before.lastIndexOf('[[')
  if (open < 0 || from + open === at || before.slice(0, -1).includes(']]', open)) return undefined
  const close = text.slice(from + open, from + open + 2 * MAX_STEP).indexOf(']]')
  if (close < 0 || from + open + close + 2 <= at) return undefined
  return { start: from + open, end: from + open + close + 2 }
}

/** Returns the grapheme boundary at an offset or next to it, segmenting from `first` or the last whitespace. */
function graphemeAt(text: string, at: number, { first, forward }: { readonly first: number; readonly forward: boolean }): number {
  let from = Math.max(0, first)
  for (let space = at - 1; space >= from; space--) {
    if (isSpace(text, space)) {
      from = space
      break
    }
  }
  let before = from
  for (const { index } of graphemes().segment(text.slice(from, at + MAX_STEP))) {
    const boundary = from + index
    if (boundary === at) return at
    if (boundary > at) return forward || before === from ? boundary : before
    before = boundary
  }
  return forward ? Math.min(text.length, at + MAX_STEP) : before
}

function collapse(
  text: string,
  span: TextRange,
  body: TextRange & { readonly matches: readonly Match[]; readonly gap: (space: string) => string },
): { text: string; highlights: (readonly [number, number])[] } {
  let out = span.start > body.start ? ELLIPSIS : ''
  const newPositions = new Map<number, number>()
  let at = span.start
  for (const { index, 0: space } of text.slice(span.start, span.end).matchAll(/\s+/g)) {
    newPositions.set(at, out.length)
    out += text.slice(at, span.start + index) + body.gap(space)
    at = span.start + index + space.length
  }
  newPositions.set(at, out.length)
  out += text.slice(at, span.end)
  return { text: span.end < body.end ? out + ELLIPSIS : out, highlights: moveMatches(body.matches, [...newPositions]) }
}

/** Moves matches from the text to the snippet. @param runs where each run without whitespace starts in both */
function moveMatches(
  matches: readonly Match[],
  runs: readonly (readonly [from: number, to: number])[],
): (readonly [number, number])[] {
  const highlights: [number, number][] = []
  let run = 0
  const move = (offset: number): number => {
    while (run + 1 < runs.length && (runs[run + 1]?.[0] ?? 0) <= offset) run++
    const [from, to] = runs[run] ?? [0, 0]
    return to + offset - from
  }
  for (const { start, end } of matches) {
    const from = move(start)
    const last = highlights.at(-1)
    const to = move(end - 1) + 1
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to)
    else highlights.push([from, to])
  }
  return highlights
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at))
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text, at)) at++
  return at
}

function beforeSpace(text: string, from: number): number {
  let at = from
  while (at > 0 && isSpace(text, at - 1)) at--
  return at
}
