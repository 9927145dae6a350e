import { type Insight, type LinkInsight, STUB_WORDS } from '../core/insight/insight.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { findCommunities } from './communities/communities.ts'
import type { KeptCommunities } from './communities/community-names.ts'
import type { Corpus } from './corpus.ts'
import { findDuplicates } from './duplicates.ts'
import { findGaps } from './gaps.ts'
import { suggestLinks } from './link-suggestions.ts'
import { nearestNotes } from './nearest.ts'

export interface InsightSource {
  readonly ids: readonly string[]
  readonly names: readonly (readonly string[])[]
  /** The path of each note's folder, in its original spelling. */
  readonly folders: readonly string[]
  readonly corpus: Corpus
  /**
   * Links between notes, excluding self-links. Note `n` links to `targets[offsets[n]]` up to `targets[offsets[n + 1]]`, in
   * ascending order.
   */
  readonly offsets: Uint32Array
  readonly targets: Uint32Array
}

export type InsightResult = Omit<Insight, 'generation' | 'ids' | 'unread'>
export type LinkResult = Omit<LinkInsight, 'generation' | 'ids' | 'unread'>

/** Increment with every change to the computation to invalidate caches. */
export const INSIGHT_VERSION = 18

/**
 * Computes the insight of a vault. The result is deterministic for the same source and `former` communities. `giveBack` is called
 * after freeing much memory.
 */
export function computeInsight(
  { ids, names, folders, corpus, offsets, targets }: InsightSource,
  former?: KeptCommunities,
  giveBack = (): void => {},
): { readonly result: InsightResult; readonly kept: KeptCommunities } {
  const source = {
    ids,
    names,
    folders,
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
  const {
    ownWords,
    texts: { words },
  } = corpus
  return { result: { words, ownWords, nearest, duplicates, linkCounts, communities, gaps }, kept }
}

export function computeLinks({ ids, names, corpus, offsets, targets }: InsightSource): LinkResult {
  const suggestions = suggestLinks({
    corpus,
    names: names.map((noteNames, note) => [...noteNames, nameOf(ids[note] ?? '').replace(/\.(?:md|markdown|mdx)$/, '')]),
    folders: foldersOf(ids),
    links: { offsets, targets },
  })
  return { suggestions }
}

function foldersOf(ids: readonly string[]): Uint32Array {
  const numbers = new Map<string, number>()
  return Uint32Array.from(ids, (id) => {
    const folder = folderOf(id)
    const number = numbers.get(folder) ?? numbers.size
    numbers.set(folder, number)
    return number
  })
}
