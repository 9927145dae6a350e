import type { NodeId } from '../ids.ts'

/** A drawn vault. Each list has one entry per note, unless its comment says otherwise. */
export interface VaultPicture {
  readonly generation: number
  readonly ids: readonly NodeId[]
  readonly titles: readonly string[]
  /** The folder of each note, as an index into `folder_names`. */
  readonly folders: readonly number[]
  readonly folder_names: readonly string[]
  readonly tags: readonly (readonly number[])[]
  readonly tag_names: readonly string[]
  /** The community of each note, as an index into `groups`, or -1. */
  readonly communities: readonly number[]
  readonly groups: readonly PictureGroup[]
  /** The region of each note, as an index into `regions`, or -1. */
  readonly region_of: readonly number[]
  readonly regions: readonly PictureGroup[]
  readonly is_grouping: boolean
  /** The coordinates `x, y` of each note, as base64 of little-endian 32-bit floats. */
  readonly places: string
  /** The index pairs of linked notes, each pair once, as base64 of little-endian unsigned 32-bit integers. */
  readonly links: string
  /** True if enough notes are new to justify a full layout. */
  readonly is_crowded: boolean
}

/** The part of the map that fits into an answer. */
export interface PartialPicture extends VaultPicture {
  readonly count: number
  /** Number of linked pairs in the whole vault. */
  readonly link_count: number
  /** For each note, the number of linked notes in the vault, in either direction. */
  readonly degrees: readonly number[]
  /** For each note, the number of notes that link to it. */
  readonly incoming: readonly number[]
  /** For each note, the number of notes that it links to. */
  readonly outgoing: readonly number[]
  /** Number of words per note, or -1. */
  readonly words: readonly number[]
  /** The creation day of each note as days since 1970 in UTC, or -1. */
  readonly created: readonly number[]
  readonly modified: readonly number[]
  /** The indexes of the requested notes, or -1 for notes outside the picture. */
  readonly named: readonly number[]
}

export interface PictureGroup {
  readonly id: string
  /** The user's label, or else what most notes of the group are about. */
  readonly label: string
  /** Number of notes in the group, in the whole vault. */
  readonly notes: number
}

/** The answer while the layout is being computed. The client should ask again later. */
export interface LayoutProgress {
  readonly laying_out: {
    readonly share: number
  }
}

/** An attachment or canvas that the map can show. */
export interface LinkedFile {
  readonly id: NodeId
  readonly title: string
  readonly folder: string
  /** The nodes that are linked in either direction. There is at least one. */
  readonly linked: readonly NodeId[]
}

export interface LinkedFiles {
  readonly files: readonly LinkedFile[]
  readonly left_out: number
}

/** If there were more communities, their colors could not be distinguished. */
const MANY = 24
/** Regions with more notes are divided into communities. Communities below `MIN_PART` stay together. */
export const LARGE_REGION = 100
export const MIN_PART = 12

/** Shows regions if there are too many communities for colors, and no region contains most of the notes. */
export function showsRegions(communities: number, regions: readonly number[], notes: number): boolean {
  return communities > MANY && regions.length > 1 && regions.every((size) => size <= notes / 2)
}
