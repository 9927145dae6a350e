import { DEFAULT_FLAVOR } from '../core/note.ts'
import type { TextRange } from '../core/text/link-slots.ts'
import { type BlockScanner, scanBlocks } from './blocks.ts'
import { DOLLAR, LT, PERCENT, RBRACKET } from './chars.ts'
import { type CommentMark, pairComments } from './comments.ts'
import { InlineScanner } from './inline.ts'
import { LineIndex } from './line-index.ts'
import { LinkSink } from './link-sink.ts'
import type { Run } from './prose/runs.ts'

/** The class of plain text, in which a link can be inserted. */
export const OPEN = 0

/** The class of text in which no link can be inserted: headings, quotes, code, math, comments, tags and existing links. */
export const CLOSED = 1

/** The class of invisible text: URLs and HTML tags. */
export const SILENT = 2

const SCHEME = /[a-z][a-z0-9+.-]*$/i

const ADDRESS_END = /[\s<>)\]]|$/g

const MAX_SCHEME_LENGTH = 20

const OPAQUE = /\b(?:data|mailto):[^\s<>)\]]+/gi

const TAG = /<[a-z/!][^<>]*>/gi

const QUOTE = /^[ \t]*>[^\n]*/gm

export interface ScannedText extends Pick<BlockScanner, 'runs' | 'formulas'> {
  readonly commentMarks: readonly CommentMark[]
}

/** Scans everything except links. The scan takes linear time and never throws. */
function scanInline(text: string, from: number, onSpan?: InlineScanner['onSpan']): ScannedText {
  const lines = new LineIndex()
  const { runs, definitions, formulas } = scanBlocks(text, from, lines)
  const scanner = new InlineScanner(DEFAULT_FLAVOR, definitions, new LinkSink(lines, false))
  scanner.onSpan = onSpan
  for (const run of runs) scanner.scan(text, run)
  return { runs, formulas, commentMarks: scanner.commentMarks }
}

/** Finds the comments (`%% … %%`) after an offset, excluding code. The search takes linear time and never throws. */
export function findComments(text: string, from: number): readonly TextRange[] {
  return text.includes('%%', from) ? pairComments(scanInline(text, from).commentMarks) : []
}

/**
 * Finds the formulas after an offset, including their `$` signs and excluding code. The search takes linear time and never
 * throws.
 */
export function findFormulas(text: string, from: number): readonly TextRange[] {
  if (!text.includes('$', from)) return []
  const inline: TextRange[] = []
  const { formulas } = scanInline(text, from, (start, end, mark) => {
    // The scanner also reports `$` signs without a partner.
    if (mark === DOLLAR && /[^$]/.test(text.slice(start, end))) inline.push({ start, end })
  })
  return [...formulas, ...inline].sort((a, b) => a.start - b.start)
}

/** Classifies every UTF-16 code unit. Text before `from` is `SILENT`. The function takes linear time and never throws. */
export function markProse(text: string, from: number): Uint8Array {
  const marks = new Uint8Array(text.length).fill(CLOSED)
  const comments: TextRange[] = []
  const silent: TextRange[] = []
  const { runs, commentMarks } = scanInline(text, from, (start, end, mark) => {
    if (mark !== PERCENT) addSpan(mark === LT || mark === RBRACKET ? silent : comments, { start, end })
  })
  for (const run of runs) openRun(marks, run)
  for (const { start, end } of [...comments, ...pairComments(commentMarks)]) marks.fill(CLOSED, start, end)
  if (text.includes('>', from))
    for (const { index, 0: line } of text.matchAll(QUOTE)) marks.fill(CLOSED, index, index + line.length)
  for (const { start, end } of silent) marks.fill(SILENT, start, end)
  for (const { kind, start, end } of runs) if (kind === 'html') silence(marks, text.slice(start, end), TAG, start)
  silenceAddresses(marks, text)
  if (/data:|mailto:/i.test(text)) silence(marks, text, OPAQUE, 0)
  return marks.fill(SILENT, 0, from)
}

/** Adds a span and drops those that are nested in it. Spans arrive ordered by end. */
function addSpan(spans: TextRange[], span: TextRange): void {
  while ((spans.at(-1)?.start ?? -1) >= span.start) spans.pop()
  spans.push(span)
}

function openRun(marks: Uint8Array, { kind, start, end }: Run): void {
  if (kind === 'text' || kind === 'row') marks.fill(OPEN, start, end)
}

function silence(marks: Uint8Array, text: string, pattern: RegExp, base: number): void {
  for (const { index, 0: match } of text.matchAll(pattern)) marks.fill(SILENT, base + index, base + index + match.length)
}

function silenceAddresses(marks: Uint8Array, text: string): void {
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at)) {
    const scheme = SCHEME.exec(text.slice(Math.max(0, at - MAX_SCHEME_LENGTH), at))
    ADDRESS_END.lastIndex = at + 3
    const end = ADDRESS_END.exec(text)?.index ?? text.length
    if (scheme !== null && end > at + 3) marks.fill(SILENT, at - scheme[0].length, end)
    at = Math.max(end, at + 3)
  }
}
