import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { crc32 } from 'node:zlib'
import { providerError, RouxError, reasonOf } from '../core/errors.ts'
import { isRecord } from '../core/is-record.ts'
import { parseJson } from '../core/quietly.ts'

/** The kind of a table. `words` is the English table, `sentences` the multilingual one. */
export type TableKind = 'words' | 'sentences'

export interface TableHead {
  readonly model: string
  /** The languages as ISO 639-1 codes, or `undefined` if they are not listed. */
  readonly languages: readonly string[] | undefined
  readonly rows: number
  /** Columns are sorted by importance, so the first n form a valid table. */
  readonly dimensions: number
  /** The file's checksum in hexadecimal. */
  readonly version: string
  /** The pieces in UTF-8, one per line. */
  readonly vocabulary: Uint8Array
  /** The log probability of each piece. The array is empty if the format has none. */
  readonly scores: Float32Array
  /** The scale of each row. A row's weights are its integers times its scale. */
  readonly scales: Float32Array
}

export interface TableFile extends TableHead {
  /** Reads the first columns of the rows from `first` on. @throws RouxError `PROVIDER_ERROR` */
  read(first: number, columns: number, weights: Int8Array): void
  /** Closes the file. It must be called only once, and `read` must not be called afterwards. */
  close(): void
}

interface Format {
  readonly magic: string
  /** The number of bits per weight. 4-bit weights are stored plus 8, two per byte, low half first. */
  readonly bits: 4 | 8
  readonly hasScores: boolean
  /** The vocabulary is zero-padded to a multiple of this number of bytes. */
  readonly alignment: number
}

const FORMATS: Readonly<Record<TableKind, Format>> = {
  words: { magic: 'STE1', bits: 8, hasScores: false, alignment: 1 },
  sentences: { magic: 'MLT1', bits: 4, hasScores: true, alignment: 4 },
}

const PREAMBLE = 8
const CHECKSUM = 4
const MAX_HEADER = 65_536
const MAX_ROWS = 4_000_000
const MAX_DIMENSIONS = 4096
const PART = 65_536

/**
 * Opens a table file. Its format (little-endian) is: magic, uint32 header length, JSON header, vocabulary, float32 log
 * probabilities (optional), one float32 scale per row, rows, uint32 CRC-32.
 * @throws RouxError `PROVIDER_ERROR` that names the file if it is missing or damaged
 */
export function openTableFile(path: string, kind: TableKind): TableFile {
  const file = withTableError(path, () => openSync(path, 'r'))
  try {
    return withTableError(path, () => openRows(file, path, FORMATS[kind]))
  } catch (error) {
    closeSync(file)
    throw error
  }
}

/** Reads the header without verifying the checksum. @throws RouxError `PROVIDER_ERROR` that names the file */
export function readTableHeader(
  path: string,
  kind: TableKind,
): Pick<TableHead, 'model' | 'dimensions' | 'version' | 'languages'> {
  return withTableError(path, () => {
    const file = openSync(path, 'r')
    try {
      const { model, dims, languages } = headerOf(file, path, FORMATS[kind])
      return { model, languages, dimensions: dims, version: toHex(statedChecksum(file, fstatSync(file).size)) }
    } finally {
      closeSync(file)
    }
  })
}

function openRows(file: number, path: string, format: Format): TableFile {
  const header = headerOf(file, path, format)
  const { rows, dims } = header
  const places = layOut(header, format)
  const stat = fstatSync(file)
  if (stat.size !== places.end) throw damaged(path, `it has ${stat.size} bytes instead of ${places.end}`)
  requireUnaltered(file, path, stat)
  const numbers = (from: number): Float32Array => toFloats(readAt(file, new Uint8Array(4 * rows), from))
  const scales = numbers(places.scales)
  const scores = format.hasScores ? numbers(places.scores) : new Float32Array()
  if (![scales, scores].every((all) => all.every(Number.isFinite))) throw damaged(path, 'it contains invalid weights')
  const rowBytes = (dims * format.bits) / 8
  return {
    model: header.model,
    languages: header.languages,
    rows,
    dimensions: dims,
    version: toHex(statedChecksum(file, stat.size)),
    vocabulary: readAt(file, new Uint8Array(header.vocabBytes), places.vocabulary),
    scores,
    scales,
    read(first, columns, weights) {
      const packed = new Uint8Array((weights.length / columns) * rowBytes)
      const bytes = withTableError(path, () => readAt(file, packed, places.rows + first * rowBytes))
      if (bytes.length < packed.length) throw damaged(path, 'it is truncated')
      for (let row = 0; row * columns < weights.length; row++) {
        const rowWeights = weights.subarray(row * columns, (row + 1) * columns)
        decode(bytes.subarray(row * rowBytes, (row + 1) * rowBytes), rowWeights, format)
      }
    },
    close: () => closeSync(file),
  }
}

function decode(bytes: Uint8Array, weights: Int8Array, { bits }: Format): void {
  if (bits === 8) {
    weights.set(bytes.subarray(0, weights.length))
    return
  }
  for (let column = 0; column < weights.length; column++) {
    const both = bytes[column >> 1] as number
    weights[column] = (column & 1 ? both >> 4 : both & 15) - 8
  }
}

interface Places {
  readonly vocabulary: number
  readonly scores: number
  readonly scales: number
  readonly rows: number
  readonly end: number
}

function layOut({ length, rows, dims, vocabBytes }: Header & { readonly length: number }, format: Format): Places {
  const vocabulary = PREAMBLE + length
  const scores = vocabulary + Math.ceil(vocabBytes / format.alignment) * format.alignment
  const scales = scores + (format.hasScores ? 4 * rows : 0)
  const first = scales + 4 * rows
  return { vocabulary, scores, scales, rows: first, end: first + (rows * dims * format.bits) / 8 + CHECKSUM }
}

function headerOf(file: number, path: string, { magic, bits }: Format): Header & { readonly length: number } {
  const bytes = readAt(file, new Uint8Array(PREAMBLE + MAX_HEADER), 0)
  if (bytes.length < PREAMBLE || textOf(bytes.subarray(0, 4)) !== magic) throw damaged(path, 'it is not an embedding table')
  const length = viewOf(bytes).getUint32(4, true)
  if (length > MAX_HEADER || PREAMBLE + length > bytes.length) throw damaged(path, 'its header is truncated or damaged')
  const header = parseHeader(textOf(bytes.subarray(PREAMBLE, PREAMBLE + length)))
  if (typeof header === 'string') throw damaged(path, header)
  if ((header.dims * bits) % 8 !== 0) throw damaged(path, 'its header contains impossible sizes')
  return { ...header, length }
}

export function damaged(path: string, problem: string, cause?: unknown): Error {
  return providerError(
    `The embedding table ${path} cannot be used: ${problem}.`,
    'Reinstall Roux, or set `embedder.kind` to another embedder.',
    cause,
  )
}

interface Header extends Pick<TableHead, 'rows' | 'model' | 'languages'> {
  readonly dims: number
  readonly vocabBytes: number
}

/** @returns the header, or a description of its error */
function parseHeader(json: string): Header | string {
  const header = parseJson(json)
  if (!isRecord(header)) return 'its header is damaged'
  const { rows, dims, vocabBytes, lowercase, teacher, languages } = header
  if (!isCount(rows, MAX_ROWS) || !isCount(dims, MAX_DIMENSIONS) || !isCount(vocabBytes, 256 * rows)) {
    return 'its header contains impossible sizes'
  }
  if (lowercase === false || typeof teacher !== 'string') return 'its header describes a table that this version cannot read'
  const isList = Array.isArray(languages) && languages.every((each) => typeof each === 'string')
  return { rows, dims, vocabBytes, model: modelOf(teacher), languages: isList ? languages : undefined }
}

function isCount(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max
}

/** Returns `all-minilm-l6-v2` for `sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0)`. */
function modelOf(teacher: string): string {
  return teacher
    .replace(/\([\s\S]*/, '')
    .trimEnd()
    .replace(/^.*\//, '')
    .toLowerCase()
}

const verifiedTables = new Map<string, string>()

/** Verifies the checksum once per thread, unless the file changes. */
function requireUnaltered(file: number, path: string, { dev, ino, size, mtimeMs }: Stats): void {
  const state = [dev, ino, size, mtimeMs].join()
  if (verifiedTables.get(path) === state) return
  const part = new Uint8Array(PART)
  let checksum = 0
  for (let at = 0; at < size - CHECKSUM; at += PART) {
    checksum = crc32(readAt(file, part.subarray(0, Math.min(PART, size - CHECKSUM - at)), at), checksum)
  }
  if (checksum !== statedChecksum(file, size)) throw damaged(path, 'its content has been altered')
  verifiedTables.set(path, state)
}

function statedChecksum(file: number, size: number): number {
  const bytes = readAt(file, new Uint8Array(CHECKSUM), Math.max(0, size - CHECKSUM))
  return bytes.length < CHECKSUM ? 0 : viewOf(bytes).getUint32(0, true)
}

function toHex(checksum: number): string {
  return checksum.toString(16).padStart(8, '0')
}

function toFloats(bytes: Uint8Array): Float32Array {
  const view = viewOf(bytes)
  return new Float32Array(bytes.length >> 2).map((_, row) => view.getFloat32(4 * row, true))
}

function withTableError<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw error instanceof RouxError ? error : damaged(path, `it cannot be read (${reasonOf(error)})`, error)
  }
}

/** @returns the filled part, which is shorter at the end of the file */
function readAt(file: number, bytes: Uint8Array, from: number): Uint8Array {
  let at = 0
  for (let read = 1; read > 0 && at < bytes.length; at += read) read = readSync(file, bytes, at, bytes.length - at, from + at)
  return bytes.subarray(0, at)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
