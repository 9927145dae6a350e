/** Two similar communities with few links. Notes and communities are numbers. */
export interface ApartCommunities {
  readonly of: readonly [number, number]
  /** Cosine of their words, 0–1. */
  readonly alike: number
  readonly links: number
  /** How many links chance would put between two of their links. */
  readonly expected: number
  /** Notes of the one and of the other that are most alike and not linked. */
  readonly nearest: readonly (readonly [number, number])[]
}

/** A note without which others would no longer be reached from the rest. */
export interface CutNote {
  readonly note: number
  /** How many. */
  readonly fallsOff: number
}

/** Gaps of the whole vault, from its links and texts. */
export interface Gaps {
  /** Most striking first. */
  readonly apart: readonly ApartCommunities[]
  /** Most notes falling off first. */
  readonly cut: readonly CutNote[]
  /** Notes that others link to and that link nowhere, most links first; stubs are not among them. */
  readonly deadEnds: readonly number[]
  /** The stubs that do so, too. */
  readonly deadEndStubs: readonly number[]
}
