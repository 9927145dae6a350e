import type { Embedder } from '../core/embedder.ts'
import { requireVectors } from '../core/embedder.ts'
import { isTransient, messageOf } from '../core/errors.ts'

/** After a call, another one is likely within this many milliseconds. */
const EXPECTED_MS = 500

/** The pause between batches in milliseconds, which leaves time for the server and its client on two cores. */
const PAUSE_MS = 4

/** The pause as a multiple of the time worked, while calls arrive. */
const REST_FACTOR = 2

const MAX_REST_MS = 16

export interface EmbedResult {
  /** One vector per text, in order. The vector of a rejected text is zero. */
  readonly vectors: readonly Float32Array[]
  /** The reason for each rejected text, by its index. */
  readonly refusals: ReadonlyMap<number, string>
}

export interface EmbeddingTerms {
  /** Pauses after each batch, because an embedder may never yield. */
  readonly pace: Pick<EmbeddingPace, 'pause'>
  readonly signal: AbortSignal
}

/** A word that every working embedder accepts. */
const PLAIN = 'note'

/**
 * Splits a failed batch to find the texts that the embedder rejects.
 * @throws the embedder's error if it is transient, or if even a plain word fails
 */
export async function embedTexts(embedder: Embedder, texts: readonly string[], terms: EmbeddingTerms): Promise<EmbedResult> {
  const parts: EmbedResult[] = []
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

async function embedSlice(embedder: Embedder, texts: readonly string[], { pace, signal }: EmbeddingTerms): Promise<EmbedResult> {
  const vectors = requireVectors(embedder, texts.length, await embedder.embed(texts, 'passage', signal))
  await pace.pause()
  return { vectors, refusals: new Map() }
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
  readonly error: unknown
}

async function embedApart(embedder: Embedder, texts: readonly string[], { error, ...terms }: Failed): Promise<EmbedResult> {
  if (texts.length === 1) return { vectors: [new Float32Array(embedder.dimensions)], refusals: new Map([[0, messageOf(error)]]) }
  const middle = texts.length >> 1
  const parts: EmbedResult[] = []
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

function joined(parts: readonly EmbedResult[]): EmbedResult {
  const vectors: Float32Array[] = []
  const refusals = new Map<number, string>()
  for (const part of parts) {
    for (const [at, reason] of part.refusals) refusals.set(vectors.length + at, reason)
    vectors.push(...part.vectors)
  }
  return { vectors, refusals: refusals }
}

export class EmbeddingPace {
  #lastCallAt = Number.NEGATIVE_INFINITY
  #workedSince = performance.now()

  onCall(): void {
    this.#lastCallAt = performance.now()
  }

  get hasRecentCall(): boolean {
    return performance.now() - this.#lastCallAt < EXPECTED_MS
  }

  begin(): void {
    this.#workedSince = performance.now()
  }

  async pause(): Promise<void> {
    const worked = performance.now() - this.#workedSince
    const pause = this.hasRecentCall ? Math.min(MAX_REST_MS, REST_FACTOR * worked) : 0
    await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, pause)))
    this.begin()
  }
}

export class EmbeddingRate {
  #notes = 0
  #ms = 0

  add(notes: number, ms: number): void {
    // Halve the weight of older batches, because the first one includes loading the model.
    this.#notes = this.#notes / 2 + notes
    this.#ms = this.#ms / 2 + ms
  }

  remaining(notes: number): number | undefined {
    return this.#notes === 0 ? undefined : Math.round((notes * this.#ms) / this.#notes)
  }
}
