import type { GraphChanges, GraphLog, LoggedCommit } from '../../core/insight/graph-changes.ts'
import type { GenerationOf } from './change-cursor.ts'

export type WindowStart = { readonly generation: number } | { readonly time: number }

/** The logged changes up to a generation. */
export interface ChangeWindow {
  /** In chronological order and without gaps, up to the generation. */
  readonly changes: readonly GraphChanges[]
  /** True if the changes go back to the requested start. */
  readonly isWhole: boolean
  /** Time since which changes are known, in milliseconds since the Unix epoch. Omitted if none are known. */
  readonly begins?: number
  /** True if the log does not contain the generation, probably because its writer has not got there yet. */
  readonly isBehind: boolean
}

/** Reads the log from a generation backwards, up to the requested start or a gap. */
export async function readWindow(
  log: GraphLog,
  { lineage, generation }: GenerationOf,
  start: WindowStart,
): Promise<ChangeWindow> {
  const back = new HistoryWindow(generation, start)
  for await (const part of log.commits(lineage, generation)) {
    if (part.some((commit) => back.take(commit) === 'end')) break
  }
  return back.window()
}

class HistoryWindow {
  readonly #start: WindowStart
  readonly #changes: GraphChanges[] = []
  /** Generation before the earliest commit that was added. */
  #reached: number
  #begins: number | undefined
  #isWhole = false
  #isBehind = true

  constructor(generation: number, start: WindowStart) {
    this.#reached = generation
    this.#start = start
  }

  /** Adds the commit before those that were added. */
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
