import type { Coverage, Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError } from '../core/provider-error.ts'
import {
  BATCH,
  columnsOf,
  openSparseStaticEmbedder,
  openStaticEmbedder,
  type StaticEmbedder,
  staticId,
} from './static-embedder.ts'
import { readStaticHeader } from './static-table.ts'

/** How long the table is kept after the last text, ms: the next edit may be near. */
const KEPT = 5_000

export interface LazyOptions {
  /** How long the table is kept after the last text, ms. */
  readonly kept?: number
  /** The first text is expected soon: the table is opened at once. */
  readonly isExpected?: boolean
  /** Texts are few and short: only the rows of their words are read. */
  readonly isSparse?: boolean
}

/**
 * The built-in embedder for a thread that seldom embeds: its table, of 8 MB where it is read whole, is there only while it does.
 * @throws RouxError `PROVIDER_ERROR` that names the file when it cannot be used.
 */
export function openLazyStaticEmbedder(
  path: string,
  dimensions?: number,
  { kept = KEPT, isExpected = false, isSparse = false }: LazyOptions = {},
): Embedder {
  const header = readStaticHeader(path)
  const columns = columnsOf(header, path, dimensions)
  const open = () => (isSparse ? openSparseStaticEmbedder : openStaticEmbedder)(path, columns)
  const embedder = new LazyStaticEmbedder(open, { id: staticId(header, columns), dimensions: columns, kept })
  if (isExpected) embedder.openAhead()
  return embedder
}

class LazyStaticEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly batch = BATCH
  readonly #openTable: () => StaticEmbedder
  readonly #kept: number
  #open: StaticEmbedder | undefined
  #timer: NodeJS.Timeout | undefined
  #running = 0
  #isClosed = false

  constructor(
    openTable: () => StaticEmbedder,
    { id, dimensions, kept }: Pick<Embedder, 'id' | 'dimensions'> & { readonly kept: number },
  ) {
    this.#openTable = openTable
    this.#kept = kept
    this.id = id
    this.dimensions = dimensions
  }

  /** Opens the table for a text that comes soon. */
  openAhead(): void {
    this.#use()
    this.#keep()
  }

  async embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    if (this.#isClosed) throw closedError(this.id)
    const table = this.#use()
    this.#running++
    try {
      return await table.embed(texts, kind, signal)
    } finally {
      this.#running--
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
      // A text that is still being embedded keeps it until its own end.
      if (this.#running === 0) this.#giveUp()
    }, this.#kept)
    this.#timer.unref()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#giveUp()
  }

  #giveUp(): void {
    void this.#open?.close()
    this.#open = undefined
  }

  #use(): StaticEmbedder {
    clearTimeout(this.#timer)
    this.#open ??= this.#openTable()
    return this.#open
  }
}
