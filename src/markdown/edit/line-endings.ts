import { afterBlankLines } from '../blank-lines.ts'

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
