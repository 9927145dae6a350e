import { RouxError } from '../../core/errors.ts'
import type { Indexing, IndexStatus } from '../../core/indexing.ts'
import type { GraphLog } from '../../core/insight/graph-changes.ts'
import type { Mode } from '../../core/note.ts'
import type { Snapshot, Store } from '../../core/store.ts'
import type { Texts } from '../../core/texts.ts'
import { graphLogOf } from './graph-log.ts'
import { Neo4jStore } from './open-store.ts'
import type { VaultFacts } from './questions.ts'
import { Connection } from './server/connection.ts'
import type { Neo4jPlace } from './server/place.ts'

/** A vault that is answered for from the database alone: its folder is elsewhere. */
export interface StoredVault {
  readonly store: Store
  readonly texts: Texts
  readonly indexing: Indexing
  readonly graphLog: GraphLog
  /** True if someone follows the folder, who also computes what rests on the vault as a whole. */
  isFollowed(): boolean
}

/** `name` is part of every id, where one process serves several vaults. */
export function openStoredVault(place: Neo4jPlace, name?: string): StoredVault {
  const connection = new Connection(place)
  const store = new FedStore(connection, name)
  const indexing = new FeedStatus(store, connection, place)
  return {
    store,
    // Outside of a use case, whose snapshot has texts of its own.
    texts: {
      read: (versions, signal) =>
        store.read(async (snapshot) => (await snapshot.texts?.(versions.map(({ id }) => id))) ?? [], signal),
    },
    indexing,
    graphLog: { ...graphLogOf(connection), now: () => store.now() },
    isFollowed: () => isFollowed(store.facts),
  }
}

/** A store of a vault that another process feeds; reading a vault that was never fed is an error. */
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

/** Names no other vaults of the database, because the caller may have no right to them. */
function unknownVault(vault: string): RouxError {
  return new RouxError('VAULT_NOT_FOUND', `The database has no vault "${vault}".`, {
    hint: 'Feed it where its folder is: roux index <folder> --store neo4j.',
  })
}

/** Answers carry a warning once the feeder was silent for this long, ms. */
const SILENCE = 60_000

function isFollowed(facts: VaultFacts | undefined): boolean {
  return facts !== undefined && facts.heard !== null && facts.now - facts.heard < SILENCE
}

/** How long nothing was heard of the feeder, and nothing was fed, seconds; `undefined` where no feeder is expected, or for less than a minute. */
function silenceOf({ heard, fed, now }: VaultFacts): number | undefined {
  if (heard === null) return undefined
  const silent = now - Math.max(heard, fed ?? 0)
  return silent < SILENCE ? undefined : Math.round(silent / 1_000)
}

/** What is known of the feeding of a vault, as answers and people are told of indexing. It changes nothing. */
class FeedStatus implements Indexing {
  readonly #store: FedStore
  readonly #connection: Connection
  readonly #place: Neo4jPlace
  #search: IndexStatus['search']
  /** The state that `#search` was counted of. */
  #counted = ''

  constructor(store: FedStore, connection: Connection, place: Neo4jPlace) {
    this.#store = store
    this.#connection = connection
    this.#place = place
  }

  status(): IndexStatus {
    const { facts } = this.#store
    const base = { done: 0, total: 0, cache: 'disk', watch: 'events', file: this.#place.file } as const
    if (facts === undefined) return { ...base, phase: 'idle' }
    const { fed, now, mode } = facts
    const silent = silenceOf(facts)
    return {
      ...base,
      phase: 'idle',
      ...(mode === null ? {} : { mode: mode as Mode }),
      ...(this.#search === undefined ? {} : { search: this.#search }),
      ...(fed === null
        ? {}
        : { feed: { age: Math.max(0, Math.round((now - fed) / 1_000)), ...(silent === undefined ? {} : { silent }) } }),
    }
  }

  begin(): void {
    this.#store.planAhead()
  }

  /** @throws RouxError `STORE_UNAVAILABLE` */
  async ready(_timeout: number, signal?: AbortSignal): Promise<boolean> {
    const known = this.#store.facts
    // The feeder may have come back.
    const facts = known === undefined || silenceOf(known) !== undefined ? await this.#store.refresh(signal) : known
    const state = `${facts?.generation} ${facts?.searchWrites}`
    if (facts === undefined || state === this.#counted) return true
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
    this.#counted = state
    if (counts === undefined) return true
    const { total, words, vectors, embedder } = counts
    this.#search = {
      words: { done: Math.min(words, total), total },
      ...(embedder === null ? {} : { vectors: { done: Math.min(vectors, total), total, embedder } }),
    }
    return true
  }

  async findable(): Promise<boolean> {
    return true
  }

  isBehind(): boolean {
    return false
  }

  async caughtUp(): Promise<boolean> {
    return true
  }

  async reconcile(): Promise<void> {}

  onStatus(): () => void {
    return () => {}
  }

  async close(): Promise<void> {}
}
