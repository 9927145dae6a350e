import type { Driver, ManagedTransaction, QueryResult, Session, Transaction } from 'neo4j-driver'
import { RouxError } from '../../../core/errors.ts'
import { explainError, isLostConnection, TIMED_OUT } from './explain-error.ts'
import type { Neo4jPlace } from './place.ts'

export type Values = Readonly<Record<string, unknown>>

/** The timeouts in milliseconds. `write` covers a whole generation, `beat` a feeder's heartbeat. */
const TIMEOUTS = { connect: 5_000, read: 20_000, write: 900_000, beat: 5_000 }

export type Timeouts = typeof TIMEOUTS

/** Milliseconds to wait after the server's own timeout, in case the network hangs. */
const GRACE = 2_000

/** Maximum attempts if the connection is lost. */
const ATTEMPTS = 3

export type Run = <T>(cypher: string, parameters?: Values) => Promise<readonly T[]>

/** A connection that loads the driver and connects on first use. Failures become RouxErrors with hints. */
export class Connection {
  readonly #place: Neo4jPlace
  readonly #timeouts: Timeouts
  #driver: Promise<Driver> | undefined
  #isClosed = false
  /** A lagging cluster member that receives bookmarks catches up before it answers. */
  #bookmarks: readonly string[] = []

  constructor(place: Neo4jPlace, timeouts = TIMEOUTS) {
    this.#place = place
    this.#timeouts = timeouts
  }

  get vault(): string {
    return this.#place.vault
  }

  get log(): Neo4jPlace['log'] {
    return this.#place.log
  }

  get origin(): Neo4jPlace['origin'] {
    return this.#place.origin
  }

  async read<T>(cypher: string, parameters: Values = {}, signal?: AbortSignal): Promise<readonly T[]> {
    return await this.#run<T>({ mode: 'READ', timeout: this.#timeouts.read, signal }, cypher, parameters)
  }

  /** Runs a statement in its own transaction, as schema changes require. */
  async write<T>(cypher: string, parameters: Values = {}): Promise<readonly T[]> {
    return await this.#run<T>({ mode: 'WRITE', timeout: this.#timeouts.write }, cypher, parameters)
  }

  /** Runs a small write that is useless if it comes late. */
  async beat<T>(cypher: string, parameters: Values = {}): Promise<readonly T[]> {
    return await this.#run<T>({ mode: 'WRITE', timeout: this.#timeouts.beat }, cypher, parameters)
  }

  async #run<T>({ mode, timeout, signal }: StatementLimits, cypher: string, parameters: Values): Promise<readonly T[]> {
    return await this.#try(signal, async () => {
      const session = await this.#session(mode)
      const run = async (): Promise<readonly T[]> => rowsOf(await session.run(...statementOf(cypher, parameters), { timeout }))
      return await this.#within(session, { timeout, signal }, run)
    })
  }

  /** Runs statements in one transaction. If the connection is lost, `work` runs again. */
  async transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const timeout = this.#timeouts.write
    return await this.#try(undefined, async () => {
      const session = await this.#session('WRITE')
      const run = async () => await session.executeWrite(async (transaction) => await work(runnerOf(transaction)), { timeout })
      return await this.#within(session, { timeout }, run)
    })
  }

  /** Opens a transaction, which the caller must commit or roll back. */
  async open(): Promise<OpenTransaction> {
    const timeout = this.#timeouts.write
    return await this.#try(undefined, async () => {
      const session = await this.#session('WRITE')
      const transaction = await this.#inTime({ timeout }, async () => await session.beginTransaction({ timeout }))
      const explained = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await this.#inTime({ timeout }, work)
        } catch (error) {
          session.close().catch(() => {})
          throw explainError(error, this.#place)
        }
      }
      const runner = runnerOf(transaction)
      return {
        run: (cypher, parameters) => explained(() => runner(cypher, parameters)),
        commit: () =>
          explained(async () => {
            await transaction.commit()
            this.#bookmarks = session.lastBookmarks()
            await session.close()
          }),
        rollback: () =>
          explained(async () => {
            await transaction.rollback()
            await session.close()
          }),
      }
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const driver = await this.#driver?.catch(() => undefined)
    await driver?.close()
  }

  async #session(mode: 'READ' | 'WRITE'): Promise<Session> {
    if (this.#isClosed) throw new RouxError('STORE_UNAVAILABLE', 'The connection to Neo4j has been closed.')
    this.#driver ??= this.#connect()
    const driver = await this.#driver.catch((error: unknown) => {
      this.#driver = undefined
      throw error
    })
    const { database } = this.#place
    return driver.session({
      defaultAccessMode: mode,
      ...(database === '' ? undefined : { database }),
      bookmarks: [...this.#bookmarks],
    })
  }

  async #connect(): Promise<Driver> {
    const neo4j = await loadDriver()
    const { url, user, password } = this.#place
    const { connect } = this.#timeouts
    requireAddress(url)
    return neo4j.driver(url, neo4j.auth.basic(user, password), {
      disableLosslessIntegers: true,
      connectionTimeout: connect,
      connectionAcquisitionTimeout: 2 * connect,
      maxTransactionRetryTime: connect,
      telemetryDisabled: true,
    })
  }

  async #try<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      try {
        return await work()
      } catch (error) {
        if (signal?.aborted === true) throw signal.reason
        if (!isLostConnection(error) || attempt === ATTEMPTS) throw explainError(error, this.#place)
      }
    }
  }

  async #within<T>(session: Session, limits: Limits, work: () => Promise<T>): Promise<T> {
    try {
      const answer = await this.#inTime(limits, work)
      this.#bookmarks = session.lastBookmarks()
      return answer
    } finally {
      // The session of an abandoned query ends only with its connection, so nothing waits for it.
      session.close().catch(() => {})
    }
  }

  /** Runs `work`, and rejects on abort or timeout. */
  async #inTime<T>({ timeout, signal }: Limits, work: () => Promise<T>): Promise<T> {
    const driver = this.#driver
    let stop: (() => void) | undefined
    const closed = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => {
        this.#giveUp(driver)
        reject(Object.assign(new Error('no answer in time'), { code: TIMED_OUT }))
      }, timeout + GRACE)
      const onAbort = (): void => reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
      stop = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
    })
    try {
      return await Promise.race([work(), closed])
    } finally {
      stop?.()
    }
  }

  /** Closes all connections to a server that does not respond. The next query opens new ones. */
  #giveUp(driver: Promise<Driver> | undefined): void {
    if (this.#driver === driver) this.#driver = undefined
    driver?.then((unused) => unused.close()).catch(() => {})
  }
}

/** Matches schemes of addresses. `+s` stands for TLS, `+ssc` for TLS with any certificate. */
const SCHEME = /^(?:bolt|neo4j)(?:\+s|\+ssc)?:$/

/** The address may contain a password, so do not quote it. @throws RouxError `STORE_UNAVAILABLE` if the address is invalid */
function requireAddress(url: string): void {
  if (URL.canParse(url) && SCHEME.test(new URL(url).protocol)) return
  throw new RouxError('STORE_UNAVAILABLE', 'store.neo4j.url is not the address of a Neo4j server.', {
    hint: 'Write it as bolt://host:7687, or neo4j://host:7687 for a cluster; for TLS use bolt+s or neo4j+s.',
  })
}

interface Limits {
  readonly timeout: number
  readonly signal?: AbortSignal | undefined
}

interface StatementLimits extends Limits {
  readonly mode: 'READ' | 'WRITE'
}

export interface OpenTransaction {
  readonly run: Run
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Puts all parameters into one map. Otherwise, a parameter of another type or length would make the database plan again. */
function statementOf(cypher: string, values: Values): [cypher: string, parameters: Values] {
  return [cypher.replaceAll(/\$(\w+)/g, '$$given.$1'), { given: values }]
}

function rowsOf<T>({ records }: QueryResult): readonly T[] {
  return records.map((record) => record.toObject() as T)
}

function runnerOf(transaction: Transaction | ManagedTransaction): Run {
  return async <T>(cypher: string, parameters: Values = {}) =>
    rowsOf<T>(await transaction.run(...statementOf(cypher, parameters)))
}

export type Neo4j = Pick<typeof import('neo4j-driver'), 'driver' | 'auth'>

/** @throws RouxError `STORE_UNAVAILABLE` with the command to install the driver */
async function loadDriver(): Promise<Neo4j> {
  try {
    return await import('neo4j-driver')
  } catch (cause) {
    throw new RouxError('STORE_UNAVAILABLE', 'The package neo4j-driver is not installed.', {
      hint: 'Run `npm install neo4j-driver@6` where Roux is installed (`npm install -g neo4j-driver@6` for a global one).',
      cause,
    })
  }
}
