/** A group of notes that are related by links and content. Notes are identified by their indexes; see `CommunityLevel.of`. */
export interface Community {
  /** `c4`, or `c4.2` on the second level. Stable as long as the community covers the same notes. */
  readonly id: string
  readonly size: number
  readonly stubs: number
  /** Share of the community's links that stay inside it, 0–1. It is 0 if there are no links. */
  readonly inside: number
  /** The most central notes, up to three: those that the other notes link to most or resemble most. */
  readonly key: readonly number[]
  /** Typical words, most distinctive first. */
  readonly words: readonly string[]
}

/** Links between two communities, which are identified by their positions in the list. */
export interface Bridge {
  readonly of: readonly [number, number]
  readonly links: number
  /** The note that lies on most of the shortest paths between the two communities. */
  readonly through: number
}

/** A partition of the vault. The second level subdivides each community of the first. */
export interface CommunityLevel {
  /** Largest first. On the second level, grouped by parent community, in the parents' order. */
  readonly list: readonly Community[]
  /** For each note, the position of its community in the list, or `NO_COMMUNITY`. */
  readonly of: Uint32Array
  /** Ordered by number of links, descending. */
  readonly between: readonly Bridge[]
}

/** Marks a note without a community. */
export const NO_COMMUNITY = 0xffff_ffff

/** The communities of a vault and how they differ from the previous ones. */
export interface Communities {
  readonly levels: readonly [CommunityLevel, CommunityLevel]
  /** First-level differences from the previous communities. Omitted the first time. */
  readonly changed?: { readonly new: readonly string[]; readonly gone: readonly string[]; readonly moved: number }
  /** Maps each id that no longer exists, on either level, to the communities that now contain its notes, largest share first. */
  readonly successors: ReadonlyMap<string, readonly string[]>
}
