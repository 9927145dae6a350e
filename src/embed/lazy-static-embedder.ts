import type { Coverage, Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError } from '../core/provider-error.ts'
import { BATCH, columnsOf, openStaticEmbedder, type StaticEmbedder, staticId } from './static-embedder.ts'
import { readStaticHeader } from './static-table.ts'

/** How long the table is kept after the last text, ms: the next edit may be near. */
const KEPT = 5_000

export interface LazyOptions {
  /** How long the table is kept after the last text, ms. */
  readonly kept?: number
  /** The first text is expected soon: the table is read at once. */
  readonly isExpected?: boolean
}

/**
 * The built-in embedder for a thread that seldom embeds: the table of 8 MB is there only while it does.
 * @throws RouxError `PROVIDER_ERROR` that names the file when it cannot be used.
 */
export function openLazyStaticEmbedder(
  path: string,
  dimensions?: number,
  { kept = KEPT, isExpected = false }: LazyOptions = {},
): Embedder {
  const header = readStaticHeader(path)
  const columns = columnsOf(header, path, dimensions)
  const embedder = new LazyStaticEmbedder(path, { id: staticId(header, columns), dimensions: columns, kept })
  if (isExpected) embedder.readAhead()
  return embedder
}

class LazyStaticEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly batch = BATCH
  readonly #path: string
  readonly #kept: number
  #open: StaticEmbedder | undefined
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(path: string, { id, dimensions, kept }: Pick<Embedder, 'id' | 'dimensions'> & { readonly kept: number }) {
    this.#path = path
    this.#kept = kept
    this.id = id
    this.dimensions = dimensions
  }

  /** Reads the table for a text that comes soon. */
  readAhead(): void {
    this.#open ??= openStaticEmbedder(this.#path, this.dimensions)
    this.#keep()
  }

  async embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    if (this.#isClosed) throw closedError(this.id)
    const table = this.#use()
    try {
      return await table.embed(texts, kind, signal)
    } finally {
      this.#keep()
    }
  }

  coverage(text: string): Coverage {
    try {
      return this.#use().coverage(text)
    } finally {
      this.#keep()
    }
  }

  #keep(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#open = undefined
    }, this.#kept)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#open = undefined
  }

  #use(): StaticEmbedder {
    clearTimeout(this.#timer)
    this.#open ??= openStaticEmbedder(this.#path, this.dimensions)
    return this.#open
  }
}
