import type { NodeId } from '../ids.ts'

/** Values for all notes, in the order of `ids`. Elsewhere, notes are indexes into `ids`. */
interface OfAllNotes {
  readonly generation: number
  /** The ids of all analyzed notes, in ascending order. */
  readonly ids: readonly NodeId[]
  /** Notes whose text could not be read in time. The analysis knows only their names. */
  readonly unread: readonly NodeId[]
}

export interface Insight extends OfAllNotes {
  readonly words: Uint32Array
  /** Number of words per note, without boilerplate. */
  readonly ownWords: Uint32Array
  readonly nearest: Nearest
  /** The most similar pairs come first. */
  readonly duplicates: readonly DuplicatePair[]
  /** Number of analyzed notes that each note links to. */
  readonly linkCounts: Uint32Array
  readonly communities: Communities
  readonly gaps: Gaps
}

export interface LinkInsight extends OfAllNotes {
  readonly suggestions: LinkSuggestions
}

export interface InsightKinds {
  readonly whole: Insight
  readonly links: LinkInsight
}

export type InsightKind = keyof InsightKinds

/** The notes whose text is most similar to each note, best first. */
export interface Nearest {
  readonly kept: number
  /** The similar notes. The entries of note `n` start at `n · kept`, and unused entries are `NO_NOTE`. */
  readonly notes: Uint32Array
  /** The share of common content, 0–1. */
  readonly scores: Float32Array
}

export const NO_NOTE = 0xffff_ffff

/** A note with fewer words is a stub, too short to have a recognizable topic. */
export const STUB_WORDS = 30

export interface FollowOptions {
  /** Milliseconds to wait for the first result. */
  readonly wait: number
  readonly signal?: AbortSignal | undefined
}

export interface LatestInsight<Kind extends InsightKind = 'whole'> {
  readonly insight: InsightKinds[Kind]
  /** False if a newer result is being computed. */
  readonly isCurrent: boolean
}

/** Results that are computed on demand, one at a time. Callers get the previous result meanwhile. */
export interface Insights<Kind extends InsightKind = 'whole'> {
  /**
   * Returns the latest result, and computes a newer one if the vault has changed.
   * @returns `undefined` if no result is ready in time or the vault is not indexed yet
   * @throws RouxError `PROVIDER_ERROR` if the first result failed
   */
  follow(options: FollowOptions): Promise<LatestInsight<Kind> | undefined>
  /** Identifies the rules for results, such as the algorithm's version. */
  readonly recipe?: string
  /** Number of notes read in the current run. The run continues even if callers stop waiting. */
  progress?(): { readonly done: number; readonly total: number } | undefined
}

export function noteNumber({ ids }: Pick<OfAllNotes, 'ids'>, id: NodeId): number | undefined {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] as NodeId) < id) low = middle + 1
    else high = middle
  }
  return ids[low] === id ? low : undefined
}

/** Entries can disappear at any time, because everything can be recomputed. */
export interface InsightCache {
  /** Returns the hashes without a stored record. */
  missing(contents: readonly string[]): readonly string[]
  /** Returns a lookup for records. @throws Error on lookup, if a record is damaged */
  records(): (content: string) => Uint8Array | undefined
  keepRecords(records: ReadonlyMap<string, Uint8Array>): void
  /** Deletes all other records if there are many. */
  keepOnly(contents: ReadonlySet<string>): void
  /** Returns the last result if it has these inputs, or else `undefined`. @throws Error if the stored bytes are damaged */
  result(of: string): Uint8Array | undefined
  keepResult(of: string, kind: InsightKind, bytes: Uint8Array): void
  reset(): void
  close(): void
}

/** A value, or a promise if the value is read from a database. */
type MaybePromise<T> = T | Promise<T>

/** The user's decisions: community names, dismissed gaps and unwanted links. */
export interface Decisions {
  /** The user's labels by community id. */
  labels(): MaybePromise<ReadonlyMap<string, string>>
  /** Sets a label, or restores the automatic one if `label` is `undefined`. @throws RouxError `PROVIDER_ERROR` */
  setLabel(community: string, label: string | undefined): MaybePromise<void>
  /** Returns the keys of dismissed gaps and links; see `gapKey` and `linkKey`. */
  dismissed(): MaybePromise<ReadonlySet<string>>
  /** Dismisses a gap or link. @throws RouxError `PROVIDER_ERROR` */
  dismiss(gap: string): MaybePromise<void>
  /** @returns whether the gap was dismissed @throws RouxError `PROVIDER_ERROR` */
  restore(gap: string): MaybePromise<boolean>
}

/** Data that cannot be recomputed. Roux stores it with the user's state or in the database, never in the vault. */
export interface InsightState extends Decisions {
  communities(): Uint8Array | undefined
  /** If saving fails, the next ids are based on the previously saved communities. */
  keepCommunities(bytes: Uint8Array): void
  close(): void
}

/** Two similar communities with few links between them. Notes and communities are indexes. */
export interface ApartCommunities {
  readonly of: readonly [number, number]
  /** The cosine similarity of their words, 0–1. */
  readonly alike: number
  readonly links: number
  /** Number of links expected by chance. */
  readonly expected: number
  /** The most similar pairs of unlinked notes. Each pair has one note from each community. */
  readonly nearest: readonly (readonly [number, number])[]
}

/** A note whose removal would disconnect other notes. */
export interface CutNote {
  readonly note: number
  /** Number of notes that it would disconnect. */
  readonly fallsOff: number
}

export interface Gaps {
  /** The most significant pairs come first. */
  readonly apart: readonly ApartCommunities[]
  /** Notes that would disconnect the most other notes come first. */
  readonly cut: readonly CutNote[]
  /** Notes with incoming, but no outgoing links, most linked first. Stubs are listed separately. */
  readonly deadEnds: readonly number[]
  readonly deadEndStubs: readonly number[]
}

/** A group of notes related by links and content. Notes are indexes; see `CommunityLevel.of`. */
export interface Community {
  /** The id `c4`, or `c4.2` on the second level. It is stable as long as the notes stay the same. */
  readonly id: string
  /** The name of a folder, the title of a note, or words of titles that describe most of the notes. */
  readonly label: string
  readonly size: number
  readonly stubs: number
  /** The share of links that stay inside, 0–1. Without links, it is 0. */
  readonly inside: number
  /** Up to three of the most central notes. */
  readonly key: readonly number[]
  /** The most distinctive words come first. */
  readonly words: readonly string[]
}

/** The connection between two communities, which are indexes into the list. */
export interface Bridge {
  readonly of: readonly [number, number]
  readonly links: number
  /** The note on most of the shortest paths between the communities. */
  readonly through: number
}

/** A level of communities. The second level subdivides each community of the first. */
export interface CommunityLevel {
  /** The largest communities come first. The second level is grouped by parent, in the parents' order. */
  readonly list: readonly Community[]
  /** Position of each note's community in the list, or `NO_COMMUNITY`. */
  readonly of: Uint32Array
  /** The bridges with the most links come first. */
  readonly between: readonly Bridge[]
}

export const NO_COMMUNITY = 0xffff_ffff

export interface Communities {
  readonly levels: readonly [CommunityLevel, CommunityLevel]
  /** The ids that changed on the first level. They are omitted the first time. */
  readonly changed?: { readonly new: readonly string[]; readonly gone: readonly string[]; readonly moved: number }
  /** Maps each former id to the communities that now contain its notes, the one with the largest share first. */
  readonly successors: ReadonlyMap<string, readonly string[]>
}

/** Suggestions in parallel arrays. The suggestions for each note are sorted, best first. */
export interface LinkSuggestions {
  /** The start of each note's suggestions. Row `n` ranges from `offsets[n]` to `offsets[n + 1]`. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
  /** The probability that a link is missing, 0–1. */
  readonly scores: Float32Array
  /** The line that contains a name of the target, or that is most similar to the target. Without such a line, it is 0. */
  readonly lines: Uint32Array
  /** A bit mask of `IS_NAMED` and the reasons. */
  readonly reasons: Uint8Array
}

/** The text contains a name of the target that can become a link. */
export const IS_NAMED = 1
/** The notes share rare words. */
export const BY_WORDS = 2
/** The target is reachable by links. */
export const BY_LINKS = 4
export const BY_FOLDER = 8
/** Most notes that mention the target's name also link to it. */
export const BY_RATE = 16
/** Both notes are about the same subject in different languages. */
export const BY_MEANING = 32

export interface DuplicatePair {
  /** The indexes of both notes, in ascending order. */
  readonly notes: readonly [number, number]
  /** Number of identical lines, without boilerplate. */
  readonly equalLines: number
  /** The share of common word sequences, 0–1. */
  readonly alike: number
  /** The line numbers of the first identical lines. */
  readonly lines: readonly (readonly [number, number])[]
}
