import type { GraphChanges, GraphLog, LoggedCommit } from '../../core/insight/graph-changes.ts'
import type { GenerationOf } from './change-cursor.ts'

/** From where on changes are wanted. */
export type WindowStart = { readonly generation: number } | { readonly time: number }

/** The log of the commits up to a generation. */
export interface ChangeWindow {
  /** In the order in which they were made, without a gap up to the generation. */
  readonly changes: readonly GraphChanges[]
  /** They go back to where they are wanted from. */
  readonly isWhole: boolean
  /** From when on they are known, where that is later; absent where nothing is known. Milliseconds since 1970. */
  readonly begins?: number
  /** The log does not know the generation yet; its writer may be about to add it. */
  readonly isBehind: boolean
}

/** Reads back from a generation, as far as is wanted or there is no gap. */
export async function readWindow(
  log: GraphLog,
  { lineage, generation }: GenerationOf,
  start: WindowStart,
): Promise<ChangeWindow> {
  const back = new WayBack(generation, start)
  for await (const part of log.commits(lineage, generation)) {
    if (part.some((commit) => back.take(commit) === 'end')) break
  }
  return back.window()
}

class WayBack {
  readonly #start: WindowStart
  readonly #changes: GraphChanges[] = []
  /** The generation that the commits taken so far were made from. */
  #reached: number
  #begins: number | undefined
  #isWhole = false
  #isBehind = true

  constructor(generation: number, start: WindowStart) {
    this.#reached = generation
    this.#start = start
  }

  /** Takes the next commit before those that were taken. */
  take({ base, generation, time, changes }: LoggedCommit): 'more' | 'end' {
    if (this.#isAtGeneration() || generation !== this.#reached) return 'end'
    this.#isBehind = false
    if ('time' in this.#start && time < this.#start.time) {
      this.#isWhole = true
      return 'end'
    }
    if (base !== generation) {
      if (changes === undefined) return 'end'
      this.#changes.push(changes)
      this.#reached = base
    }
    this.#begins = time
    return 'more'
  }

  #isAtGeneration(): boolean {
    return 'generation' in this.#start && this.#reached === this.#start.generation
  }

  window(): ChangeWindow {
    const isWhole = this.#isWhole || this.#isAtGeneration()
    return {
      changes: this.#changes.reverse(),
      isWhole,
      ...(this.#begins === undefined ? {} : { begins: this.#begins }),
      isBehind: !isWhole && this.#isBehind,
    }
  }
}
