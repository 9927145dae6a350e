import type { NodeId } from '../ids.ts'

/** All notes of a vault as a map shows them; lists go by the number of the note. */
export interface VaultPicture {
  readonly generation: number
  readonly ids: readonly NodeId[]
  readonly titles: readonly string[]
  /** Numbers in `folder_names`. */
  readonly folders: readonly number[]
  readonly folder_names: readonly string[]
  /** Numbers in `tag_names`, of each note. */
  readonly tags: readonly (readonly number[])[]
  readonly tag_names: readonly string[]
  /** Numbers in `groups`; -1 for none. */
  readonly communities: readonly number[]
  readonly groups: readonly PictureGroup[]
  /** For each note the number of its region in `regions`; -1 if unknown. */
  readonly region_of: readonly number[]
  readonly regions: readonly PictureGroup[]
  /** Communities are being found, or newer ones: asked again in a moment, the picture has them. */
  readonly is_grouping: boolean
  /** `x, y` of each note: base64 of 32-bit floats, little-endian. */
  readonly places: string
  /** Two numbers of notes a link, each pair once: base64 of unsigned 32-bit integers, little-endian. */
  readonly links: string
  /** Enough is new that a fresh layout is worthwhile. */
  readonly is_crowded: boolean
}

/** The picture of as much of the vault as can be sent with an answer, and where on it is what was asked for. */
export interface PartialPicture extends VaultPicture {
  /** How many notes the vault has. */
  readonly count: number
  /** How many pairs of linked notes the vault has. */
  readonly link_count: number
  /** With how many notes of the vault each note is linked. */
  readonly degrees: readonly number[]
  /** The number of each named note; -1 if it is not on the picture. */
  readonly named: readonly number[]
}

/** A community or region. */
export interface PictureGroup {
  readonly id: string
  /** The community's name given by the user, otherwise the title of one of its notes. */
  readonly label: string
  /** How many notes of the vault are in it. */
  readonly notes: number
}

/** The answer while there is no picture yet; ask again later. */
export interface PictureAhead {
  readonly laying_out: {
    /** How much of it is done, 0–1. */
    readonly share: number
  }
}
