import type { NodeId } from '../ids.ts'

/** An attachment or a canvas that a map can show beside notes. */
export interface LinkedFile {
  readonly id: NodeId
  readonly title: string
  /** The folder that it is in. */
  readonly folder: string
  /** Nodes linked with it in either direction; at least one. */
  readonly linked: readonly NodeId[]
}

export interface LinkedFiles {
  readonly files: readonly LinkedFile[]
  /** Files of the vault that were not looked at. */
  readonly left_out: number
}
