import type { Embedder } from '../core/embedder.ts'
import { requireVectors } from '../core/embedder.ts'
import { isTransient, messageOf } from '../core/errors.ts'

/** Time after a call in which more calls are expected, in milliseconds. */
const EXPECTED_MS = 500

/** Pause between batches if no calls arrive, in milliseconds. On a small machine, the server and its client need both cores. */
const PAUSE_MS = 4

/** Pause between batches while calls arrive, as a multiple of the time worked, and its maximum in milliseconds. */
const REST_FACTOR = 2

const MAX_REST_MS = 16

export interface Embedded {
  /** One vector per text, in order. A rejected text has a vector of zeros. */
  readonly vectors: readonly Float32Array[]
  /** The reason for each rejected text, by the text's index. */
  readonly refused: ReadonlyMap<number, string>
}

export interface EmbeddingTerms {
  /** Makes embedding yield after each batch, because the embedder may never yield by itself. */
  readonly pace: Pick<EmbeddingPace, 'rest'>
  readonly signal: AbortSignal
}

/** A word that every working embedder accepts. */
const PLAIN = 'note'

/**
 * Embeds texts in batches of the embedder's size. If a batch fails, splits it to find the texts that the embedder rejects.
 * @throws the embedder's error if it is transient, or if the embedder also rejects a plain word
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
  readonly error: unknown
}

async function embedApart(embedder: Embedder, texts: readonly string[], { error, ...terms }: Failed): Promise<Embedded> {
  if (texts.length === 1) return { vectors: [new Float32Array(embedder.dimensions)], refused: new Map([[0, messageOf(error)]]) }
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
  const refusals = new Map<number, string>()
  for (const part of parts) {
    for (const [at, reason] of part.refused) refusals.set(vectors.length + at, reason)
    vectors.push(...part.vectors)
  }
  return { vectors, refused: refusals }
}

/** Slows down embedding while calls arrive, so they get most of the processor time. */
export class EmbeddingPace {
  #askedAt = Number.NEGATIVE_INFINITY
  #workedSince = performance.now()

  /** Records that a call has arrived. */
  asked(): void {
    this.#askedAt = performance.now()
  }

  /** True if calls are arriving. */
  get isAsked(): boolean {
    return performance.now() - this.#askedAt < EXPECTED_MS
  }

  /** Starts measuring the time worked. */
  begin(): void {
    this.#workedSince = performance.now()
  }

  /** Pauses to let other threads and processes run. */
  async rest(): Promise<void> {
    const worked = performance.now() - this.#workedSince
    const pause = this.isAsked ? Math.min(MAX_REST_MS, REST_FACTOR * worked) : 0
    await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, pause)))
    this.begin()
  }
}

export class EmbeddingRate {
  #notes = 0
  #ms = 0

  add(notes: number, ms: number): void {
    // The weight of a batch halves with each later one, because the first batch includes loading the model.
    this.#notes = this.#notes / 2 + notes
    this.#ms = this.#ms / 2 + ms
  }

  /** Returns an estimate of the time for this many notes, in milliseconds, or `undefined` before the first measurement. */
  remaining(notes: number): number | undefined {
    return this.#notes === 0 ? undefined : Math.round((notes * this.#ms) / this.#notes)
  }
}
