import { afterBlankLines } from '../line-index.ts'

export type LineEnding = '\n' | '\r\n'

/** Returns the most common line ending, the first one on a tie, or `\n`. */
export function lineEndingOf(text: string): LineEnding {
  let crlf = 0
  let lf = 0
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    if (at > 0 && text[at - 1] === '\r') crlf++
    else lf++
  }
  if (crlf !== lf) return crlf > lf ? '\r\n' : '\n'
  return crlf > 0 && text[text.indexOf('\n') - 1] === '\r' ? '\r\n' : '\n'
}

export function withLineEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r?\n/g, ending)
}

export function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  if (newline === -1) return text.length
  return newline > at && text[newline - 1] === '\r' ? newline - 1 : newline
}

export function nextLine(text: string, at: number): number {
  return text.indexOf('\n', at) + 1 || text.length
}

export function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** A byte order mark alone does not count as a line. */
export function isUnended(text: string, at: number): boolean {
  return at > 0 && text[at - 1] !== '\n' && !(at === 1 && text.charCodeAt(0) === 0xfeff)
}

export function withoutOuterBlankLines(content: string): string {
  const text = withLineEnding(content, '\n').trimEnd()
  return text.slice(afterBlankLines(text, 0))
}

/** Returns the kind of a block that continues without a blank line. */
function continuing(line: string): string | undefined {
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line)) return 'list'
  if (/^\s*>/.test(line)) return 'quote'
  return /^\s*\|/.test(line) ? 'table' : undefined
}

function needsGap(before: string, after: string): boolean {
  if (before.trim() === '' || after.trim() === '') return false
  const kind = continuing(before)
  return kind === undefined || kind !== continuing(after)
}

export interface Insertion {
  readonly at: number
  /** The offset before which text needs no blank line. */
  readonly from: number
  /** If true, the surrounding blank lines are left out. */
  readonly tight?: boolean
}

/**
 * Formats content as separate lines at `at`. Line endings are added, and blank lines where the neighboring block would continue.
 */
export function insertedText(text: string, content: string, { at, from, tight = false }: Insertion): string {
  const ending = lineEndingOf(text)
  const inserted = withLineEnding(content, ending)
  if (inserted === '') return ''
  return gapBefore(text, inserted, { at, from, tight, ending }) + inserted + gapAfter(text, inserted, { at, tight, ending })
}

interface Place {
  readonly at: number
  readonly tight: boolean
  readonly ending: LineEnding
}

function gapBefore(text: string, content: string, { at, from, tight, ending }: Place & { readonly from: number }): string {
  const unended = isUnended(text, at)
  const end = unended ? ending : ''
  if (tight || at <= from) return end
  const lastLine = startOfLine(text, unended ? at : at - 1)
  const before = text.slice(Math.max(lastLine, from), endOfLine(text, lastLine))
  return needsGap(before, content.slice(0, endOfLine(content, 0))) ? end + ending : end
}

function gapAfter(text: string, content: string, { at, tight, ending }: Place): string {
  const endsInBreak = content.endsWith('\n')
  if (at >= text.length) return endsInBreak || !text.endsWith('\n') ? '' : ending
  const end = endsInBreak ? '' : ending
  if (tight) return end
  const lastLine = content.slice(content.lastIndexOf('\n', content.length - 2) + 1)
  return needsGap(lastLine, text.slice(at, endOfLine(text, at))) ? end + ending : end
}
