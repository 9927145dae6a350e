import { foldName } from '../core/fold.ts'
import type { Node } from '../core/store.ts'
import type { FileStat } from '../core/vault.ts'
import { absolutePeriod } from '../search/query/period.ts'

/** What a note says beside its text: its properties, and its file's stat where they do not say it. */
export interface NoteSource {
  readonly properties: Readonly<Record<string, unknown>>
  readonly stat: FileStat | undefined
}

/** What the properties of a note say, as queries ask for it. */
export interface NoteFacts {
  /** Milliseconds since the epoch; NaN where a note says no time. */
  readonly created: number
  readonly modified: number
  /** Folded names of the properties, with the folded texts of their values. */
  readonly properties: ReadonlyMap<string, readonly string[]>
}

/** What any engine finds notes by, and orders them by. */
export function factsOf(source: NoteSource): NoteFacts {
  const { created, modified } = timesOf(source)
  const properties = Object.entries(source.properties).map(([name, value]) => [foldName(name), textsOf(value)] as const)
  return { created: toTime(created), modified: toTime(modified), properties: new Map(properties) }
}

/** The properties say it, else the file does. */
export function timesOf({ properties, stat }: NoteSource): Pick<Node, 'created' | 'modified'> {
  const created = propertyText(properties, 'created', 'date') ?? isoTime(stat?.birthtime)
  const modified = propertyText(properties, 'modified', 'updated') ?? isoTime(stat?.mtime)
  return {
    ...(created === undefined ? {} : { created }),
    ...(modified === undefined ? {} : { modified }),
  }
}

/** The first of these properties that holds a text or a number; names compare case-insensitively. */
function propertyText(properties: Readonly<Record<string, unknown>>, ...names: readonly string[]): string | undefined {
  for (const name of names) {
    for (const [key, value] of Object.entries(properties)) {
      if (key.toLowerCase() !== name) continue
      if (typeof value === 'string' && value.trim() !== '') return value.trim()
      if (typeof value === 'number') return String(value)
    }
  }
  return undefined
}

function isoTime(ms: number | undefined): string | undefined {
  if (ms === undefined || ms <= 0) return undefined
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** Values as they are compared: each item of a list, an empty text for nothing. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [''] : value.flatMap(textsOf)
  if (value === null || value === undefined) return ['']
  if (typeof value === 'object') return []
  return [foldName(String(value).trim())]
}

/** As a query reads it: a year, month or day without a zone is of this machine's, as people write them. Other ways to write a date as `Date` knows them. */
function toTime(text: string | undefined): number {
  if (text === undefined) return Number.NaN
  const iso = text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
  return absolutePeriod(iso)?.from ?? Date.parse(iso)
}
