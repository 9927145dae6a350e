import { RouxError } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import type { Database, Statement } from '../../core/sql-database.ts'
import { hasTables, readAtOnce } from './database-file.ts'
import { databasePath, identityOf, type Location } from './location.ts'
import { isDamage, openBetweenWrites, openSqlite } from './sqlite.ts'

/** Milliseconds between checks for a replaced file. */
const SAME_LIFE = 20

interface FollowedOptions<T> {
  readonly name: string
  /** The size of the page cache in KB. */
  readonly cache: number
  /** @throws DamagedIndex */
  prepare(database: Database): T
  /** A callback that drops cached data when the file has been replaced. */
  forget(): void
  /** A callback that runs once when a read finds damage. */
  onDamage?: (() => void) | undefined
}

type Opened<T> = T & { readonly database: Database; readonly identity: string; readonly version: Statement }

/** A read-only connection to a database that another thread or process writes and may replace. */
export class FollowedDatabase<T extends object> {
  readonly #options: FollowedOptions<T>
  #location: Location
  #opened: Opened<T> | undefined
  /** The file's identity is not checked before this time (`performance.now()`). */
  #sameUntil = 0
  /** The `data_version` at the last load. */
  #version = Number.NaN
  #isDamaged = false

  constructor(location: Location, options: FollowedOptions<T>) {
    this.#location = location
    this.#options = options
  }

  get location(): Location {
    return this.#location
  }

  /** True until a damaged file is replaced. */
  get isDamaged(): boolean {
    return this.#isDamaged
  }

  get opened(): Opened<T> | undefined {
    return this.#opened
  }

  /** @returns `undefined` before the first commit @throws the errors of `prepare` */
  open(): Opened<T> | undefined {
    // The identity is not checked each time, because that doubles the time of an idle refresh, and a call refreshes several
    // times.
    const now = performance.now()
    if (this.#opened !== undefined && now < this.#sameUntil) return this.#opened
    const identity = identityOf(this.#location)
    this.#sameUntil = now + SAME_LIFE
    if (this.#opened !== undefined) {
      // If the cache folder has been emptied, the open file remains usable.
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
      // Opening an in-memory database creates it, so an empty one does not count as an index.
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

  /** Makes the next `open` check the file's identity. */
  checkIdentityNext(): void {
    this.#sameUntil = 0
  }

  /**
   * Returns a number that changes whenever another connection commits, or NaN for shared in-memory databases, whose
   * `data_version` never changes.
   */
  version({ version }: Opened<T>): number {
    return this.#location.kind === 'file' ? (version.get() as { data_version: number }).data_version : Number.NaN
  }

  /** Reads new commits in one transaction. @returns `undefined` if there are none */
  load<R>(load: (open: Opened<T>) => R): R | undefined {
    const open = this.open()
    if (open === undefined || this.version(open) === this.#version) return undefined
    return readAtOnce(open.database, () => this.loadWithin(open, load))
  }

  /** Works like `load`, within an open transaction. */
  loadWithin<R>(open: Opened<T>, load: (open: Opened<T>) => R): R | undefined {
    // The version is read first, because the first read of a transaction determines its snapshot.
    const version = this.version(open)
    if (version === this.#version) return undefined
    const contents = load(open)
    this.#version = version
    return contents
  }

  /** Runs a read. Once a read has found damage, all reads throw until the file is replaced. */
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
    // If several reads fail, only the first one reports the damage.
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

  /** @param location the new file, if the database has been rebuilt elsewhere */
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
  releaseMemory(): void {
    quietly(() => this.#opened?.database.exec('PRAGMA shrink_memory'))
  }

  close(): void {
    const open = this.#opened
    this.#opened = undefined
    open?.database.close()
  }
}
