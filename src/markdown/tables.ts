import { BACKSLASH, COLON, DASH, isSpaceOrTab, LBRACKET, PIPE } from './chars.ts'
import { wikilinkEnd } from './wikilinks.ts'

/** @returns the number of columns in a row such as `|:--|--|`, or 0 for any other line */
export function columnsOfDelimiterRow(text: string, start: number, end: number): number {
  let i = skipSpaces(text, start, end)
  let stop = end
  while (stop > i && isSpaceOrTab(text.charCodeAt(stop - 1))) stop--
  if (text.charCodeAt(i) === PIPE) i++
  let columns = 0
  while (i < stop) {
    i = skipSpaces(text, i, stop)
    if (text.charCodeAt(i) === COLON) i++
    const dashes = i
    while (i < stop && text.charCodeAt(i) === DASH) i++
    if (i === dashes) return 0
    if (i < stop && text.charCodeAt(i) === COLON) i++
    i = skipSpaces(text, i, stop)
    columns++
    if (i >= stop) break
    if (text.charCodeAt(i) !== PIPE) return 0
    i++
  }
  return columns
}

function skipSpaces(text: string, from: number, end: number): number {
  let i = from
  while (i < end && isSpaceOrTab(text.charCodeAt(i))) i++
  return i
}

export function columnsOfRow(text: string, start: number, end: number): number {
  let cells = 0
  forEachCell(text, start, end, () => cells++)
  return cells
}

export function forEachCell(text: string, start: number, end: number, visit: (from: number, to: number) => void): void {
  let from = skipSpaces(text, start, end)
  if (text.charCodeAt(from) === PIPE) from++
  let i = from
  while (i < end) {
    const c = text.charCodeAt(i)
    if (c === PIPE) {
      visit(from, i)
      from = i + 1
    } else if (c === BACKSLASH) i++
    else if (c === LBRACKET && text.charCodeAt(i + 1) === LBRACKET) {
      const close = wikilinkEnd(text, i, end)
      if (close !== -1) i = close - 1
    }
    i++
  }
  if (skipSpaces(text, from, end) < end) visit(from, end)
}
