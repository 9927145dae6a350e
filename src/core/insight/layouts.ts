import type { NodeId } from '../ids.ts'

/** A graph to lay out. Lists are indexed by note. */
export interface LaidOutGraph {
  readonly ids: readonly NodeId[]
  /** Adjacency lists. Each link appears in the rows of both ends. Row `n` is `targets.slice(offsets[n], offsets[n + 1])`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** For each level, coarsest first, the group number of each note. If the list is empty, the layout is based on links. */
  readonly levels: readonly Int32Array[]
}

export interface Layout {
  /** `x, y` of each note. One unit is about the width of a note. */
  readonly places: Float32Array
  /** The connected region of each note at the time of the last full layout, as a number, or -1 if unknown. */
  readonly regions: Int32Array
  /** Share of notes added since the last full layout. At one fifth or more, a new full layout is worthwhile. */
  readonly added: number
  /** True if the groups became known only after the last full layout. */
  readonly isRough: boolean
}

export interface LayoutUnderWay {
  /** Progress, 0–1. */
  share(): number
  readonly ended: Promise<unknown>
}

/**
 * Which notes that already have a position may move. `nothing`: none. `once`: all, but only the first time that groups are known.
 * `all`: all.
 */
export type MayMove = 'nothing' | 'once' | 'all'

/** The positions of notes on a vault's map. Notes keep their positions across edits and restarts. */
export interface Layouts {
  /** Checks whether notes have been laid out before, in this process or an earlier one. */
  hasPlaces(): Promise<boolean>
  /** The layout in progress, if any. It continues even if nobody waits for it. */
  underWay(): LayoutUnderWay | undefined
  /** Lays out the graph. After a full layout, the map is rotated to resemble the previous one. */
  layOut(graph: LaidOutGraph, mayMove: MayMove): Promise<Layout>
}
