import { isWhitespace, LF } from './chars.ts'

/** The offset after the blank lines that a text has from `from` on; one without a line ending is none. */
export function afterBlankLines(text: string, from: number): number {
  // A loop: a regular expression keeps a way back for every line, and overflows after some millions.
  let line = from
  for (let i = from; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c === LF) line = i + 1
    else if (!isWhitespace(c)) break
  }
  return line
}
