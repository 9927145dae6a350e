import { LT, PERCENT, RBRACKET } from '../chars.ts'
import { pairComments } from '../comments.ts'
import { scanInline } from '../scan-inline.ts'
import type { Run } from './runs.ts'

/** Plain text: a link can be put here. */
export const OPEN = 0
/** Text that can hold no link: headings, quotes, code, math, comments, tags, and links that are there. */
export const CLOSED = 1
/** What no reader sees: addresses, HTML tags. */
export const SILENT = 2

const SCHEME = /[a-z][a-z0-9+.-]*$/i
const ADDRESS_END = /[\s<>)\]]|$/g
/** No scheme of an address is longer. */
const LONGEST_SCHEME = 20
const OPAQUE = /\b(?:data|mailto):[^\s<>)\]]+/gi
const TAG = /<[a-z/!][^<>]*>/gi
const QUOTE = /^[ \t]*>[^\n]*/gm

/** What each UTF-16 unit of a note's text is, by its offset; what stands before `from` is `SILENT`. Linear, never throws. */
export function markProse(text: string, from: number): Uint8Array {
  const marks = new Uint8Array(text.length).fill(CLOSED)
  const closed: Span[] = []
  const silent: Span[] = []
  const { runs, commentMarks } = scanInline(text, from, (start, end, mark) => {
    if (mark !== PERCENT) addSpan(mark === LT || mark === RBRACKET ? silent : closed, { start, end })
  })
  for (const run of runs) openRun(marks, run)
  for (const { start, end } of [...closed, ...pairComments(commentMarks)]) marks.fill(CLOSED, start, end)
  if (text.includes('>', from))
    for (const { index, 0: line } of text.matchAll(QUOTE)) marks.fill(CLOSED, index, index + line.length)
  for (const { start, end } of silent) marks.fill(SILENT, start, end)
  for (const { kind, start, end } of runs) if (kind === 'html') silence(marks, text.slice(start, end), TAG, start)
  silenceAddresses(marks, text)
  if (/data:|mailto:/i.test(text)) silence(marks, text, OPAQUE, 0)
  return marks.fill(SILENT, 0, from)
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Spans come in the order of their ends; what a later one holds is dropped, so that each unit is marked once however deep they are nested. */
function addSpan(spans: Span[], span: Span): void {
  while ((spans.at(-1)?.start ?? -1) >= span.start) spans.pop()
  spans.push(span)
}

function openRun(marks: Uint8Array, { kind, start, end }: Run): void {
  if (kind === 'text' || kind === 'row') marks.fill(OPEN, start, end)
}

function silence(marks: Uint8Array, text: string, pattern: RegExp, base: number): void {
  for (const { index, 0: found } of text.matchAll(pattern)) marks.fill(SILENT, base + index, base + index + found.length)
}

/** Addresses that stand in the text as they are. */
function silenceAddresses(marks: Uint8Array, text: string): void {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at)) {
    const scheme = SCHEME.exec(text.slice(Math.max(0, at - LONGEST_SCHEME), at))
    ADDRESS_END.lastIndex = at + 3
    const end = ADDRESS_END.exec(text)?.index ?? text.length
    if (scheme !== null && end > at + 3) marks.fill(SILENT, at - scheme[0].length, end)
    at = Math.max(end, at + 3)
  }
}
