import type { Settings } from '../../config/settings.ts'
import type { IndexStatus } from '../../core/indexing.ts'
import type { Progress, VectorState } from '../../core/search.ts'
import { bytesText, durationText } from '../output/text.ts'
import { describeState, type SharedState } from '../shared/background.ts'

export interface Coverage {
  /** Id of the embedder, or its kind if it has not been opened. */
  readonly embedder: string
  /** Progress of the word index, in notes. */
  readonly words: Progress
  /** Progress of the vector index, in notes. Omitted without an embedder. */
  readonly vectors?: Progress & {
    readonly remaining_seconds?: number
    /** Search method used for vectors. `index_reason` explains the choice. */
    readonly index?: VectorState['index']
    readonly index_reason?: string
  }
  /** Reason that indexing has stopped, if any. */
  readonly search_message?: string
}

/** Returns the progress reported by indexing. If the embedder could not be opened, counts the stored vectors instead. */
export function coverageOf(
  { search }: Pick<IndexStatus, 'search'>,
  { embedder }: Pick<Settings, 'embedder'>,
  stored: readonly VectorState[],
): Coverage {
  const { words = { done: 0, total: 0 }, vectors, message } = search ?? {}
  const own = stored.find((row) => (vectors?.embedder === undefined ? isOf(row, embedder) : row.embedder === vectors.embedder))
  const facts = {
    embedder: vectors?.embedder ?? own?.embedder ?? embedder.kind,
    words,
    ...(message === undefined ? {} : { search_message: message }),
  }
  if (vectors === undefined) return facts
  const { total, remaining } = vectors
  const doneCount = vectors.embedder === undefined ? Math.min(total, own?.notes ?? 0) : vectors.done
  const time = remaining === undefined || doneCount >= total ? {} : { remaining_seconds: Math.ceil(remaining / 1_000) }
  const comparedMember =
    own === undefined ? {} : { index: own.index, ...(own.reason === undefined ? {} : { index_reason: own.reason }) }
  return { ...facts, vectors: { done: doneCount, total, ...time, ...comparedMember } }
}

/**
 * Checks whether vectors probably come from the configured embedder. This is the case if the embedder's id starts with the kind and contains
 * the model name.
 */
function isOf({ embedder: id }: VectorState, { kind, model }: Settings['embedder']): boolean {
  const name = model.split(/[\\/]/).at(-1) ?? ''
  return id.startsWith(`${kind}:`) && id.toLowerCase().includes(name.toLowerCase())
}

export function factsForPeople(
  facts: Coverage & {
    readonly bytes?: { readonly index: number; readonly search: number }
    readonly shared_server?: SharedState
  },
) {
  const { words, vectors, bytes, shared_server, ...rest } = facts
  const remaining = (vectors?.total ?? 0) - (vectors?.done ?? 0)
  const time = vectors?.remaining_seconds === undefined ? '' : `, ${durationText(1_000 * vectors.remaining_seconds)}`
  return {
    ...rest,
    'by words': amount(words),
    ...(vectors === undefined ? {} : { 'by meaning': amount(vectors) + (remaining > 0 ? `; ${remaining} to embed${time}` : '') }),
    ...(vectors?.index_reason === undefined ? {} : { 'vector index': `${vectors.index}: ${vectors.index_reason}` }),
    ...(bytes === undefined ? {} : { 'on disk': `${bytesText(bytes.index)} links, ${bytesText(bytes.search)} search` }),
    ...(shared_server === undefined ? {} : { 'shared server': describeState(shared_server) }),
  }
}

function amount({ done, total }: Progress): string {
  return `${done} of ${total} notes`
}
