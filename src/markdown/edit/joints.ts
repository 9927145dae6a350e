import { endOfLine, isUnended, type LineEnding, lineEndingOf, startOfLine, withLineEnding } from './line-endings.ts'

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
