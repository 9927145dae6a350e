import type { FollowOptions } from '../../core/insight/insight.ts'
import type { Analytics, CentralMetric, Store } from '../../core/store.ts'
import { inTime } from '../../core/waiting.ts'

/** Computes centrality scores on demand, with one run per metric at a time. Old scores stay available during a run. */
export class Rankings {
  readonly #store: Store
  readonly #analytics: Analytics
  readonly #isMaintainedElsewhere: () => boolean
  readonly #running = new Map<CentralMetric, Promise<void>>()

  /** @param isKeptElsewhere whether another process updates outdated scores */
  constructor(store: Store, analytics: Analytics, isKeptElsewhere = () => false) {
    this.#store = store
    this.#analytics = analytics
    this.#isMaintainedElsewhere = isKeptElsewhere
  }

  /**
   * Starts a run if the scores are outdated. Callers wait only if there are no scores at all. Aborting the signal does not stop
   * the run.
   */
  async follow(metric: CentralMetric, { wait, signal }: FollowOptions): Promise<void> {
    const state = await this.#stateOf(metric, signal)
    if (state === 'new' || (state === 'old' && this.#isMaintainedElsewhere())) return
    const run = this.#start(metric)
    // This handler avoids an unhandled rejection if no caller is waiting.
    run.catch(() => {})
    if (state === 'none') await inTime(run, wait, signal)
  }

  async update(metric: CentralMetric): Promise<void> {
    if ((await this.#stateOf(metric, undefined)) !== 'new') await this.#start(metric)
  }

  async #stateOf(metric: CentralMetric, signal: AbortSignal | undefined): Promise<'none' | 'old' | 'new'> {
    return await this.#store.read(async (snapshot) => {
      const ranked = await snapshot.hubs(metric, {}, 0)
      return ranked === undefined ? 'none' : ranked.generation === snapshot.generation ? 'new' : 'old'
    }, signal)
  }

  #start(metric: CentralMetric): Promise<void> {
    const running = this.#running.get(metric)
    if (running !== undefined) return running
    const run = this.#compute(metric).finally(() => this.#running.delete(metric))
    this.#running.set(metric, run)
    return run
  }

  async #compute(metric: CentralMetric): Promise<void> {
    const topology = await this.#store.read((snapshot) => snapshot.topology())
    await this.#store.keepScores(metric, topology, await this.#analytics.run(metric, topology))
  }
}
