import { isWhitespace, LF } from './chars.ts'

/** The start offset of each line. The index is optimized for appending and for ascending lookups. */
export class LineIndex {
  readonly #starts: number[] = []
  #last = 0

  push(start: number): void {
    this.#starts.push(start)
  }

  lineAt(offset: number): number {
    const starts = this.#starts
    const count = starts.length
    let line = this.#last
    if (line >= count || (starts[line] ?? 0) > offset) line = 0
    // Scan forward first, because most offsets are near the previous one.
    for (let steps = 0; steps < 8; steps++) {
      if (line + 1 >= count || (starts[line + 1] ?? 0) > offset) {
        this.#last = line
        return line + 1
      }
      line++
    }
    let high = count
    while (high - line > 1) {
      const middle = (line + high) >> 1
      if ((starts[middle] ?? 0) > offset) high = middle
      else line = middle
    }
    this.#last = line
    return line + 1
  }

  startOf(line: number): number {
    return this.#starts[line - 1] ?? 0
  }
}

export function indexLines(text: string): LineIndex {
  const lines = new LineIndex()
  addLines(lines, text, 0, text.length)
  return lines
}

/** `from` must be the start of a line. */
export function addLines(lines: LineIndex, text: string, from: number, to: number): void {
  let start = from
  while (start < to || start === 0) {
    lines.push(start)
    const end = text.indexOf('\n', start)
    if (end === -1) return
    start = end + 1
  }
}

/** Returns the offset after blank lines. A blank line must end in a line break. */
export function afterBlankLines(text: string, from: number): number {
  // The loop replaces a regular expression, which would backtrack line by line and overflow the stack after a few million lines.
  let line = from
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === LF) line = i + 1
    else if (!isWhitespace(c)) break
  }
  return line
}
