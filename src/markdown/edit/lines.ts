import { afterBlankLines } from '../line-index.ts'

export type LineEnding = '\n' | '\r\n'

/** The line ending that most lines of a text have; of a tie the first one's, `\n` where there is none. */
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

/** The text with every line ended by `ending`; a carriage return that ends no line stays. */
export function withLineEnding(text: string, ending: LineEnding): string {
  return text.replace(/\r?\n/g, ending)
}

/** The end of the line that holds `at`, before its line ending. */
export function endOfLine(text: string, at: number): number {
  const newline = text.indexOf('\n', at)
  if (newline === -1) return text.length
  return newline > at && text[newline - 1] === '\r' ? newline - 1 : newline
}

/** The offset at which the line after that of `at` begins; the text's end where there is none. */
export function nextLine(text: string, at: number): number {
  return text.indexOf('\n', at) + 1 || text.length
}

/** The offset at which the line of `at` begins. */
export function startOfLine(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
}

/** Whether the line before `at` lacks its line ending; a byte order mark is no line. */
export function isUnended(text: string, at: number): boolean {
  return at > 0 && text[at - 1] !== '\n' && !(at === 1 && text.charCodeAt(0) === 0xfeff)
}

/** The text without blank lines at its beginning and without white space at its end, its lines ended by `\n`. */
export function withoutOuterBlankLines(content: string): string {
  const text = withLineEnding(content, '\n').trimEnd()
  return text.slice(afterBlankLines(text, 0))
}

/** What the lines belong to that go on without a blank line between them. */
function continuing(line: string): string | undefined {
  if (/^\s*(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(line)) return 'list'
  if (/^\s*>/.test(line)) return 'quote'
  return /^\s*\|/.test(line) ? 'table' : undefined
}

/** Whether two lines that stand one after the other would be read as one block, or look like one, that they are not. */
function needsGap(before: string, after: string): boolean {
  if (before.trim() === '' || after.trim() === '') return false
  const kind = continuing(before)
  return kind === undefined || kind !== continuing(after)
}

export interface Joint {
  /** Where in `text` the content goes. */
  readonly at: number
  /** Where what goes before it begins: nothing in front of it needs a blank line. */
  readonly from: number
  /** Without blank lines around it. */
  readonly tight?: boolean
}

/**
 * The content as it has to be inserted at `at` of the text, on lines of its own and in the text's line ending: a line that
 * was not ended is ended first, and a blank line parts it from its neighbours. There is none where one stands already (also
 * in the content) or where list items, quoted lines or table rows go on. At the end of a text without a final line ending
 * it gets none.
 */
export function joined(text: string, content: string, { at, from, tight = false }: Joint): string {
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
  return needsGap(before, firstLine(content)) ? end + ending : end
}

function gapAfter(text: string, content: string, { at, tight, ending }: Place): string {
  const ended = content.endsWith('\n')
  if (at >= text.length) return ended || !text.endsWith('\n') ? '' : ending
  const end = ended ? '' : ending
  if (tight) return end
  const lastLine = content.slice(content.lastIndexOf('\n', content.length - 2) + 1)
  return needsGap(lastLine, text.slice(at, endOfLine(text, at))) ? end + ending : end
}

function firstLine(text: string): string {
  return text.slice(0, endOfLine(text, 0))
}
