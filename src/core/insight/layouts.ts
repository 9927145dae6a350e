import type { NodeId } from '../ids.ts'

/** The graph to lay out; lists are indexed by note. */
export interface LaidOutGraph {
  readonly ids: readonly NodeId[]
  /** Each link stands in the rows of both of its ends: row `n` is `targets[offsets[n]]` to `targets[offsets[n + 1]]`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** Groups that belong together, the widest level first: for each level a number per note. If empty, the links decide. */
  readonly levels: readonly Int32Array[]
}

export interface Layout {
  /** `x, y` of each note; a unit is about the width of a note. */
  readonly places: Float32Array
  /**
   * Regions (groups that links alone hold together) at the time of the last full layout: a number per note, -1 if
   * unknown.
   */
  readonly regions: Int32Array
  /** Notes that came since everything was laid out, as a share of all: from a fifth on it is worth while to do so again. */
  readonly added: number
  /** It is known by now what shall lie together, and was not when everything was laid out. */
  readonly isRough: boolean
}

export interface LayoutUnderWay {
  /** How much of it is done, 0–1. */
  share(): number
  /** Settles with it. */
  readonly ended: Promise<unknown>
}

/** Which placed notes may move: none; all, once, when groups are first known; all, now. */
export type MayMove = 'nothing' | 'once' | 'all'

/** The positions of notes on a vault's map. A placed note keeps its place over edits and restarts. */
export interface Layouts {
  /** True if notes were laid out before, in this process or an earlier one. */
  hasPlaces(): Promise<boolean>
  /** The layout in progress; it continues even if nobody waits for it. */
  underWay(): LayoutUnderWay | undefined
  /** After a full layout, the map is rotated to resemble the previous one. */
  layOut(graph: LaidOutGraph, mayMove: MayMove): Promise<Layout>
}
