import type { Embedder } from '../core/embedder.ts'
import { isTransient } from '../core/errors.ts'
import { requireVectors } from '../core/require-vectors.ts'
import type { EmbeddingPace } from './embedding-pace.ts'

/** The result of embedding texts. */
export interface Embedded {
  /** In order; all zeros for a text that was refused. */
  readonly vectors: readonly Float32Array[]
  /** Why, by the text's place. */
  readonly refused: ReadonlyMap<number, string>
}

export interface EmbeddingTerms {
  /** Lets others have their turn after each call, also where embedding is no waiting at all. */
  readonly pace: Pick<EmbeddingPace, 'rest'>
  readonly signal: AbortSignal
}

/** No embedder that works refuses it. */
const PLAIN = 'note'

/**
 * Embeds texts in batches of the engine's size. If a batch fails, it is split until the refused texts are isolated and
 * the others have vectors.
 * @throws the embedder's error if no text is to blame: it also fails on a plain word, or may succeed later
 */
export async function embedTexts(embedder: Embedder, texts: readonly string[], terms: EmbeddingTerms): Promise<Embedded> {
  const parts: Embedded[] = []
  for (let start = 0; start < texts.length; start += embedder.batch) {
    const slice = texts.slice(start, start + embedder.batch)
    try {
      parts.push(await embedSlice(embedder, slice, terms))
    } catch (error) {
      if (isTransient(error) || !(await isWorking(embedder, terms))) throw error
      parts.push(await embedApart(embedder, slice, { ...terms, error }))
    }
  }
  return joined(parts)
}

async function embedSlice(embedder: Embedder, texts: readonly string[], { pace, signal }: EmbeddingTerms): Promise<Embedded> {
  const vectors = requireVectors(embedder, texts.length, await embedder.embed(texts, 'passage', signal))
  await pace.rest()
  return { vectors, refused: new Map() }
}

async function isWorking(embedder: Embedder, { signal }: EmbeddingTerms): Promise<boolean> {
  try {
    requireVectors(embedder, 1, await embedder.embed([PLAIN], 'passage', signal))
    return true
  } catch {
    return false
  }
}

interface Failed extends EmbeddingTerms {
  /** The error for all texts at once. */
  readonly error: unknown
}

async function embedApart(embedder: Embedder, texts: readonly string[], { error, ...terms }: Failed): Promise<Embedded> {
  if (texts.length === 1) return { vectors: [new Float32Array(embedder.dimensions)], refused: new Map([[0, reasonOf(error)]]) }
  const middle = texts.length >> 1
  const parts: Embedded[] = []
  for (const half of [texts.slice(0, middle), texts.slice(middle)]) {
    try {
      parts.push(await embedSlice(embedder, half, terms))
    } catch (failure) {
      if (isTransient(failure) || terms.signal.aborted) throw failure
      parts.push(await embedApart(embedder, half, { ...terms, error: failure }))
    }
  }
  return joined(parts)
}

function joined(parts: readonly Embedded[]): Embedded {
  const vectors: Float32Array[] = []
  const refused = new Map<number, string>()
  for (const part of parts) {
    for (const [at, reason] of part.refused) refused.set(vectors.length + at, reason)
    vectors.push(...part.vectors)
  }
  return { vectors, refused }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
