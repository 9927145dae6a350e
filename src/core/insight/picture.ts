import type { NodeId } from '../ids.ts'

/** All notes of a vault for the map. Lists are indexed by note. */
export interface VaultPicture {
  readonly generation: number
  readonly ids: readonly NodeId[]
  readonly titles: readonly string[]
  /** Indexes into `folder_names`. */
  readonly folders: readonly number[]
  readonly folder_names: readonly string[]
  readonly tags: readonly (readonly number[])[]
  readonly tag_names: readonly string[]
  /** Indexes into `groups`, or -1. */
  readonly communities: readonly number[]
  readonly groups: readonly PictureGroup[]
  /** For each note, an index into `regions`, or -1 if unknown. */
  readonly region_of: readonly number[]
  readonly regions: readonly PictureGroup[]
  readonly is_grouping: boolean
  /** `x, y` of each note: base64 of 32-bit floats, little-endian. */
  readonly places: string
  /** Pairs of indexes of linked notes, each pair once: base64 of unsigned 32-bit integers, little-endian. */
  readonly links: string
  /** True if enough notes are new that a full layout is worthwhile. */
  readonly is_crowded: boolean
}

/** The part of the vault's map that fits into an answer, with the indexes of the requested notes. */
export interface PartialPicture extends VaultPicture {
  readonly count: number
  /** Number of pairs of linked notes in the vault. */
  readonly link_count: number
  /** For each note, the number of notes in the whole vault that it is linked with in either direction. */
  readonly degrees: readonly number[]
  /** For each note, the number of notes that link to it. */
  readonly incoming: readonly number[]
  /** For each note, the number of notes that it links to. */
  readonly outgoing: readonly number[]
  /** Number of words in each note, or -1 if unknown. */
  readonly words: readonly number[]
  /** For each note, the day of its creation and of its last change: days since 1970 in UTC, or -1 if unknown. */
  readonly created: readonly number[]
  readonly modified: readonly number[]
  /** Index of each requested note, or -1 if it is not in the picture. */
  readonly named: readonly number[]
}

/** A community or region. */
export interface PictureGroup {
  readonly id: string
  /** The user's own label, or otherwise the title of a note in the group. */
  readonly label: string
  /** Number of the vault's notes that are in the group. */
  readonly notes: number
}

/** Returned while the picture is being computed. Ask again later. */
export interface LayoutProgress {
  readonly laying_out: {
    readonly share: number
  }
}

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

/** Maximum number of communities whose colors can be distinguished. */
const MANY = 24
/** A region with more notes than this is divided into its communities. Communities smaller than `MIN_PART` are kept together. */
export const LARGE_REGION = 100
export const MIN_PART = 12

/** Decides whether a map shows regions: there are too many communities for colors, and no region contains most of the notes. */
export function showsRegions(communities: number, regions: readonly number[], notes: number): boolean {
  return communities > MANY && regions.length > 1 && regions.every((size) => size <= notes / 2)
}
