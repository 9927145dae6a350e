import type { Driver, ManagedTransaction, Session, Transaction } from 'neo4j-driver'
import { RouxError } from '../../core/errors.ts'
import { explainError, isLostConnection, TIMED_OUT } from './explain-error.ts'
import { loadDriver } from './load-driver.ts'
import type { Neo4jPlace } from './place.ts'

export type Values = Readonly<Record<string, unknown>>

/** How long is waited, ms: for a connection, for an answer, and for a whole generation to be written. */
const TIMEOUTS = { connect: 5_000, read: 20_000, write: 900_000 }
/** How much later than the server we give up ourselves: a network that hangs never answers. */
const GRACE = 2_000
/** How often a question is asked again whose connection was lost. */
const ATTEMPTS = 3

/** Runs one statement. */
export type Run = <T>(cypher: string, parameters?: Values) => Promise<readonly T[]>

/** A way to one database; nothing is loaded or connected before it is used. What fails is a RouxError that says what to do. */
export class Connection {
  readonly #place: Neo4jPlace
  #driver: Promise<Driver> | undefined
  #isClosed = false
  /** What was read or written last: members of a cluster that are behind wait for it. */
  #bookmarks: readonly string[] = []

  constructor(place: Neo4jPlace) {
    this.#place = place
  }

  get vault(): string {
    return this.#place.vault
  }

  get origin(): Neo4jPlace['origin'] {
    return this.#place.origin
  }

  /** One question, answered by any member of a cluster. */
  async read<T>(cypher: string, parameters: Values = {}, signal?: AbortSignal): Promise<readonly T[]> {
    return await this.#try(signal, async () => {
      const session = await this.#session('READ')
      return await this.#within(
        session,
        { timeout: TIMEOUTS.read, signal },
        async () => await asked<T>(session, cypher, parameters),
      )
    })
  }

  /** One statement that changes something and is a transaction of its own; schema, too. */
  async write<T>(cypher: string, parameters: Values = {}): Promise<readonly T[]> {
    return await this.#try(undefined, async () => {
      const session = await this.#session('WRITE')
      const run = async () => await asked<T>(session, cypher, parameters, TIMEOUTS.write)
      return await this.#within(session, { timeout: TIMEOUTS.write }, run)
    })
  }

  /** Several statements that become visible together; tried again as a whole where a connection is lost. */
  async transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    return await this.#try(undefined, async () => {
      const session = await this.#session('WRITE')
      const run = async () =>
        await session.executeWrite(async (transaction) => await work(runnerOf(transaction)), { timeout: TIMEOUTS.write })
      return await this.#within(session, { timeout: TIMEOUTS.write }, run)
    })
  }

  /** A transaction that is open until it is committed or given up. */
  async open(): Promise<OpenTransaction> {
    return await this.#try(undefined, async () => {
      const session = await this.#session('WRITE')
      const transaction = await session.beginTransaction({ timeout: TIMEOUTS.write })
      const explained = async <T>(work: () => Promise<T>): Promise<T> => {
        try {
          return await work()
        } catch (error) {
          await session.close().catch(() => {})
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
    if (this.#isClosed) throw new RouxError('STORE_UNAVAILABLE', 'The connection to Neo4j was closed.')
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
    return neo4j.driver(url, neo4j.auth.basic(user, password), {
      disableLosslessIntegers: true,
      connectionTimeout: TIMEOUTS.connect,
      connectionAcquisitionTimeout: 2 * TIMEOUTS.connect,
      maxTransactionRetryTime: TIMEOUTS.connect,
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

  /** Ends with the signal, or when the server should long have answered. */
  async #within<T>(
    session: Session,
    { timeout, signal }: { readonly timeout: number; readonly signal?: AbortSignal | undefined },
    work: () => Promise<T>,
  ): Promise<T> {
    let stop: (() => void) | undefined
    const ended = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(Object.assign(new Error('no answer in time'), { code: TIMED_OUT })), timeout + GRACE)
      const onAbort = (): void => reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
      stop = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
    })
    try {
      const answer = await Promise.race([work(), ended])
      this.#bookmarks = session.lastBookmarks()
      return answer
    } finally {
      stop?.()
      // It is waited for by no one: a session whose question was given up ends when its connection does.
      session.close().catch(() => {})
    }
  }
}

export interface OpenTransaction {
  readonly run: Run
  commit(): Promise<void>
  rollback(): Promise<void>
}

async function asked<T>(session: Session, cypher: string, parameters: Values, timeout = TIMEOUTS.read): Promise<readonly T[]> {
  const { records } = await session.run(cypher, parameters, { timeout })
  return records.map((record) => record.toObject() as T)
}

function runnerOf(transaction: Transaction | ManagedTransaction): Run {
  return async <T>(cypher: string, parameters: Values = {}) => {
    const { records } = await transaction.run(cypher, parameters)
    return records.map((record) => record.toObject() as T)
  }
}
