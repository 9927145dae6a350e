import { graphemes } from '../../core/graphemes.ts'

export interface Column {
  readonly name: string
  readonly align?: 'right'
  /** Holds sentences: where one of them would be cut, they go under their rows, on lines of their own. */
  readonly wraps?: true
  /** Holds ids, which are there to be copied: what does not fit is not cut, the row goes on in the next line. */
  readonly whole?: true
}

export interface TableOptions {
  /** Columns of the terminal; without it nothing is cut. */
  readonly width?: number
  /** Marks the heads of the columns. */
  head?(text: string): string
}

const GAP = '  '

/** A table as text, one line a row, cut to the terminal's width but for ids: the widest columns give way first. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string {
  const { width = Number.POSITIVE_INFINITY, head = (text) => text } = options
  const cells = rows.map((row) => columns.map((_, at) => printable(row[at] ?? '')))
  const all = fitColumns(columns, cells, width)
  const below = all.find(({ column, isCut }) => column.wraps && isCut)?.at
  const beside = below === undefined ? all : fitColumns(columns, cells, width, below)
  const line = (row: readonly string[]): string => renderLine(beside, row)
  const lines = cells.flatMap((row) => [line(row), ...(below === undefined ? [] : wrapped(row[below] ?? '', width))])
  return `${[head(headLine(beside)), ...lines].join('\n')}\n`
}

interface Fitted {
  readonly column: Column
  /** Its place in a row. */
  readonly at: number
  readonly width: number
  readonly isCut: boolean
}

/** How wide each column is; `without` one of them. */
function fitColumns(
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  width: number,
  without?: number,
): readonly Fitted[] {
  const shown = columns.map((column, at) => ({ column, at })).filter(({ at }) => at !== without)
  const natural = shown.map(({ column, at }) => Math.max(textWidth(column.name), ...cells.map((row) => textWidth(row[at] ?? ''))))
  const cap = widestColumn(natural, width - GAP.length * (shown.length - 1))
  return shown.map(({ column, at }, index) => {
    const wide = natural[index] ?? 0
    return { column, at, width: Math.min(wide, cap), isCut: wide > cap }
  })
}

function headLine(columns: readonly Fitted[]): string {
  const cells = columns.map(({ column, width }) =>
    pad(cutToWidth(column.name, width), { width, right: column.align === 'right' }),
  )
  return cells.join(GAP).trimEnd()
}

function renderLine(columns: readonly Fitted[], row: readonly string[]): string {
  const lines: string[] = []
  let line = ''
  for (const [index, { column, at, width }] of columns.entries()) {
    const text = row[at] ?? ''
    const gap = index === 0 ? '' : GAP
    if (column.whole && textWidth(text) > width) {
      lines.push(`${line}${gap}${text}`)
      line = ' '.repeat(textWidth(line) + gap.length + width)
    } else line += gap + pad(cutToWidth(text, width), { width, right: column.align === 'right' })
  }
  const rest = line.trimEnd()
  return rest === '' ? lines.join('\n') : [...lines, rest].join('\n')
}

/** A text in lines that fit, indented; a word that is too long for a line is broken. */
function wrapped(text: string, width: number): readonly string[] {
  const room = Math.max(MIN_WRAPPED, width - GAP.length)
  const lines: string[] = []
  let line = ''
  const end = (): void => {
    if (line !== '') lines.push(GAP + line)
    line = ''
  }
  for (const word of text.split(' ').filter((each) => each !== '')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > room) end()
    line += line === '' ? '' : ' '
    for (const part of textWidth(word) <= room ? [word] : graphemesOf(word)) {
      if (textWidth(line) + textWidth(part) > room) end()
      line += part
    }
  }
  end()
  return lines
}

/** Columns that a wrapped text has in the narrowest terminal. */
const MIN_WRAPPED = 10

/** What a person sees as one character each. */
export function graphemesOf(text: string): readonly string[] {
  return [...graphemes().segment(text)].map(({ segment }) => segment)
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes().segment(text)) width += graphemeWidth(segment)
  return width
}

/** The text, cut so that it takes no more columns than `width`; where it was cut it ends with `…`. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let cut = ''
  let left = width - 1
  for (const { segment } of graphemes().segment(text)) {
    left -= graphemeWidth(segment)
    if (left < 0) break
    cut += segment
  }
  return `${cut}…`
}

/** One line without anything that steers a terminal: titles come from files that anyone may have written. */
export function printable(text: string): string {
  return printableText(text).replace(/[\n\t]+/g, ' ')
}

/** Like `printable`, with its lines kept. */
export function printableText(text: string): string {
  return text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
}

// East Asian wide and full-width blocks, and what is drawn as an emoji.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\ufe0f|\p{Emoji_Presentation}/u
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u

function graphemeWidth(grapheme: string): number {
  if (NO_WIDTH.test(grapheme)) return 0
  return WIDE.test(grapheme) ? 2 : 1
}

/** How wide the widest column may be, so that all of them fit. */
function widestColumn(natural: readonly number[], room: number): number {
  const sum = (cap: number): number => natural.reduce((total, wide) => total + Math.min(wide, cap), 0)
  let cap = Math.max(0, ...natural)
  while (cap > 4 && sum(cap) > room) cap--
  return cap
}

function pad(text: string, { width, right }: { readonly width: number; readonly right: boolean }): string {
  const spaces = ' '.repeat(Math.max(0, width - textWidth(text)))
  return right ? spaces + text : text + spaces
}
