import { isSpaceOrTab, TAB } from './chars.ts'

/** A place in a line, counted in columns too: a tab reaches to the next multiple of four and may be used in part. */
export class LineCursor {
  readonly text: string
  lineStart = 0
  /** The line's end, without its line break. */
  eol = 0
  offset = 0
  column = 0
  /** The first character at or after `offset` that is no white space, as `findContent` saw it. */
  content = 0
  contentColumn = 0
  /** How many columns of white space stand before it. */
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

  /** Moves to an offset after the content with no tab in between. */
  passTo(offset: number): void {
    this.column = this.contentColumn + offset - this.content
    this.offset = offset
  }

  /** Moves over white space by columns; the offset stays on a tab of which columns are left. */
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

  /** The offset after the run of one character that begins at the content. */
  endOfRun(c: number): number {
    let i = this.content
    while (i < this.eol && this.text.charCodeAt(i) === c) i++
    return i
  }
}
