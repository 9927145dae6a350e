import { createHash } from 'node:crypto'
import { groupBy } from '../../core/group-by.ts'
import { foldId } from '../../core/ids.ts'
import type { FileInfo, FileRecord, ResolvedLink } from '../../core/index-writer.ts'
import { fileStemOf, folderOf } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import { withParents } from '../../graph/tag-index.ts'
import { readDate, readNumber } from '../../search/query/compare-values.ts'
import { plainName } from '../../search/similar-names.ts'
import { factsOf } from '../note-facts.ts'

/** A character that notes cannot contain. */
export const SEPARATOR = '\u0000'

export type FileProperties = Readonly<Record<string, unknown>>

/** Returns a file's properties, without the id and the links. */
export function propertiesOf(record: FileRecord, owner: string): FileProperties {
  const { path, kind, title, tags, links, conflict, excluded, malformed, info } = record
  const names = namesOf(record)
  const folded = foldId(path)
  const spelled = withParents(tags)
  const problems = {
    broken: links.filter(({ to }) => typeof to === 'string').length,
    ambiguous: links.filter(({ rivals }) => rivals !== undefined).length,
    malformed,
    brokenHeadings: links.filter(({ brokenSubpath }) => brokenSubpath === true).length,
  }
  const troubles = Object.values(problems).reduce((sum, count) => sum + count, conflict ? 1 : 0)
  return {
    owner,
    path,
    folded,
    folder: foldId(folderOf(path)),
    folderPath: folderOf(path),
    kind,
    title,
    sortTitle: sortable(foldName(title)),
    hash: record.hash,
    excluded,
    archived: record.archived,
    conflict,
    pageTitle: record.pageTitle ?? null,
    aliases: record.aliases,
    tags,
    tagNames: [...spelled.keys()],
    tagSpellings: [...spelled].map(([name, spelling]) => `${name}${SEPARATOR}${spelling}`),
    mentions: record.mentions,
    stat: JSON.stringify(record.stat),
    style: JSON.stringify(record.style),
    ...problems,
    troubles: excluded ? 0 : troubles,
    nameKeys: names.map((name) => `${equalKey(name)} ${plainKey(name)}`).join(' '),
    namePairs: names.map((name) => pairsOf(foldName(name)).join(' ')).join(' '),
    ...(record.text === undefined ? {} : { text: record.text }),
    ...(info === undefined ? (kind === 'attachment' ? timesOf(record) : {}) : infoProperties(record, info)),
  }
}

function timesOf({ stat }: FileRecord): FileProperties {
  const { created, modified } = factsOf({ properties: {}, tasks: [], stat })
  return { created: time(created), modified: time(modified) }
}

function infoProperties({ stat }: FileRecord, info: FileInfo): FileProperties {
  const { created, modified, properties, tasks } = factsOf({ properties: info.properties, tasks: info.tasks, stat })
  const entries = [...properties]
  return {
    info: JSON.stringify(info),
    bodyStart: info.bodyStart,
    created: time(created),
    modified: time(modified),
    tasks: [...tasks],
    propertyNames: entries.map(([name]) => name),
    propertyFacts: entries.map(([folded, { name, kind }]) => [folded, name, kind].join(SEPARATOR)),
    propertyTexts: entries.flatMap(([name, { asked }]) => [...new Set(asked)].map((text) => name + SEPARATOR + text)),
    propertyValues: entries.flatMap(([name, { texts, values }]) =>
      [...new Map(texts.map((text, at) => [text, values[at] ?? '']))].map((pair) => [name, ...pair].join(SEPARATOR)),
    ),
    comparable: entries.flatMap(([name, { values }]) => values.flatMap((value) => comparableOf(name, value))),
  }
}

/** Returns name, number and date (ms) as one string. The list is empty if the value is neither a number nor a date. */
function comparableOf(name: string, value: string): readonly string[] {
  const number = readNumber(value)
  const date = readDate(value)
  return number === undefined && date === undefined ? [] : [[name, number ?? '', date ?? ''].join(SEPARATOR)]
}

function time(ms: number): number | null {
  return Number.isNaN(ms) ? null : ms
}

/** Returns the title, the aliases and the file name. */
export function namesOf({
  path,
  kind,
  title,
  aliases,
}: Pick<FileRecord, 'path' | 'kind' | 'title' | 'aliases'>): readonly string[] {
  const stem = kind === 'note' ? fileStemOf(path) : title
  return stem === title ? [title, ...aliases] : [title, ...aliases, stem]
}

/** Returns a key for exact name lookups, which is short even for long names. */
export function equalKey(name: string): string {
  return `e${shortHash(foldName(name))}`
}

export function plainKey(name: string): string {
  return `p${shortHash(plainName(name))}`
}

/** Returns a short word for a string of any length. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}

/** Only this many characters of a name are compared. */
const MAX_PAIRS = 512

export function pairsOf(folded: string): readonly string[] {
  const pairs: string[] = []
  const end = Math.min(folded.length, MAX_PAIRS)
  for (let at = 0; at < end; at++) pairs.push(`${hex(folded.charCodeAt(at - 1))}${hex(folded.charCodeAt(at))}`)
  return pairs
}

/** Returns four hex digits. `0000` stands for the missing character before the first. */
function hex(unit: number): string {
  return Number.isNaN(unit) ? '0000' : unit.toString(16).padStart(4, '0')
}

export interface Edge {
  readonly count: number
  /** The distinct kinds in alphabetical order. */
  readonly kinds: readonly string[]
  /** The folded names of properties. */
  readonly types: readonly string[]
  /** The links as JSON pairs of a link's index in the file, and the link. */
  readonly links: string
}

/** Groups links by target, which is a key or the id of a missing target. */
export function edgesOf(links: readonly ResolvedLink[], missing: (name: string) => string): ReadonlyMap<number | string, Edge> {
  const ends = groupBy(links.entries(), ([, { to }]) => (typeof to === 'number' ? to : missing(to)))
  return new Map(
    [...ends].map(([end, all]) => [
      end,
      {
        count: all.length,
        kinds: [...new Set(all.map(([, { kind }]) => kind))].sort(),
        types: [...new Set(all.flatMap(([, { property }]) => (property === undefined ? [] : [foldName(property)])))],
        links: JSON.stringify(all),
      },
    ]),
  )
}

export function readLinks(links: string): readonly (readonly [number, ResolvedLink])[] {
  return JSON.parse(links)
}

/** Restores the original order of the links. */
export function joinLinks(edges: readonly string[]): readonly ResolvedLink[] {
  return edges
    .flatMap(readLinks)
    .sort(([a], [b]) => a - b)
    .map(([, link]) => withAbsentMembers(link))
}

/** Adds members that are `undefined`. JSON omits them, but all links must have the same shape. */
function withAbsentMembers(link: ResolvedLink): ResolvedLink {
  const { subpath, property, inComment, rivals, byAlias, brokenSubpath } = link
  return { ...link, subpath, property, inComment, rivals, byAlias, brokenSubpath }
}

/** Returns a key for an id, because database indexes accept only strings of up to about 8,000 bytes. */
export function idKeyOf(id: string): string {
  return id.length <= MAX_KEY_LENGTH ? id : shortHash(id)
}

const MAX_KEY_LENGTH = 1_000

/** Roux sorts by code units, and Neo4j by code points. The orders differ only beyond U+D7FF. */
export function sortable(text: string): string {
  return text.replace(/[\ud800-\uffff]/g, (unit) => `\ud7ff${unit.charCodeAt(0).toString(16)}`)
}
