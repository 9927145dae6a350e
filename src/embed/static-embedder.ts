import type { Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError, providerError } from '../core/errors.ts'
import { eachInTurn, takeTurns } from '../core/waiting.ts'
import type { PieceCounts } from './piece-index.ts'
import { createRowTable, type RowTable } from './row-sums.ts'
import { SentencePieces } from './sentence-pieces.ts'
import { damaged, openTableFile, readTableHeader, type TableFile, type TableHead, type TableKind } from './table-file.ts'
import { WordPieces } from './word-pieces.ts'

/** The rows are kept for this many milliseconds, because another edit may follow soon. */
const KEEP_MS = 5_000

const BATCH = 256

/** Number of rows per read. They fit in a memory page and are used about equally often. */
const READ_AT_ONCE = 16

const FIRST_FACTORS = 512

/** Number of multilingual columns. 128 more would raise nDCG@10 by .01 to .02, but slow down every search by a quarter. */
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

export interface StaticOptions {
  /** Milliseconds to keep the tables after the last embedding. */
  readonly kept?: number
  /** Opens the tables at once instead of for the first text. */
  readonly isExpected?: boolean
  /** False for plain JavaScript, which gives the same results. */
  readonly simd?: boolean
}

/**
 * Opens an embedder that sums the table rows of a text's pieces, in an English and a multilingual part. It reads rows on demand,
 * and keeps them in memory only while in use.
 * @throws RouxError `PROVIDER_ERROR` that names the file
 */
export function openStaticEmbedder(
  tables: StaticTables,
  { kept = KEEP_MS, isExpected = false, simd = true }: StaticOptions = {},
) {
  const { english, multilingual, ...traits } = planOf(tables)
  let open: OpenTables | undefined
  let timer: NodeJS.Timeout | undefined
  let users = 0
  let isClosed = false
  const requireOpen = (): void => {
    if (isClosed) throw closedError(traits.id)
  }
  const take = (): OpenTables => {
    requireOpen()
    open ??= openTables(english, multilingual, simd)
    users++
    return open
  }
  const closeTables = (): void => {
    clearTimeout(timer)
    open?.english.close()
    open?.multilingual?.close()
    open = undefined
  }
  const release = (): void => {
    users--
    clearTimeout(timer)
    timer = setTimeout(() => users === 0 && closeTables(), kept).unref()
  }
  const use = <T>(read: (tables: OpenTables) => T): T => {
    const taken = take()
    try {
      return read(taken)
    } finally {
      release()
    }
  }
  if (isExpected) use(() => {})
  return {
    ...traits,
    batch: BATCH,
    async embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
      const taken = take()
      try {
        const vectors = await eachInTurn(texts, takeTurns(signal), (text) => {
          requireOpen()
          return vectorOf(taken, text, kind)
        })
        signal?.throwIfAborted()
        return vectors
      } finally {
        release()
      }
    },
    /** Embeds a text synchronously. The call takes linear time, plus at most one pass over the tables. */
    embedText: (text: string, kind: EmbedKind = 'passage'): Float32Array => use((taken) => vectorOf(taken, text, kind)),
    knowsWord(word: string): boolean {
      const { counts, rows, distinct, unknown } = use((taken) => taken.english.pieces.count(word))
      return unknown === 0 && distinct === 1 && counts[rows[0] as number] === 1
    },
    async close(): Promise<void> {
      isClosed = true
      closeTables()
    },
  }
}

interface OpenTables {
  readonly english: Part<WordPieces>
  readonly multilingual: Part<SentencePieces> | undefined
}

function openTables(words: PartPlan, sentences: PartPlan | undefined, simd: boolean): OpenTables {
  const english = openPart(words, (head) => new WordPieces(head.vocabulary), simd)
  if (sentences === undefined) return { english, multilingual: undefined }
  try {
    const open = ({ vocabulary, scores }: TableHead) => new SentencePieces(vocabulary, scores)
    return { english, multilingual: openPart(sentences, open, simd) }
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
    const sum = readingSums(table, columns, simd)
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
        return sum(rows, factors, distinct)
      },
      close: table.close,
    }
  } catch (error) {
    table.close()
    throw error
  }
}

/** Returns a function that sums rows, which are read on demand, in blocks. The system commits only the memory that is used. */
function readingSums(table: TableFile, columns: number, simd: boolean): RowTable['sum'] {
  const loaded = createRowTable(table.rows, columns, simd)
  const isRead = new Uint8Array(Math.ceil(table.rows / READ_AT_ONCE))
  const readBlock = (block: number): void => {
    const first = block * READ_AT_ONCE
    table.read(first, columns, loaded.weights.subarray(first * columns, (first + READ_AT_ONCE) * columns))
    isRead[block] = 1
  }
  return (rows, factors, count) => {
    for (let i = 0; i < count; i++) {
      const block = Math.floor((rows[i] as number) / READ_AT_ONCE)
      if (isRead[block] === 0) readBlock(block)
    }
    return loaded.sum(rows, factors, count)
  }
}

/**
 * The share of Latin script scales a passage's English part, and a constant fills it up, so cross-language queries treat all
 * scripts equally. A query has only one part.
 */
function vectorOf({ english: words, multilingual: sentences }: OpenTables, text: string, kind: EmbedKind): Float32Array {
  const vector = new Float32Array(words.columns + (sentences?.columns ?? 0))
  const counts = sentences?.pieces.count(text)
  const share = kind === 'across' && counts !== undefined ? 0 : (counts?.latin ?? 1)
  const english = { from: 0, length: share }
  const isEnglish = share > 0 && addUnit(vector, words.sumOf(words.pieces.count(text)), english)
  if (sentences !== undefined && counts !== undefined && !(kind === 'query' && isEnglish)) {
    const hasMeaning = addUnit(vector, sentences.sumOf(counts), { from: words.columns, length: 1 })
    if (kind === 'passage' && hasMeaning) fill(vector, words.columns, share)
  }
  toUnitLength(vector)
  return vector
}

/** A part of a vector. `length` is its norm. */
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
