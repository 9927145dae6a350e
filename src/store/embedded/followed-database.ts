import { RouxError } from '../../core/errors.ts'
import type { Database, Statement } from '../../core/sql-database.ts'
import { attempt, hasTables, readAtOnce } from './database-file.ts'
import { databasePath, identityOf, type Location } from './location.ts'
import { isDamage, openSqlite } from './sqlite.ts'

/** How late it may be noticed that another process has replaced the file, ms. */
const SAME_LIFE = 20

interface FollowedOptions<T> {
  /** Its name in messages. */
  readonly name: string
  /** Size of the page cache in KB. */
  readonly cache: number
  /** Checks the database and prepares its statements. @throws DamagedIndex */
  prepare(database: Database): T
  /** Forgets what was read: another database takes its place. */
  forget(): void
  /** The database is damaged: has it built again. */
  onDamage?: (() => void) | undefined
}

type Opened<T> = T & { readonly database: Database; readonly identity: string; readonly version: Statement }

/** A database that another thread or process writes, and may replace, for one that only reads it. */
export class FollowedDatabase<T extends object> {
  readonly #options: FollowedOptions<T>
  #location: Location
  #opened: Opened<T> | undefined
  /** Skip the identity check until this time (`performance.now()`). */
  #sameUntil = 0
  /** The version that was loaded last. */
  #version = Number.NaN
  #isDamaged = false

  constructor(location: Location, options: FollowedOptions<T>) {
    this.#location = location
    this.#options = options
  }

  get location(): Location {
    return this.#location
  }

  /** It was found damaged, and there is no other yet. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  /** The database that was opened last. */
  get opened(): Opened<T> | undefined {
    return this.#opened
  }

  /** Opens the database that is there now; `undefined` where nothing was written yet. @throws what `prepare` throws */
  open(): Opened<T> | undefined {
    // Skipped for a while after a check: calls read several times, and a check of the file takes as long as the rest of a refresh
    // that finds nothing new.
    const now = performance.now()
    if (this.#opened !== undefined && now < this.#sameUntil) return this.#opened
    const identity = identityOf(this.#location)
    this.#sameUntil = now + SAME_LIFE
    if (this.#opened !== undefined) {
      // If the cache folder was emptied, the open file stays valid until there is a new index.
      if (identity === undefined || identity === this.#opened.identity) return this.#opened
      this.reopen()
    }
    if (identity !== undefined) this.#opened = this.#openAs(identity)
    return this.#opened
  }

  #openAs(identity: string): Opened<T> | undefined {
    const { cache, prepare } = this.#options
    const database = openSqlite(databasePath(this.#location))
    try {
      // An in-memory database exists as soon as it is opened.
      if (this.#location.kind === 'memory' && !hasTables(database)) {
        database.close()
        return undefined
      }
      database.exec(`PRAGMA query_only = 1; PRAGMA cache_size = -${cache}`)
      return { ...prepare(database), database, identity, version: database.prepare('PRAGMA data_version') }
    } catch (error) {
      database.close()
      throw error
    }
  }

  /** Something was committed or replaced: the next `open` looks at the file itself. */
  doubt(): void {
    this.#sameUntil = 0
  }

  /**
   * A number that changes with each commit of another connection. It takes 3 µs. In memory that threads share SQLite does not count them:
   * there it is NaN, which is never the same.
   */
  version({ version }: Opened<T>): number {
    return this.#location.kind === 'file' ? (version.get() as { data_version: number }).data_version : Number.NaN
  }

  /** Loads in one transaction what was committed since the last time; `undefined` if nothing was. */
  load<R>(load: (open: Opened<T>) => R): R | undefined {
    const open = this.open()
    if (open === undefined || this.version(open) === this.#version) return undefined
    return readAtOnce(open.database, () => this.loadWithin(open, load))
  }

  /** The same within a transaction. */
  loadWithin<R>(open: Opened<T>, load: (open: Opened<T>) => R): R | undefined {
    // The first read fixes the snapshot.
    const version = this.version(open)
    if (version === this.#version) return undefined
    const loaded = load(open)
    this.#version = version
    return loaded
  }

  /** Damage is never an answer: it is reported once, and until there is another database there is none. */
  guard<R>(read: () => R): R {
    if (this.#isDamaged) throw this.#beingRebuilt()
    try {
      const result = read()
      return result instanceof Promise ? (result.catch((error) => this.#fail(error)) as R) : result
    } catch (error) {
      return this.#fail(error)
    }
  }

  #fail(error: unknown): never {
    if (!isDamage(error)) throw error
    // Of two concurrent reads, only one reports the damage.
    if (!this.#isDamaged) {
      this.#isDamaged = true
      this.reopen()
      this.#options.onDamage?.()
    }
    throw this.#beingRebuilt(error)
  }

  #beingRebuilt(cause?: unknown): RouxError {
    return new RouxError('STORE_UNAVAILABLE', `The ${this.#options.name} was damaged and is being built again.`, {
      hint: 'Call again: the next answer waits for it.',
      cause,
    })
  }

  /** Drops everything that was read. With a location, another database was built there. */
  reopen(location?: Location): void {
    this.close()
    if (location !== undefined) {
      this.#location = location
      this.#isDamaged = false
    }
    this.#version = Number.NaN
    this.#options.forget()
  }

  /** Gives up pages that were read. */
  rest(): void {
    attempt(() => this.#opened?.database.exec('PRAGMA shrink_memory'))
  }

  close(): void {
    const open = this.#opened
    this.#opened = undefined
    open?.database.close()
  }
}
