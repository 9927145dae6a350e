import { graphemes } from '../../core/text/graphemes.ts'

export interface Column {
  readonly name: string
  readonly align?: 'right'
  /** Contains sentences. If one would be cut, they go on lines below their rows. */
  readonly wraps?: true
  /** Contains ids to copy. They are never cut; the row continues on the next line. */
  readonly whole?: true
}

export interface TableOptions {
  /** Columns of the terminal; without it nothing is cut. */
  readonly width?: number
  /** Styles the column heads. */
  head?(text: string): string
}

const GAP = '  '

/**
 * Renders a table within the terminal's width, except for ids. The widest columns shrink first, and long cells wrap. If
 * columns become too narrow, each row is rendered as a list of facts.
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string {
  const { width = Number.POSITIVE_INFINITY, head = (text) => text } = options
  const cells = rows.map((row) => columns.map((_, at) => printable(row[at] ?? '')))
  const all = fitColumns(columns, cells, width)
  const below = all.find(({ column, isNarrowed }) => column.wraps && isNarrowed)?.at
  const beside = below === undefined ? all : fitColumns(columns, cells, width, below)
  if (beside.length > 1 && isHardToRead(beside, cells)) {
    return cells.map((row) => renderFacts(columns, row, options)).join('\n')
  }
  const names = columns.map(({ name }) => name)
  const underRow = (row: readonly string[]): readonly string[] =>
    below === undefined ? [] : wrapWords(row[below] ?? '', Math.max(MIN_WRAPPED, width - GAP.length)).map((line) => GAP + line)
  const lines = cells.flatMap((row) => [...renderRow(beside, row), ...underRow(row)])
  return `${[head(renderRow(beside, names).join('\n')), ...lines].join('\n')}\n`
}

/** Highest cell, in lines, that still reads well. */
const HIGHEST = 6
/** Minimum column width; longer words are broken. */
const NARROWEST = 16

/** True if columns are too narrow for their words, or cells too high. */
function isHardToRead(columns: readonly Fitted[], cells: readonly (readonly string[])[]): boolean {
  return columns.some(({ column, at, width, isNarrowed }) => {
    if (!isNarrowed || column.whole === true) return isNarrowed && width < MIN_WRAPPED
    return cells.some((row) => {
      const text = row[at] ?? ''
      const longest = Math.max(0, ...text.split(' ').map(textWidth))
      return Math.min(longest, NARROWEST) > width || wrapWords(text, width).length > HIGHEST
    })
  })
}

/** Renders names and values one below the other. Long values wrap; ids stay whole, and a list of ids is an array. */
export function renderFacts(
  columns: readonly Column[],
  values: readonly (string | readonly string[])[],
  { width = Number.POSITIVE_INFINITY }: TableOptions = {},
): string {
  const facts = columns.flatMap((column, at) => {
    const value = values[at] ?? ''
    return value.length > 0 ? [{ column, value }] : []
  })
  const nameWidth = Math.max(0, ...facts.map(({ column }) => textWidth(column.name)))
  const indent = ' '.repeat(nameWidth) + GAP
  const room = Math.max(MIN_WRAPPED, width - indent.length)
  return facts
    .map(({ column, value }) => {
      const lines = factLines(value, { room, isWhole: column.whole === true })
      return `${pad(column.name, { width: nameWidth, right: false })}${GAP}${lines.join(`\n${indent}`)}\n`
    })
    .join('')
}

function factLines(
  value: string | readonly string[],
  { room, isWhole }: { readonly room: number; readonly isWhole: boolean },
): readonly string[] {
  if (typeof value === 'string') return isWhole ? [value] : wrapWords(value, room, { breaks: false })
  const lines: string[] = []
  for (const [at, id] of value.entries()) {
    const piece = at === value.length - 1 ? id : `${id},`
    const longer = `${lines.at(-1) ?? ''} ${piece}`
    if (at === 0 || textWidth(longer) > room) lines.push(piece)
    else lines[lines.length - 1] = longer
  }
  return lines
}

interface Fitted {
  readonly column: Column
  /** Its index in a row. */
  readonly at: number
  readonly width: number
  readonly isNarrowed: boolean
}

/** Computes the width of each column; `without` leaves one out. */
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
    return { column, at, width: Math.min(wide, cap), isNarrowed: wide > cap }
  })
}

/** Renders a row. Cells wrap side by side; after an id that does not fit, the row continues below. */
function renderRow(columns: readonly Fitted[], row: readonly string[]): readonly string[] {
  const lines: string[] = []
  let top = 0
  let left = 0
  for (const { column, at, width } of columns) {
    const text = row[at] ?? ''
    const isTooWide = column.whole === true && textWidth(text) > width
    const cell = isTooWide ? [text] : wrapWords(text, width)
    for (const [down, part] of cell.entries()) {
      const before = pad(lines[top + down] ?? '', { width: left, right: false })
      lines[top + down] = before + pad(part, { width, right: column.align === 'right' })
    }
    if (isTooWide) top++
    left += width + GAP.length
  }
  return Array.from(lines, (line = '') => line.trimEnd()).filter((line, at) => line !== '' || at === 0)
}

/** Wraps a text at spaces. Breaks a word longer than a line, unless `breaks` is false. */
export function wrapWords(text: string, room: number, { breaks = true }: { readonly breaks?: boolean } = {}): readonly string[] {
  if (textWidth(text) <= room) return text === '' ? [] : [text]
  const lines: string[] = []
  let line = ''
  const end = (): void => {
    if (line !== '') lines.push(line)
    line = ''
  }
  for (const word of text.split(' ').filter((each) => each !== '')) {
    if (line !== '' && textWidth(line) + 1 + textWidth(word) > room) end()
    line += line === '' ? '' : ' '
    for (const part of !breaks || textWidth(word) <= room ? [word] : graphemesOf(word)) {
      if (breaks && textWidth(line) + textWidth(part) > room) end()
      line += part
    }
  }
  end()
  return lines
}

/** Minimum width of wrapped text. */
const MIN_WRAPPED = 10

/** Splits a text into the characters that a person sees. */
export function graphemesOf(text: string): readonly string[] {
  return [...graphemes().segment(text)].map(({ segment }) => segment)
}

/** The width of a text in terminal columns. */
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
