import { RouxError } from '../../core/errors.ts'
import type { Indexing, IndexStatus } from '../../core/indexing.ts'
import type { GraphLog } from '../../core/insight/graph-changes.ts'
import type { Mode } from '../../core/note.ts'
import type { Snapshot, Store } from '../../core/store.ts'
import type { Texts } from '../../core/texts.ts'
import { Neo4jStore } from './open-store.ts'
import type { VaultFacts } from './questions.ts'
import { Connection } from './server/connection.ts'
import type { Neo4jPlace } from './server/place.ts'
import { graphLogOf } from './shared-state.ts'

export interface StoredVault {
  readonly store: Store
  readonly texts: Texts
  readonly indexing: Indexing
  readonly graphLog: GraphLog
  /** Returns true if another process watches the folder. That process also computes the insight. */
  isFollowed(): boolean
}

/** @param name prefix of every id; omitted if there is only one vault */
export function openStoredVault(place: Neo4jPlace, name?: string): StoredVault {
  const connection = new Connection(place)
  const store = new FedStore(connection, name)
  const indexing = new FeedStatus(store, connection, place)
  return {
    store,
    // Reads texts outside of use cases. Within them, snapshots read the text.
    texts: {
      read: (versions, signal) =>
        store.read(async (snapshot) => (await snapshot.texts?.(versions.map(({ id }) => id))) ?? [], signal),
    },
    indexing,
    graphLog: { ...graphLogOf(connection), now: () => store.now() },
    isFollowed: () => isFollowed(store.facts),
  }
}

/** A store that another process feeds. Reading a vault that has never been fed is an error. */
class FedStore extends Neo4jStore {
  readonly #vault: string

  constructor(connection: Connection, name: string | undefined) {
    super(connection, name, { hasTexts: true })
    this.#vault = connection.vault
  }

  override async read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return await super.read(async (snapshot) => {
      if (this.facts === undefined) throw unknownVault(this.#vault)
      return await use(snapshot)
    }, signal)
  }
}

/** Returns an error that does not list other vaults, because the caller may not be allowed to know them. */
function unknownVault(vault: string): RouxError {
  return new RouxError('VAULT_NOT_FOUND', `The database has no vault "${vault}".`, {
    hint: 'Feed it where its folder is: roux index <folder> --store neo4j.',
  })
}

/** After this many milliseconds without a heartbeat, results have a warning. */
const SILENCE_TIMEOUT = 60_000

function isFollowed(facts: VaultFacts | undefined): boolean {
  return facts !== undefined && facts.heartbeatAt !== null && facts.now - facts.heartbeatAt < SILENCE_TIMEOUT
}

/** Returns the seconds without a heartbeat, or `undefined` below a minute, or if there is no feeder. */
function silenceOf({ heartbeatAt, committedAt, now }: VaultFacts): number | undefined {
  if (heartbeatAt === null) return undefined
  const silent = now - Math.max(heartbeatAt, committedAt ?? 0)
  return silent < SILENCE_TIMEOUT ? undefined : Math.round(silent / 1_000)
}

/** The status of a vault that another process feeds. Its methods change nothing. */
class FeedStatus implements Indexing {
  readonly #store: FedStore
  readonly #connection: Connection
  readonly #place: Neo4jPlace
  #search: IndexStatus['search']
  /** The vault state for which `#search` was counted. */
  #countedState = ''

  constructor(store: FedStore, connection: Connection, place: Neo4jPlace) {
    this.#store = store
    this.#connection = connection
    this.#place = place
  }

  status(): IndexStatus {
    const { facts } = this.#store
    const base = { done: 0, total: 0, cache: 'disk', watch: 'events', file: this.#place.file } as const
    if (facts === undefined) return { ...base, phase: 'idle' }
    const { committedAt, now, mode } = facts
    const silent = silenceOf(facts)
    return {
      ...base,
      phase: 'idle',
      ...(mode === null ? {} : { mode: mode as Mode }),
      ...(this.#search === undefined ? {} : { search: this.#search }),
      ...(committedAt === null
        ? {}
        : { feed: { age: Math.max(0, Math.round((now - committedAt) / 1_000)), ...(silent === undefined ? {} : { silent }) } }),
    }
  }

  begin(): void {
    this.#store.planAhead()
  }

  /** Checks that the vault can be read. @throws RouxError `STORE_UNAVAILABLE` */
  async ready(_timeout: number, signal?: AbortSignal): Promise<boolean> {
    const current = this.#store.facts
    // The feeder may have come back by now.
    const facts = current === undefined || silenceOf(current) !== undefined ? await this.#store.refresh(signal) : current
    const state = `${facts?.generation} ${facts?.searchWrites}`
    if (facts === undefined || state === this.#countedState) return true
    const [counts] = await this.#connection.read<{
      readonly total: number
      readonly words: number
      readonly vectors: number
      readonly embedder: string | null
    }>(
      `CALL () { MATCH (f:RouxFile {vault: $vault})
                 WHERE f.folded STARTS WITH '' AND f.kind <> 'attachment' AND NOT f.excluded AND f.hash <> '' RETURN count(f) AS total }
       CALL () { MATCH (w:RouxWords {vault: $vault}) WHERE w.key >= 0 RETURN count(w) AS words }
       CALL () { OPTIONAL MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder > '' WITH e ORDER BY e.used DESC LIMIT 1
                 RETURN e.embedder AS embedder,
                        COUNT { MATCH (n:RouxVectors {vault: $vault, embedder: e.embedder}) WHERE n.key >= 0 } AS vectors }
       RETURN total, words, vectors, embedder`,
      { vault: this.#connection.vault },
      signal,
    )
    this.#countedState = state
    if (counts === undefined) return true
    const { total, words, vectors, embedder } = counts
    this.#search = {
      words: { done: Math.min(words, total), total },
      // There is no recorded embedder before the first vector.
      ...(embedder === null && total > 0
        ? {}
        : { vectors: { done: Math.min(vectors, total), total, ...(embedder === null ? {} : { embedder }) } }),
    }
    return true
  }

  async awaitFindable(): Promise<boolean> {
    return true
  }

  isBehind(): boolean {
    return false
  }

  async awaitCaughtUp(): Promise<boolean> {
    return true
  }

  async awaitUpToDate(): Promise<void> {}

  async reconcile(): Promise<void> {}

  onStatus(): () => void {
    return () => {}
  }

  async close(): Promise<void> {}
}
