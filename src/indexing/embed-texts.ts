import type { Embedder } from '../core/embedder.ts'
import { isTransient } from '../core/errors.ts'
import { requireVectors } from '../core/require-vectors.ts'

/** How long after a question the next one is expected, ms. */
const EXPECTED_MS = 500

/** Pause between two pieces of work while idle, ms: on two cores a server and its client need both. */
const PAUSE_MS = 4

/** How long is rested after work while someone asks: so many times as long as it took, and no longer than that, ms. */
const REST = 2

const MOST_REST_MS = 16

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

/** When to embed, and how much at once: callers that ask meanwhile have most of the processor. */
export class EmbeddingPace {
  #askedAt = Number.NEGATIVE_INFINITY
  #workedSince = performance.now()

  /** A question came. */
  asked(): void {
    this.#askedAt = performance.now()
  }

  /** True if questions come. */
  get isAsked(): boolean {
    return performance.now() - this.#askedAt < EXPECTED_MS
  }

  /** Work begins after a time in which nothing was done. */
  begin(): void {
    this.#workedSince = performance.now()
  }

  /** Leaves the processor to others for a while. */
  async rest(): Promise<void> {
    const worked = performance.now() - this.#workedSince
    const pause = this.isAsked ? Math.min(MOST_REST_MS, REST * worked) : 0
    await new Promise((resolve) => setTimeout(resolve, Math.max(PAUSE_MS, pause)))
    this.begin()
  }
}

/** How fast notes were embedded lately. */
export class EmbeddingRate {
  #notes = 0
  #ms = 0

  add(notes: number, ms: number): void {
    // Older batches count half: a loading model says nothing about its later speed.
    this.#notes = this.#notes / 2 + notes
    this.#ms = this.#ms / 2 + ms
  }

  /** Milliseconds for so many notes; `undefined` before anything was measured. */
  remaining(notes: number): number | undefined {
    return this.#notes === 0 ? undefined : Math.round((notes * this.#ms) / this.#notes)
  }
}
