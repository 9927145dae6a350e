import { codeIn } from '../../markdown/code.ts'
import { printableText, wrapWords } from './text.ts'

/**
 * Matches Markdown syntax to hide, such as link targets and bold markers. The text between the groups `before` and `after` is
 * kept.
 */
const NOISE: readonly RegExp[] = [
  /(?<before>!?\[)[^[\]]*(?<after>\]\([^()\s]*\))/dg,
  /(?<before>!?\[\[(?:[^[\]|]*\|)?)[^[\]|]+(?<after>\]\])/dg,
  /(?<before><\/?[a-z][^<>]*>)/dgi,
  /(?<before>\|(?:\s*:?-+:?\s*\|)+)/dg,
  /(?<before>\*\*)/dg,
]

/** A text with highlights. `marks` are ascending UTF-16 ranges that do not overlap. */
export interface MarkedText {
  readonly text: string
  readonly marks: readonly (readonly [start: number, end: number])[]
}

export interface WrapOptions {
  readonly width: number
  readonly lines: number
  mark(text: string): string
}

const ELLIPSIS = '…'

// The interlinear annotation characters, which notes do not normally contain.
const [OPEN, CLOSE] = ['\ufff9', '\ufffb']

/**
 * Wraps text, and keeps line breaks in tables, lists and code. If there are too many lines, those with the most highlights are
 * shown.
 */
export function wrapMarked(marked: MarkedText, { width, lines, mark }: WrapOptions): readonly string[] {
  // The width leaves room for an ellipsis at both ends.
  const all = withMarksClosed(writtenLines(marked).flatMap((words) => wrapWords(words.join(' '), width - 2, { words })))
  const from = bestWindow(
    all.map((line) => line.split(OPEN).length - 1),
    lines,
  )
  const shownLines = all
    .slice(from, from + lines)
    .map((line) => line.replace(/\ufff9([^\ufff9\ufffb]*)\ufffb/g, (_, text: string) => mark(text)))
  return shownLines.map((line, at) => {
    const before = at === 0 && from > 0 ? ELLIPSIS : ''
    const after = at === shownLines.length - 1 && from + lines < all.length ? ELLIPSIS : ''
    return before + line + after
  })
}

function withMarksClosed(lines: readonly string[]): readonly string[] {
  let isOpen = false
  return lines.map((line) => {
    const whole = (isOpen ? OPEN : '') + line
    isOpen = whole.lastIndexOf(OPEN) > whole.lastIndexOf(CLOSE)
    return (isOpen ? whole + CLOSE : whole).replaceAll(OPEN + CLOSE, '')
  })
}

const OWN_LINE = /^\s*(?:\||[-*+] |\d+[.)] |#{1,6} |>)/

/** Matches table rows and headings, which never continue on the next line. */
const ONE_LINE = /^\s*(?:\||#{1,6} )/

function writtenLines(text: MarkedText): readonly (readonly string[])[] {
  const blocks = codeIn(text.text).filter(({ kind }) => kind === 'fenced')
  const lines: (readonly string[])[] = []
  let open: number | undefined
  let at = 0
  const close = (end: number): void => {
    if (open !== undefined) lines.push(withMarks(text, open, end).trim().split(/\s+/))
    open = undefined
  }
  for (const line of text.text.split('\n')) {
    const end = at + line.length
    const isCode = blocks.some((block) => at >= block.start && end <= block.end)
    if (isCode || line.trim() === '' || OWN_LINE.test(line)) close(at)
    if (isCode) lines.push([withMarks(text, at, end).replaceAll('\t', '  ').replaceAll('\n', '')])
    else if (line.trim() !== '') open ??= at
    if (ONE_LINE.test(line)) close(end)
    at = end + 1
  }
  close(text.text.length)
  return lines
}

function withMarks({ text, marks }: MarkedText, from: number, to: number): string {
  const clean = (start: number, end: number): string => printableText(text.slice(start, end)).replace(/[\ufff9\ufffb]/g, '')
  let result = ''
  let at = from
  for (const [start, end] of marks) {
    if (end <= at || start >= to) continue
    const [first, last] = [Math.max(start, at), Math.min(end, to)]
    result += clean(at, first) + clean(first, last).replace(/\S+/g, `${OPEN}$&${CLOSE}`)
    at = last
  }
  return result + clean(at, to)
}

function bestWindow(counts: readonly number[], size: number): number {
  let best = { from: 0, sum: -1 }
  for (let from = 0; from === 0 || from + size <= counts.length; from++) {
    const sum = counts.slice(from, from + size).reduce((total, count) => total + count, 0)
    if (sum > best.sum) best = { from, sum }
  }
  return best.from
}

/** Removes markup, but leaves code and truncated links unchanged. */
export function readableText(text: MarkedText): MarkedText {
  // Links are removed twice, because a link may contain an image.
  return [...NOISE, ...NOISE.slice(0, 1)].reduce(withoutNoise, text)
}

type Range = readonly [start: number, end: number]

function withoutNoise(markedText: MarkedText, noise: RegExp): MarkedText {
  const code = codeIn(markedText.text)
  const isCode = (from: number, to: number): boolean => code.some(({ start, end }) => from < end && to > start)
  const ranges = [...markedText.text.matchAll(noise)].flatMap(({ index, 0: match, indices }): readonly Range[] =>
    isCode(index, index + match.length)
      ? []
      : [indices?.groups?.before, indices?.groups?.after].filter((range) => range !== undefined),
  )
  return ranges.length === 0 ? markedText : withoutRanges(markedText, ranges)
}

function withoutRanges({ text, marks }: MarkedText, ranges: readonly Range[]): MarkedText {
  const parts: string[] = []
  let at = 0
  for (const [start, end] of ranges) {
    parts.push(text.slice(at, start))
    at = end
  }
  parts.push(text.slice(at))
  const newOffset = (offset: number): number =>
    offset - ranges.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, offset) - start), 0)
  const newMarks = marks.map(([start, end]): Range => [newOffset(start), newOffset(end)])
  return { text: parts.join(''), marks: newMarks.filter(([start, end]) => end > start) }
}
