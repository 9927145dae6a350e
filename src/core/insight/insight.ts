import type { NodeId } from '../ids.ts'
import type { Communities } from './communities.ts'
import type { Gaps } from './gaps.ts'
import type { DuplicatePair, LinkSuggestions } from './link-suggestions.ts'

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
