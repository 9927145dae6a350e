import type { NodeId } from '../ids.ts'
import type { Communities } from './communities.ts'
import type { Gaps } from './gaps.ts'
import type { DuplicatePair, LinkSuggestions } from './link-suggestions.ts'

/** Results for all notes of one generation. Arrays follow the order of `ids`; elsewhere notes are indexes into it. */
interface OfAllNotes {
  readonly generation: number
  /** The listed notes that take part, ascending. */
  readonly ids: readonly NodeId[]
  /** Notes whose files did not answer; only their names were used. */
  readonly unread: readonly NodeId[]
}

/** The insight into a vault. */
export interface Insight extends OfAllNotes {
  /** How many words each has that are no boilerplate. */
  readonly ownWords: Uint32Array
  readonly nearest: Nearest
  /** The most alike first. */
  readonly duplicates: readonly DuplicatePair[]
  /** How many of them each links to. */
  readonly linkCounts: Uint32Array
  readonly communities: Communities
  readonly gaps: Gaps
}

/** Links that may be missing. They have a run of their own, because they take longer than everything else together. */
export interface LinkInsight extends OfAllNotes {
  readonly suggestions: LinkSuggestions
}

/** The results by kind of run. */
export interface InsightKinds {
  readonly whole: Insight
  readonly links: LinkInsight
}

export type InsightKind = keyof InsightKinds

/** For each note the notes nearest to it by their texts, best first. */
export interface Nearest {
  /** How many are kept of each. */
  readonly kept: number
  /** Note `n` has the stretch from `n · kept` on; `NO_NOTE` where there are fewer. */
  readonly notes: Uint32Array
  /** For the same notes, 0–1: the share of common content. */
  readonly scores: Float32Array
}

export const NO_NOTE = 0xffff_ffff

/** A note with fewer words of its own is a stub: too little to say what it is about. */
export const STUB_WORDS = 30

export interface FollowOptions {
  /** How long to wait where there is none yet, ms. */
  readonly wait: number
  readonly signal?: AbortSignal | undefined
}

export interface Followed<Kind extends InsightKind = 'whole'> {
  readonly insight: InsightKinds[Kind]
  /** Else the vault moved on, and a newer one is being computed. */
  readonly isCurrent: boolean
}

/** The insight of one vault; computed when it is asked for, one run at a time, the last one serving meanwhile. */
export interface Insights<Kind extends InsightKind = 'whole'> {
  /**
   * The last one, and has a newer one computed where the vault moved on. `undefined` when there is none in time, or while the vault is not read.
   * @throws RouxError `PROVIDER_ERROR` when there is none because computing it failed
   */
  follow(options: FollowOptions): Promise<Followed<Kind> | undefined>
  /** Progress of the current run, which continues when callers stop waiting: notes read so far. */
  progress?(): { readonly done: number; readonly total: number } | undefined
}

/** The number of the note of an id; `undefined` where it takes no part. */
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
