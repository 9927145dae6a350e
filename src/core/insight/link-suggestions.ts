/** For each note, the notes that it should link to, best first, as parallel arrays of note indexes. */
export interface LinkSuggestions {
  /** The suggestions for note `n` are those from `offsets[n]` up to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** Estimated probability that a link is missing, 0–1. */
  readonly scores: Float32Array
  /** Line that contains a name of the target, or for related notes the most similar line. 0 if there is none. */
  readonly lines: Uint32Array
  /** Bit mask of `IS_NAMED` and the reasons. */
  readonly reasons: Uint8Array
}

/** The text contains a name of the target that can be turned into a link. */
export const IS_NAMED = 1
/** The two notes share rare words. */
export const BY_WORDS = 2
/** The target is reachable by following links. */
export const BY_LINKS = 4
export const BY_FOLDER = 8
/** Most occurrences of the target's name in the vault are links. */
export const BY_RATE = 16
/** The target is about the same subject but in another language. */
export const BY_MEANING = 32

export interface DuplicatePair {
  /** Indexes of the notes, in ascending order. */
  readonly notes: readonly [number, number]
  /** Number of identical lines, excluding boilerplate. */
  readonly equalLines: number
  /** Share of word sequences that occur in both notes, 0–1. */
  readonly alike: number
  /** Line numbers of the first identical lines, in each note. */
  readonly lines: readonly (readonly [number, number])[]
}
