import type { GraphCore } from '../../app/graph-core.ts'
import type { Settings } from '../../config/settings.ts'
import type { SearchReadiness } from '../../core/indexing.ts'
import { durationText } from '../output/text.ts'

// A person waits for a command, so the limit is the longest timer: some 24 days.
export const PATIENCE = 2 ** 31 - 1

/**
 * Waits until every note can be found. For a model that may take hours it waits for words only; the tool then reports
 * what is missing.
 */
export async function awaitFindable(core: GraphCore, by: SearchReadiness, { embedder }: Settings): Promise<void> {
  await core.indexing.findable('words', PATIENCE)
  if (by === 'meaning' && embedder.kind === 'static') await core.indexing.findable('meaning', PATIENCE)
}

/** The advice for completing missing vectors; `undefined` if none are missing. */
export function remainderOf(core: GraphCore, by: SearchReadiness): string | undefined {
  const { vectors, message } = core.indexing.status().search ?? {}
  if (by === 'words' || vectors === undefined || message !== undefined || vectors.done >= vectors.total) return undefined
  const time = vectors.remaining === undefined ? '' : `, ${durationText(vectors.remaining)}`
  return `"roux index" embeds the rest: ${vectors.total - vectors.done} notes${time}. Finished work is kept.`
}
