import type { NodeId } from '../ids.ts'

/** An attachment or canvas that the map can show next to notes. */
export interface LinkedFile {
  readonly id: NodeId
  readonly title: string
  readonly folder: string
  /** Nodes linked with the file in either direction. Never empty. */
  readonly linked: readonly NodeId[]
}

export interface LinkedFiles {
  readonly files: readonly LinkedFile[]
  readonly left_out: number
}
