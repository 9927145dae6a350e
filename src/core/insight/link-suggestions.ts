/** For each note the notes that it should link, best first. Parallel arrays; notes are numbers. */
export interface LinkSuggestions {
  /** Note `n` has the stretch from `offsets[n]` to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** 0–1: how likely a link is missing. */
  readonly scores: Float32Array
  /** The line that contains a name of the target or, for related notes, the line closest to it; 0 for none. */
  readonly lines: Uint32Array
  /** `IS_NAMED` and the reasons that count. */
  readonly reasons: Uint8Array
}

/** A name of the target stands in the text, where a link can be put. */
export const IS_NAMED = 1
/** The two share words that few others have. */
export const BY_WORDS = 2
/** A walk along links leads from the one to the other. */
export const BY_LINKS = 4
/** The note links other notes of the target's folder, or other notes of its own folder link the target. */
export const BY_FOLDER = 8
/** The name is mostly a link where it stands. */
export const BY_RATE = 16

/** Two notes that say much the same. */
export interface DuplicatePair {
  /** Numbers of notes, the lower first. */
  readonly notes: readonly [number, number]
  /** How many lines of their own both have, in the same words. */
  readonly equalLines: number
  /** The share of their word sequences that both have, 0–1. */
  readonly alike: number
  /** The first equal lines: their numbers in the one and in the other. */
  readonly lines: readonly (readonly [number, number])[]
}
