import { crc32 } from 'node:zlib'
import type { Database } from '../../../core/sql-database.ts'
import type { DatabaseFile } from '../database-file.ts'
import { type CoarseVector, coarsen } from '../vectors/packed-vector.ts'
import { nextNumber } from './compaction.ts'
import {
  countVectors,
  isEmpty,
  type StoredVector,
  type StoredVectors,
  sealBytes,
  unpackVectors,
  unsealBytes,
} from './search-rows.ts'

/** The number of notes per part. Loading a part takes a few milliseconds. */
const PART_NOTES = 256

/** If there are more small parts, they are merged, because all parts are read at start-up. */
const MAX_SMALL = 128

export interface CoarseNote {
  readonly key: number
  /** Identifies the file; see `stampOf`. */
  readonly stamp: number
  readonly chunks: CoarseVectors
  readonly names: CoarseVectors
}

interface Place {
  readonly embedder: number
  readonly revision: number
}

/** The header contains the numbers of notes, vectors and dimensions. */
const HEADER_BYTES = 12

/** Arrays in native byte order, sorted by note, with chunks before names. */
interface Arrays {
  readonly marks: Float64Array
  readonly keys: Int32Array
  readonly stamps: Uint32Array
  readonly scales: Float32Array
  /** For each note, the number of chunk vectors, and then the number of name vectors. */
  readonly counts: Uint16Array
  readonly ordinals: Uint16Array
  readonly values: Int8Array
}

export function packCoarse(
  place: Place,
  notes: readonly { readonly key: number; readonly stored: StoredVectors }[],
  dimensions: number,
): Uint8Array {
  const present = (vectors: readonly StoredVector[]) =>
    vectors.flatMap((vector, ordinal) => (isEmpty(vector) ? [] : [{ vector, ordinal }]))
  const all = notes.map(({ key, stored }) => ({
    key,
    stamp: stored.stamp,
    lists: [present(stored.chunks), present(stored.names)],
  }))
  const count = all.reduce((sum, { lists }) => sum + lists.reduce((partSum, list) => partSum + list.length, 0), 0)
  const bytes = new Uint8Array(HEADER_BYTES + PADDING + sizeOf(notes.length, count, dimensions))
  new Uint32Array(bytes.buffer, PADDING, HEADER_BYTES / 4).set([notes.length, count, dimensions])
  const arrays = layOut(bytes.buffer, PADDING + HEADER_BYTES, [notes.length, count, dimensions])
  let next = 0
  all.forEach(({ key, stamp, lists }, note) => {
    arrays.keys[note] = key
    arrays.stamps[note] = stamp
    lists.forEach((list, at) => {
      arrays.counts[2 * note + at] = list.length
      for (const { vector, ordinal } of list) {
        const { scale, values } = coarsen(vector.packed, dimensions)
        arrays.marks[next] = markOf(vector)
        arrays.scales[next] = scale
        arrays.ordinals[next] = ordinal
        arrays.values.set(values, next * dimensions)
        next++
      }
    })
  })
  return sealBytes(nameOf(place), bytes.subarray(PADDING))
}

/** Unpacks a part. @throws DamagedIndex if the part is corrupt */
export function unpackCoarse(place: Place, data: unknown): readonly CoarseNote[] {
  const bytes = aligned(unsealBytes(nameOf(place), data))
  const [notes = 0, count = 0, dimensions = 0] = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_BYTES / 4)
  const arrays = layOut(bytes.buffer, bytes.byteOffset + HEADER_BYTES, [notes, count, dimensions])
  let next = 0
  const nextVectors = (length: number): CoarseVectors => {
    const vectors = new CoarseVectors(arrays, { first: next, length, dimensions })
    next += length
    return vectors
  }
  return Array.from({ length: notes }, (_, note) => ({
    key: arrays.keys[note] as number,
    stamp: arrays.stamps[note] as number,
    chunks: nextVectors(arrays.counts[2 * note] as number),
    names: nextVectors(arrays.counts[2 * note + 1] as number),
  }))
}

/** The quantized vectors of a note. Texts without a known word have none. */
export class CoarseVectors {
  readonly #arrays: Arrays
  readonly #first: number
  readonly #dimensions: number
  readonly length: number

  constructor(
    arrays: Arrays,
    { first, length, dimensions }: { readonly first: number; readonly length: number; readonly dimensions: number },
  ) {
    this.#arrays = arrays
    this.#first = first
    this.#dimensions = dimensions
    this.length = length
  }

  /** Returns the index among the note's chunks or names. */
  ordinal(at: number): number {
    return this.#arrays.ordinals[this.#first + at] as number
  }

  /** Returns a 48-bit hash of the text and its vector. */
  mark(at: number): number {
    return this.#arrays.marks[this.#first + at] as number
  }

  vector(at: number): CoarseVector {
    const start = (this.#first + at) * this.#dimensions
    return {
      scale: this.#arrays.scales[this.#first + at] as number,
      values: this.#arrays.values.subarray(start, start + this.#dimensions),
    }
  }
}

/** The padding aligns the arrays to 8 bytes after the checksum. */
const PADDING = 4

/** The bytes from SQLite are usually aligned already. */
function aligned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteOffset % 8 === PADDING) return bytes as Uint8Array<ArrayBuffer>
  const copy = new Uint8Array(PADDING + bytes.length).subarray(PADDING)
  copy.set(bytes)
  return copy
}

type Counts = readonly [notes: number, vectors: number, dimensions: number]

function sizeOf(notes: number, vectors: number, dimensions: number): number {
  return 12 * notes + (14 + dimensions) * vectors
}

function layOut(buffer: ArrayBuffer, start: number, [notes, vectors, dimensions]: Counts): Arrays {
  let at = start
  const reserve = (bytes: number): number => {
    at += bytes
    return at - bytes
  }
  return {
    marks: new Float64Array(buffer, reserve(8 * vectors), vectors),
    keys: new Int32Array(buffer, reserve(4 * notes), notes),
    stamps: new Uint32Array(buffer, reserve(4 * notes), notes),
    scales: new Float32Array(buffer, reserve(4 * vectors), vectors),
    counts: new Uint16Array(buffer, reserve(4 * notes), 2 * notes),
    ordinals: new Uint16Array(buffer, reserve(2 * vectors), vectors),
    values: new Int8Array(buffer, reserve(dimensions * vectors), dimensions * vectors),
  }
}

function nameOf({ embedder, revision }: Place): string {
  return `coarse:${embedder}:${revision}`
}

/** The hash has 48 bits, which a double represents exactly. */
function markOf({ hash, packed }: StoredVector): number {
  return ((hash[0] as number) * 256 + (hash[1] as number)) * 2 ** 32 + crc32(packed)
}

interface Running {
  readonly embedder: number
  readonly dimensions: number
  /** The first revision of the new parts. */
  since?: number
  /** The last key that has been rewritten. */
  after: number
}

/**
 * A merge of an embedder's parts, one part at a time. Readers use the old parts until the end. After a crash, the next rewrite
 * deletes incomplete parts.
 */
export class CoarseRewrite {
  readonly #file: DatabaseFile
  #running: Running | undefined

  constructor(file: DatabaseFile) {
    this.#file = file
  }

  /** @returns whether there is more to do @throws DamagedIndex */
  step(): boolean {
    const database = this.#file.open()
    if (database === undefined) return false
    this.#running ??= choose(database)
    const running = this.#running
    if (running === undefined) return false
    const { embedder, dimensions } = running
    this.#file.write((open) => {
      const select = open.prepare('SELECT key, data FROM vector WHERE embedder = ? AND key > ? ORDER BY key LIMIT ?')
      const rows = select.all(embedder, running.after, PART_NOTES) as { key: number; data: unknown }[]
      const last = rows.at(-1)
      if (last === undefined) {
        open.prepare('DELETE FROM coarse WHERE embedder = ? AND revision < ?').run(embedder, running.since ?? 0)
        this.#running = undefined
        return
      }
      const notes = rows.map(({ key, data }) => ({ key, stored: unpackVectors(embedder, key, data) }))
      const revision = nextNumber(open, 'revision')
      putCoarse(open, { embedder, dimensions, revision }, notes)
      running.since ??= revision
      running.after = last.key
    })
    return true
  }
}

export function putCoarse(
  database: Database,
  { dimensions, ...place }: { readonly embedder: number; readonly dimensions: number; readonly revision: number },
  notes: readonly { readonly key: number; readonly stored: StoredVectors }[],
): void {
  const data = packCoarse(place, notes, dimensions)
  database.prepare('INSERT INTO coarse VALUES (?, ?, ?, ?)').run(place.embedder, place.revision, notes.length, data)
}

/** Finds an embedder with too many parts, or with mostly outdated ones. */
function choose(database: Database): Running | undefined {
  const rows = database
    .prepare(
      `SELECT embedder, dimensions, count(*) AS parts, sum(notes) AS notes, ${countVectors('coarse.embedder')} AS live
       FROM coarse JOIN embedder ON embedder.id = coarse.embedder GROUP BY embedder`,
    )
    .all() as { embedder: number; dimensions: number; parts: number; notes: number; live: number }[]
  const worn = rows.find(
    ({ parts, notes, live }) => notes > 2 * live + PART_NOTES || parts > 2 * Math.ceil(live / PART_NOTES) + MAX_SMALL,
  )
  return worn && { embedder: worn.embedder, dimensions: worn.dimensions, after: -1 }
}
