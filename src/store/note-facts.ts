import type { ResolvedLink } from '../core/index-writer.ts'
import { endingOf } from '../core/media-types.ts'
import type { Task } from '../core/note.ts'
import type { Node, Occurrence, ValueKind } from '../core/store.ts'
import { foldName } from '../core/text/fold.ts'
import type { FileStat } from '../core/vault.ts'
import { absolutePeriod, askedTexts, readDate } from '../search/query/compare-values.ts'
import { plainName } from '../search/similar-names.ts'

/** Endings of files that are embedded, not written as notes; elsewhere a dot may well stand in a name (`Node.js`). */
const ATTACHMENTS: ReadonlySet<string> = new Set([
  ...['avif', 'bmp', 'gif', 'jpeg', 'jpg', 'png', 'svg', 'tif', 'tiff', 'webp', 'heic', 'pdf'],
  ...['3gp', 'flac', 'm4a', 'mkv', 'mov', 'mp3', 'mp4', 'ogg', 'ogv', 'opus', 'wav', 'webm'],
  ...['csv', 'doc', 'docx', 'odt', 'ppt', 'pptx', 'xls', 'xlsx', 'zip'],
])

/** A note's facts beside its words: properties, tasks, and its file's stat as a fallback. */
export interface NoteSource {
  readonly properties: Readonly<Record<string, unknown>>
  readonly tasks: readonly Task[]
  readonly stat: FileStat | undefined
}

/** A note's facts in the form that queries compare. */
export interface NoteFacts {
  /** Milliseconds since the epoch; NaN where a note says no time. */
  readonly created: number
  readonly modified: number
  /** By folded name. */
  readonly properties: ReadonlyMap<string, PropertyFacts>
  readonly tasks: ReadonlySet<Task['state']>
}

export interface PropertyFacts {
  /** As spelled. */
  readonly name: string
  readonly kind: ValueKind
  /** The values, each item of a list by itself, an empty text for nothing. */
  readonly values: readonly string[]
  /** The same, folded. */
  readonly texts: readonly string[]
  /** The searchable texts of values: see `askedTexts`. */
  readonly asked: readonly string[]
}

export const NO_TASKS: NoteFacts['tasks'] = new Set()

/** The facts that every engine uses to find and order notes. */
export function factsOf(source: NoteSource): NoteFacts {
  const { created, modified } = timesOf(source)
  const properties = new Map<string, PropertyFacts>()
  for (const [name, value] of Object.entries(source.properties)) properties.set(foldName(name), propertyOf(name, value))
  const tasks = source.tasks.length === 0 ? NO_TASKS : new Set(source.tasks.map(({ state }) => state))
  return { created: toTime(created), modified: toTime(modified), properties, tasks }
}

/** The properties say it, else the file does. */
export function timesOf({ properties, stat }: Pick<NoteSource, 'properties' | 'stat'>): Pick<Node, 'created' | 'modified'> {
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

function propertyOf(name: string, value: unknown): PropertyFacts {
  const values = textsOf(value)
  const folded = values.map(foldName)
  // Most values are lower-case already, and one list is enough.
  const texts = folded.every((text, at) => text === values[at]) ? values : folded
  return { name, kind: kindOf(value), values, texts, asked: askedTexts(texts) }
}

function kindOf(value: unknown): ValueKind {
  if (Array.isArray(value)) return 'list'
  if (value === null || value === undefined || value === '') return 'empty'
  if (typeof value === 'object') return 'object'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'checkbox'
  // A year alone is a number, or a text.
  return /^\d{4}-|^\[\[/.test(String(value)) && readDate(String(value)) !== undefined ? 'date' : 'text'
}

/** Values as texts: each item of a list, an empty text for nothing. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [''] : value.flatMap(textsOf)
  if (value === null || value === undefined) return ['']
  if (typeof value === 'object') return []
  return [String(value).trim()]
}

/** As a query reads it: a year, month or day without a zone is of this machine's, as people write them. Other ways to write a date as `Date` knows them. */
function toTime(text: string | undefined): number {
  if (text === undefined) return Number.NaN
  const iso = text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
  return absolutePeriod(iso)?.from ?? Date.parse(iso)
}

/** A link of the index as the place that it is, between the ends that it has now. */
export function toOccurrence(link: ResolvedLink, { from, to }: Pick<Occurrence, 'from' | 'to'>): Occurrence {
  return {
    from,
    to,
    kind: link.kind,
    form: link.form,
    ...(link.property === undefined ? {} : { property: link.property }),
    ...(link.subpath === undefined ? {} : { subpath: link.subpath }),
    ...(link.brokenSubpath === undefined ? {} : { brokenSubpath: link.brokenSubpath }),
    line: link.line,
    start: link.start,
    end: link.end,
    inComment: link.inComment === true,
  }
}

/**
 * The common key of missing targets that mean the same note; `undefined` for an attachment. Case, accents and
 * separators do not matter; another letter or digit is another note.
 */
export function wantedKey(name: string): string | undefined {
  if (ATTACHMENTS.has(endingOf(name))) return undefined
  const plain = plainName(name.replace(/[\s_-]+/g, ' '))
  return plain === '' ? name : plain
}
