import type { Settings } from '../../config/settings.ts'
import type { IndexStatus } from '../../core/indexing.ts'
import type { Progress, VectorState } from '../../core/search.ts'
import { bytesText, durationText } from '../output/text.ts'

/** How much of the vault can be found. */
export interface Coverage {
  /** The embedder's id, or its kind before it opens. */
  readonly embedder: string
  /** Notes that can be found by words. */
  readonly words: Progress
  /** Notes that can be found by meaning; absent without an embedder. */
  readonly vectors?: Progress & {
    readonly remaining_seconds?: number
    /** The comparison method and its reason. */
    readonly index?: VectorState['index']
    readonly index_reason?: string
  }
  /** Why it does not continue. */
  readonly search_message?: string
}

/** Progress of search as the indexing side reports it. If the embedder did not open, counts the stored vectors. */
export function coverageOf(
  { search }: Pick<IndexStatus, 'search'>,
  { embedder }: Pick<Settings, 'embedder'>,
  stored: readonly VectorState[],
): Coverage {
  const { words = { done: 0, total: 0 }, vectors, message } = search ?? {}
  const own = stored.find((state) =>
    vectors?.embedder === undefined ? isOf(state, embedder) : state.embedder === vectors.embedder,
  )
  const told = {
    embedder: vectors?.embedder ?? own?.embedder ?? embedder.kind,
    words,
    ...(message === undefined ? {} : { search_message: message }),
  }
  if (vectors === undefined) return told
  const { total, remaining } = vectors
  const done = vectors.embedder === undefined ? Math.min(total, own?.notes ?? 0) : vectors.done
  const time = remaining === undefined || done >= total ? {} : { remaining_seconds: Math.ceil(remaining / 1_000) }
  const compared =
    own === undefined ? {} : { index: own.index, ...(own.reason === undefined ? {} : { index_reason: own.reason }) }
  return { ...told, vectors: { done, total, ...time, ...compared } }
}

/** True if vectors probably come from the configured embedder: its id starts with the kind and contains the model. */
function isOf({ embedder: id }: VectorState, { kind, model }: Settings['embedder']): boolean {
  const name = model.split(/[\\/]/).at(-1) ?? ''
  return id.startsWith(`${kind}:`) && id.toLowerCase().includes(name.toLowerCase())
}

/** The same facts with numbers as words. */
export function factsForPeople(facts: Coverage & { readonly bytes?: { readonly index: number; readonly search: number } }) {
  const { words, vectors, bytes, ...rest } = facts
  const left = (vectors?.total ?? 0) - (vectors?.done ?? 0)
  const time = vectors?.remaining_seconds === undefined ? '' : `, ${durationText(1_000 * vectors.remaining_seconds)}`
  return {
    ...rest,
    'by words': amount(words),
    ...(vectors === undefined ? {} : { 'by meaning': amount(vectors) + (left > 0 ? `; ${left} to embed${time}` : '') }),
    ...(vectors?.index_reason === undefined ? {} : { 'vector index': `${vectors.index}: ${vectors.index_reason}` }),
    ...(bytes === undefined ? {} : { 'on disk': `${bytesText(bytes.index)} links, ${bytesText(bytes.search)} search` }),
  }
}

function amount({ done, total }: Progress): string {
  return `${done} of ${total} notes`
}
