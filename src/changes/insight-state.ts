import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { RouxError } from '../core/errors.ts'
import type { InsightState } from '../core/insight/insight-state.ts'
import { makeFolder } from '../core/make-folder.ts'
import { attempt, type Database, type OpenDatabase, type SqlValue } from './record/database.ts'
import { isOfKind, migrate, type StateDatabase } from './record/migrations.ts'

/** Identifies the file: "Roux" in ASCII, and 3 for insight state. */
const APPLICATION_ID = 0x526f7803
/** How long to wait for another process that writes, ms. */
const BUSY_TIMEOUT = 2_000

/** The migration to each version; never edited once released, only added to. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE communities (vault TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE labels (vault TEXT NOT NULL, community TEXT NOT NULL, label TEXT NOT NULL, PRIMARY KEY (vault, community)) STRICT, WITHOUT ROWID;
  CREATE TABLE dismissed (vault TEXT NOT NULL, gap TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (vault, gap)) STRICT, WITHOUT ROWID;
  `,
]

const INSIGHT_STATE: StateDatabase = { applicationId: APPLICATION_ID, migrations: MIGRATIONS }

export interface InsightStateOptions {
  /** The file; made with the first thing that is kept. */
  readonly path: string
  /** The real path of the vault's root. */
  readonly root: string
  readonly openDatabase: OpenDatabase
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/** A file of its own beside the record of changes: it is opened by the thread that answers, and neither may wait for, or spoil, the other. */
export function openInsightState(options: InsightStateOptions): StoredInsightState {
  return new StoredInsightState(options)
}

class StoredInsightState implements InsightState {
  readonly #options: InsightStateOptions
  #database: Database | undefined

  constructor(options: InsightStateOptions) {
    this.#options = options
  }

  communities(): Uint8Array | undefined {
    const [row] = this.#read('SELECT bytes FROM communities WHERE vault = ?')
    return row?.bytes as Uint8Array | undefined
  }

  keepCommunities(bytes: Uint8Array): void {
    attempt(() => this.#write('INSERT OR REPLACE INTO communities (vault, bytes) VALUES (?, ?)', bytes))
  }

  labels(): ReadonlyMap<string, string> {
    const rows = this.#read('SELECT community, label FROM labels WHERE vault = ?')
    return new Map(rows.map(({ community, label }) => [String(community), String(label)]))
  }

  setLabel(community: string, label: string | undefined): void {
    if (label === undefined) this.#write('DELETE FROM labels WHERE vault = ? AND community = ?', community)
    else this.#write('INSERT OR REPLACE INTO labels (vault, community, label) VALUES (?, ?, ?)', community, label)
  }

  dismissed(): ReadonlySet<string> {
    return new Set(this.#read('SELECT gap FROM dismissed WHERE vault = ?').map(({ gap }) => String(gap)))
  }

  dismiss(gap: string): void {
    const { now = Date.now } = this.#options
    this.#write('INSERT OR REPLACE INTO dismissed (vault, gap, time) VALUES (?, ?, ?)', gap, now())
  }

  restore(gap: string): boolean {
    if (!this.dismissed().has(gap)) return false
    this.#write('DELETE FROM dismissed WHERE vault = ? AND gap = ?', gap)
    return true
  }

  close(): void {
    this.#database?.close()
    this.#database = undefined
  }

  /** Rows of this vault; none where nothing was ever kept or the file cannot be read: answers do without. */
  #read(sql: string): readonly Readonly<Record<string, unknown>>[] {
    if (this.#database === undefined && !existsSync(this.#options.path)) return []
    try {
      return this.#open().prepare(sql).all(this.#options.root) as Readonly<Record<string, unknown>>[]
    } catch {
      return []
    }
  }

  #write(sql: string, ...values: readonly SqlValue[]): void {
    try {
      this.#open()
        .prepare(sql)
        .run(this.#options.root, ...values)
    } catch (cause) {
      const message = `What is kept of the vault as a whole (${this.#options.path}) cannot be written: ${String(cause)}.`
      throw new RouxError('PROVIDER_ERROR', message, {
        hint: 'See that the folder can be written. If the file was made by another version or program, move it away.',
        cause,
      })
    }
  }

  #open(): Database {
    if (this.#database !== undefined) return this.#database
    const { path, openDatabase } = this.#options
    if (!existsSync(path)) makeFolder(dirname(path), { mkdirSync, dirname })
    const database = openDatabase(path)
    try {
      prepare(database)
    } catch (error) {
      attempt(() => database.close())
      throw error
    }
    attempt(() => chmodSync(path, 0o600))
    this.#database = database
    return database
  }
}

function prepare(database: Database): void {
  database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT}`)
  if (!isOfKind(database, INSIGHT_STATE)) throw new Error('it was made by another version or program')
  migrate(database, INSIGHT_STATE)
}
