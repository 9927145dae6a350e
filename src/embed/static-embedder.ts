import type { Coverage, Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError, providerError } from '../core/provider-error.ts'
import { makeTableRoom, type RowSums, readingSums } from './row-sums.ts'
import { damaged, openStaticRows, readStaticHeader, readStaticTable, type TableHead } from './static-table.ts'
import { WordPieces } from './word-pieces.ts'

/** How long the table is kept after the last embedding, in milliseconds. Another edit may follow soon. */
const KEPT = 5_000

const BATCH = 256

/** Maximum milliseconds of work before yielding, so aborts and other calls do not have to wait. */
const TURN = 15

/** Initial capacity for the word pieces of a text. */
const FIRST_FACTORS = 512

const LETTER = /[\p{L}\p{N}]/u

/**
 * Loads the table at `path`. If `dimensions` is given, only the first columns are used, which is smaller, faster and slightly less
 * accurate.
 * @throws RouxError `PROVIDER_ERROR` that names the file if it cannot be used
 */
export function openStaticEmbedder(path: string, dimensions?: number, room = makeTableRoom()): StaticEmbedder {
  const table = readStaticTable(path, room)
  const columns = columnsOf(table, path, dimensions)
  return new StaticEmbedder(
    table,
    piecesOf(table, path),
    room.sums(table.weights, { dimensions: table.dimensions, columns }),
    columns,
  )
}

/**
 * Like `openStaticEmbedder`, but for a few short strings, such as queries. Only the rows of their words are read: 256 bytes each,
 * while the whole table has 8 MB. The file stays open until `close`. @throws RouxError as `openStaticEmbedder` does
 */
export function openSparseStaticEmbedder(path: string, dimensions?: number): StaticEmbedder {
  const table = openStaticRows(path)
  try {
    const columns = columnsOf(table, path, dimensions)
    return new StaticEmbedder(table, piecesOf(table, path), readingSums(table.read, columns), columns, table.close)
  } catch (error) {
    table.close()
    throw error
  }
}

function piecesOf({ vocabulary, rows }: TableHead, path: string): WordPieces {
  const pieces = new WordPieces(vocabulary)
  if (pieces.size !== rows) throw damaged(path, `it has ${pieces.size} word pieces for ${rows} rows`)
  return pieces
}

/** Vector length assumed for each letter of a dropped word, about the mean length of the table's rows (.83). */
const UNKNOWN_LENGTH = 1

/** Returns the number of columns of a table to use. */
function columnsOf(table: Pick<TableHead, 'dimensions'>, path: string, wanted: number | undefined): number {
  if (wanted === undefined || wanted <= table.dimensions) return wanted ?? table.dimensions
  throw providerError(
    `The embedding table ${path} has ${table.dimensions} dimensions, and ${wanted} are asked for.`,
    `Set \`embedder.dimensions\` to ${table.dimensions} or less, or leave it out.`,
  )
}

/** Returns the id for vectors computed from a table's first columns. */
function staticId({ model }: Pick<TableHead, 'model'>, dimensions: number): string {
  return `static:${model}:${dimensions}`
}

/**
 * Computes a text's vector as the normalized sum of its word pieces' vectors, without running a model. Queries and passages are
 * treated alike.
 */
export class StaticEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly batch = BATCH
  readonly #scales: Float32Array
  readonly #pieces: WordPieces
  readonly #sums: RowSums
  /** Cached by row, because queries and names share many rows. */
  readonly #lengths = new Map<number, number>()
  #factors = new Float64Array(FIRST_FACTORS)
  readonly #release: () => void
  #closed = false

  constructor(table: TableHead, pieces: WordPieces, sums: RowSums, dimensions: number, release = () => {}) {
    this.#scales = table.scales
    this.#pieces = pieces
    this.#sums = sums
    this.#release = release
    this.dimensions = dimensions
    this.id = staticId(table, dimensions)
  }

  async embed(texts: readonly string[], _kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    this.#requireOpen()
    const vectors: Float32Array[] = []
    let turn = performance.now()
    for (const text of texts) {
      signal?.throwIfAborted()
      vectors.push(this.embedText(text))
      if (performance.now() - turn < TURN) continue
      await new Promise((resolve) => setImmediate(resolve))
      this.#requireOpen()
      turn = performance.now()
    }
    signal?.throwIfAborted()
    return vectors
  }

  /** Embeds one text synchronously. Takes time linear in the text's length, plus at most one pass over the table. */
  embedText(text: string): Float32Array {
    const { counts, rows, distinct } = this.#pieces.count(text)
    if (distinct > this.#factors.length) this.#factors = new Float64Array(2 * distinct)
    const factors = this.#factors
    for (let i = 0; i < distinct; i++) {
      const row = rows[i] as number
      factors[i] = (counts[row] as number) * (this.#scales[row] as number)
    }
    return toUnit(this.#sums.of(rows, factors, distinct))
  }

  /** Single letters are ignored because they carry no meaning in any script. Punctuation is ignored too. */
  coverage(text: string): Coverage {
    const { counts, rows, distinct, unknown } = this.#pieces.count(text)
    let words = 0
    let parts = unknown
    let known = 0
    let all = unknown * UNKNOWN_LENGTH
    for (let i = 0; i < distinct; i++) {
      const row = rows[i] as number
      const { letters, begins } = kindOf(this.#pieces.piece(row))
      if (letters === 0) continue
      const count = counts[row] as number
      const length = count * this.#lengthOf(row)
      if (begins) words += count
      parts += count
      if (letters > 1) known += length
      all += length
    }
    return { meaning: all === 0 ? 0 : known / all, whole: parts === 0 ? 0 : words / parts }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#release()
  }

  #requireOpen(): void {
    if (this.#closed) throw closedError(this.id)
  }

  #lengthOf(row: number): number {
    const known = this.#lengths.get(row)
    if (known !== undefined) return known
    let squares = 0
    for (const value of this.#sums.of(Int32Array.of(row), Float64Array.of(this.#scales[row] as number), 1))
      squares += value * value
    const length = Math.sqrt(squares)
    this.#lengths.set(row, length)
    return length
  }
}

/** Returns the number of characters in a piece, 0 if it has neither letters nor digits, and whether it starts a word. */
function kindOf(piece: string): { readonly letters: number; readonly begins: boolean } {
  const begins = !(piece.length > 2 && piece.startsWith('##'))
  const text = begins ? piece : piece.slice(2)
  return { letters: LETTER.test(text) ? [...text].length : 0, begins }
}

function toUnit(sum: Float64Array): Float32Array {
  let squares = 0
  for (let i = 0; i < sum.length; i++) squares += (sum[i] as number) * (sum[i] as number)
  const vector = new Float32Array(sum.length)
  if (squares === 0) return vector
  const factor = 1 / Math.sqrt(squares)
  for (let i = 0; i < vector.length; i++) vector[i] = (sum[i] as number) * factor
  return vector
}

export interface LazyOptions {
  /** How long the table is kept after the last embedding, in milliseconds. */
  readonly kept?: number
  /** True if the first embedding is expected soon, so the table is opened immediately. */
  readonly isExpected?: boolean
  /** True if there will only be a few short strings, so only the rows of their words are read. */
  readonly isSparse?: boolean
}

/**
 * Opens the built-in embedder for threads that rarely embed. Its table, 8 MB if read completely, is kept in memory only while in use.
 * @throws RouxError `PROVIDER_ERROR` that names the file if it cannot be used
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

  /** Opens the table in advance. */
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
      // While text is being embedded, the table must be kept.
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
