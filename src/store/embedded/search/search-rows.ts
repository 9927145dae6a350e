import { crc32 } from 'node:zlib'
import type { ChunkPlace } from '../../../core/search.ts'
import type { NoteVectors } from '../../../core/search-writer.ts'
import type { DatabaseKind } from '../database-file.ts'
import { DamagedIndex } from '../sqlite.ts'
import { packVector } from '../vectors/packed-vector.ts'

/**
 * The tables of the search index. `page`: immutable segments of sorted keyword pages. `note`: indexed version of each note.
 * `vector`: a row per note and embedder. `coarse`: quantized vectors of a batch of notes; readers load rows with a higher
 * `revision`.
 */
export const SEARCH: DatabaseKind = {
  // The number is `rous` in ASCII.
  applicationId: 0x726f7573,
  format: 8,
  // Pages are large, because a page of words or a row of vectors takes several kilobytes.
  pageSize: 16_384,
  schema: `
    CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    CREATE TABLE segment (id INTEGER PRIMARY KEY, rank INTEGER NOT NULL, notes INTEGER NOT NULL, header BLOB NOT NULL);
    CREATE TABLE merging (id INTEGER PRIMARY KEY, started INTEGER NOT NULL);
    CREATE TABLE page (segment INTEGER NOT NULL, first BLOB NOT NULL, data BLOB NOT NULL);
    CREATE UNIQUE INDEX page_first ON page (segment, first);
    CREATE TABLE note (key INTEGER PRIMARY KEY, version INTEGER NOT NULL);
    CREATE TABLE embedder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
    CREATE TABLE vector (
      embedder INTEGER NOT NULL, key INTEGER NOT NULL, version INTEGER NOT NULL, data BLOB NOT NULL);
    CREATE UNIQUE INDEX vector_key ON vector (embedder, key);
    CREATE TABLE coarse (embedder INTEGER NOT NULL, revision INTEGER NOT NULL, notes INTEGER NOT NULL, data BLOB NOT NULL);
    CREATE UNIQUE INDEX coarse_revision ON coarse (embedder, revision);
  `,
}

/** Returns a query for the number of vectors. With a single embedder, counting the whole table is forty times as fast. */
export function countVectors(embedder: string): string {
  const others = ['<', '>'].map((side) => `EXISTS (SELECT 1 FROM vector WHERE embedder ${side} ${embedder})`).join(' OR ')
  return `(CASE WHEN ${others} THEN (SELECT count(*) FROM vector WHERE embedder = ${embedder}) ELSE (SELECT count(*) FROM vector) END)`
}

/** Returns a number that identifies the file behind a key, because keys are reused. */
export function stampOf(path: string): number {
  return crc32(path)
}

const CRC_BYTES = 4

/** Adds a checksum, which covers the bytes and the place. */
export function sealBytes(place: string, bytes: Uint8Array): Uint8Array {
  const sealed = Buffer.allocUnsafe(CRC_BYTES + bytes.length)
  sealed.set(bytes, CRC_BYTES)
  sealed.writeUInt32LE(crc32(bytes, crc32(place)), 0)
  return sealed
}

/** Checks and removes the checksum. @throws DamagedIndex if the bytes are corrupt or belong to another place */
export function unsealBytes(place: string, sealed: unknown): Uint8Array {
  if (sealed instanceof Uint8Array && sealed.length >= CRC_BYTES) {
    const bytes = sealed.subarray(CRC_BYTES)
    const storedSum = new DataView(sealed.buffer, sealed.byteOffset).getUint32(0, true)
    if (crc32(bytes, crc32(place)) === storedSum) return bytes
  }
  throw new DamagedIndex('a row differs from what was written')
}

const HASH_BYTES = 16
/** The header contains the stamp, the start of the content hash, and numbers of chunks and names. */
const HEADER_BYTES = 16
const CONTENT_BYTES = 8
/** A place contains the start, end, first line and last line of a chunk. */
const PLACE_BYTES = 16

/** A vector packed by `packVector`, and the hash of its text. */
export interface StoredVector {
  readonly hash: Uint8Array
  readonly packed: Uint8Array
}

export interface StoredVectors {
  readonly stamp: number
  /** The content hash; see `NoteChunks`. */
  readonly content: string
  readonly chunks: readonly (StoredVector & ChunkPlace)[]
  readonly names: readonly StoredVector[]
}

export function toStored({ path, content, chunks, names }: NoteVectors): StoredVectors {
  // All hashes are decoded at once, because that is faster.
  const hashes = Buffer.from([...chunks, ...names].map(({ hash }) => hash).join(''), 'hex')
  const hashAt = (at: number): Uint8Array => hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
  return {
    stamp: stampOf(path),
    content: content.slice(0, 2 * CONTENT_BYTES),
    chunks: chunks.map(({ start, end, startLine, endLine, vector }, at) => {
      return { hash: hashAt(at), packed: packVector(vector), start, end, startLine, endLine }
    }),
    names: names.map(({ vector }, at) => ({ hash: hashAt(chunks.length + at), packed: packVector(vector) })),
  }
}

/** Packs the header, chunk positions, hashes and vectors, in little-endian order. */
export function packVectors(embedder: number, key: number, { stamp, content, chunks, names }: StoredVectors): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES + chunks.length * PLACE_BYTES)
  header.writeUInt32LE(stamp, 0)
  header.write(content, 4, 'hex')
  header.writeUInt16LE(chunks.length, 4 + CONTENT_BYTES)
  header.writeUInt16LE(names.length, 6 + CONTENT_BYTES)
  let place = HEADER_BYTES
  for (const { start, end, startLine, endLine } of chunks) {
    header.writeUInt32LE(start, place)
    header.writeUInt32LE(end, place + 4)
    header.writeUInt32LE(startLine, place + 8)
    header.writeUInt32LE(endLine, place + 12)
    place += PLACE_BYTES
  }
  const parts: Uint8Array[] = [header]
  for (const { hash } of chunks) parts.push(hash)
  for (const { hash } of names) parts.push(hash)
  for (const { packed } of chunks) parts.push(packed)
  for (const { packed } of names) parts.push(packed)
  return sealBytes(vectorPlace(embedder, key), Buffer.concat(parts))
}

/** @throws DamagedIndex if the row is corrupt */
export function unpackVectors(embedder: number, key: number, data: unknown): StoredVectors {
  const bytes = unsealBytes(vectorPlace(embedder, key), data)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const chunkCount = view.getUint16(4 + CONTENT_BYTES, true)
  const count = chunkCount + view.getUint16(6 + CONTENT_BYTES, true)
  const hashesStart = HEADER_BYTES + chunkCount * PLACE_BYTES
  const vectorsStart = hashesStart + count * HASH_BYTES
  const size = count === 0 ? 0 : (bytes.length - vectorsStart) / count
  const vectorAt = (at: number): StoredVector => {
    const hashStart = hashesStart + at * HASH_BYTES
    const start = vectorsStart + at * size
    return { hash: bytes.subarray(hashStart, hashStart + HASH_BYTES), packed: bytes.subarray(start, start + size) }
  }
  const chunkAt = (at: number): StoredVector & ChunkPlace => {
    const place = HEADER_BYTES + at * PLACE_BYTES
    const { hash, packed } = vectorAt(at)
    return {
      hash,
      packed,
      start: view.getUint32(place, true),
      end: view.getUint32(place + 4, true),
      startLine: view.getUint32(place + 8, true),
      endLine: view.getUint32(place + 12, true),
    }
  }
  return {
    stamp: view.getUint32(0, true),
    // A getter, because loading all vectors does not need the hash.
    get content() {
      return Buffer.from(bytes.buffer, bytes.byteOffset + 4, CONTENT_BYTES).toString('hex')
    },
    chunks: Array.from({ length: chunkCount }, (_, at) => chunkAt(at)),
    names: Array.from({ length: count - chunkCount }, (_, at) => vectorAt(chunkCount + at)),
  }
}

/** Places for `sealBytes`. Checksums include them, so a flipped bit in a stored key is detected. */
export function pagePlace(segment: number, first: Uint8Array): string {
  return `page:${segment}:${Buffer.from(first).toString('latin1')}`
}

export function headerPlace(segment: number, rank: number): string {
  return `segment:${segment}:${rank}`
}

function vectorPlace(embedder: number, key: number): string {
  return `vector:${embedder}:${key}`
}

/** Returns true for a zero vector, which stands for a text without any known word. */
export function isEmpty({ packed }: Pick<StoredVector, 'packed'>): boolean {
  return packed[0] === 0 && packed[1] === 0 && packed[2] === 0 && packed[3] === 0
}
