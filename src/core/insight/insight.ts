import type { NodeId } from '../ids.ts'

/** Results for all notes of one generation. Arrays are in the order of `ids`. Elsewhere, a note is given by its index in `ids`. */
interface OfAllNotes {
  readonly generation: number
  /** Ids of the listed notes that are included in the analysis, in ascending order. */
  readonly ids: readonly NodeId[]
  /** Notes whose files could not be read in time. Only their names were used. */
  readonly unread: readonly NodeId[]
}

export interface Insight extends OfAllNotes {
  /** Number of words in each note. */
  readonly words: Uint32Array
  /** Number of words in each note, without boilerplate. */
  readonly ownWords: Uint32Array
  readonly nearest: Nearest
  /** Most similar first. */
  readonly duplicates: readonly DuplicatePair[]
  /** For each note, the number of included notes that it links to. */
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

/** For each note, the notes with the most similar text, best first. */
export interface Nearest {
  /** Number of entries stored per note. */
  readonly kept: number
  /** The entries of note `n` start at `n · kept`. Unused entries are `NO_NOTE`. */
  readonly notes: Uint32Array
  /** Similarity to each entry in `notes`, 0–1: how much of their content the two notes share. */
  readonly scores: Float32Array
}

export const NO_NOTE = 0xffff_ffff

/** Notes with fewer words, excluding boilerplate, are stubs. They are too short to have a recognizable topic. */
export const STUB_WORDS = 30

export interface FollowOptions {
  /** How long to wait if there is no result yet, in milliseconds. */
  readonly wait: number
  readonly signal?: AbortSignal | undefined
}

export interface Followed<Kind extends InsightKind = 'whole'> {
  readonly insight: InsightKinds[Kind]
  /** False if the vault has changed and a newer result is being computed. */
  readonly isCurrent: boolean
}

/** A vault's insight, computed on demand, one run at a time. The previous result is served in the meantime. */
export interface Insights<Kind extends InsightKind = 'whole'> {
  /**
   * Returns the latest result and starts computing a newer one if the vault has changed. Returns `undefined` if no result is
   * ready in time or the vault is not indexed yet.
   * @throws RouxError `PROVIDER_ERROR` if there is no result because computing it failed
   */
  follow(options: FollowOptions): Promise<Followed<Kind> | undefined>
  /** Number of notes read so far in the current run, which continues even if callers stop waiting. */
  progress?(): { readonly done: number; readonly total: number } | undefined
}

/** Returns the index of a note, or `undefined` if the note is not included. */
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

/** Caches the last insight and the data it was computed from. Entries can disappear at any time, because everything can be recomputed. */
export interface InsightCache {
  /** Returns the given hashes that have no stored record. */
  lacking(contents: readonly string[]): readonly string[]
  /** Returns a lookup of records by content hash. @throws Error on lookup, if a stored record is damaged */
  records(): (content: string) => Uint8Array | undefined
  keepRecords(records: ReadonlyMap<string, Uint8Array>): void
  /** Once there are many records, deletes all except those for the given contents. */
  keepOnly(contents: ReadonlySet<string>): void
  /** Returns the last result if it was computed from these inputs. @throws Error if the stored bytes are damaged */
  result(of: string): Uint8Array | undefined
  keepResult(of: string, kind: InsightKind, bytes: Uint8Array): void
  /** Deletes everything, including damaged data. */
  reset(): void
  close(): void
}

/** A value from memory, or a promise for one that is read from a database. */
type MaybePromise<T> = T | Promise<T>

/** The user's decisions about a vault: community names, dismissed gaps and unwanted links. */
export interface Decisions {
  /** The user's own labels by community id. */
  labels(): MaybePromise<ReadonlyMap<string, string>>
  /** Labels a community, or restores the automatic label if `label` is undefined. @throws RouxError `PROVIDER_ERROR` */
  setLabel(community: string, label: string | undefined): MaybePromise<void>
  /** Keys of dismissed gaps and links; see `gapKey` and `linkKey`. */
  dismissed(): MaybePromise<ReadonlySet<string>>
  /** @throws RouxError `PROVIDER_ERROR` */
  dismiss(gap: string): MaybePromise<void>
  /** Shows a dismissed gap again. @returns whether it was dismissed @throws RouxError `PROVIDER_ERROR` */
  restore(gap: string): MaybePromise<boolean>
}

/** User decisions and community ids, which cannot be recomputed. Stored with the user's state or in the database, never in the vault. */
export interface InsightState extends Decisions {
  /** The last saved communities in packed form, or `undefined` if there are none. */
  communities(): Uint8Array | undefined
  /** Saves the communities. If that fails, the next communities are compared with the previously saved ones to assign ids. */
  keepCommunities(bytes: Uint8Array): void
  close(): void
}

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
