import { RouxError, SnapshotOutdated } from '../../core/errors.ts'
import { toNodeId } from '../../core/ids.ts'
import type { Decisions } from '../../core/insight/insight.ts'
import type {
  ExportRow,
  Metric,
  Scores,
  SharedResults,
  Snapshot,
  Store,
  StoreChange,
  StoreCondition,
  Topology,
} from '../../core/store.ts'
import { planAhead } from './plan-ahead.ts'
import { isSameGeneration, KeptAnswers, Questions, readFacts, stateOf, type VaultFacts, type VaultState } from './questions.ts'
import type { Connection } from './server/connection.ts'
import { isWriteRefused } from './server/explain-error.ts'
import { decisionsOf, sharedResultsOf } from './shared-state.ts'
import { Neo4jSnapshot, type OwnScores, SCORES } from './snapshot.ts'
import { exportRows, type TopologyRows } from './whole-graph.ts'

/** Maximum attempts at a use case. */
const RUNS = 4
const ROWS = 10_000

/** @param name prefix of every id; omitted if there is only one vault */
export function openNeo4jStore(connection: Connection, name?: string): Neo4jStore {
  return new Neo4jStore(connection, name)
}

/** Milliseconds between checks for new commits while there are listeners. */
const LOOK = 1_000

/** The delay of planning, in milliseconds. Planning at once would slow down the first request. */
const PLANNING = 2_000

export class Neo4jStore implements Store {
  readonly results: SharedResults
  readonly decisions: Decisions
  readonly #connection: Connection
  readonly #name: string | undefined
  readonly #hasTexts: boolean
  readonly #listeners = new Set<(change: StoreChange) => void>()
  readonly #topologies = new WeakMap<Topology, TopologyRows>()
  /** Scores that could not be saved, because the user may not write. */
  readonly #ownScores = new Map<Metric, OwnScores>()
  readonly #cache = new KeptAnswers()
  #facts: VaultFacts | undefined
  /** The last generation reported to listeners. */
  #reportedGeneration: number | undefined
  #isUnreachable = false
  /** The offset of the server's clock from the local clock, in milliseconds. */
  #ahead = 0
  #timer: NodeJS.Timeout | undefined
  #planning: NodeJS.Timeout | undefined
  readonly #closing = new AbortController()

  /** @param options `hasTexts`: note text is read from the database, too */
  constructor(connection: Connection, name: string | undefined, { hasTexts = false }: { readonly hasTexts?: boolean } = {}) {
    this.#connection = connection
    this.#name = name
    this.#hasTexts = hasTexts
    this.results = sharedResultsOf(connection)
    this.decisions = decisionsOf(connection)
  }

  get facts(): VaultFacts | undefined {
    return this.#facts
  }

  /** Reads the facts. @throws RouxError `STORE_UNAVAILABLE` */
  async refresh(signal?: AbortSignal): Promise<VaultFacts | undefined> {
    try {
      this.#facts = await readFacts(this.#connection, signal)
      this.#update(this.#facts)
      if (this.#isUnreachable) this.#planAgain()
      this.#isUnreachable = false
    } catch (error) {
      if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE') this.#isUnreachable = true
      throw error
    }
    await this.#notify(this.#facts)
    return this.#facts
  }

  /** Makes the database plan common queries in the background, because planning takes ten times as long as running. */
  planAhead(): void {
    if (this.#closing.signal.aborted) return
    this.#planning ??= setTimeout(() => {
      this.read((snapshot) => planAhead(snapshot, this.#facts?.embedders ?? []), this.#closing.signal).catch(() => {})
    }, PLANNING).unref()
  }

  /** Plans queries again, because a restarted database has lost its plans. */
  #planAgain(): void {
    if (this.#planning === undefined) return
    clearTimeout(this.#planning)
    this.#planning = undefined
    this.planAhead()
  }

  async #notify(facts: VaultFacts | undefined): Promise<void> {
    const before = this.#reportedGeneration
    const generation = facts?.generation ?? 0
    if (before === undefined || before === generation || this.#listeners.size === 0) {
      this.#reportedGeneration = generation
      return
    }
    const rows = await this.#connection.read<{ readonly id: string }>(
      'MATCH (f:RouxFile {vault: $vault}) WHERE f.generation > $since RETURN f.id AS id',
      { vault: this.#connection.vault, since: before },
    )
    // The state is updated after the read. If the read fails, the next check reports the change.
    if (this.#reportedGeneration !== before) return
    this.#reportedGeneration = generation
    const change = { generation, ids: rows.map(({ id }) => toNodeId(id, this.#name)) }
    for (const listener of this.#listeners) listener(change)
  }

  async read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let run = 1; ; run++) {
      signal?.throwIfAborted()
      // Each result contains the generation, so the cached state need not be checked first.
      const trusted = run === 1 && !this.#isUnreachable ? this.#facts : undefined
      const isTrusted = trusted?.complete === true
      const facts = isTrusted ? trusted : await this.refresh(signal)
      const snapshot = new Neo4jSnapshot({
        connection: this.#connection,
        name: this.#name,
        facts,
        signal,
        isLast: run === RUNS,
        isTrusted,
        hasTexts: this.#hasTexts,
        onState: (state) => this.#update(state),
        newest: () => this.#facts?.generation ?? 0,
        cache: this.#cache,
        onTopology: (topology, rows) => this.#topologies.set(topology, rows),
        ownScores: (metric) => this.#ownScores.get(metric),
      })
      try {
        const answer = await use(snapshot)
        if (!isTrusted || snapshot.isConfirmed || stateOf(await this.refresh(signal)) === stateOf(facts)) return answer
      } catch (error) {
        if (error instanceof SnapshotOutdated && run < RUNS) continue
        if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE') this.#isUnreachable = true
        throw error
      }
    }
  }

  /** Milliseconds on the server's clock, or on the local clock before the first result. */
  now(): number {
    return Date.now() + this.#ahead
  }

  /** Updates the clock offset and the vault's state. */
  #update(state: VaultState | undefined): void {
    if (state !== undefined) this.#ahead = state.now - Date.now()
    if (this.#facts === undefined || stateOf(state) !== stateOf(this.#facts)) return
    this.#facts = { ...this.#facts, ...state }
  }

  condition(): StoreCondition {
    if (this.#isUnreachable) return 'unreachable'
    return this.#facts?.complete === true ? 'ready' : 'building'
  }

  async keepScores(metric: Metric, topology: Topology, scores: Scores): Promise<void> {
    const rows = this.#topologies.get(topology)
    if (rows === undefined) return
    try {
      await this.#writeScores(metric, topology.generation, { rows, scores })
      this.#ownScores.delete(metric)
    } catch (error) {
      if (!isWriteRefused(error)) throw error
      this.#ownScores.set(metric, { rows, order: orderOf(rows, scores), generation: topology.generation, scores })
    }
  }

  async #writeScores(
    metric: Metric,
    generation: number,
    { rows: { keys }, scores: { scores, sampled } }: Pick<OwnScores, 'rows' | 'scores'>,
  ): Promise<void> {
    const { vault } = this.#connection
    const property = SCORES[metric]
    await this.#connection.transaction(async (run) => {
      for (let from = 0; from < keys.length; from += ROWS) {
        const rows = keys.slice(from, from + ROWS).map((key, at) => ({ key, score: scores[from + at] ?? 0 }))
        await run(`UNWIND $rows AS row MATCH (f:RouxFile&RouxNode {vault: $vault, key: row.key}) SET f.${property} = row.score`, {
          vault,
          rows,
        })
      }
      await run(`MATCH (v:RouxVault {vault: $vault}) SET v.${property}At = $generation, v.${property}Sampled = $sampled`, {
        vault,
        generation,
        sampled: sampled ?? null,
      })
    })
  }

  async *export(signal?: AbortSignal): AsyncIterableIterator<ExportRow> {
    for (let run = 1; ; run++) {
      const facts = await this.refresh(signal)
      if (facts === undefined) return
      const questions = new Questions(this.#connection, {
        signal,
        onState: (state) => {
          if (state?.isPartlyVisible === true || !isSameGeneration(state, facts)) throw new SnapshotOutdated()
        },
      })
      try {
        const idOf = (id: string) => toNodeId(id, this.#name)
        // All rows must belong to one generation, so read them before yielding the first.
        yield* await exportRows({ questions, idOf })
        return
      } catch (error) {
        if (!(error instanceof SnapshotOutdated) || run === RUNS) throw error
      }
    }
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener)
    // If the database cannot be reached, the next check tries again.
    this.#timer ??= setInterval(() => void this.refresh().catch(() => {}), LOOK).unref()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopLooking()
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#planning)
    this.#listeners.clear()
    this.#stopLooking()
    await this.#connection.close()
  }

  #stopLooking(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

function orderOf({ ids }: TopologyRows, { scores }: Scores): readonly number[] {
  const score = (at: number): number => scores[at] ?? 0
  return ids.map((_, at) => at).sort((a, b) => score(b) - score(a) || ((ids[a] ?? '') < (ids[b] ?? '') ? -1 : 1))
}
