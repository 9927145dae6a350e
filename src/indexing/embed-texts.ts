import type { Embedder } from '../core/embedder.ts'
import { isTransient } from '../core/errors.ts'
import { requireVectors } from '../core/require-vectors.ts'

/** Maximum time in milliseconds after a call during which another one is expected. */
const EXPECTED_MS = 500

/** Pause between steps while idle, in milliseconds. On a machine with two cores, a server and its client need both. */
const PAUSE_MS = 4

/** Pause after work while calls are arriving, as a multiple of the time worked, and the maximum pause in milliseconds. */
const REST = 2

const MOST_REST_MS = 16

/** Result of embedding texts. */
export interface Embedded {
  /** In order. Rejected texts have a vector of all zeros. */
  readonly vectors: readonly Float32Array[]
  /** Reasons for rejections, by the index of the text. */
  readonly refused: ReadonlyMap<number, string>
}

export interface EmbeddingTerms {
  /** Yields after each call, even if embedding itself never waits. */
  readonly pace: Pick<EmbeddingPace, 'rest'>
  readonly signal: AbortSignal
}

/** A word that every working embedder accepts. */
const PLAIN = 'note'

/**
 * Embeds texts in batches of the engine's size. A failing batch is split until the rejected texts are isolated and the others have
 * vectors.
 * @throws the embedder's error if it is not caused by a text, that is, if embedding also fails for a plain word or the error may be
 * transient
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
  /** The error for the whole batch. */
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

/** Decides when to embed and how much at once, so concurrent calls get most of the processor time. */
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

  /** Starts timing after an idle period. */
  begin(): void {
    this.#workedSince = performance.now()
  }

  /** Yields the processor for a while. */
  async rest(): Promise<void> {
    const worked = performance.now() - this.#workedSince
    const pause = this.isAsked ? Math.min(MOST_REST_MS, REST * worked) : 0
    await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, pause)))
    this.begin()
  }
}

/** Measures how fast notes are being embedded. */
export class EmbeddingRate {
  #notes = 0
  #ms = 0

  add(notes: number, ms: number): void {
    // Older batches count half, because the time needed to load a model is unrelated to its later speed.
    this.#notes = this.#notes / 2 + notes
    this.#ms = this.#ms / 2 + ms
  }

  /** Estimated time for a number of notes in milliseconds, or `undefined` before the first measurement. */
  remaining(notes: number): number | undefined {
    return this.#notes === 0 ? undefined : Math.round((notes * this.#ms) / this.#notes)
  }
}
