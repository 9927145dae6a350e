import type { GraphCore } from '../../app/graph-core.ts'
import type { Settings } from '../../config/settings.ts'
import type { SearchReadiness } from '../../core/indexing.ts'
import { durationText } from '../output/amounts.ts'

// No one's client gives up on a command, so it waits for as long as it takes: some 24 days, what a timer can hold.
export const PATIENCE = 2 ** 31 - 1

/**
 * Waits until every note can be found so. Where a model may take hours, only for words: the tool itself waits for a while and says what is
 * missing.
 */
export async function awaitFindable(core: GraphCore, by: SearchReadiness, { embedder }: Settings): Promise<void> {
  await core.indexing.findable('words', PATIENCE)
  if (by === 'meaning' && embedder.kind === 'static') await core.indexing.findable('meaning', PATIENCE)
}

/** How to come to the rest of the vectors that an answer was without; `undefined` when there is none. */
export function remainderOf(core: GraphCore, by: SearchReadiness): string | undefined {
  const { vectors, message } = core.indexing.status().search ?? {}
  if (by === 'words' || vectors === undefined || message !== undefined || vectors.done >= vectors.total) return undefined
  const time = vectors.remaining === undefined ? '' : `, ${durationText(vectors.remaining)}`
  return `"roux index" embeds the rest: ${vectors.total - vectors.done} notes${time}. What is done is kept.`
}
