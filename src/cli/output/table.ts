import { type Look, PLAIN, printable, textWidth, wrapWords } from './text.ts'

export interface Column {
  readonly name: string
  readonly align?: 'right'
  /** True if the column contains prose. Long text moves below the row. */
  readonly isProse?: true
  /** True if the column contains ids, which are never truncated. */
  readonly isId?: true
}

const GAP = '  '

/** Renders a table. The widest columns shrink first, but never ids. If columns become too narrow, each row becomes a list. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], look: Look = {}): string {
  const { width = Number.POSITIVE_INFINITY, paint = PLAIN } = look
  const cells = rows.map((row) => columns.map((_, at) => printable(row[at] ?? '')))
  const all = fitColumns(columns, cells, width)
  const below = all.find(({ column, isNarrowed }) => column.isProse && isNarrowed)?.at
  const columnsBeside = below === undefined ? all : fitColumns(columns, cells, width, below)
  if (columnsBeside.length > 1 && isHardToRead(columnsBeside, cells)) {
    return cells.map((row) => renderFacts(columns, row, look)).join('\n')
  }
  const names = columns.map(({ name }) => name)
  const underRow = (row: readonly string[]): readonly string[] =>
    below === undefined ? [] : wrapWords(row[below] ?? '', Math.max(MIN_WRAPPED, width - GAP.length)).map((line) => GAP + line)
  const lines = cells.flatMap((row) => [...renderRow(columnsBeside, row), ...underRow(row)])
  return `${[paint('bold', renderRow(columnsBeside, names).join('\n')), ...lines].join('\n')}\n`
}

const MAX_LINES = 6
const MIN_WIDTH = 16

function isHardToRead(columns: readonly Fitted[], cells: readonly (readonly string[])[]): boolean {
  return columns.some(({ column, at, width, isNarrowed }) => {
    if (!isNarrowed || column.isId === true) return isNarrowed && width < MIN_WRAPPED
    return cells.some((row) => {
      const text = row[at] ?? ''
      const longest = Math.max(0, ...text.split(' ').map(textWidth))
      return Math.min(longest, MIN_WIDTH) > width || wrapWords(text, width).length > MAX_LINES
    })
  })
}

export function renderFacts(
  columns: readonly Column[],
  values: readonly (string | readonly string[])[],
  { width = Number.POSITIVE_INFINITY }: Look = {},
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
      const lines = factLines(value, { room, isWhole: column.isId === true })
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
  readonly at: number
  readonly width: number
  readonly isNarrowed: boolean
}

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

function renderRow(columns: readonly Fitted[], row: readonly string[]): readonly string[] {
  const lines: string[] = []
  let top = 0
  let remaining = 0
  for (const { column, at, width } of columns) {
    const text = row[at] ?? ''
    const isTooWide = column.isId === true && textWidth(text) > width
    const cell = isTooWide ? [text] : wrapWords(text, width)
    for (const [down, part] of cell.entries()) {
      const before = pad(lines[top + down] ?? '', { width: remaining, right: false })
      lines[top + down] = before + pad(part, { width, right: column.align === 'right' })
    }
    if (isTooWide) top++
    remaining += width + GAP.length
  }
  return Array.from(lines, (line = '') => line.trimEnd()).filter((line, at) => line !== '' || at === 0)
}

const MIN_WRAPPED = 10

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
