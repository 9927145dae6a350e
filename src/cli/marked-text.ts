import { graphemesOf, printableText, textWidth } from './table.ts'

/** A text in which some places are marked: UTF-16 offsets, ascending, without overlaps. */
export interface MarkedText {
  readonly text: string
  readonly marks: readonly (readonly [start: number, end: number])[]
}

export interface WrapOptions {
  /** Columns of a line. */
  readonly width: number
  /** Lines at the most: those with the most marks. */
  readonly lines: number
  mark(text: string): string
}

/** The lines of a marked text, white space collapsed; where some are left out, that is shown. */
export function wrapMarked(marked: MarkedText, { width, lines, mark }: WrapOptions): readonly string[] {
  // Room for the two signs that something was left out.
  const all = breakLines(wordsOf(marked), width - 2 * ELLIPSIS.length)
  const from = bestWindow(
    all.map((line) => line.filter(isMarked).length),
    lines,
  )
  const shown = all.slice(from, from + lines).map((line) => line.map((word) => renderWord(word, mark)).join(' '))
  return shown.map((line, at) => {
    const before = at === 0 && from > 0 ? ELLIPSIS : ''
    const after = at === shown.length - 1 && from + lines < all.length ? ELLIPSIS : ''
    return before + line + after
  })
}

const ELLIPSIS = '…'

interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

/** What stands between two spaces. */
type Word = readonly Piece[]

function wordsOf({ text, marks }: MarkedText): readonly Word[] {
  const words: Piece[][] = []
  let isOpen = false
  const add = (part: string, marked: boolean): void => {
    for (const piece of printableText(part).split(/(\s+)/)) {
      if (piece === '') continue
      if (/^\s/.test(piece)) isOpen = false
      else if (isOpen) words.at(-1)?.push({ text: piece, isMarked: marked })
      else {
        words.push([{ text: piece, isMarked: marked }])
        isOpen = true
      }
    }
  }
  let at = 0
  for (const [start, end] of marks) {
    add(text.slice(at, start), false)
    add(text.slice(start, end), true)
    at = end
  }
  add(text.slice(at), false)
  return words
}

function breakLines(words: readonly Word[], width: number): readonly (readonly Word[])[] {
  const lines: Word[][] = []
  let room = 0
  for (const word of words.flatMap((each) => splitWide(each, width))) {
    const wide = widthOf(word)
    if (wide + 1 <= room) {
      lines.at(-1)?.push(word)
      room -= wide + 1
    } else {
      lines.push([word])
      room = width - wide
    }
  }
  return lines
}

/** A word that is wider than a line, such as a sentence in Chinese, in parts that are not. */
function splitWide(word: Word, width: number): readonly Word[] {
  if (widthOf(word) <= width) return [word]
  const parts: Piece[][] = [[]]
  let room = width
  for (const { text, isMarked: marked } of word) {
    for (const grapheme of graphemesOf(text)) {
      const wide = textWidth(grapheme)
      if (wide > room) {
        parts.push([])
        room = width
      }
      room -= wide
      const part = parts.at(-1)
      const last = part?.at(-1)
      if (last?.isMarked === marked) part?.splice(-1, 1, { text: last.text + grapheme, isMarked: marked })
      else part?.push({ text: grapheme, isMarked: marked })
    }
  }
  return parts
}

function widthOf(word: Word): number {
  return word.reduce((sum, { text }) => sum + textWidth(text), 0)
}

function isMarked(word: Word): boolean {
  return word.some((piece) => piece.isMarked)
}

function renderWord(word: Word, mark: (text: string) => string): string {
  return word.map((piece) => (piece.isMarked ? mark(piece.text) : piece.text)).join('')
}

/** Where a window of some lines begins that holds the most marks, the first such. */
function bestWindow(counts: readonly number[], size: number): number {
  let best = { from: 0, sum: -1 }
  for (let from = 0; from === 0 || from + size <= counts.length; from++) {
    const sum = counts.slice(from, from + size).reduce((total, count) => total + count, 0)
    if (sum > best.sum) best = { from, sum }
  }
  return best.from
}
