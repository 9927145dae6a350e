import { RouxError, SnapshotOutdated } from '../../core/errors.ts'
import { toNodeId } from '../../core/ids.ts'
import type { Decisions } from '../../core/insight/insight-state.ts'
import type { SharedResults } from '../../core/shared-results.ts'
import type { ExportRow, Metric, Scores, Snapshot, Store, StoreChange, StoreCondition, Topology } from '../../core/store.ts'
import { decisionsOf } from './decisions.ts'
import { exportRows } from './export.ts'
import { KeptAnswers } from './kept-answers.ts'
import { planAhead } from './plan-ahead.ts'
import { Questions, readFacts, stateOf, type VaultFacts } from './questions.ts'
import type { Connection } from './server/connection.ts'
import { sharedResultsOf } from './shared-results.ts'
import { Neo4jSnapshot, SCORES } from './snapshot.ts'

/** How often a use case is run. */
const RUNS = 4
/** Scores that one statement takes. */
const ROWS = 10_000

/** Opens the reading side of a vault in a Neo4j database. `name` is part of every id, where one process serves several vaults. */
export function openNeo4jStore(connection: Connection, name?: string): Neo4jStore {
  return new Neo4jStore(connection, name)
}

/** How long what is known of a vault is taken to be so until a question tells otherwise, ms. */
const TRUSTED = 1_000

/** How often it is looked for what others commit, where someone listens, ms. */
const LOOK = 1_000

/** How long is waited before questions are planned, so that the first is answered before, and how long that takes at the most, ms. */
const PLANNING = { after: 2_000, most: 30_000 }

export class Neo4jStore implements Store {
  readonly results: SharedResults
  readonly decisions: Decisions
  readonly #connection: Connection
  readonly #name: string | undefined
  readonly #listeners = new Set<(change: StoreChange) => void>()
  readonly #keys = new WeakMap<Topology, readonly number[]>()
  readonly #kept = new KeptAnswers()
  #facts: VaultFacts | undefined
  /** The generation that listeners were told of; `undefined` before the first. */
  #told: number | undefined
  /** When they were asked for, of `performance.now()`. */
  #factsAt = Number.NEGATIVE_INFINITY
  #isUnreachable = false
  #timer: NodeJS.Timeout | undefined
  #planning: NodeJS.Timeout | undefined
  readonly #closed = new AbortController()

  constructor(connection: Connection, name: string | undefined) {
    this.#connection = connection
    this.#name = name
    this.results = sharedResultsOf(connection)
    this.decisions = decisionsOf(connection)
  }

  /** What was known of the vault when it was asked last. */
  get facts(): VaultFacts | undefined {
    return this.#facts
  }

  get isUnreachable(): boolean {
    return this.#isUnreachable
  }

  /** Asks what is known of the vault. @throws RouxError `STORE_UNAVAILABLE` */
  async refresh(signal?: AbortSignal): Promise<VaultFacts | undefined> {
    return await this.#refresh(signal)
  }

  /** Has the database plan what is asked most, in a moment and once: a question that it plans when it comes takes ten times as long. Nothing waits for it. */
  planAhead(): void {
    if (this.#closed.signal.aborted) return
    this.#planning ??= setTimeout(() => {
      this.#plan(AbortSignal.any([this.#closed.signal, AbortSignal.timeout(PLANNING.most)])).catch(() => {})
    }, PLANNING.after).unref()
  }

  /** A database that was started again has planned nothing. */
  #planAgain(): void {
    if (this.#planning === undefined) return
    clearTimeout(this.#planning)
    this.#planning = undefined
    this.planAhead()
  }

  async #plan(signal: AbortSignal): Promise<void> {
    await this.read((snapshot) => planAhead(snapshot, this.#facts?.embedders ?? []), signal)
  }

  async #refresh(signal?: AbortSignal): Promise<VaultFacts | undefined> {
    const asked = performance.now()
    try {
      this.#facts = await readFacts(this.#connection, signal)
      this.#factsAt = asked
      if (this.#isUnreachable) this.#planAgain()
      this.#isUnreachable = false
    } catch (error) {
      if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE') this.#isUnreachable = true
      throw error
    }
    await this.#tell(this.#facts)
    return this.#facts
  }

  async #tell(facts: VaultFacts | undefined): Promise<void> {
    const before = this.#told
    const generation = facts?.generation ?? 0
    this.#told = generation
    if (before === undefined || before === generation || this.#listeners.size === 0) return
    const rows = await this.#connection.read<{ readonly id: string }>(
      'MATCH (f:RouxFile {vault: $vault}) WHERE f.generation > $since RETURN f.id AS id',
      { vault: this.#connection.vault, since: before },
    )
    const change = { generation, ids: rows.map(({ id }) => toNodeId(id, this.#name)) }
    for (const listener of this.#listeners) listener(change)
  }

  async read<T>(use: (snapshot: Snapshot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    for (let run = 1; ; run++) {
      signal?.throwIfAborted()
      // Every answer says which generation it is of: what was known a moment ago need not be asked for first.
      const trusted = run === 1 && performance.now() - this.#factsAt < TRUSTED ? this.#facts : undefined
      const isTrusted = trusted?.complete === true
      const facts = isTrusted ? trusted : await this.#refresh(signal)
      const snapshot = new Neo4jSnapshot({
        connection: this.#connection,
        name: this.#name,
        facts,
        signal,
        isLast: run === RUNS,
        isTrusted,
        newest: () => this.#facts?.generation ?? 0,
        kept: this.#kept,
        onTopology: (topology, keys) => this.#keys.set(topology, keys),
      })
      try {
        const answer = await use(snapshot)
        if (!isTrusted || snapshot.isConfirmed || stateOf(await this.#refresh(signal)) === stateOf(facts)) return answer
      } catch (error) {
        if (error instanceof SnapshotOutdated && run < RUNS) continue
        if (error instanceof RouxError && error.code === 'STORE_UNAVAILABLE') {
          this.#isUnreachable = true
          this.#factsAt = Number.NEGATIVE_INFINITY
        }
        throw error
      }
    }
  }

  condition(): StoreCondition {
    if (this.#isUnreachable) return 'unreachable'
    return this.#facts?.complete === true ? 'ready' : 'building'
  }

  async keepScores(metric: Metric, topology: Topology, { scores, sampled }: Scores): Promise<void> {
    const keys = this.#keys.get(topology) ?? []
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
        generation: topology.generation,
        sampled: sampled ?? null,
      })
    })
  }

  async *export(signal?: AbortSignal): AsyncIterableIterator<ExportRow> {
    for (let run = 1; ; run++) {
      const facts = await this.#refresh(signal)
      if (facts === undefined) return
      const questions = new Questions(this.#connection, facts.generation, {
        signal,
        onMoved: () => {
          throw new SnapshotOutdated()
        },
      })
      try {
        const idOf = (id: string) => toNodeId(id, this.#name)
        // All of it before the first row: an export is of one generation.
        yield* await exportRows({ questions, idOf })
        return
      } catch (error) {
        if (!(error instanceof SnapshotOutdated) || run === RUNS) throw error
      }
    }
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener)
    // What cannot be reached now is asked again with the next look.
    this.#timer ??= setInterval(() => void this.#refresh().catch(() => {}), LOOK).unref()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopLooking()
    }
  }

  async close(): Promise<void> {
    this.#closed.abort()
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
