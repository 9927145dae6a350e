import type { InsightCache, InsightKind } from '../../core/insight/insight.ts'
import { quietly } from '../../core/quietly.ts'
import { type Database, inTransaction } from '../../core/sql-database.ts'
import { DatabaseFile, type DatabaseKind } from './database-file.ts'
import { sealBytes, unsealBytes } from './search/search-rows.ts'
import { isDamage, isUnwritable } from './sqlite.ts'

/** The format of the cache. `record`: one row per content hash. `result`: the latest result of each kind. */
export const INSIGHT: DatabaseKind = {
  // The number is `roui` in ASCII.
  applicationId: 0x726f7569,
  format: 4,
  schema: `
    CREATE TABLE record (content TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE result (kind TEXT PRIMARY KEY, source TEXT NOT NULL, data BLOB NOT NULL);
  `,
}

/** Unused records are deleted if they exceed this count and this share of the used ones. */
const UNUSED = { count: 100, share: 0.5 }

/**
 * Opens the cache, and replaces a file that is damaged or has another format. Rows that cannot be written stay in memory until
 * `close`.
 */
export function openInsightCache(path: string): InsightCache {
  const file = new DatabaseFile({ kind: 'file', path }, INSIGHT)
  return new SqliteInsightCache(file, openOrReplace(file))
}

function openOrReplace(file: DatabaseFile): Database | undefined {
  try {
    return file.make()
  } catch (error) {
    if (isDamage(error)) quietly(() => file.delete())
    else if (!isUnwritable(error)) throw error
  }
  try {
    return file.make()
  } catch (error) {
    if (!isUnwritable(error)) throw error
    return undefined
  }
}

interface Row {
  readonly data: Uint8Array
}

class SqliteInsightCache implements InsightCache {
  readonly #file: DatabaseFile
  readonly #database: Database | undefined
  readonly #unwritten = new Map<string, Uint8Array>()

  constructor(file: DatabaseFile, database: Database | undefined) {
    this.#file = file
    this.#database = database
  }

  missing(contents: readonly string[]): readonly string[] {
    const select = this.#database?.prepare('SELECT 1 AS found FROM record WHERE content = ?')
    return contents.filter((content) => !this.#unwritten.has(content) && select?.get(content) === undefined)
  }

  records(): (content: string) => Uint8Array | undefined {
    const select = this.#database?.prepare('SELECT data FROM record WHERE content = ?')
    return (content) => {
      const row = select?.get(content) as Row | undefined
      return row === undefined ? this.#unwritten.get(content) : unsealBytes(content, row.data)
    }
  }

  keepRecords(records: ReadonlyMap<string, Uint8Array>): void {
    const isWritten = this.#write((database) => {
      const insert = database.prepare('INSERT OR REPLACE INTO record (content, data) VALUES (?, ?)')
      for (const [content, bytes] of records) insert.run(content, sealBytes(content, bytes))
    })
    if (!isWritten) for (const [content, bytes] of records) this.#unwritten.set(content, bytes)
  }

  keepOnly(contents: ReadonlySet<string>): void {
    this.#write((database) => {
      const rows = database.prepare('SELECT content FROM record').all() as { readonly content: string }[]
      const unused = rows.filter(({ content }) => !contents.has(content))
      if (unused.length <= Math.max(UNUSED.count, UNUSED.share * contents.size)) return
      const remove = database.prepare('DELETE FROM record WHERE content = ?')
      for (const { content } of unused) remove.run(content)
    })
  }

  result(of: string): Uint8Array | undefined {
    const row = this.#database?.prepare('SELECT data FROM result WHERE source = ?').get(of) as Row | undefined
    return row === undefined ? undefined : unsealBytes(of, row.data)
  }

  keepResult(of: string, kind: InsightKind, bytes: Uint8Array): void {
    this.#write((database) => {
      database.prepare('INSERT OR REPLACE INTO result (kind, source, data) VALUES (?, ?, ?)').run(kind, of, sealBytes(of, bytes))
    })
  }

  reset(): void {
    this.#unwritten.clear()
    quietly(() => this.#file.delete())
  }

  close(): void {
    this.#file.close()
  }

  /** @returns false if the write failed, for example because the file is locked or the disk is full */
  #write(action: (database: Database) => void): boolean {
    const database = this.#database
    if (database === undefined) return false
    try {
      inTransaction(database, action)
      return true
    } catch (error) {
      if (isDamage(error)) throw error
      return false
    }
  }
}
