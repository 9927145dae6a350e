/** Notes that belong together by their links and texts. Notes are numbers: see `CommunityLevel.of`. */
export interface Community {
  /** `c4`, or `c4.2` one level down; stays as long as it is about the same notes. */
  readonly id: string
  /** How many it has. */
  readonly size: number
  /** How many of them are stubs. */
  readonly stubs: number
  /** Which share of the links of its notes stays in it, 0–1; 0 where there are none. */
  readonly inside: number
  /** The notes that most of the others link to or resemble; at most three. */
  readonly key: readonly number[]
  /** Words typical of its notes, the most distinctive first. */
  readonly words: readonly string[]
}

/** The connection between two communities, given by their places in the list. */
export interface Bridge {
  readonly of: readonly [number, number]
  readonly links: number
  /** The note that most of the shortest ways between the two run through. */
  readonly through: number
}

/** A division of the vault; the second level divides each community of the first. */
export interface CommunityLevel {
  /** Largest first; of the second level those of one community together, in its order. */
  readonly list: readonly Community[]
  /** For each note of the generation its community's place in the list, or `NO_COMMUNITY`. */
  readonly of: Uint32Array
  /** Most links first. */
  readonly between: readonly Bridge[]
}

/** Marks a note without a community. */
export const NO_COMMUNITY = 0xffff_ffff

/** The communities of a vault, and what became of those that were kept before. */
export interface Communities {
  readonly levels: readonly [CommunityLevel, CommunityLevel]
  /** Compared with what was kept before, on the first level; absent the first time. */
  readonly changed?: { readonly new: readonly string[]; readonly gone: readonly string[]; readonly moved: number }
  /** Ids that are gone, on either level, with those that have their notes now, most first. */
  readonly successors: ReadonlyMap<string, readonly string[]>
}
