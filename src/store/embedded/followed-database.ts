import { RouxError } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import type { Database, Statement } from '../../core/sql-database.ts'
import { hasTables, readAtOnce } from './database-file.ts'
import { databasePath, identityOf, type Location } from './location.ts'
import { isDamage, openBetweenWrites, openSqlite } from './sqlite.ts'

/** How often to check whether the file has been replaced, in milliseconds. */
const SAME_LIFE = 20

interface FollowedOptions<T> {
  readonly name: string
  /** Size of the page cache in KB. */
  readonly cache: number
  /** Checks the database and prepares its statements. @throws DamagedIndex */
  prepare(database: Database): T
  /** Discards everything that has been read, because the database has been replaced. */
  forget(): void
  /** Called when the database turns out to be damaged and must be rebuilt. */
  onDamage?: (() => void) | undefined
}

type Opened<T> = T & { readonly database: Database; readonly identity: string; readonly version: Statement }

/** Read-only access to a database that another thread or process writes, and may replace. */
export class FollowedDatabase<T extends object> {
  readonly #options: FollowedOptions<T>
  #location: Location
  #opened: Opened<T> | undefined
  /** Skip the check of the file's identity until this time (`performance.now()`). */
  #sameUntil = 0
  /** The last database version that was loaded. */
  #version = Number.NaN
  #isDamaged = false

  constructor(location: Location, options: FollowedOptions<T>) {
    this.#location = location
    this.#options = options
  }

  get location(): Location {
    return this.#location
  }

  /** True if the database was found to be damaged and has not been replaced yet. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  get opened(): Opened<T> | undefined {
    return this.#opened
  }

  /**
   * Opens the current database. Returns `undefined` if nothing has been written yet.
   * @throws the errors of `prepare`
   */
  open(): Opened<T> | undefined {
    // Do not check again right away. A call reads several times, and a check doubles the time of a refresh that finds nothing new.
    const now = performance.now()
    if (this.#opened !== undefined && now < this.#sameUntil) return this.#opened
    const identity = identityOf(this.#location)
    this.#sameUntil = now + SAME_LIFE
    if (this.#opened !== undefined) {
      // If the cache folder has been emptied, keep using the open file until there is a new index.
      if (identity === undefined || identity === this.#opened.identity) return this.#opened
      this.reopen()
    }
    if (identity !== undefined) this.#opened = this.#openAs(identity)
    return this.#opened
  }

  #openAs(identity: string): Opened<T> | undefined {
    const { cache, prepare } = this.#options
    const path = databasePath(this.#location)
    const database = this.#location.kind === 'memory' ? openBetweenWrites(path) : openSqlite(path)
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

  /** Makes the next `open` check the file. Call it when something has been committed or replaced. */
  doubt(): void {
    this.#sameUntil = 0
  }

  /**
   * Returns a number that changes whenever another connection commits, in 3 µs. For an in-memory database that threads share,
   * SQLite does not count commits, so the result is NaN, which never equals the previous number.
   */
  version({ version }: Opened<T>): number {
    return this.#location.kind === 'file' ? (version.get() as { data_version: number }).data_version : Number.NaN
  }

  /** Loads what has been committed since the last load, in one transaction. Returns `undefined` if there is nothing new. */
  load<R>(load: (open: Opened<T>) => R): R | undefined {
    const open = this.open()
    if (open === undefined || this.version(open) === this.#version) return undefined
    return readAtOnce(open.database, () => this.loadWithin(open, load))
  }

  /** Like `load`, but within an existing transaction. */
  loadWithin<R>(open: Opened<T>, load: (open: Opened<T>) => R): R | undefined {
    // The first read determines the snapshot.
    const version = this.version(open)
    if (version === this.#version) return undefined
    const contents = load(open)
    this.#version = version
    return contents
  }

  /** Runs a read. If it finds damage, `onDamage` is called once, and all reads throw until the database has been replaced. */
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
    // If several concurrent reads find damage, only one reports it.
    if (!this.#isDamaged) {
      this.#isDamaged = true
      this.reopen()
      this.#options.onDamage?.()
    }
    throw this.#beingRebuilt(error)
  }

  #beingRebuilt(cause?: unknown): RouxError {
    return new RouxError('STORE_UNAVAILABLE', `The ${this.#options.name} was damaged and is being rebuilt.`, {
      hint: 'Call again; the next call waits until it has been rebuilt.',
      cause,
    })
  }

  /** Discards everything that has been read. `location` is given if a new database has been built. */
  reopen(location?: Location): void {
    this.close()
    if (location !== undefined) {
      this.#location = location
      this.#isDamaged = false
    }
    this.#version = Number.NaN
    this.#options.forget()
  }

  /** Releases cached pages. */
  rest(): void {
    quietly(() => this.#opened?.database.exec('PRAGMA shrink_memory'))
  }

  close(): void {
    const open = this.#opened
    this.#opened = undefined
    open?.database.close()
  }
}
