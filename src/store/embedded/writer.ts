import type { VaultPath } from '../../core/ids.ts'
import type {
  Batch,
  FileContent,
  FileRecord,
  IndexState,
  IndexWriter,
  KnownFile,
  NoteDescription,
  OpenGeneration,
  Outline,
  VaultState,
} from '../../core/index-writer.ts'
import { quietly } from '../../core/quietly.ts'
import type { Database, Statement } from '../../core/sql-database.ts'
import { DatabaseFile, type DatabaseKind, readAtOnce } from './database-file.ts'
import { databasePath, type Location, sweepOldIndexes } from './location.ts'
import {
  APPLICATION_ID,
  FORMAT,
  packGone,
  packHot,
  packInfo,
  packLinks,
  packMentions,
  packStat,
  packState,
  SCHEMA,
  SEPARATOR,
  type StoredState,
  unpackHot,
  unpackInfo,
  unpackLinks,
  unpackMentions,
  unpackStat,
  unpackState,
} from './rows.ts'
import { DamagedIndex } from './sqlite.ts'

/** Writes nothing before the first commit. */
export function openIndexWriter(location: Location): IndexWriter {
  return new SqliteWriter(location)
}

export const INDEX: DatabaseKind = { applicationId: APPLICATION_ID, format: FORMAT, schema: SCHEMA }

const GONE = { path: '' as VaultPath, excluded: false }
export const NOTHING: StoredState = { generation: 0, outside: [], nextKey: 0, rows: 0, complete: false }

class SqliteWriter implements IndexWriter {
  readonly #file: DatabaseFile

  constructor(location: Location) {
    this.#file = new DatabaseFile(location, INDEX)
  }

  async state(): Promise<IndexState> {
    const database = this.#file.open()
    return database === undefined ? NOTHING : readMeta(database)
  }

  async *files(): AsyncIterable<readonly KnownFile[]> {
    for (const { texts, keySum } of this.#texts('stat', "WHERE stat <> ''")) yield requireKeys(texts.map(unpackStat), keySum)
  }

  async *names(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'path' | 'aliases' | 'pageTitle'>[]> {
    for (const { texts } of this.#texts('hot', "WHERE stat <> ''", ROWS_AT_ONCE)) {
      yield texts.map(unpackHot).map(({ key, path, aliases, pageTitle }) => ({
        key,
        path: path as VaultPath,
        aliases,
        ...(pageTitle === undefined ? undefined : { pageTitle }),
      }))
    }
  }

  async *mentions(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'mentions'>[]> {
    for (const { texts } of this.#texts('mentions', "WHERE mentions <> ''", ROWS_AT_ONCE)) yield texts.map(unpackMentions)
  }

  async *tags(): AsyncIterable<readonly Pick<FileRecord, 'key' | 'tags'>[]> {
    for (const { texts } of this.#texts('hot', "WHERE stat <> ''")) {
      const rows = texts.map(unpackHot).filter(({ tags }) => tags.length > 0)
      yield rows.map(({ key, tags }) => ({ key, tags }))
    }
  }

  async hashes(keys: readonly number[]): Promise<readonly string[]> {
    const database = this.#file.open()
    if (database === undefined || keys.length === 0) return keys.map(() => '')
    const find = database.prepare('SELECT hash FROM file WHERE key = ?')
    return keys.map((key) => (key < 0 ? '' : ((find.get(key) as { hash: string } | undefined)?.hash ?? '')))
  }

  async contents(since: number): Promise<{ readonly generation: number; readonly files: readonly FileContent[] }> {
    const database = this.#file.open()
    if (database === undefined) return { generation: 0, files: [] }
    return readAtOnce(database, () => {
      const { generation } = readMeta(database)
      const condition = since === 0 ? "WHERE stat <> ''" : 'WHERE generation > ?'
      const select = database.prepare(`SELECT key, hash, stat FROM file ${condition}`)
      const rows = select.all(...(since === 0 ? [] : [since])) as { key: number; hash: string; stat: string }[]
      const files = rows.map(({ key, hash, stat }) => {
        const { path, excluded } = stat === '' ? GONE : unpackStat(stat)
        return { key, hash, path, excluded }
      })
      return { generation, files }
    })
  }

  async descriptions(keys: readonly number[]): Promise<ReadonlyMap<number, NoteDescription>> {
    const descriptions = new Map<number, NoteDescription>()
    const database = this.#file.open()
    if (database === undefined) return descriptions
    const select = database.prepare(
      'SELECT hash, hot, data FROM file JOIN info USING (key) WHERE key IN (SELECT value FROM json_each(?))',
    )
    for (const row of select.all(JSON.stringify(keys)) as { hash: string; hot: string; data: string }[]) {
      // Damaged rows are skipped here, because readers report the damage.
      quietly(() => {
        const { key, title, aliases, tags } = unpackHot(row.hot)
        const { properties, headings, bodyStart } = unpackInfo(key, row.data)
        descriptions.set(key, { hash: row.hash, title, aliases, tags, properties, headings, bodyStart })
      })
    }
    return descriptions
  }

  async records(keys: readonly number[]): Promise<readonly FileRecord[]> {
    const database = this.#file.open()
    if (database === undefined || keys.length === 0) return []
    const findFile = database.prepare("SELECT hash, stat, hot, mentions FROM file WHERE key = ? AND stat <> ''")
    const findLinks = database.prepare('SELECT data FROM links WHERE key = ?')
    return keys.flatMap((key) => {
      const row = findFile.get(key) as { hash: string; stat: string; hot: string; mentions: string } | undefined
      if (row === undefined) return []
      const { kind, archived, conflict, title, aliases, tags, targets, missing, problems, pageTitle } = unpackHot(row.hot)
      const links = findLinks.get(key) as { data: string } | undefined
      if (links === undefined && targets.length + missing.length > 0) throw new DamagedIndex('links are missing')
      return {
        ...unpackStat(row.stat),
        kind: kind as FileRecord['kind'],
        hash: row.hash,
        archived,
        conflict,
        title,
        ...(pageTitle === undefined ? undefined : { pageTitle }),
        aliases,
        tags,
        links: links === undefined ? [] : unpackLinks(key, links.data),
        mentions: row.mentions === '' ? [] : unpackMentions(row.mentions).mentions,
        malformed: problems[2],
      }
    })
  }

  async outlines(keys: readonly number[]): Promise<readonly (Outline | undefined)[]> {
    const database = this.#file.open()
    if (database === undefined || keys.length === 0) return keys.map(() => undefined)
    const find = database.prepare("SELECT hot, data FROM file JOIN info USING (key) WHERE key = ? AND hash <> ''")
    return keys.map((key) => {
      const row = find.get(key) as { hot: string; data: string } | undefined
      return row === undefined || unpackHot(row.hot).kind !== 'note' ? undefined : unpackInfo(key, row.data)
    })
  }

  /** Batches stay in memory, so the transaction is short. */
  async begin(base: number): Promise<OpenGeneration> {
    const batches: Batch[] = []
    return {
      put: async (batch) => {
        batches.push(batch)
      },
      commit: async (state) => {
        const hot = batches.map(({ put }) => put.map(packHot))
        return this.#file.write((database) => {
          const current = readMeta(database)
          if (current.generation !== base) return undefined
          const generation = isSeen(batches, state, current) || base === 0 ? base + 1 : base
          const rows = current.rows + countNew(database, batches)
          for (const [at, batch] of batches.entries()) write(database, batch, { generation, hot: hot[at] ?? [] })
          database.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(STATE, packState({ ...state, generation, rows }))
          return generation
        })
      },
    }
  }

  async tidy(): Promise<void> {
    if (this.#file.tidy()) quietly(() => sweepOldIndexes(databasePath(this.#file.location)))
  }

  async reset(): Promise<void> {
    this.#file.delete()
  }

  async close(): Promise<void> {
    this.#file.close()
  }

  #texts(column: TextColumn, condition: string, atOnce?: number): Iterable<Texts> {
    const database = this.#file.open()
    return database === undefined ? [] : textSlices(database, column, condition, atOnce)
  }
}

type TextColumn = 'stat' | 'hot' | 'mentions'

export interface Texts {
  readonly texts: readonly string[]
  readonly keySum: number
}

export function readTexts(database: Database, column: TextColumn, condition: string): Texts {
  const all: string[] = []
  let sum = 0
  for (const { texts, keySum } of textSlices(database, column, condition)) {
    sum += keySum
    for (const text of texts) all.push(text)
  }
  return { texts: all, keySum: sum }
}

/** The database joins the values, so a slice takes one call. */
export function* textSlices(database: Database, column: TextColumn, condition: string, atOnce = TEXTS_AT_ONCE): Generator<Texts> {
  const [range] = database.prepare('SELECT max(key) AS last FROM file').all() as { last: number | null }[]
  const select = database.prepare(
    `SELECT group_concat(${column}, char(10)) AS texts, total(key) AS keySum
     FROM (SELECT key, ${column} FROM file ${condition} AND key >= ? AND key < ?)`,
  )
  for (let from = 0; from <= (range?.last ?? -1); from += atOnce) {
    const [row] = select.all(from, from + atOnce) as { texts: string | null; keySum: number }[]
    if (row?.texts != null) yield { texts: row.texts.split(SEPARATOR), keySum: row.keySum }
  }
}

/** Checks the keys of rows. @throws DamagedIndex if a row is stored under another key */
export function requireKeys<T extends { readonly key: number }>(rows: readonly T[], keySum: number): readonly T[] {
  if (rows.reduce((sum, { key }) => sum + key, 0) !== keySum) throw new DamagedIndex('rows are stored under wrong keys')
  return rows
}

/** The number of texts to join, which take a few megabytes. */
const TEXTS_AT_ONCE = 20_000

/** The number of rows to read and unpack at once, which takes a few milliseconds. */
const ROWS_AT_ONCE = 1_000

/** Reads the state. @throws DamagedIndex if it is corrupt */
export function readMeta(database: Database): StoredState {
  const [row] = database.prepare('SELECT value FROM meta WHERE key = ?').all(STATE) as { value: unknown }[]
  if (row !== undefined) return unpackState(row.value)
  const [file] = database.prepare('SELECT key FROM file LIMIT 1').all()
  if (file !== undefined) throw new DamagedIndex("the last commit's state is missing")
  return NOTHING
}

const STATE = 'state'

/** Returns true if readers see a change. Changed file times alone do not affect them. */
function isSeen(batches: readonly Batch[], { outside, complete }: VaultState, current: StoredState): boolean {
  if (batches.some(({ put, remove }) => put.length + remove.length > 0) || complete !== current.complete) return true
  return JSON.stringify(outside) !== JSON.stringify(current.outside)
}

function write(database: Database, batch: Batch, { generation, hot }: { generation: number; hot: readonly string[] }): void {
  const remove = database.prepare("UPDATE file SET generation = ?, hash = '', stat = '', hot = ?, mentions = '' WHERE key = ?")
  const forget = ['info', 'links'].map((table) => database.prepare(`DELETE FROM ${table} WHERE key = ?`))
  for (const key of batch.remove) {
    remove.run(generation, packGone(key), key)
    for (const statement of forget) statement.run(key)
  }
  const statements: PutStatements = {
    file: database.prepare('INSERT OR REPLACE INTO file VALUES (?, ?, ?, ?, ?, ?)'),
    info: database.prepare('INSERT OR REPLACE INTO info VALUES (?, ?)'),
    links: database.prepare('INSERT OR REPLACE INTO links VALUES (?, ?)'),
    noLinks: database.prepare('DELETE FROM links WHERE key = ?'),
  }
  for (const [at, record] of batch.put.entries()) insert(statements, record, { generation, hot: hot[at] as string })
  const touch = database.prepare('UPDATE file SET stat = ? WHERE key = ?')
  for (const file of batch.touch) touch.run(packStat(file), file.key)
}

/** Counts the new rows, because counting all rows would slow down commits in large vaults. */
function countNew(database: Database, batches: readonly Batch[]): number {
  const keys = batches.flatMap(({ put }) => put.map(({ key }) => key))
  const find = database.prepare('SELECT count(*) AS known FROM file WHERE key IN (SELECT value FROM json_each(?))')
  const { known } = find.get(JSON.stringify(keys)) as { known: number }
  return keys.length - known
}

type PutStatements = Readonly<Record<'file' | 'info' | 'links' | 'noLinks', Statement>>

function insert(statements: PutStatements, record: FileRecord, { generation, hot }: { generation: number; hot: string }): void {
  const { key, hash, mentions, links, info } = record
  const mentioned = mentions.length === 0 ? '' : packMentions(key, mentions)
  statements.file.run(key, generation, hash, packStat(record), hot, mentioned)
  if (info !== undefined) statements.info.run(key, packInfo(key, info))
  if (links.length > 0) statements.links.run(key, packLinks(key, links))
  // A new index has no links to delete.
  else if (generation > 1) statements.noLinks.run(key)
}
