import { crc32 } from 'node:zlib'
import type { VaultPath } from '../../core/ids.ts'
import type { FileInfo, FileRecord, ResolvedLink } from '../../core/index-writer.ts'
import type { LinkForm, LinkKind } from '../../core/note.ts'
import type { FileKind } from '../../core/vault.ts'
import { foldId } from '../../core/ids.ts'
import type { GraphRow } from '../../graph/graph.ts'
import { DamagedIndex } from './sqlite.ts'

/** Grows with every change of what is below: another format makes another file. */
export const FORMAT = 1

/** `roux` in ASCII: tells our files from other databases. */
export const APPLICATION_ID = 0x726f7578

export const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
  -- One row a file that is or was; path NULL: gone, the key is free. hot: what the graph in memory is made of.
  CREATE TABLE file (
    key INTEGER PRIMARY KEY, path TEXT UNIQUE, generation INTEGER NOT NULL, flags INTEGER NOT NULL,
    mtime REAL NOT NULL, ctime REAL NOT NULL, birthtime REAL NOT NULL, size INTEGER NOT NULL, hash TEXT NOT NULL,
    wikilinks INTEGER NOT NULL, relative INTEGER NOT NULL,
    hot TEXT NOT NULL, targets BLOB, mentions TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE INDEX file_generation ON file (generation);
  -- What is read for one node at a time.
  CREATE TABLE info (key INTEGER PRIMARY KEY, data TEXT NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE links (key INTEGER PRIMARY KEY, data TEXT NOT NULL, crc INTEGER NOT NULL);
`

export const EXCLUDED = 1
export const ARCHIVED = 2
export const CONFLICT = 4

export function flagsOf(record: Pick<FileRecord, 'excluded' | 'archived' | 'conflict'>): number {
  return (record.excluded ? EXCLUDED : 0) | (record.archived ? ARCHIVED : 0) | (record.conflict ? CONFLICT : 0)
}

const KINDS: readonly FileKind[] = ['note', 'attachment', 'canvas']

/** A file row's columns that the graph in memory is made of. */
export interface HotColumns {
  readonly key: number
  readonly path: string | null
  readonly flags: number
  readonly hot: string
  readonly targets: Uint8Array | null
  readonly crc: number
}

/** The columns `hot`, `targets` and `crc` of a record. */
export function packHot(record: FileRecord): { hot: string; targets: Uint8Array | null; crc: number } {
  const { targets, missing, problems } = project(record)
  const hot = JSON.stringify([
    KINDS.indexOf(record.kind),
    record.title,
    record.aliases,
    record.tags,
    missing,
    problems,
    record.pageTitle ?? 0,
  ])
  const bytes = targets.length === 0 ? null : new Uint8Array(targets.buffer, 0, targets.byteLength)
  return { hot, targets: bytes, crc: hotChecksum(record.path, flagsOf(record), hot, bytes) }
}

function hotChecksum(path: string, flags: number, hot: string, targets: Uint8Array | null): number {
  const text = crc32(`${flags}\n${path}\n${hot}`)
  return targets === null ? text : crc32(targets, text)
}

/** What a record's links come to: each target once, each missing name once, and how many problems there are. */
function project(record: FileRecord): Pick<GraphRow, 'targets' | 'missing' | 'problems'> {
  const targets = new Set<number>()
  const missing = new Map<string, string>()
  let broken = 0
  let ambiguous = 0
  for (const link of record.links) {
    if (typeof link.to === 'number') {
      targets.add(link.to)
      if (link.rivals !== undefined) ambiguous++
    } else {
      broken++
      const folded = foldId(link.to)
      if (!missing.has(folded)) missing.set(folded, link.to)
    }
  }
  return {
    targets: Int32Array.from(targets),
    missing: [...missing.values()],
    problems: [broken, ambiguous, record.malformed],
  }
}

type Hot = readonly [
  kind: number,
  title: string,
  aliases: readonly string[],
  tags: readonly string[],
  missing: readonly string[],
  problems: readonly [number, number, number],
  pageTitle: string | 0,
]

/** @throws DamagedIndex when the row is not what was written. */
export function unpackHot(row: HotColumns): GraphRow & { readonly pageTitle?: string } {
  if (row.path === null) return gone(row.key)
  if (hotChecksum(row.path, row.flags, row.hot, row.targets) !== row.crc) throw new DamagedIndex(`file row ${row.key}`)
  const [kind, title, aliases, tags, missing, problems, pageTitle] = JSON.parse(row.hot) as Hot
  return {
    key: row.key,
    path: row.path as VaultPath,
    kind: KINDS[kind] ?? 'attachment',
    excluded: (row.flags & EXCLUDED) !== 0,
    archived: (row.flags & ARCHIVED) !== 0,
    conflict: (row.flags & CONFLICT) !== 0,
    title,
    aliases: aliases.length === 0 ? NONE : aliases,
    tags: tags.length === 0 ? NONE : tags,
    // A BLOB's own buffer starts at 0 or not, aligned or not: copy it.
    targets: row.targets === null ? NO_TARGETS : new Int32Array(row.targets.slice().buffer),
    missing: missing.length === 0 ? NONE : missing,
    problems: problems[0] + problems[1] + problems[2] === 0 ? NO_PROBLEMS : problems,
    ...(pageTitle === 0 ? {} : { pageTitle }),
  }
}

const NONE: readonly string[] = []
const NO_TARGETS = new Int32Array(0)
const NO_PROBLEMS = [0, 0, 0] as const

function gone(key: number): GraphRow {
  return {
    key,
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
}

/** A row of `info` or `links`. */
export interface DocumentColumns {
  readonly data: string
  readonly crc: number
}

export function packDocument(value: unknown): DocumentColumns {
  const data = JSON.stringify(value)
  return { data, crc: crc32(data) }
}

/** @throws DamagedIndex when the row is not what was written. */
export function unpackDocument(row: DocumentColumns): unknown {
  if (crc32(row.data) !== row.crc) throw new DamagedIndex('document row')
  return JSON.parse(row.data)
}

export function unpackInfo(row: DocumentColumns): FileInfo {
  return unpackDocument(row) as FileInfo
}

/** Links as rows of short arrays: a vault has ten times as many links as notes. */
export function packLinks(links: readonly ResolvedLink[]): DocumentColumns {
  return packDocument(
    links.map((link) => {
      const options = {
        ...(link.subpath === undefined ? {} : { s: link.subpath }),
        ...(link.property === undefined ? {} : { p: link.property }),
        ...(link.inComment === undefined ? {} : { c: 1 }),
        ...(link.rivals === undefined ? {} : { r: link.rivals }),
        ...(link.byAlias === undefined ? {} : { a: 1 }),
      }
      const fixed = [
        LINK_KINDS.indexOf(link.kind),
        LINK_FORMS.indexOf(link.form),
        link.target,
        link.line,
        link.column,
        link.start,
        link.end,
        link.to,
      ]
      return Object.keys(options).length === 0 ? fixed : [...fixed, options]
    }),
  )
}

const LINK_KINDS: readonly LinkKind[] = ['link', 'embed', 'property']
const LINK_FORMS: readonly LinkForm[] = ['wikilink', 'markdown', 'reference', 'html', 'canvas', 'page']

type PackedLink = readonly [
  kind: number,
  form: number,
  target: string,
  line: number,
  column: number,
  start: number,
  end: number,
  to: number | string,
  options?: { s?: string; p?: string; c?: 1; r?: number[]; a?: 1 },
]

export function unpackLinks(row: DocumentColumns): readonly ResolvedLink[] {
  return (unpackDocument(row) as PackedLink[]).map(([kind, form, target, line, column, start, end, to, options]) => ({
    kind: LINK_KINDS[kind] ?? 'link',
    form: LINK_FORMS[form] ?? 'wikilink',
    target,
    line,
    column,
    start,
    end,
    to,
    ...(options?.s === undefined ? {} : { subpath: options.s }),
    ...(options?.p === undefined ? {} : { property: options.p }),
    ...(options?.c === undefined ? {} : { inComment: true as const }),
    ...(options?.r === undefined ? {} : { rivals: options.r }),
    ...(options?.a === undefined ? {} : { byAlias: true as const }),
  }))
}
