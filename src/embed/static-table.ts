import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { RouxError } from '../core/errors.ts'
import { providerError, reasonOf } from '../core/provider-error.ts'
import { makeTableRoom, type TableRoom } from './row-sums.ts'

/** A table without its weights, as views of the file's bytes. */
export interface TableHead {
  /** Name of the teacher model: `all-minilm-l6-v2`. */
  readonly model: string
  readonly rows: number
  /** Number of columns, which are sorted by importance. The first n columns form a valid table too. */
  readonly dimensions: number
  /** UTF-8, one piece per line. */
  readonly vocabulary: Uint8Array
  /** A row's weights are `scales[row] × weights[row × dimensions …]`. */
  readonly scales: Float32Array
}

/** A table of word-piece vectors. */
export interface StaticTable extends TableHead {
  readonly weights: Int8Array
}

/** A table whose weights are read from the file on demand. */
export interface StaticRows extends TableHead {
  /** Reads the weights of a row. @throws RouxError `PROVIDER_ERROR` */
  read(row: number): Int8Array
  close(): void
}

const MAGIC = 'STE1'
const PREAMBLE = 8
const MAX_HEADER = 65_536
const MAX_ROWS = 4_000_000
const MAX_DIMENSIONS = 4096

/**
 * Reads a table into memory: `STE1` · uint32 (little-endian) length of the header · header as JSON · vocabulary · a float32 scale per
 * row · int8 rows.
 * @throws RouxError `PROVIDER_ERROR` that names the file if it is missing, truncated, damaged or in another format
 */
export function readStaticTable(path: string, room: Pick<TableRoom, 'allocate'> = makeTableRoom(false)): StaticTable {
  return parseStaticTable(readFile(path, room), path)
}

/** Parses a table. `path` is for messages. The table keeps a reference to the bytes. */
export function parseStaticTable(bytes: Uint8Array, path: string): StaticTable {
  const { head, end } = headIn(bytes, path, bytes.length)
  return { ...head, weights: new Int8Array(bytes.buffer, bytes.byteOffset + end, head.rows * head.dimensions) }
}

/** Opens a table and reads rows on demand. @throws RouxError as `readStaticTable` does */
export function openStaticRows(path: string): StaticRows {
  const file = tried(path, () => openSync(path, 'r'))
  try {
    const { head, end } = tried(path, () => {
      const { length, rows, vocabBytes } = headerOf(beginningOf(file), path)
      const bytes = new Uint8Array(PREAMBLE + length + vocabBytes + 4 * rows)
      return headIn(readWhole(file, bytes), path, fstatSync(file).size)
    })
    let isOpen = true
    return {
      ...head,
      read(row) {
        // The file descriptor may already belong to another file.
        if (!isOpen) throw damaged(path, 'it was closed')
        return rowOf(file, end + row * head.dimensions, head.dimensions, path)
      },
      close() {
        if (isOpen) closeSync(file)
        isOpen = false
      },
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function rowOf(file: number, at: number, size: number, path: string): Int8Array {
  const row = new Int8Array(size)
  if (tried(path, () => readSync(file, row, 0, size, at)) < size) throw damaged(path, 'it is cut off')
  return row
}

/** Parses everything before the weights, and returns the offset at which they start. `size` is the size of the whole file. */
function headIn(bytes: Uint8Array, path: string, size: number): { readonly head: TableHead; readonly end: number } {
  const { rows, dims, vocabBytes, model, length } = headerOf(bytes, path)
  const vocabularyEnd = PREAMBLE + length + vocabBytes
  const end = vocabularyEnd + 4 * rows
  const wanted = end + rows * dims
  if (size !== wanted) throw damaged(path, `it has ${size} bytes and should have ${wanted}`)
  const scales = readScales(bytes.subarray(vocabularyEnd, end))
  if (!scales.every((scale) => Number.isFinite(scale) && scale >= 0)) throw damaged(path, 'it holds weights that are no numbers')
  return { head: { model, rows, dimensions: dims, vocabulary: bytes.subarray(PREAMBLE + length, vocabularyEnd), scales }, end }
}

/** Reads a table's model and dimensions from its header. @throws RouxError `PROVIDER_ERROR` that names the file */
export function readStaticHeader(path: string): Pick<TableHead, 'model' | 'dimensions'> {
  const { model, dims } = headerOf(withFile(path, beginningOf), path)
  return { model, dimensions: dims }
}

function headerOf(bytes: Uint8Array, path: string): Header & { readonly length: number } {
  if (bytes.length < PREAMBLE || textOf(bytes.subarray(0, 4)) !== MAGIC) throw damaged(path, 'it is no embedding table')
  const length = viewOf(bytes).getUint32(4, true)
  if (length > MAX_HEADER || PREAMBLE + length > bytes.length) throw damaged(path, 'its header is cut off or damaged')
  const header = parseHeader(textOf(bytes.subarray(PREAMBLE, PREAMBLE + length)))
  if (typeof header === 'string') throw damaged(path, header)
  return { ...header, length }
}

/** Error for a table that cannot be used. */
export function damaged(path: string, problem: string, cause?: unknown): Error {
  return providerError(
    `The embedding table ${path} cannot be used: ${problem}.`,
    'Install Roux again, or set `embedder.kind` to another one.',
    cause,
  )
}

interface Header {
  readonly rows: number
  readonly dims: number
  readonly vocabBytes: number
  readonly model: string
}

/** @returns a message if the header is invalid */
function parseHeader(json: string): Header | string {
  let header: Readonly<Record<string, unknown>> | null
  try {
    header = JSON.parse(json)
  } catch {
    return 'its header is damaged'
  }
  const { rows, dims, vocabBytes, lowercase, teacher } = header ?? {}
  if (!isCount(rows, MAX_ROWS) || !isCount(dims, MAX_DIMENSIONS) || !isCount(vocabBytes, 256 * rows)) {
    return 'its header tells impossible sizes'
  }
  if (lowercase !== true || typeof teacher !== 'string') return 'its header describes a table that this version cannot read'
  return { rows, dims, vocabBytes, model: modelOf(teacher) }
}

function isCount(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
}

/** `sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)` becomes `all-minilm-l6-v2`. */
function modelOf(teacher: string): string {
  return teacher
    .replace(/\([\s\S]*/, '')
    .trimEnd()
    .replace(/^.*\//, '')
    .toLowerCase()
}

/** Copied because they are not aligned for a float32 view. */
function readScales(bytes: Uint8Array): Float32Array {
  const view = viewOf(bytes)
  return Float32Array.from({ length: bytes.length / 4 }, (_, row) => view.getFloat32(4 * row, true))
}

function readFile(path: string, room: Pick<TableRoom, 'allocate'>): Uint8Array {
  return withFile(path, (file) => readWhole(file, room.allocate(fstatSync(file).size)))
}

/** @throws RouxError `PROVIDER_ERROR` on any system error */
function tried<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof RouxError ? error : damaged(path, `it cannot be read (${reasonOf(error)})`, error)
  }
}

function withFile<T>(path: string, use: (file: number) => T): T {
  return tried(path, () => {
    const file = openSync(path, 'r')
    try {
      return use(file)
    } finally {
      closeSync(file)
    }
  })
}

function readWhole(file: number, bytes: Uint8Array): Uint8Array {
  let at = 0
  for (let read = 1; read > 0 && at < bytes.length; at += read) read = readSync(file, bytes, at, bytes.length - at, at)
  return bytes.subarray(0, at)
}

/** Reads the header and some bytes after it. */
function beginningOf(file: number): Uint8Array {
  const bytes = new Uint8Array(PREAMBLE + MAX_HEADER)
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, 0))
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
