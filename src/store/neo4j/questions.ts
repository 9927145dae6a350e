import { RouxError, SnapshotOutdated } from '../../core/errors.ts'
import type { NodeId } from '../../core/ids.ts'
import type { Page } from '../../core/store.ts'
import type { Connection, Values } from './server/connection.ts'
import { requireFormat } from './server/schema.ts'

/** What is known of a vault as a whole. */
export interface VaultFacts {
  readonly generation: number
  readonly complete: boolean
  readonly files: number
  readonly lineage: string | null
  /** Symbolic links that lead out of the vault, as JSON. */
  readonly outside: string | null
  /** How notes are read. */
  readonly mode: string | null
  /** When the last generation was committed, and when the process that follows the folder was heard of last, by the server's clock, ms. */
  readonly fed: number | null
  readonly heard: number | null
  readonly now: number
  /** How often search was written. */
  readonly searchWrites: number
  readonly embedders: readonly StoredEmbedder[]
  /** A generation is being made visible. */
  readonly isMoving: boolean
}

/** What answers are of: as long as it is the same, so are they. */
export function stateOf(facts: VaultFacts | undefined): string {
  return `${facts?.lineage} ${facts?.generation} ${facts?.searchWrites}`
}

/** Whose vectors there are, and how they are compared. */
export interface StoredEmbedder {
  readonly embedder: string
  readonly dimensions: number | null
  /** There is an index of them. */
  readonly indexed: boolean | null
}

/** How long a generation can take to become visible, ms: what was announced and never came does not count for longer. */
const ANNOUNCED = 60_000

const FACTS = `v.generation AS generation, p.generation > v.generation AND p.at > timestamp() - ${ANNOUNCED} AS isMoving,
  coalesce(w.writes, 0) AS searchWrites`

/** How long is waited for a generation that is becoming visible, and how often that is looked at, ms. */
const MOVING = { most: 5_000, look: 50 }

/**
 * Refuses a vault that has the name of one that is there already.
 * @throws RouxError `STORE_UNAVAILABLE` where another folder was fed under this name
 */
export function requireSameFolder({ origin, vault }: Connection, folder: string | null): void {
  if (origin === undefined || folder === null || folder === origin.folder) return
  throw new RouxError('STORE_UNAVAILABLE', `The database has a vault "${vault}" already, which was fed from another folder.`, {
    hint: 'Give this one a name of its own in the settings, as vaults.<name>: <folder>.',
  })
}

/** What the vault is now; `undefined` where it was never fed. @throws RouxError `STORE_UNAVAILABLE` */
export async function readFacts(connection: Connection, signal?: AbortSignal): Promise<VaultFacts | undefined> {
  const until = performance.now() + MOVING.most
  for (;;) {
    const [row] = await connection.read<VaultFacts & { readonly version: number | null; readonly folder: string | null }>(
      `OPTIONAL MATCH (s:RouxSchema {name: 'schema'}) WITH s.version AS version
       MATCH (v:RouxVault {vault: $vault}) MATCH (p:RouxPending {vault: $vault})
       OPTIONAL MATCH (w:RouxSearch {vault: $vault}) OPTIONAL MATCH (h:RouxFeeder {vault: $vault})
       RETURN version, v.folder AS folder, v.mode AS mode, h.heard AS heard, timestamp() AS now, ${FACTS}, coalesce(v.complete, false) AS complete, coalesce(v.files, 0) AS files, v.lineage AS lineage,
              v.outside AS outside, v.fed AS fed,
              COLLECT { MATCH (e:RouxEmbedder {vault: $vault}) WHERE e.embedder > '' RETURN e {.embedder, .dimensions, .indexed} } AS embedders`,
      { vault: connection.vault },
      signal,
    )
    requireFormat(row?.version ?? undefined)
    requireSameFolder(connection, row?.folder ?? null)
    if (row?.isMoving !== true || performance.now() > until) return row
    await new Promise((resolve) => setTimeout(resolve, MOVING.look))
  }
}

/**
 * Asks for rows of one generation, in one round trip: in the same statement, after the rows were read, it is looked whether the vault is still
 * at the generation. What the database is making visible piece by piece was announced before, so that no half of it is taken for a whole.
 */
export class Questions {
  readonly #connection: Connection
  readonly #generation: number
  readonly #signal: AbortSignal | undefined
  readonly #onMoved: () => void
  readonly #searchWrites: number | undefined
  #isConfirmed = false

  /** `onMoved` throws `SnapshotOutdated`, unless it is the last run; with `searchWrites` also where search was written more often. */
  constructor(
    connection: Connection,
    generation: number,
    {
      signal,
      onMoved,
      searchWrites,
    }: { signal: AbortSignal | undefined; onMoved: () => void; searchWrites?: number | undefined },
  ) {
    this.#connection = connection
    this.#generation = generation
    this.#signal = signal
    this.#onMoved = onMoved
    this.#searchWrites = searchWrites
  }

  /** The database said that the vault is at this generation. */
  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** `cypher` returns each row as `row`; `$vault` is given. */
  async ask<T>(cypher: string, parameters: Values = {}): Promise<readonly T[]> {
    const [answer] = await this.#connection.read<{
      readonly rows: readonly T[]
      readonly generation: number
      readonly isMoving: boolean
      readonly searchWrites: number
    }>(
      `CALL () { ${cypher} } WITH collect(row) AS rows
       MATCH (v:RouxVault {vault: $vault}) MATCH (p:RouxPending {vault: $vault}) OPTIONAL MATCH (w:RouxSearch {vault: $vault})
       RETURN rows, ${FACTS}`,
      { vault: this.#connection.vault, ...parameters },
      this.#signal,
    )
    if (answer === undefined) {
      // The vault was taken away.
      if (this.#generation !== 0) throw new SnapshotOutdated()
      return []
    }
    const isSearchMoved = this.#searchWrites !== undefined && this.#searchWrites !== answer.searchWrites
    if (answer.generation !== this.#generation || answer.isMoving || isSearchMoved) this.#onMoved()
    this.#isConfirmed = true
    return answer.rows
  }

  /** The only row. */
  async one<T>(cypher: string, parameters: Values = {}): Promise<T | undefined> {
    return (await this.ask<T>(cypher, parameters))[0]
  }
}

/** What the parts of a snapshot ask with. */
export interface Asking {
  readonly questions: Questions
  readonly vault: string
  readonly embedders: readonly StoredEmbedder[]
  /** What is asked of the vault as a whole, once for each state that it is in. */
  readonly kept: <T>(name: string, ask: () => Promise<T>) => Promise<T>
  /** The id of a node, as callers know it. */
  readonly idOf: (bare: string) => NodeId
  /** An id as the database has it. */
  readonly bare: (id: string) => string
}

/** A stretch of a list: the database counts its lists with 32 bits. */
export function rangeOf({ offset, limit }: Page) {
  return { offset: Math.min(LONGEST, offset), end: Math.min(LONGEST, offset + limit) }
}

const LONGEST = 2 ** 31 - 1
