import type { Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError, providerError } from '../core/errors.ts'
import type { PieceCounts } from './piece-index.ts'
import { makeTableRoom, type RowSums } from './row-sums.ts'
import { SentencePieces } from './sentence-pieces.ts'
import { damaged, openTableFile, readTableHeader, type TableFile, type TableHead, type TableKind } from './table-file.ts'
import { WordPieces } from './word-pieces.ts'

/** The rows are kept for this many milliseconds, because another edit may follow soon. */
const KEEP_MS = 5_000

const BATCH = 256

/** Maximum time before yielding to the event loop. */
const TURN_MS = 15

/** Rows per read. They fit in a memory page and are used about equally often. */
const READ_AT_ONCE = 16

const FIRST_FACTORS = 512

/** 128 more columns raise nDCG@10 by .01 to .02, but slow down every search by a quarter. */
const MULTILINGUAL_COLUMNS = 128

export interface StaticTables {
  readonly english: string
  readonly multilingual?: string
  /**
   * The total number of columns. Fewer columns make vectors smaller, faster and slightly less accurate. The multilingual table
   * provides half of them, but at most `MULTILINGUAL_COLUMNS` unless the English table has no more. By default, there are all
   * English columns and `MULTILINGUAL_COLUMNS`.
   */
  readonly dimensions?: number | undefined
}

/**
 * Opens an embedder that reads rows on demand. The files stay open until `close`. Without `simd`, results are identical.
 * @throws RouxError `PROVIDER_ERROR` that names the file
 */
export function openStaticEmbedder(tables: StaticTables, simd = true): StaticEmbedder {
  const plan = planOf(tables)
  const english = openPart(plan.english, (head) => new WordPieces(head.vocabulary), simd)
  if (plan.multilingual === undefined) return new StaticEmbedder(plan, english)
  try {
    const open = ({ vocabulary, scores }: TableHead) => new SentencePieces(vocabulary, scores)
    return new StaticEmbedder(plan, english, openPart(plan.multilingual, open, simd))
  } catch (error) {
    english.close()
    throw error
  }
}

interface PartPlan {
  readonly path: string
  readonly kind: TableKind
  readonly columns: number
}

type Traits = Pick<Embedder, 'id' | 'dimensions' | 'languages' | 'acrossFrom'>

interface Plan extends Traits {
  readonly english: PartPlan
  readonly multilingual?: PartPlan
}

/** Plans the columns. Without the multilingual table, vectors and id stay compatible with older indexes. */
function planOf({ english, multilingual, dimensions }: StaticTables): Plan {
  const englishHead = readTableHeader(english, 'words')
  if (multilingual === undefined) {
    const columns = columnsOf(englishHead.dimensions, dimensions)
    const part: PartPlan = { path: english, kind: 'words', columns }
    return { id: `static:${englishHead.model}:${columns}`, dimensions: columns, languages: ['en'], english: part }
  }
  const other = readTableHeader(multilingual, 'sentences')
  const compared = Math.min(MULTILINGUAL_COLUMNS, other.dimensions)
  const columns = columnsOf(englishHead.dimensions + other.dimensions, dimensions ?? englishHead.dimensions + compared)
  const others = Math.max(columns - englishHead.dimensions, Math.min(compared, columns >> 1))
  return {
    id: `static:${englishHead.model}+${other.model}:${columns}:${other.version}`,
    dimensions: columns,
    languages: other.languages,
    acrossFrom: columns - others,
    english: { path: english, kind: 'words', columns: columns - others },
    multilingual: { path: multilingual, kind: 'sentences', columns: others },
  }
}

function columnsOf(all: number, requested: number | undefined): number {
  if (requested === undefined || requested <= all) return requested ?? all
  throw providerError(
    `The built-in embedding tables have ${all} dimensions, but ${requested} were requested.`,
    `Set \`embedder.dimensions\` to ${all} or less, or remove it.`,
  )
}

interface Part<Pieces> {
  readonly pieces: Pieces
  readonly columns: number
  sumOf(counted: PieceCounts): Float64Array
  close(): void
}

function openPart<Pieces extends { readonly size: number }>(
  { path, kind, columns }: PartPlan,
  index: (head: TableHead) => Pieces,
  simd: boolean,
): Part<Pieces> {
  const table = openTableFile(path, kind)
  try {
    const pieces = index(table)
    if (pieces.size !== table.rows) throw damaged(path, `it has ${pieces.size} word pieces for ${table.rows} rows`)
    const sums = readingSums(table, columns, simd)
    let factors = new Float64Array(FIRST_FACTORS)
    return {
      pieces,
      columns,
      sumOf({ counts, rows, distinct }) {
        if (distinct > factors.length) factors = new Float64Array(2 * distinct)
        for (let i = 0; i < distinct; i++) {
          const row = rows[i] as number
          factors[i] = (counts[row] as number) * (table.scales[row] as number)
        }
        return sums.of(rows, factors, distinct)
      },
      close: table.close,
    }
  } catch (error) {
    table.close()
    throw error
  }
}

/** Returns sums of rows that are read on demand, in blocks. The system commits only the memory that is used. */
function readingSums(table: TableFile, columns: number, simd: boolean): RowSums {
  const room = makeTableRoom(simd)
  const memory = room.allocate(table.rows * columns)
  const weights = new Int8Array(memory.buffer, memory.byteOffset, table.rows * columns)
  const sums = room.sums(weights, columns)
  const isRead = new Uint8Array(Math.ceil(table.rows / READ_AT_ONCE))
  const readBlock = (block: number): void => {
    const first = block * READ_AT_ONCE
    table.read(first, columns, weights.subarray(first * columns, (first + READ_AT_ONCE) * columns))
    isRead[block] = 1
  }
  return {
    kind: sums.kind,
    of(rows, factors, count) {
      for (let i = 0; i < count; i++) {
        const block = Math.floor((rows[i] as number) / READ_AT_ONCE)
        if (isRead[block] === 0) readBlock(block)
      }
      return sums.of(rows, factors, count)
    },
  }
}

abstract class TableEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly languages: readonly string[] | undefined
  readonly acrossFrom: number | undefined
  readonly batch = BATCH

  constructor({ id, dimensions, languages, acrossFrom }: Traits) {
    this.id = id
    this.dimensions = dimensions
    this.languages = languages
    this.acrossFrom = acrossFrom
  }

  abstract embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]>
  abstract knowsWord(word: string): boolean
  abstract close(): Promise<void>
}

/**
 * Sums the table rows of a text's pieces, in an English and a multilingual part. The share of Latin script scales a passage's
 * English part, and a constant fills it up, so cross-language queries treat all scripts equally. A query has only one part.
 */
export class StaticEmbedder extends TableEmbedder {
  readonly #english: Part<WordPieces>
  readonly #multilingual: Part<SentencePieces> | undefined
  #isClosed = false

  constructor(traits: Traits, english: Part<WordPieces>, multilingual?: Part<SentencePieces>) {
    super(traits)
    this.#english = english
    this.#multilingual = multilingual
  }

  async embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    this.#requireOpen()
    const vectors: Float32Array[] = []
    let turn = performance.now()
    for (const text of texts) {
      signal?.throwIfAborted()
      vectors.push(this.embedText(text, kind))
      if (performance.now() - turn < TURN_MS) continue
      await new Promise((resolve) => setImmediate(resolve))
      this.#requireOpen()
      turn = performance.now()
    }
    signal?.throwIfAborted()
    return vectors
  }

  /** Embeds a text synchronously. The call takes linear time, plus at most one pass over the tables. */
  embedText(text: string, kind: EmbedKind = 'passage'): Float32Array {
    const vector = new Float32Array(this.dimensions)
    const counts = this.#multilingual?.pieces.count(text)
    const share = kind === 'across' && counts !== undefined ? 0 : (counts?.latin ?? 1)
    const english = { from: 0, length: share }
    const isEnglish = share > 0 && addUnit(vector, this.#english.sumOf(this.#english.pieces.count(text)), english)
    if (this.#multilingual !== undefined && counts !== undefined && !(kind === 'query' && isEnglish)) {
      const { columns } = this.#english
      const hasMeaning = addUnit(vector, this.#multilingual.sumOf(counts), { from: columns, length: 1 })
      if (kind === 'passage' && hasMeaning) fill(vector, columns, share)
    }
    toUnitLength(vector)
    return vector
  }

  knowsWord(word: string): boolean {
    this.#requireOpen()
    const { counts, rows, distinct, unknown } = this.#english.pieces.count(word)
    return unknown === 0 && distinct === 1 && counts[rows[0] as number] === 1
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#english.close()
    this.#multilingual?.close()
  }

  #requireOpen(): void {
    if (this.#isClosed) throw closedError(this.id)
  }
}

/** `length` is the part's norm. */
interface VectorPart {
  readonly from: number
  readonly length: number
}

/** Returns false if the sum is zero. */
function addUnit(vector: Float32Array, sum: Float64Array, { from, length }: VectorPart): boolean {
  let squares = 0
  for (let i = 0; i < sum.length; i++) squares += (sum[i] as number) * (sum[i] as number)
  if (squares === 0) return false
  const norm = Math.sqrt(squares)
  for (let i = 0; i < sum.length; i++) vector[from + i] = (vector[from + i] as number) + (length * (sum[i] as number)) / norm
  return true
}

/** Adds a constant, which raises the norm from `share` to about 1. */
function fill(vector: Float32Array, columns: number, share: number): void {
  if (share === 1) return
  const rest = Math.sqrt((1 - share * share) / columns)
  // Alternate the signs, so the constant is not similar to a text's vector.
  for (let i = 0; i < columns; i++) vector[i] = (vector[i] as number) + (i & 2 ? rest : -rest)
}

function toUnitLength(vector: Float32Array): void {
  let squares = 0
  for (let i = 0; i < vector.length; i++) squares += (vector[i] as number) * (vector[i] as number)
  if (squares === 0) return
  const length = Math.sqrt(squares)
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length
}

export interface LazyOptions {
  /** Milliseconds to keep the tables after the last embedding. */
  readonly kept?: number
  readonly isExpected?: boolean
}

/**
 * Opens an embedder for threads that rarely embed. Rows are in memory only while in use.
 * @throws RouxError `PROVIDER_ERROR` that names the file
 */
export function openLazyStaticEmbedder(tables: StaticTables, { kept = KEEP_MS, isExpected = false }: LazyOptions = {}): Embedder {
  const plan = planOf(tables)
  const embedder = new LazyStaticEmbedder(() => openStaticEmbedder(tables), { ...plan, kept })
  if (isExpected) embedder.openAhead()
  return embedder
}

class LazyStaticEmbedder extends TableEmbedder {
  readonly #openTable: () => StaticEmbedder
  readonly #keepMs: number
  #open: StaticEmbedder | undefined
  #timer: NodeJS.Timeout | undefined
  #running = 0
  #isClosed = false

  constructor(openTable: () => StaticEmbedder, { kept, ...traits }: Traits & { readonly kept: number }) {
    super(traits)
    this.#openTable = openTable
    this.#keepMs = kept
  }

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

  knowsWord(word: string): boolean {
    if (this.#isClosed) throw closedError(this.id)
    const knows = this.#use().knowsWord(word)
    this.#keep()
    return knows
  }

  #keep(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      // Tables that are in use must stay open.
      if (this.#running === 0) this.#giveUp()
    }, this.#keepMs)
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
