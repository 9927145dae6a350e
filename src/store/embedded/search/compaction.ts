import { groupBy } from '../../../core/group-by.ts'
import type { Database } from '../../../core/sql-database.ts'
import { mergeSegments } from '../../../search/words/index/merge.ts'
import { type Page, packHeader, type SegmentHeader, unpackHeader } from '../../../search/words/index/page.ts'
import type { DatabaseFile } from '../database-file.ts'
import { headerPlace, pagePlace, sealBytes, unsealBytes } from './search-rows.ts'

/** The number of segments of similar size per merge. A note is rewritten whenever the index grows by this factor. */
const FAN_IN = 8
/** Maximum duration of a step in milliseconds. */
const STEP_MS = 25
/** A merge that makes no progress for this many milliseconds is discarded. */
const ABANDONED = 3_600_000

interface SegmentRow {
  readonly id: number
  readonly rank: number
  readonly notes: number
}

/** A merge of small segments in short steps. Readers never see a partial merge. */
export class Compaction {
  readonly #file: DatabaseFile
  #merge: Merge | undefined

  constructor(file: DatabaseFile) {
    this.#file = file
  }

  /** @returns whether there is more to do */
  step(): boolean {
    if (this.#merge === undefined) {
      const database = this.#file.open()
      const inputs = database === undefined ? [] : choose(segmentsOf(database))
      if (database === undefined || inputs.length === 0) return false
      this.#merge = this.#begin(database, inputs)
    }
    const started = performance.now()
    while (performance.now() - started < STEP_MS) {
      const { done, value } = this.#merge.run.next()
      if (done !== true) continue
      this.#finish(this.#merge, value)
      this.#merge = undefined
      return true
    }
    if (!this.#write(this.#merge)) this.#merge = undefined
    return true
  }

  #begin(database: Database, inputs: readonly SegmentRow[]): Merge {
    const oldest = Math.min(...inputs.map(({ rank }) => rank))
    // Older segments are skipped. They contain no newer entries, and are usually the largest.
    const newer = segmentsOf(database).filter(({ rank }) => rank >= oldest)
    const headers = new Map(newer.map(({ id }) => [id, readHeader(database, id)]))
    const isLive = liveness(database, headers)
    const pages: Page[] = []
    const sources = inputs.map(({ id }) => ({ header: headers.get(id) as SegmentHeader, pages: pagesOf(database, id) }))
    const id = this.#file.write((open) => {
      open.prepare('DELETE FROM page WHERE segment IN (SELECT id FROM merging WHERE started < ?)').run(Date.now() - ABANDONED)
      open.prepare('DELETE FROM merging WHERE started < ?').run(Date.now() - ABANDONED)
      const next = nextNumber(open, 'segment')
      open.prepare('INSERT INTO merging VALUES (?, ?)').run(next, Date.now())
      return next
    })
    const isLiveDocument = (source: number, ordinal: number): boolean => isLive(inputs[source] as SegmentRow, ordinal)
    return { id, inputs, pages, run: mergeSegments(sources, isLiveDocument, (page) => pages.push(page)) }
  }

  /** @returns false if another process has discarded the merge */
  #write({ id, pages }: Merge): boolean {
    if (pages.length === 0) return true
    return this.#file.write((database) => {
      const isOwn = keepOwn(database, id)
      if (isOwn) insertPages(database, id, pages.splice(0))
      return isOwn
    })
  }

  #finish({ id, inputs, pages }: Merge, header: SegmentHeader): void {
    this.#file.write((database) => {
      if (!keepOwn(database, id)) return
      const present = new Set(segmentsOf(database).map((segment) => segment.id))
      const dead = inputs.every((input) => present.has(input.id)) ? inputs.map((input) => input.id) : [id]
      if (!dead.includes(id)) {
        insertPages(database, id, pages)
        const rank = Math.max(...inputs.map((input) => input.rank))
        insertSegment(database, { id, rank, header })
      }
      for (const segment of dead) {
        database.prepare('DELETE FROM segment WHERE id = ?').run(segment)
        database.prepare('DELETE FROM page WHERE segment = ?').run(segment)
      }
      database.prepare('DELETE FROM merging WHERE id = ?').run(id)
    })
  }
}

/** @returns false if another process has discarded the merge */
function keepOwn(database: Database, id: number): boolean {
  database.prepare('UPDATE merging SET started = ? WHERE id = ?').run(Date.now(), id)
  return database.prepare('SELECT 1 FROM merging WHERE id = ?').get(id) !== undefined
}

interface Merge {
  readonly id: number
  readonly inputs: readonly SegmentRow[]
  readonly pages: Page[]
  readonly run: Generator<void, SegmentHeader>
}

/** Inserts the header, which makes a segment visible. If a note is in several segments, the highest `rank` counts. */
export function insertSegment(
  database: Database,
  { id, rank, header }: { readonly id: number; readonly rank: number; readonly header: SegmentHeader },
): void {
  const sealed = sealBytes(headerPlace(id, rank), packHeader(header))
  database.prepare('INSERT INTO segment VALUES (?, ?, ?, ?)').run(id, rank, header.keys.length, sealed)
}

export function insertPages(database: Database, segment: number, pages: Iterable<Page>): void {
  const insert = database.prepare('INSERT INTO page VALUES (?, ?, ?)')
  for (const { first, data } of pages) insert.run(segment, first, sealBytes(pagePlace(segment, first), data))
}

/** Returns the next number. The first one is 1, and numbers are never reused. */
export function nextNumber(database: Database, count: 'segment' | 'embedder' | 'revision'): number {
  const row = database.prepare('SELECT value FROM meta WHERE key = ?').get(count) as { value: number } | undefined
  const next = Number(row?.value ?? 0) + 1
  database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(count, next)
  return next
}

function segmentsOf(database: Database): readonly SegmentRow[] {
  return database.prepare('SELECT id, rank, notes FROM segment ORDER BY rank').all() as SegmentRow[]
}

/** @throws DamagedIndex, DamagedWords */
function readHeader(database: Database, id: number): SegmentHeader {
  const row = database.prepare('SELECT rank, header FROM segment WHERE id = ?').get(id) as { rank: number; header: unknown }
  return unpackHeader(unsealBytes(headerPlace(id, row.rank), row.header))
}

/** Chooses segments to merge, preferably the smallest. */
function choose(segments: readonly SegmentRow[]): readonly SegmentRow[] {
  const levels = groupBy(segments, ({ notes }) => Math.floor(Math.log(Math.max(1, notes)) / Math.log(FAN_IN)))
  const full = [...levels].filter(([, group]) => group.length >= FAN_IN).sort(([a], [b]) => a - b)
  return full[0]?.[1] ?? []
}

/** Returns a test that accepts only the newest entry of each existing note. */
function liveness(
  database: Database,
  headers: ReadonlyMap<number, SegmentHeader>,
): (input: SegmentRow, ordinal: number) => boolean {
  const newest = new Map<number, number>()
  // Headers are sorted by rank, so the last segment wins.
  for (const [id, { keys }] of headers) for (const key of keys) newest.set(key, id)
  const find = database.prepare('SELECT 1 AS found FROM note WHERE key = ?')
  return ({ id }, ordinal) => {
    const key = headers.get(id)?.keys[ordinal]
    return key !== undefined && newest.get(key) === id && find.get(key) !== undefined
  }
}

/** Reads a few pages at a time, because an open statement would block writers. */
function* pagesOf(database: Database, segment: number): Generator<Uint8Array> {
  const select = database.prepare('SELECT first, data FROM page WHERE segment = ? AND first > ? ORDER BY first LIMIT 32')
  const start = database.prepare('SELECT first, data FROM page WHERE segment = ? ORDER BY first LIMIT 32')
  let rows = start.all(segment) as Page[]
  while (rows.length > 0) {
    for (const { first, data } of rows) yield unsealBytes(pagePlace(segment, first), data)
    rows = select.all(segment, (rows.at(-1) as Page).first) as Page[]
  }
}
