import { graphemesOf, printableText, textWidth } from './table.ts'

const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * Markdown that a reader skips: link targets, HTML tags, table rules, marks of bold. The groups `before` and `after`
 * are removed; the text between them stays.
 */
const NOISE: readonly RegExp[] = [
  /(?<before>!?\[)[^[\]]*(?<after>\]\([^()\s]*\))/dg,
  /(?<before>!?\[\[(?:[^[\]|]*\|)?)[^[\]|]+(?<after>\]\])/dg,
  /(?<before><\/?[a-z][^<>]*>)/dgi,
  /(?<before>\|(?:\s*:?-+:?\s*\|)+)/dg,
  /(?<before>\*\*)/dg,
]

/** A text with marked ranges: UTF-16 offsets, ascending, without overlaps. */
export interface MarkedText {
  readonly text: string
  readonly marks: readonly (readonly [start: number, end: number])[]
}

export interface WrapOptions {
  /** Columns per line. */
  readonly width: number
  /** Maximum number of lines; those with the most marks are kept. */
  readonly lines: number
  mark(text: string): string
}

/**
 * Wraps a marked text and shows where lines are left out. Tables, lists, paragraphs and code keep their line breaks,
 * and code its white space; elsewhere white space collapses.
 */
export function wrapMarked(marked: MarkedText, { width, lines, mark }: WrapOptions): readonly string[] {
  // Reserve room for both ellipses.
  const all = writtenLines(marked).flatMap((line) => breakLines(line, width - 2 * ELLIPSIS.length))
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

/** The text between two spaces. */
type Word = readonly Piece[]

/** A line that starts a new line of output: of a table, list, heading or quote. */
const OWN_LINE = /^\s*(?:\||[-*+] |\d+[.)] |#{1,6} |>)/

/** A table row or heading, which the next line never continues. */
const ONE_LINE = /^\s*(?:\||#{1,6} )/

/** The words of each output line; a line of code is one word. */
function writtenLines(marked: MarkedText): readonly (readonly Word[])[] {
  const blocks = codeRanges(marked.text).filter(({ kind }) => kind === 'block')
  const lines: { text: MarkedText; isCode: boolean }[] = []
  let open: number | undefined
  let at = 0
  const close = (end: number): void => {
    if (open !== undefined) lines.push({ text: sliceOf(marked, open, end), isCode: false })
    open = undefined
  }
  for (const line of marked.text.split('\n')) {
    const end = at + line.length
    const isCode = blocks.some((block) => at >= block.start && end <= block.end)
    if (isCode || line.trim() === '' || OWN_LINE.test(line)) close(at)
    if (isCode) lines.push({ text: sliceOf(marked, at, end), isCode })
    else if (line.trim() !== '') open ??= at
    if (ONE_LINE.test(line)) close(end)
    at = end + 1
  }
  close(marked.text.length)
  return lines.map(({ text, isCode }) => (isCode ? [verbatim(text)] : wordsOf(text))).filter((words) => words.length > 0)
}

function sliceOf({ text, marks }: MarkedText, from: number, to: number): MarkedText {
  const within = marks
    .map(([start, end]) => [Math.max(start, from) - from, Math.min(end, to) - from] as const)
    .filter(([start, end]) => end > start)
  return { text: text.slice(from, to), marks: within }
}

/** A line of code as one word, white space included. */
function verbatim(marked: MarkedText): Word {
  return piecesOf(marked)
    .map(({ text, isMarked }) => ({ text: text.replaceAll('\t', '  ').replaceAll('\n', ''), isMarked }))
    .filter(({ text }) => text !== '')
}

/** Splits a text into marked and unmarked pieces, without terminal control characters. */
function piecesOf({ text, marks }: MarkedText): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const [start, end] of marks) {
    pieces.push({ text: printableText(text.slice(at, start)), isMarked: false })
    pieces.push({ text: printableText(text.slice(start, end)), isMarked: true })
    at = end
  }
  return [...pieces, { text: printableText(text.slice(at)), isMarked: false }]
}

function wordsOf(marked: MarkedText): readonly Word[] {
  const words: Piece[][] = []
  let isOpen = false
  for (const { text, isMarked } of piecesOf(marked)) {
    for (const part of text.split(/(\s+)/)) {
      if (part === '') continue
      const isSpace = /^\s/.test(part)
      if (!isSpace && isOpen) words.at(-1)?.push({ text: part, isMarked })
      else if (!isSpace) words.push([{ text: part, isMarked }])
      isOpen = !isSpace
    }
  }
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

/** Splits a word wider than a line, such as a Chinese sentence. */
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

/** The start of the first window of `size` lines with the most marks. */
function bestWindow(counts: readonly number[], size: number): number {
  let best = { from: 0, sum: -1 }
  for (let from = 0; from === 0 || from + size <= counts.length; from++) {
    const sum = counts.slice(from, from + size).reduce((total, count) => total + count, 0)
    if (sum > best.sum) best = { from, sum }
  }
  return best.from
}

/** A range of code in Markdown text: UTF-16 offsets; a `block` includes its fences. */
export interface CodeRange {
  readonly start: number
  readonly end: number
  readonly kind: 'block' | 'span'
}

/** Finds code in order. A block that was cut off extends to the end of the text. */
function codeRanges(text: string): readonly CodeRange[] {
  const ranges: CodeRange[] = []
  let fence: { readonly mark: string; readonly start: number } | undefined
  let proseFrom = 0
  let at = 0
  for (const line of text.split('\n')) {
    const end = at + line.length
    const mark = FENCE.exec(line)?.[1]
    if (fence === undefined && mark !== undefined) {
      ranges.push(...spansIn(text, proseFrom, at))
      fence = { mark, start: at }
    } else if (fence !== undefined && mark?.startsWith(fence.mark) === true && line.trim() === mark) {
      ranges.push({ start: fence.start, end, kind: 'block' })
      fence = undefined
      proseFrom = end
    }
    at = end + 1
  }
  if (fence !== undefined) return [...ranges, { start: fence.start, end: text.length, kind: 'block' }]
  return [...ranges, ...spansIn(text, proseFrom, text.length)]
}

/** Code spans between backtick runs of equal length. */
function spansIn(text: string, from: number, to: number): readonly CodeRange[] {
  const runs = [...text.slice(from, to).matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: from + index, length: run.length }))
  // Maps each run to the next of its length. Searching from each run would take quadratic time.
  const nextOf = new Map<number, number>()
  const last = new Map<number, number>()
  for (const [index, { length }] of runs.entries()) {
    const before = last.get(length)
    if (before !== undefined) nextOf.set(before, index)
    last.set(length, index)
  }
  const ranges: CodeRange[] = []
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index]
    const closing = nextOf.get(index)
    const close = closing === undefined ? undefined : runs[closing]
    if (open === undefined || close === undefined || closing === undefined) continue
    ranges.push({ start: open.at, end: close.at + close.length, kind: 'span' })
    index = closing
  }
  return ranges
}

/**
 * The text without Markdown marks, as a person would read it. Code stays unchanged, and so does a construct that was
 * cut off.
 */
export function readableText(marked: MarkedText): MarkedText {
  // Twice, because an image may be inside a link.
  return [...NOISE, ...NOISE.slice(0, 1)].reduce(withoutNoise, marked)
}

type Range = readonly [start: number, end: number]

function withoutNoise(marked: MarkedText, noise: RegExp): MarkedText {
  const code = codeRanges(marked.text)
  const isCode = (from: number, to: number): boolean => code.some(({ start, end }) => from < end && to > start)
  const ranges = [...marked.text.matchAll(noise)].flatMap(({ index, 0: match, indices }): readonly Range[] =>
    isCode(index, index + match.length)
      ? []
      : [indices?.groups?.before, indices?.groups?.after].filter((range) => range !== undefined),
  )
  return ranges.length === 0 ? marked : withoutRanges(marked, ranges)
}

/** Removes ranges (ascending, without overlaps) and the marks inside them. */
function withoutRanges({ text, marks }: MarkedText, ranges: readonly Range[]): MarkedText {
  const kept: string[] = []
  let at = 0
  for (const [start, end] of ranges) {
    kept.push(text.slice(at, start))
    at = end
  }
  kept.push(text.slice(at))
  const moved = (offset: number): number =>
    offset - ranges.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, offset) - start), 0)
  const left = marks.map(([start, end]): Range => [moved(start), moved(end)])
  return { text: kept.join(''), marks: left.filter(([start, end]) => end > start) }
}
