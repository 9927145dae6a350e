import type { GraphCore } from '../../app/graph-core.ts'
import type { Settings } from '../../config/settings.ts'
import type { SearchReadiness } from '../../core/indexing.ts'
import { NO_TIMEOUT } from '../../core/waiting/aborting.ts'
import { durationText } from '../output/text.ts'

/**
 * Waits until all notes can be found. For embedders that may take hours, waits for the word index only; the tool then reports the
 * missing vectors.
 */
export async function awaitFindable(core: GraphCore, by: SearchReadiness, { embedder }: Settings): Promise<void> {
  await core.indexing.findable('words', NO_TIMEOUT)
  if (by === 'meaning' && embedder.kind === 'static') await core.indexing.findable('meaning', NO_TIMEOUT)
}

/** Returns advice on how to complete missing vectors, or `undefined` if none are missing. */
export function remainderOf(core: GraphCore, by: SearchReadiness): string | undefined {
  const { vectors, message } = core.indexing.status().search ?? {}
  if (by === 'words' || vectors === undefined || message !== undefined || vectors.done >= vectors.total) return undefined
  const time = vectors.remaining === undefined ? '' : `, ${durationText(vectors.remaining)}`
  return `"roux index" embeds the rest: ${vectors.total - vectors.done} notes${time}. Finished work is kept.`
}
