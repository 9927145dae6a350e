import type { ResolvedLink } from '../core/index-writer.ts'
import { endingOf } from '../core/media-types.ts'
import type { Task } from '../core/note.ts'
import { folderStart } from '../core/paths.ts'
import type { Node, NodeKind, Occurrence, Scope, ValueKind, WrittenLink } from '../core/store.ts'
import { foldName } from '../core/text/fold.ts'
import type { FileStat } from '../core/vault.ts'
import { absolutePeriod, askedTexts, readDate } from '../search/query/compare-values.ts'
import { plainName } from '../search/similar-names.ts'

/** The extensions of attachments. In other names, text after a dot is usually part of the name (`Node.js`). */
const ATTACHMENTS: ReadonlySet<string> = new Set([
  ...['avif', 'bmp', 'gif', 'jpeg', 'jpg', 'png', 'svg', 'tif', 'tiff', 'webp', 'heic', 'pdf'],
  ...['3gp', 'flac', 'm4a', 'mkv', 'mov', 'mp3', 'mp4', 'ogg', 'ogv', 'opus', 'wav', 'webm'],
  ...['csv', 'doc', 'docx', 'odt', 'ppt', 'pptx', 'xls', 'xlsx', 'zip'],
])

/** A file's stat provides missing times. */
export interface NoteSource {
  readonly properties: Readonly<Record<string, unknown>>
  readonly tasks: readonly Task[]
  readonly stat: FileStat | undefined
}

export interface NoteFacts {
  /** Milliseconds since the Unix epoch, or NaN. */
  readonly created: number
  readonly modified: number
  /** The properties by folded name. */
  readonly properties: ReadonlyMap<string, PropertyFacts>
  readonly tasks: ReadonlySet<Task['state']>
}

export interface PropertyFacts {
  readonly name: string
  readonly kind: ValueKind
  /** One value per list item. An empty string means no value. */
  readonly values: readonly string[]
  /** The folded `values`. */
  readonly texts: readonly string[]
  /** Queries look up these strings; see `askedTexts`. */
  readonly asked: readonly string[]
}

export const NOTES: readonly NodeKind[] = ['note']
export const IN_SETS: Scope = { kinds: ['note', 'canvas'] }

export const NO_TASKS: NoteFacts['tasks'] = new Set()

export function factsOf(source: NoteSource): NoteFacts {
  const { created, modified } = timesOf(source)
  const properties = new Map<string, PropertyFacts>()
  for (const [name, value] of Object.entries(source.properties)) properties.set(foldName(name), propertyOf(name, value))
  const tasks = source.tasks.length === 0 ? NO_TASKS : new Set(source.tasks.map(({ state }) => state))
  return { created: toTime(created), modified: toTime(modified), properties, tasks }
}

/** Times that are missing default to those of the file. */
export function timesOf({ properties, stat }: Pick<NoteSource, 'properties' | 'stat'>): Pick<Node, 'created' | 'modified'> {
  const created = propertyText(properties, 'created', 'date') ?? isoTime(stat?.birthtime)
  const modified = propertyText(properties, 'modified', 'updated') ?? isoTime(stat?.mtime)
  return {
    ...(created === undefined ? {} : { created }),
    ...(modified === undefined ? {} : { modified }),
  }
}

/** Returns the first property that is a string or a number. The case of names does not matter. */
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
  // Both members can share a list, because most values are in lower case.
  const texts = folded.every((text, at) => text === values[at]) ? values : folded
  return { name, kind: kindOf(value), values, texts, asked: askedTexts(texts) }
}

function kindOf(value: unknown): ValueKind {
  if (Array.isArray(value)) return 'list'
  if (value === null || value === undefined || value === '') return 'empty'
  if (typeof value === 'object') return 'object'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'boolean') return 'checkbox'
  // A year on its own may also be a number or text.
  return /^\d{4}-|^\[\[/.test(String(value)) && readDate(String(value)) !== undefined ? 'date' : 'text'
}

/** Returns one string per list item. An empty string means no value. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.length === 0 ? [''] : value.flatMap(textsOf)
  if (value === null || value === undefined) return ['']
  if (typeof value === 'object') return []
  return [String(value).trim()]
}

/** Parses a time. A year, month or day without a time zone is local, as in queries. `Date` parses all other formats. */
function toTime(text: string | undefined): number {
  if (text === undefined) return Number.NaN
  const iso = text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T')
  return absolutePeriod(iso)?.from ?? Date.parse(iso)
}

export function toOccurrence(link: ResolvedLink, { from, to }: Pick<Occurrence, 'from' | 'to'>): Occurrence {
  const { kind, form, property, subpath, brokenSubpath, line, start, end } = link
  const inComment = link.inComment === true
  // This fast path matters, because searches read the links of large notes, and omitting members one by one takes several times
  // as long.
  if (property === undefined && subpath === undefined && brokenSubpath === undefined)
    return { from, to, kind, form, line, start, end, inComment }
  return {
    from,
    to,
    kind,
    form,
    ...(property === undefined ? {} : { property }),
    ...(subpath === undefined ? {} : { subpath }),
    ...(brokenSubpath === undefined ? {} : { brokenSubpath }),
    line,
    start,
    end,
    inComment,
  }
}

export function writtenAt({ line, form, target, subpath, inComment }: ResolvedLink): {
  readonly line: number
  readonly link: WrittenLink
} {
  const link = { form, target, ...(subpath === undefined ? {} : { subpath }), ...(inComment === true ? { inComment } : {}) }
  return { line, link }
}

/**
 * Returns a key that is the same for all spellings of a missing note. Case, accents and separators do not matter. Attachments
 * have no key.
 */
export function wantedKey(name: string): string | undefined {
  if (ATTACHMENTS.has(endingOf(name))) return undefined
  const plain = plainName(name.replace(/[\s_-]+/g, ' '))
  return plain === '' ? name : plain
}

/** Returns true unless the scope limits paths, tags or a note. */
export function isWhole({ folder, path, tags, note }: Scope): boolean {
  return [folder, path, tags, note].every((limit) => limit === undefined)
}

/** Returns the start of paths in the scope. `folder` matches whole folder names, `path` any prefix. */
export function pathStart({ path, folder }: Scope): string {
  return path !== undefined && path !== '' ? path : folderStart(folder ?? '')
}
