import { crc32 } from 'node:zlib'
import type { EmbeddedText, NoteVectors } from '../../../core/search-writer.ts'
import type { DatabaseKind } from '../database-file.ts'
import { DamagedIndex } from '../sqlite.ts'
import { packVector } from '../vectors/packed-vector.ts'

/**
 * The search indexes, in a file of their own. `page` holds the keyword index: immutable segments, each a sorted run of pages; `note` which
 * version of a note is in it. `vector` has one row a note and embedder: the hash and the vector of each of its chunks and names.
 * `revision` grows with every change of vectors, so that readers load what is new.
 */
export const SEARCH: DatabaseKind = {
  // `rous` in ASCII.
  applicationId: 0x726f7573,
  format: 1,
  schema: `
    CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
    CREATE TABLE segment (id INTEGER PRIMARY KEY, rank INTEGER NOT NULL, notes INTEGER NOT NULL, header BLOB NOT NULL);
    CREATE TABLE merging (id INTEGER PRIMARY KEY, started INTEGER NOT NULL);
    CREATE TABLE page (segment INTEGER NOT NULL, first BLOB NOT NULL, data BLOB NOT NULL, PRIMARY KEY (segment, first)) WITHOUT ROWID;
    CREATE TABLE note (key INTEGER PRIMARY KEY, version INTEGER NOT NULL);
    CREATE TABLE embedder (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL);
    CREATE TABLE vector (
      embedder INTEGER NOT NULL, key INTEGER NOT NULL, revision INTEGER NOT NULL, version INTEGER NOT NULL, data BLOB NOT NULL,
      PRIMARY KEY (embedder, key)) WITHOUT ROWID;
    CREATE INDEX vector_revision ON vector (embedder, revision);
  `,
}

/** Tells whose file a key meant when something was written: keys of deleted files are given again. */
export function stampOf(path: string): number {
  return crc32(path)
}

const CRC_BYTES = 4

/** Bytes that tell when they are no longer what was written, or not where. */
export function sealBytes(place: string, bytes: Uint8Array): Uint8Array {
  const sealed = Buffer.allocUnsafe(CRC_BYTES + bytes.length)
  sealed.set(bytes, CRC_BYTES)
  sealed.writeUInt32LE(crc32(bytes, crc32(place)), 0)
  return sealed
}

/** @throws DamagedIndex when the bytes are not what was written there. */
export function unsealBytes(place: string, sealed: unknown): Uint8Array {
  if (sealed instanceof Uint8Array && sealed.length >= CRC_BYTES) {
    const bytes = sealed.subarray(CRC_BYTES)
    const written = new DataView(sealed.buffer, sealed.byteOffset).getUint32(0, true)
    if (crc32(bytes, crc32(place)) === written) return bytes
  }
  throw new DamagedIndex('a row is not what was written')
}

const HASH_BYTES = 16
const HEADER_BYTES = 8

/** A stored vector: the text's hash, and the vector as `packVector` makes it. */
export interface StoredVector {
  readonly hash: Uint8Array
  readonly packed: Uint8Array
}

export interface StoredVectors {
  readonly stamp: number
  readonly chunks: readonly StoredVector[]
  readonly names: readonly StoredVector[]
}

/** A note's vectors as one value. */
export function packVectors(embedder: number, { key, path, chunks, names }: NoteVectors): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(stampOf(path), 0)
  header.writeUInt16LE(chunks.length, 4)
  header.writeUInt16LE(names.length, 6)
  const texts: readonly EmbeddedText[] = [...chunks, ...names]
  const hashes = texts.map(({ hash }) => Buffer.from(hash, 'hex'))
  const vectors = texts.map(({ vector }) => packVector(vector))
  return sealBytes(vectorPlace(embedder, key), Buffer.concat([header, ...hashes, ...vectors]))
}

/** @throws DamagedIndex when the row is not what was written. */
export function unpackVectors(embedder: number, key: number, data: unknown): StoredVectors {
  const bytes = unsealBytes(vectorPlace(embedder, key), data)
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const chunks = header.getUint16(4, true)
  const count = chunks + header.getUint16(6, true)
  const vectorsStart = HEADER_BYTES + count * HASH_BYTES
  const size = count === 0 ? 0 : (bytes.length - vectorsStart) / count
  const all = Array.from({ length: count }, (_, at): StoredVector => {
    const hashStart = HEADER_BYTES + at * HASH_BYTES
    const start = vectorsStart + at * size
    return { hash: bytes.subarray(hashStart, hashStart + HASH_BYTES), packed: bytes.subarray(start, start + size) }
  })
  return { stamp: header.getUint32(0, true), chunks: all.slice(0, chunks), names: all.slice(chunks) }
}

/** Where things lie, as part of their checksums: a flipped bit can make a row another's. */
export function pagePlace(segment: number, first: Uint8Array): string {
  return `page:${segment}:${Buffer.from(first).toString('latin1')}`
}

export function headerPlace(segment: number, rank: number): string {
  return `segment:${segment}:${rank}`
}

function vectorPlace(embedder: number, key: number): string {
  return `vector:${embedder}:${key}`
}
