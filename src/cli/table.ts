export interface Column {
  readonly name: string
  readonly align?: 'right'
}

export interface TableOptions {
  /** Columns of the terminal; without it nothing is cut. */
  readonly width?: number
  /** Marks the heads of the columns. */
  head?(text: string): string
}

const GAP = '  '

/** A table as text, one line a row, cut to the terminal's width: the widest columns give way first. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string {
  const { width = Number.POSITIVE_INFINITY, head = (text) => text } = options
  const cells = rows.map((row) => columns.map((_, at) => printable(row[at] ?? '')))
  const natural = columns.map(({ name }, at) => Math.max(textWidth(name), ...cells.map((row) => textWidth(row[at] ?? ''))))
  const cap = widestColumn(natural, width - GAP.length * (columns.length - 1))
  const widths = natural.map((wide) => Math.min(wide, cap))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) =>
        pad(cutToWidth(cell, widths[at] ?? 0), { width: widths[at] ?? 0, right: columns[at]?.align === 'right' }),
      )
      .join(GAP)
      .trimEnd()
  const lines = [head(line(columns.map(({ name }) => name))), ...cells.map(line)]
  return `${lines.join('\n')}\n`
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of GRAPHEMES.segment(text)) width += graphemeWidth(segment)
  return width
}

/** The text, cut so that it takes no more columns than `width`; where it was cut it ends with `…`. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text
  let cut = ''
  let left = width - 1
  for (const { segment } of GRAPHEMES.segment(text)) {
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

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
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
