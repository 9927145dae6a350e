import { crc32 } from 'node:zlib'
import { foldId, type VaultPath } from '../../core/ids.ts'
import type { FileInfo, FileRecord, IndexState, KnownFile, ResolvedLink } from '../../core/index-writer.ts'
import type { LinkForm, LinkKind } from '../../core/note.ts'
import type { FileKind, FileStat, OutsideLink } from '../../core/vault.ts'
import type { GraphRow } from '../../graph/graph.ts'
import { DamagedIndex } from './sqlite.ts'

/** Increment with every change to the rows or to how notes are read. Then all notes are read again once. */
export const FORMAT = 12

/** The number is `roux` in ASCII. */
export const APPLICATION_ID = 0x726f7578

/**
 * A deleted file keeps its row. `hot` is loaded into memory, `stat` detects changes, and `mentions` lists the names that links
 * depend on. Each column is one string, because SQLite's binding takes a call per value. `group_concat` reads all rows in a
 * quarter of the time.
 */
export const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
  CREATE TABLE file (
    key INTEGER PRIMARY KEY, generation INTEGER NOT NULL, hash TEXT NOT NULL,
    stat TEXT NOT NULL, hot TEXT NOT NULL, mentions TEXT NOT NULL);
  CREATE INDEX file_generation ON file (generation);
  CREATE TABLE info (key INTEGER PRIMARY KEY, data TEXT NOT NULL);
  CREATE TABLE links (key INTEGER PRIMARY KEY, data TEXT NOT NULL);
`

/** The separator of joined rows. Compact JSON contains no line breaks. */
export const SEPARATOR = '\n'

/** Part of the checksum, so a text in the wrong column is detected. */
type Kind = 'meta' | 'hot' | 'stat' | 'mentions' | 'info' | 'links'

/** Returns eight hex digits of CRC-32, followed by JSON. */
function seal(kind: Kind, value: unknown): string {
  const json = JSON.stringify(value)
  return checksum(kind, json).toString(16).padStart(CRC_LENGTH, '0') + json
}

/** Checks the checksum and parses the JSON. @throws DamagedIndex if the checksum does not match */
function unseal(kind: Kind, text: unknown): unknown {
  // The type is checked, because a flipped bit can change it.
  const json = typeof text === 'string' ? text.slice(CRC_LENGTH) : ''
  if (typeof text !== 'string' || Number.parseInt(text.slice(0, CRC_LENGTH), 16) !== checksum(kind, json)) {
    throw new DamagedIndex('a row differs from what was written')
  }
  return JSON.parse(json)
}

const CRC_LENGTH = 8

const SEEDS: Readonly<Record<Kind, number>> = {
  hot: crc32('hot'),
  stat: crc32('stat'),
  mentions: crc32('mentions'),
  info: crc32('info'),
  links: crc32('links'),
  meta: crc32('meta'),
}

function checksum(kind: Kind, text: string): number {
  return crc32(text, SEEDS[kind])
}

/** The stored state. `rows` counts all rows of `file`, including deleted files. */
export interface StoredState extends IndexState {
  readonly rows: number
}

type PackedState = readonly [
  generation: number,
  mode: string,
  nextKey: number,
  rows: number,
  complete: 0 | 1,
  outside: readonly (readonly [path: string, target: string])[],
  lineage?: string,
]

export function packState({ generation, mode = '', nextKey, rows, complete, outside, lineage }: StoredState): string {
  const links = outside.map(({ path, target }) => [path, target] as const)
  const packed = [generation, mode, nextKey, rows, complete ? 1 : 0, links] as const
  return seal('meta', (lineage === undefined ? packed : [...packed, lineage]) satisfies PackedState)
}

/** @throws DamagedIndex if the checksum does not match */
export function unpackState(text: unknown): StoredState {
  const [generation, mode, nextKey, rows, complete, links, lineage] = unseal('meta', text) as PackedState
  const outside = links.map(([path, target]): OutsideLink => ({ path: path as VaultPath, target }))
  const optional = { ...(mode === '' ? {} : { mode }), ...(lineage === undefined ? {} : { lineage }) }
  return { generation, ...optional, outside, nextKey, rows, complete: complete === 1 }
}

const EXCLUDED = 1
const ARCHIVED = 2
const CONFLICT = 4

const KINDS: readonly FileKind[] = ['note', 'attachment', 'canvas']

type Hot = readonly [
  key: number,
  path: string,
  kind: number,
  flags: number,
  title: string,
  aliases: readonly string[],
  tags: readonly string[],
  targets: readonly number[],
  missing: readonly string[],
  problems: GraphRow['problems'],
  pageTitle?: string,
]

export function packHot(record: FileRecord): string {
  const { targets, missing, problems } = project(record)
  const flags = (record.excluded ? EXCLUDED : 0) | (record.archived ? ARCHIVED : 0) | (record.conflict ? CONFLICT : 0)
  const hot: Hot = [
    record.key,
    record.path,
    KINDS.indexOf(record.kind),
    flags,
    record.title,
    record.aliases,
    record.tags,
    targets,
    missing,
    problems,
  ]
  return seal('hot', record.pageTitle === undefined ? hot : [...hot, record.pageTitle])
}

export function packGone(key: number): string {
  return seal('hot', [key])
}

function project(record: FileRecord): { targets: number[]; missing: string[]; problems: Hot[9] } {
  const targets = new Set<number>()
  const missing = new Map<string, string>()
  let broken = 0
  let ambiguous = 0
  let brokenHeadings = 0
  for (const link of record.links) {
    if (typeof link.to === 'number') {
      targets.add(link.to)
      if (link.rivals !== undefined) ambiguous++
      if (link.brokenSubpath === true) brokenHeadings++
    } else {
      broken++
      const folded = foldId(link.to)
      if (!missing.has(folded)) missing.set(folded, link.to)
    }
  }
  return {
    targets: [...targets],
    missing: [...missing.values()],
    problems: [broken, ambiguous, record.malformed, brokenHeadings],
  }
}

/** @throws DamagedIndex if the row is corrupt */
export function unpackHot(text: unknown): GraphRow & { readonly pageTitle?: string } {
  const row = unseal('hot', text) as Hot
  if (row[1] === undefined) return { ...GONE, key: row[0] }
  const [key, path, kind, flags, title, aliases, tags, targets, missing, problems, pageTitle] = row
  return {
    key,
    path: path as VaultPath,
    kind: KINDS[kind] ?? 'attachment',
    excluded: (flags & EXCLUDED) !== 0,
    archived: (flags & ARCHIVED) !== 0,
    conflict: (flags & CONFLICT) !== 0,
    title,
    // Most lists are empty, so they share one array.
    aliases: aliases.length === 0 ? NONE : aliases,
    tags: tags.length === 0 ? NONE : tags,
    targets: targets.length === 0 ? NO_TARGETS : Int32Array.from(targets),
    missing: missing.length === 0 ? NONE : missing,
    problems: problems.every((count) => count === 0) ? NO_PROBLEMS : problems,
    ...(pageTitle === undefined ? undefined : { pageTitle }),
  }
}

const NONE: readonly string[] = []
const NO_TARGETS = new Int32Array(0)
const NO_PROBLEMS = [0, 0, 0, 0] as const
const GONE: GraphRow = {
  key: 0,
  path: undefined,
  kind: 'attachment',
  excluded: false,
  archived: false,
  conflict: false,
  title: '',
  aliases: NONE,
  tags: NONE,
  targets: NO_TARGETS,
  missing: NONE,
  problems: NO_PROBLEMS,
}

type PackedStat = readonly [
  key: number,
  path: string,
  excluded: 0 | 1,
  mtime: number,
  ctime: number,
  birthtime: number,
  size: number,
  wikilinks: number,
  relativeLinks: number,
]

export function packStat({ key, path, excluded, stat, style }: KnownFile): string {
  const { mtime, ctime, birthtime, size } = stat
  const packed: PackedStat = [key, path, excluded ? 1 : 0, mtime, ctime, birthtime, size, style.wikilinks, style.relativeLinks]
  return seal('stat', packed)
}

/** @throws DamagedIndex if the row is corrupt */
export function unpackStat(text: unknown): KnownFile {
  const [key, path, excluded, mtime, ctime, birthtime, size, wikilinks, relativeLinks] = unseal('stat', text) as PackedStat
  const stat: FileStat = { mtime, ctime, birthtime, size }
  return { key, path: path as VaultPath, excluded: excluded === 1, stat, style: { wikilinks, relativeLinks } }
}

/** The value includes its key, so a row with a wrong key is detected. */
function unsealFor(kind: Kind, key: number, text: unknown): unknown {
  const [owner, value] = unseal(kind, text) as [number, unknown]
  if (owner !== key) throw new DamagedIndex('a row is stored under the wrong key')
  return value
}

export function packMentions(key: number, names: readonly string[]): string {
  return seal('mentions', [key, names])
}

/** @throws DamagedIndex if the row is corrupt */
export function unpackMentions(text: unknown): { readonly key: number; readonly mentions: readonly string[] } {
  const [key, mentions] = unseal('mentions', text) as [number, string[]]
  return { key, mentions }
}

export function packInfo(key: number, info: FileInfo): string {
  return seal('info', [key, info])
}

/** @throws DamagedIndex if the row is corrupt */
export function unpackInfo(key: number, text: unknown): FileInfo {
  return unsealFor('info', key, text) as FileInfo
}

const LINK_KINDS: readonly LinkKind[] = ['link', 'embed', 'property']
const LINK_FORMS: readonly LinkForm[] = ['wikilink', 'markdown', 'reference', 'html', 'canvas', 'page']

interface LinkOptions {
  /**
   * The keys of a packed link. `s`: subpath, `p`: property, `c`: in a comment, `r`: other candidates, `a`: by alias, `b`: broken
   * subpath.
   */
  s?: string
  p?: string
  c?: 1
  r?: readonly number[]
  a?: 1
  b?: 1
}

type PackedLink = [
  kind: number,
  form: number,
  target: string,
  line: number,
  column: number,
  start: number,
  end: number,
  to: number | string,
  options?: LinkOptions,
]

/** Short arrays, because a vault has about ten times as many links as notes. */
export function packLinks(key: number, links: readonly ResolvedLink[]): string {
  return seal('links', [key, links.map(packLink)])
}

function packLink(link: ResolvedLink): PackedLink {
  const kind = LINK_KINDS.indexOf(link.kind)
  const form = LINK_FORMS.indexOf(link.form)
  const packed: PackedLink = [kind, form, link.target, link.line, link.column, link.start, link.end, link.to]
  const { subpath, property, inComment, rivals, byAlias, brokenSubpath } = link
  if (
    subpath === undefined &&
    property === undefined &&
    inComment === undefined &&
    rivals === undefined &&
    byAlias === undefined
  ) {
    return packed
  }
  const options: LinkOptions = {}
  if (subpath !== undefined) options.s = subpath
  if (property !== undefined) options.p = property
  if (inComment !== undefined) options.c = 1
  if (rivals !== undefined) options.r = rivals
  if (byAlias !== undefined) options.a = 1
  if (brokenSubpath !== undefined) options.b = 1
  packed.push(options)
  return packed
}

/** @throws DamagedIndex if the row is corrupt */
export function unpackLinks(key: number, text: unknown): readonly ResolvedLink[] {
  return (unsealFor('links', key, text) as PackedLink[]).map(([kind, form, target, line, column, start, end, to, options]) => ({
    kind: LINK_KINDS[kind] ?? 'link',
    form: LINK_FORMS[form] ?? 'wikilink',
    target,
    line,
    column,
    start,
    end,
    to,
    subpath: options?.s,
    property: options?.p,
    inComment: options?.c === 1 ? true : undefined,
    rivals: options?.r,
    byAlias: options?.a === 1 ? true : undefined,
    brokenSubpath: options?.b === 1 ? true : undefined,
  }))
}
