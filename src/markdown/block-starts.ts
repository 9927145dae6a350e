import { BACKTICK, CARET, HASH, isDigit, isSpaceOrTab, LBRACKET, RBRACKET, TAB } from './chars.ts'

export interface HeadingStart {
  readonly level: number
  readonly start: number
  readonly end: number
}

/** Finds the start of a heading, whose text range excludes closing `#`s. */
export function headingStart(line: LineCursor): HeadingStart | undefined {
  const { text, eol } = line
  let start = line.endOfRun(HASH)
  const level = start - line.content
  if (level > 6 || (start < eol && !isSpaceOrTab(text.charCodeAt(start)))) return undefined
  while (start < eol && isSpaceOrTab(text.charCodeAt(start))) start++
  return { level, start, end: headingEnd(text, start, eol) }
}

function headingEnd(text: string, start: number, eol: number): number {
  let end = eol
  while (end > start && isSpaceOrTab(text.charCodeAt(end - 1))) end--
  let marks = end
  while (marks > start && text.charCodeAt(marks - 1) === HASH) marks--
  if (marks === end || (marks > start && !isSpaceOrTab(text.charCodeAt(marks - 1)))) return end
  while (marks > start && isSpaceOrTab(text.charCodeAt(marks - 1))) marks--
  return marks
}

export function fenceLength(line: LineCursor, mark: number): number {
  const { text, eol, content } = line
  const end = line.endOfRun(mark)
  if (end - content < 3) return 0
  if (mark === BACKTICK) for (let i = end; i < eol; i++) if (text.charCodeAt(i) === BACKTICK) return 0
  return end - content
}

export function isBreak(line: LineCursor, mark: number): boolean {
  let count = 0
  for (let i = line.content; i < line.eol; i++) {
    const c = line.text.charCodeAt(i)
    if (c === mark) count++
    else if (!isSpaceOrTab(c)) return false
  }
  return count >= 3
}

/** @returns the offset after the list marker, or -1 */
export function itemMarkEnd(line: LineCursor): number {
  const { text, eol, content } = line
  const first = text.charCodeAt(content)
  let i = content + 1
  if (isDigit(first)) {
    while (i < eol && i < content + 10 && isDigit(text.charCodeAt(i))) i++
    const mark = text.charCodeAt(i)
    if (i >= eol || i - content > 9 || (mark !== 46 && mark !== 41)) return -1
    i++
  } else if (first !== 42 && first !== 43 && first !== 45) return -1
  return i >= eol || isSpaceOrTab(text.charCodeAt(i)) ? i : -1
}

/** Returns true for a task checkbox, which is one character in brackets, followed by a space or tab. */
export function isBox(text: string, at: number, eol: number): boolean {
  return (
    at + 3 < eol &&
    text.charCodeAt(at) === LBRACKET &&
    text.charCodeAt(at + 2) === RBRACKET &&
    isSpaceOrTab(text.charCodeAt(at + 3))
  )
}

export function itemPadding(line: LineCursor, empty: boolean): number {
  let spaces = 0
  for (let i = line.offset; i < line.eol && spaces < 5; i++) {
    const c = line.text.charCodeAt(i)
    if (c === 32) spaces++
    else if (c === TAB) spaces += 4 - ((line.column + spaces) % 4)
    else break
  }
  return spaces >= 5 || spaces < 1 || empty ? 1 : spaces
}

/** @returns the offset after `[^label]:`, or -1 */
export function footnoteEnd(line: LineCursor): number {
  const { text, eol, content } = line
  if (text.charCodeAt(content + 1) !== CARET) return -1
  let i = content + 2
  for (; i < eol; i++) {
    const c = text.charCodeAt(i)
    if (c === RBRACKET) break
    if (c === LBRACKET || isSpaceOrTab(c)) return -1
  }
  return i > content + 2 && i + 1 < eol && text.charCodeAt(i + 1) === 58 ? i + 2 : -1
}

/** A cursor on a line. A tab extends to the next multiple of four columns and may be consumed in part. */
export class LineCursor {
  readonly text: string
  lineStart = 0
  eol = 0
  offset = 0
  column = 0
  /** The offset of the first non-whitespace character at or after `offset`, set by `findContent`. */
  content = 0
  contentColumn = 0
  indent = 0
  blank = false

  constructor(text: string) {
    this.text = text
  }

  begin(lineStart: number, eol: number): void {
    this.lineStart = lineStart
    this.eol = eol
    this.offset = lineStart
    this.column = 0
  }

  findContent(): void {
    const { text, eol } = this
    let at = this.offset
    let column = this.column
    for (; at < eol; at++) {
      const c = text.charCodeAt(at)
      if (c === 32) column++
      else if (c === TAB) column += 4 - (column % 4)
      else break
    }
    this.content = at
    this.contentColumn = column
    this.indent = column - this.column
    this.blank = at >= eol
  }

  toContent(): void {
    this.offset = this.content
    this.column = this.contentColumn
  }

  /** There must be no tab before `offset`. */
  passTo(offset: number): void {
    this.column = this.contentColumn + offset - this.content
    this.offset = offset
  }

  /** Advances by columns. A partly consumed tab stays at the offset. */
  advanceColumns(columns: number): void {
    const target = this.column + columns
    while (this.column < target && this.offset < this.eol) {
      const tab = this.text.charCodeAt(this.offset) === TAB
      const next = tab ? this.column + 4 - (this.column % 4) : this.column + 1
      this.column = Math.min(next, target)
      if (next <= target) this.offset++
    }
  }

  restIsBlank(from: number): boolean {
    let i = from
    while (i < this.eol && isSpaceOrTab(this.text.charCodeAt(i))) i++
    return i >= this.eol
  }

  endOfRun(c: number): number {
    let i = this.content
    while (i < this.eol && this.text.charCodeAt(i) === c) i++
    return i
  }
}
