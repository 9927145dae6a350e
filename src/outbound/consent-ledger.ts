import { join } from 'node:path'
import { type OpenDatabase, openStateDatabase, type StateFormat } from '../changes/record/state-database.ts'
import type { Account, UsageRow } from '../core/chat.ts'
import { RouxError, reasonOf } from '../core/errors.ts'
import { quietly } from '../core/quietly.ts'
import { type Database, inTransaction } from '../core/sql-database.ts'
import type { Expected, Usage } from './http-client.ts'

export interface TokenLimit {
  readonly limit: number
  /** If true, only requests to other computers count, without embeddings. */
  readonly isDefault: boolean
}

export interface Reservation {
  readonly id: number
  readonly day: string
  readonly account: Account
}

export function aiStateFile(stateFolder: string): string {
  return join(stateFolder, 'ai.db')
}

/** The ASCII characters `Rox`, followed by 4. */
const APPLICATION_ID = 0x526f7804

/** There is one migration per version. Never edit a released one. */
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE consents (origin TEXT PRIMARY KEY, time INTEGER NOT NULL) STRICT;
  CREATE TABLE ledger (
    day TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    feature TEXT NOT NULL,
    location TEXT NOT NULL,
    requests INTEGER NOT NULL DEFAULT 0,
    input INTEGER NOT NULL DEFAULT 0,
    output INTEGER NOT NULL DEFAULT 0,
    estimated INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    reserved INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (day, provider, model, feature, location)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE reservations (id INTEGER PRIMARY KEY, tokens INTEGER NOT NULL) STRICT;
  `,
]

/** Milliseconds to wait for another writer. */
const BUSY_TIMEOUT = 5_000

const AI_STATE: StateFormat = {
  applicationId: APPLICATION_ID,
  migrations: MIGRATIONS,
  busyTimeout: BUSY_TIMEOUT,
  created: 'PRAGMA journal_mode = WAL',
  connected: 'PRAGMA synchronous = NORMAL',
}

/** The state of AI features, in one file per user that all processes share. */
export class AiState {
  readonly #file: string
  readonly #database: Database

  /**
   * Creates the file if it does not exist.
   * @throws RouxError `PROVIDER_ERROR` if the file cannot be used
   */
  constructor(file: string, open: OpenDatabase) {
    this.#file = file
    try {
      this.#database = openStateDatabase(file, AI_STATE, open)
    } catch (error) {
      throw unusable(file, error)
    }
  }

  /** Returns the time of the user's consent, in milliseconds since the Unix epoch. */
  consentOf(origin: string): number | undefined {
    const row = this.#database.prepare('SELECT time FROM consents WHERE origin = ?').get(origin) as { time: number } | undefined
    return row?.time
  }

  consents(): readonly { readonly origin: string; readonly time: number }[] {
    return this.#database.prepare('SELECT origin, time FROM consents ORDER BY origin').all() as { origin: string; time: number }[]
  }

  allow(origin: string, time: number): void {
    this.#database.prepare('INSERT OR IGNORE INTO consents (origin, time) VALUES (?, ?)').run(origin, time)
  }

  /** @returns `false` if there was no consent */
  revoke(origin: string): boolean {
    const isGiven = this.consentOf(origin) !== undefined
    this.#database.prepare('DELETE FROM consents WHERE origin = ?').run(origin)
    return isGiven
  }

  /**
   * Reserves the tokens that a request may use. Records nothing if the reservation would exceed the limit.
   * @returns the used tokens if the reservation would exceed the limit
   * @throws RouxError `PROVIDER_ERROR` if the request cannot be recorded
   */
  reserve(account: Account, reserving: ReserveRequest): Reservation | { readonly used: number } {
    try {
      return this.#reserve(account, reserving)
    } catch (error) {
      throw unusable(this.#file, error)
    }
  }

  #reserve(account: Account, { expected, bound, day }: ReserveRequest): Reservation | { readonly used: number } {
    const tokens = expected.input + expected.output
    return inTransaction(this.#database, () => {
      const usedToday = bound === undefined ? 0 : this.used(day, bound.isDefault)
      if (bound !== undefined && usedToday + tokens > bound.limit) return { used: usedToday }
      this.#add(day, account, { requests: 1, reserved: tokens })
      const row = this.#database.prepare('INSERT INTO reservations (tokens) VALUES (?) RETURNING id').get(tokens) as {
        id: number
      }
      return { id: row.id, day, account }
    })
  }

  /** Settles a reservation. The method never throws, so the answer is not lost. On errors, the reservation stays in effect. */
  settle(reservation: Reservation, usage: Usage): void {
    quietly(() => this.#settle(reservation, usage))
  }

  #settle({ id, day, account }: Reservation, { input, output, estimated, failed = false }: Usage): void {
    inTransaction(this.#database, () => {
      const row = this.#database.prepare('DELETE FROM reservations WHERE id = ? RETURNING tokens').get(id) as
        | { tokens: number }
        | undefined
      if (row === undefined) return
      this.#add(day, account, { input, output, estimated: estimated ? 1 : 0, failed: failed ? 1 : 0, reserved: -row.tokens })
    })
  }

  /** Returns the used tokens, including reserved ones. `isDefault` leaves out local requests and embeddings. */
  used(day: string, isDefault: boolean): number {
    const which = isDefault ? " AND location = 'remote' AND feature <> 'embed'" : ''
    const sql = `SELECT coalesce(sum(input + output + reserved), 0) AS used FROM ledger WHERE day = ?${which}`
    return (this.#database.prepare(sql).get(day) as { used: number }).used
  }

  /** Returns the usage, newest first. The day `since` is included. */
  usage(since: string): readonly UsageRow[] {
    return this.#database
      .prepare('SELECT * FROM ledger WHERE day >= ? ORDER BY day DESC, provider, model, feature')
      .all(since) as UsageRow[]
  }

  close(): void {
    this.#database.close()
  }

  #add(day: string, { provider, model, feature, location }: Account, more: Partial<Omit<UsageRow, keyof Account | 'day'>>): void {
    const columns = Object.entries(more) as [string, number][]
    const names = columns.map(([name]) => name)
    this.#database
      .prepare(
        `INSERT INTO ledger (day, provider, model, feature, location, ${names.join(', ')}) VALUES (?, ?, ?, ?, ?, ${names.map(() => '?').join(', ')})
         ON CONFLICT DO UPDATE SET ${names.map((name) => `${name} = ledger.${name} + excluded.${name}`).join(', ')}`,
      )
      .run(day, provider, model, feature, location, ...columns.map(([, value]) => value))
  }
}

export interface ReserveRequest {
  readonly expected: Expected
  /** The limit, or `undefined` if there is none. */
  readonly bound: TokenLimit | undefined
  readonly day: string
}

function unusable(file: string, cause: unknown): RouxError {
  return new RouxError('PROVIDER_ERROR', `The record of model requests cannot be used: ${file}: ${reasonOf(cause)}.`, {
    hint: 'Make its folder writable. If the file is damaged, move it away; you then have to give consent again.',
    isTransient: true,
    cause,
  })
}
