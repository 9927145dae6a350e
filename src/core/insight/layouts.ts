import type { NodeId } from '../ids.ts'

/** What of a vault is laid out; lists go by the number of the note. */
export interface LaidOutGraph {
  readonly ids: readonly NodeId[]
  /** Each link stands in the rows of both of its ends: row `n` is `targets[offsets[n]]` to `targets[offsets[n + 1]]`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** What shall lie together, the widest groups first: of each level a number a note. Empty where it is not known: links tell then. */
  readonly levels: readonly Int32Array[]
}

export interface Layout {
  /** `x, y` of each note; a unit is about the width of a note. */
  readonly places: Float32Array
  /** What links alone hold together, as it was when everything was laid out: of each note a number, -1 where it is not known. */
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

/** What may move of what has a place: nothing; everything, once, when it is first known what shall lie together; everything, now. */
export type MayMove = 'nothing' | 'once' | 'all'

/** Where notes lie on the map of one vault. What has a place keeps it, over edits and starts. */
export interface Layouts {
  /** Whether notes were laid out before, in this process or an earlier one. */
  hasPlaces(): Promise<boolean>
  /** What is being laid out now; it goes on whether or not someone waits for it. */
  underWay(): LayoutUnderWay | undefined
  /** Where everything moves it is turned so that it resembles what was before. */
  layOut(graph: LaidOutGraph, mayMove: MayMove): Promise<Layout>
}
