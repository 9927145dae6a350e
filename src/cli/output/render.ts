import type { ContextPack } from '../../app/insight/context-pack.ts'
import { isRecord } from '../../core/is-record.ts'
import { areNotes, type FoundItem, type FoundLook, renderFound } from './render-found.ts'
import { type Column, renderFacts, renderTable } from './table.ts'
import { type Look, localTime, PLAIN, printable, printableText } from './text.ts'

export function renderForPeople(value: unknown, look: FoundLook = {}): string {
  if (value === null || value === undefined) return 'Nothing found.\n'
  if (Array.isArray(value)) return renderList(value, look)
  if (!isRecord(value)) return `${printable(String(value))}\n`
  if (isPack(value)) return renderPack(value as unknown as ContextPack)
  return isFolder(value) ? renderFolder(value) : renderRecord(value, look)
}

type Facts = Readonly<Record<string, unknown>>

function renderList(items: readonly unknown[], look: FoundLook): string {
  if (items.length === 0) return 'Nothing found.\n'
  if (!items.every(isRecord)) return items.map((item) => `${cell(item)}\n`).join('')
  if (areNotes(items)) return renderFound(items as unknown as readonly FoundItem[], look)
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  // Paths are hidden if ids are shown.
  const isNamed = names.includes('id') || names.includes('match')
  const filled = names.filter(
    (name) => !(name === 'path' && isNamed) && name !== 'operation' && items.some((item) => factCell(name, item[name]) !== ''),
  )
  const columns = filled.map((name): Column => {
    if (SENTENCES.has(name)) return { name, isProse: true }
    if (name === 'from' && items.some((item) => Array.isArray(item.from))) return { name, isProse: true }
    if (IDS.has(name)) return { name, isId: true }
    return items.every((item) => item[name] === undefined || typeof item[name] === 'number') ? { name, align: 'right' } : { name }
  })
  return renderTable(
    columns,
    items.map((item) => filled.map((name) => factCell(name, item[name]))),
    look,
  )
}

/** Formats a fact. Line 0 refers to the whole file. */
function factCell(name: string, value: unknown): string {
  if (name === 'line' && value === 0) return ''
  if (name === 'value' && value === '') return '(empty)'
  // A property may hold any text.
  if (TIMES.has(name) && typeof value === 'string' && UTC_TIME.test(value)) return localTime(value)
  return name === 'match' && value === null ? 'none' : cell(value)
}

const TIMES: ReadonlySet<string> = new Set(['created', 'modified'])
const UTC_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

const SENTENCES: ReadonlySet<string> = new Set(['text'])

const IDS: ReadonlySet<string> = new Set([
  'id',
  'path',
  'from',
  'to',
  'candidates',
  'match',
  'old_id',
  'new_id',
  'change_id',
  'hash',
])

function renderRecord(record: Facts, look: Look): string {
  const entries = Object.entries(record)
  if (entries.length === 0) return 'Nothing found.\n'
  const text = typeof record.content === 'string' ? record.content : undefined
  const isShownAsTable = typeof record.total === 'number' ? isRecords : isTable
  const tables = entries.filter((entry): entry is [string, readonly Facts[]] => isShownAsTable(entry[1]))
  const facts = entries.filter(([name, value]) => !isShownAsTable(value) && !(name === 'content' && text !== undefined))
  const parts = [
    factsOf(facts, look),
    ...tables.flatMap(([name, rows]) => renderPart(name, rows, look)),
    text === undefined ? '' : `${printableText(text).trimEnd()}\n`,
  ]
  return parts.filter((part) => part.trim() !== '').join('\n')
}

function renderPart(name: string, rows: readonly Facts[], look: Look): readonly string[] {
  const { paint = PLAIN } = look
  if (!rows.some((row) => Object.values(row).some(isTable))) return [`${paint('bold', name)}\n${renderList(rows, look)}`]
  return rows.map((row, at) => `${paint('bold', `${name} ${at + 1}`)}\n${renderRecord(row, look)}`)
}

function factsOf(facts: readonly (readonly [string, unknown])[], look: Look): string {
  const shownFacts = facts.map(
    ([name, value]) =>
      [printable(name), IDS.has(name) && Array.isArray(value) ? value.map(cell) : factCell(name, value)] as const,
  )
  const columns = shownFacts.map(([name]): Column => (IDS.has(name) ? { name, isId: true } : { name }))
  return renderFacts(
    columns,
    shownFacts.map(([, value]) => value),
    look,
  )
}

interface FolderFacts {
  readonly path: string
  readonly folders: readonly FolderFacts[]
  readonly notes: readonly Facts[]
  readonly [fact: string]: unknown
}

function renderFolder(folder: FolderFacts, indent = ''): string {
  const { path, folders, notes } = folder
  const below = `${indent}  `
  const counts = Object.entries(folder).flatMap(([name, value]) =>
    typeof value === 'number' && value > 0 ? `${value} ${words(name, value)}` : [],
  )
  const line = `${indent}${printable(path.split('/').at(-1) || '.')}/  ${counts.join(', ')}\n`
  const inside = folders.filter(isFolder).map((child) => renderFolder(child, below))
  return line + inside.join('') + notes.map((note) => `${below}${cell(note.title)}  ${cell(note.id)}\n`).join('')
}

/** Converts a property name to words: `note_count` → `notes` (or `note` for a count of 1), `omitted_notes` → `omitted notes`. */
function words(name: string, count: number): string {
  const several = name
    .replace(/_?count$/i, 's')
    .replace(/_/g, ' ')
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return count === 1 ? several.replace(/s$/, '') : several
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return String(Number.isInteger(value) ? value : Number(value.toPrecision(4)))
  if (Array.isArray(value))
    return value.map((item) => (isRecord(item) ? cell(item.title ?? item.id ?? JSON.stringify(item)) : cell(item))).join(', ')
  if (isRecord(value)) return Object.values(value).every((count) => typeof count === 'number') ? counts(value) : brief(value)
  return printable(String(value))
}

function brief(value: Facts): string {
  const factText = ([name, fact]: readonly [string, unknown]): string =>
    `${printable(name)}: ${isRecord(fact) ? printable(JSON.stringify(fact)) : cell(fact)}`
  return Object.entries(value).map(factText).join('; ')
}

function counts(value: Facts): string {
  return Object.entries(value)
    .map(([name, count]) => `${printable(name.replaceAll('_', ' '))} ${cell(count)}`)
    .join(', ')
}

// Returns true for a list of objects with more than two properties. Smaller objects fit on one line.
function isTable(value: unknown): value is readonly Facts[] {
  return isRecords(value) && value.some((item) => Object.keys(item).length > 2)
}

function isRecords(value: unknown): value is readonly Facts[] {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord)
}

function isFolder(value: unknown): value is FolderFacts {
  return isRecord(value) && typeof value.path === 'string' && Array.isArray(value.folders) && Array.isArray(value.notes)
}

function isPack(value: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(value.excerpts) && typeof value.tokens === 'number'
}

function renderPack({ excerpts, omitted, next_offset }: ContextPack): string {
  if (excerpts.length === 0) return 'Nothing found.\n'
  const parts = excerpts.map((excerpt) => `${sourceLine(excerpt)}\n\n${printableText(excerpt.text).trim()}\n`)
  const more = next_offset === undefined ? [] : [`<!-- ${omitted} more passages: --offset ${next_offset} -->\n`]
  return [...parts, ...more].join('\n')
}

function sourceLine({ id, title, heading, lines: [first, last], via }: ContextPack['excerpts'][number]): string {
  const below = heading[0] === title ? heading.slice(1) : heading
  const where = [`\`${printable(id)}\``, first === last ? `line ${first}` : `lines ${first}–${last}`]
  const from = via === undefined ? [] : [`linked from \`${printable(via.from)}\`, line ${via.line}`]
  return `> **${[title, ...below].map(printable).join(' › ')}** (${[...where, ...from].join(', ')})`
}
