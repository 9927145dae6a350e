import { type Insight, type LinkInsight, STUB_WORDS } from '../core/insight/insight.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { findCommunities } from './communities/communities.ts'
import type { KeptCommunities } from './communities/community-names.ts'
import type { Corpus } from './corpus.ts'
import { findDuplicates } from './duplicates.ts'
import { findGaps } from './gaps.ts'
import { suggestLinks } from './link-suggestions.ts'
import { nearestNotes } from './nearest.ts'

/** The input of an insight. Notes are numbered in the order of their ids. */
export interface InsightSource {
  readonly ids: readonly string[]
  /** The title and the aliases of each note. */
  readonly names: readonly (readonly string[])[]
  readonly corpus: Corpus
  /** The links between the notes, without self-links: note `n` links to the stretch from `offsets[n]` to `offsets[n + 1]` of `targets`, ascending. */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

/** The result: an insight without the facts that only its run knows. */
export type InsightResult = Omit<Insight, 'generation' | 'ids' | 'unread'>
export type LinkResult = Omit<LinkInsight, 'generation' | 'ids' | 'unread'>

/** Increased with every change of the computation, so older cached results are not used. */
export const INSIGHT_VERSION = 12

/**
 * Computes everything about a vault as a whole, and what to store. Equal sources and former communities give equal
 * results; communities start from the former ones and keep their ids. Calls `giveBack` when much memory becomes free.
 */
export function computeInsight(
  { ids, names, corpus, offsets, targets }: InsightSource,
  former?: KeptCommunities,
  giveBack = (): void => {},
): { readonly result: InsightResult; readonly kept: KeptCommunities } {
  const source = {
    ids,
    titles: names.map(([title = '']) => title),
    topology: { offsets, targets },
    nearest: nearestNotes(corpus),
    corpus,
    isStub: Uint8Array.from(corpus.ownWords, (words) => (words < STUB_WORDS ? 1 : 0)),
  }
  giveBack()
  const { communities, kept } = findCommunities(source, former)
  giveBack()
  const linkCounts = Uint32Array.from(ids, (_, note) => (offsets[note + 1] as number) - (offsets[note] as number))
  const gaps = findGaps(source, communities.levels[0])
  const duplicates = findDuplicates(corpus)
  const { nearest } = source
  return { result: { ownWords: corpus.ownWords, nearest, duplicates, linkCounts, communities, gaps }, kept }
}

/** The links that may be missing. */
export function computeLinks({ ids, names, corpus, offsets, targets }: InsightSource): LinkResult {
  const suggestions = suggestLinks({
    corpus,
    // A file's name names its note, too.
    names: names.map((own, note) => [...own, nameOf(ids[note] ?? '').replace(/\.(?:md|markdown|mdx)$/, '')]),
    folders: foldersOf(ids),
    links: { offsets, targets },
  })
  return { suggestions }
}

/** The number of each note's folder. */
function foldersOf(ids: readonly string[]): Uint32Array {
  const numbers = new Map<string, number>()
  return Uint32Array.from(ids, (id) => {
    const folder = folderOf(id)
    const number = numbers.get(folder) ?? numbers.size
    numbers.set(folder, number)
    return number
  })
}
