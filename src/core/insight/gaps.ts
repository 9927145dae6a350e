/** Two similar communities with few links between them. Notes and communities are identified by their indexes. */
export interface ApartCommunities {
  readonly of: readonly [number, number]
  /** Cosine similarity of the two communities' words, 0–1. */
  readonly alike: number
  readonly links: number
  /** Number of links between the two communities that would be expected by chance. */
  readonly expected: number
  /** The most similar pairs of unlinked notes, one from each community. */
  readonly nearest: readonly (readonly [number, number])[]
}

/** A note whose removal would disconnect other notes from the rest of the graph. */
export interface CutNote {
  readonly note: number
  /** Number of notes that would be disconnected. */
  readonly fallsOff: number
}

/** Gaps in the whole vault, found by analyzing links and text. */
export interface Gaps {
  /** Most significant first. */
  readonly apart: readonly ApartCommunities[]
  /** Ordered by number of disconnected notes, descending. */
  readonly cut: readonly CutNote[]
  /** Notes with incoming but no outgoing links, most linked first. Stubs are listed separately. */
  readonly deadEnds: readonly number[]
  readonly deadEndStubs: readonly number[]
}
