import type { NodeId } from '../ids.ts'

/** A graph whose lists have one entry per note. */
export interface LaidOutGraph {
  readonly ids: readonly NodeId[]
  /** Compressed sparse rows, in which each link appears in the rows of both ends. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** The group of each note per level, coarsest first. If empty, the layout is based on links. */
  readonly levels: readonly Int32Array[]
}

export interface Layout {
  /** The coordinates `x, y` of each note. A note is about one unit wide. */
  readonly places: Float32Array
  /** The connected region of each note at the last full layout, or -1. */
  readonly regions: Int32Array
  /** The share of notes added since the last full layout. From one fifth on, a full layout is worthwhile. */
  readonly added: number
  /** True if the groups became known only after the last full layout. */
  readonly isRough: boolean
}

export interface LayoutUnderWay {
  /** Returns the progress, 0–1. */
  share(): number
  readonly ended: Promise<unknown>
}

/** The notes that may move. `once` means all notes, but only when groups become known. */
export type MayMove = 'nothing' | 'once' | 'all'

/** The layouts of a vault, in which notes keep their positions across edits and restarts. */
export interface Layouts {
  /** True if any process has laid out the notes before. */
  hasPlaces(): Promise<boolean>
  /** Returns the running layout. It continues even if no caller waits for the result. */
  underWay(): LayoutUnderWay | undefined
  /** Rotates a full layout to resemble the previous one. */
  layOut(graph: LaidOutGraph, mayMove: MayMove): Promise<Layout>
  /** Names the kept positions: other positions have another name. Returns `undefined` if there are none. */
  version(): Promise<string | undefined>
  /** Returns the last kept picture if it was kept with this key. */
  keptPicture(key: string): Promise<string | undefined>
  keepPicture(key: string, json: string): Promise<void>
}
