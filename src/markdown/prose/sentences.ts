import { wholeCharacterEnd } from '../../core/text/graphemes.ts'
import { findFences } from '../frontmatter/frontmatter.ts'

const MAX_LENGTH = 300
/** The distance to search, in code units. Lines can be megabytes long. */
const REACH = 2000

const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+/
const BEGINS = /^[ \t>]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||```|~~~|\^|\[\^[^\]]+\]:)|^[ \t]*(?:---|\*\*\*|___)\s*$/
const BREAK = /^[ \t>]*(?:-{3,}|\*{3,}|_{3,}|={3,}|`{3,}|~{3,})[^\n]*$/m
const WHOLE = /^[ \t>]*(?:\||#{1,6}[ \t])/
/** Matches the end of a sentence. A period before a lower-case letter probably belongs to an abbreviation. */
const SENTENCE_END = /[.!?…]["'”’)\]*_]*\s+(?=[^\p{Ll}\s])|[。！？।॥؟۔]\s*/gu

/**
 * Returns the sentence, list item, table row, heading or property line around a range. Whitespace is collapsed, and long text is
 * cut to 300 characters with `…`.
 */
export function sentenceAt(text: string, start: number, end: number): string {
  return shownUnit(text, [start, end], unitAround(text, start, end, sentenceWithin))
}

/** Works like `sentenceAt`, but keeps a paragraph of up to 300 characters whole. */
export function paragraphAt(text: string, start: number, end: number): { readonly text: string; readonly start: number } {
  const unit = unitAround(text, start, end, (all, bounds, range) =>
    bounds[1] - bounds[0] <= MAX_LENGTH ? bounds : sentenceWithin(all, bounds, range),
  )
  return { text: shownUnit(text, [start, end], unit), start: unit[0] }
}

type Range = readonly [start: number, end: number]

function shownUnit(text: string, [start, end]: Range, [from, to]: Range): string {
  const head = collapse(text.slice(from, start))
    .replace(ITEM, '')
    .replace(/^[\s>]+/, '')
  const body = collapse(text.slice(start, end))
  const tail = collapse(text.slice(end, to)).trimEnd()
  if (head.length + body.length + tail.length <= MAX_LENGTH) return (head + body + tail).trim()
  return cutAround(head, body, tail)
}

function collapse(text: string): string {
  return text.replace(/\r?\n[ \t]*(?:>[ \t]?)*/g, ' ').replace(/\s+/g, ' ')
}

function unitAround(text: string, start: number, end: number, within: typeof sentenceWithin): Range {
  const low = Math.max(0, start - REACH)
  const high = Math.min(text.length, end + REACH)
  const from = Math.max(low, text.lastIndexOf('\n', start - 1) + 1)
  const newline = text.indexOf('\n', end)
  const to = newline === -1 ? high : Math.min(high, newline)
  const line = text.slice(from, to)
  if (WHOLE.test(line) || inFrontmatter(text, start)) return [from, to]
  const paragraph = [linesBefore(text, from, low), linesAfter(text, to, high)] as const
  if (ITEM.test(text.slice(paragraph[0], start)) && paragraph[1] - paragraph[0] <= MAX_LENGTH) return paragraph
  return within(text, paragraph, [start, end])
}

function inFrontmatter(text: string, at: number): boolean {
  const fences = findFences(text, text.charCodeAt(0) === 0xfeff ? 1 : 0)
  return typeof fences !== 'string' && at < fences.end
}

function linesBefore(text: string, from: number, low: number): number {
  let first = from
  while (first > low && !BEGINS.test(text.slice(first, first + 200))) {
    const before = Math.max(low, text.lastIndexOf('\n', first - 2) + 1)
    const line = text.slice(before, first)
    if (/^[\s>]*$/.test(line) || WHOLE.test(line) || BREAK.test(line)) break
    first = before
  }
  return first
}

function linesAfter(text: string, to: number, high: number): number {
  let last = to
  while (last < high && text[last] === '\n') {
    const newline = text.indexOf('\n', last + 1)
    const next = newline === -1 ? high : Math.min(high, newline)
    const line = text.slice(last + 1, next)
    if (/^[\s>]*$/.test(line) || BEGINS.test(line)) break
    last = next
  }
  return last
}

function sentenceWithin(text: string, bounds: Range, range: Range): Range {
  let [from, to] = bounds
  const base = from
  for (const match of text.slice(from, to).matchAll(SENTENCE_END)) {
    const at = base + match.index + match[0].length
    if (at <= range[0]) from = at
    else if (base + match.index >= range[1]) {
      to = base + match.index + match[0].trimEnd().length
      break
    }
  }
  return [from, to]
}

function cutAround(head: string, body: string, tail: string): string {
  const middle = body.length > MAX_LENGTH - 2 ? `${clip(body, MAX_LENGTH - 3)}…` : body
  const remaining = MAX_LENGTH - middle.length
  const room = Math.max(Math.floor(remaining / 2), remaining - tail.length)
  const before = fitEnd(head, Math.max(0, room))
  return before + middle + fitStart(tail, MAX_LENGTH - middle.length - before.length)
}

function fitEnd(text: string, room: number): string {
  if (text.length <= room) return text
  if (room < 2) return ''
  const end = unsplitStart(text.slice(text.length - room + 1))
  const word = end.indexOf(' ')
  return `…${word === -1 || word > 30 ? end : end.slice(word + 1)}`
}

function fitStart(text: string, room: number): string {
  if (text.length <= room) return text
  if (room < 2) return ''
  const start = clip(text, room - 1)
  const word = start.lastIndexOf(' ')
  return `${word === -1 || start.length - word > 30 ? start : start.slice(0, word)}…`
}

function clip(text: string, length: number): string {
  return text.slice(0, wholeCharacterEnd(text, length))
}

function unsplitStart(text: string): string {
  const first = text.charCodeAt(0)
  return first >= 0xdc00 && first <= 0xdfff ? text.slice(1) : text
}
