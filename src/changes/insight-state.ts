import { providerError } from '../core/errors.ts'
import type { InsightState } from '../core/insight/insight.ts'
import { quietly } from '../core/quietly.ts'
import type { SqlValue } from '../core/sql-database.ts'
import type { ChangesOptions } from './open-changes.ts'
import { StateFile, type StateFormat } from './record/state-database.ts'

/** The ASCII characters `Rox`, followed by 3. */
const APPLICATION_ID = 0x526f7803
/** Milliseconds to wait for another writer. */
const BUSY_TIMEOUT = 2_000

/** There is one migration per version. Never edit a released one. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE communities (vault TEXT PRIMARY KEY, bytes BLOB NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE labels (vault TEXT NOT NULL, community TEXT NOT NULL, label TEXT NOT NULL, PRIMARY KEY (vault, community)) STRICT, WITHOUT ROWID;
  CREATE TABLE dismissed (vault TEXT NOT NULL, gap TEXT NOT NULL, time INTEGER NOT NULL, PRIMARY KEY (vault, gap)) STRICT, WITHOUT ROWID;
  `,
]

const INSIGHT_STATE: StateFormat = { applicationId: APPLICATION_ID, migrations: MIGRATIONS, busyTimeout: BUSY_TIMEOUT }

export interface InsightStateOptions extends Pick<ChangesOptions, 'root' | 'openDatabase' | 'now'> {
  /** The path of the database, which the first write creates. */
  readonly path: string
}

/** A separate file, because this thread must not block or damage the record of changes. */
export function openInsightState(options: InsightStateOptions): StoredInsightState {
  return new StoredInsightState(options)
}

class StoredInsightState implements InsightState {
  readonly #options: InsightStateOptions
  readonly #file: StateFile

  constructor(options: InsightStateOptions) {
    this.#options = options
    this.#file = new StateFile(options.path, INSIGHT_STATE, options.openDatabase)
  }

  communities(): Uint8Array | undefined {
    const [row] = this.#read('SELECT bytes FROM communities WHERE vault = ?')
    return row?.bytes as Uint8Array | undefined
  }

  keepCommunities(bytes: Uint8Array): void {
    quietly(() => this.#write('INSERT OR REPLACE INTO communities (vault, bytes) VALUES (?, ?)', bytes))
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
    this.#file.close()
  }

  /** Returns this vault's rows. There are none if nothing has been saved or the file cannot be read. */
  #read(sql: string): readonly Readonly<Record<string, unknown>>[] {
    return (
      quietly(
        () => (this.#file.openExisting()?.prepare(sql).all(this.#options.root) ?? []) as Readonly<Record<string, unknown>>[],
      ) ?? []
    )
  }

  #write(sql: string, ...values: readonly SqlValue[]): void {
    try {
      this.#file
        .open()
        .prepare(sql)
        .run(this.#options.root, ...values)
    } catch (cause) {
      const message = `The analysis of the vault cannot be saved in ${this.#options.path}: ${String(cause)}.`
      throw providerError(
        message,
        'Make the folder writable. If another version or program created the file, move it away.',
        cause,
      )
    }
  }
}
