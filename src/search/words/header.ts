import { ByteReader, ByteWriter, DamagedWords } from './bytes.ts'

/** The documents of a segment, one an ordinal; the arrays are of one length. */
export interface SegmentHeader {
  /** Each once. */
  readonly keys: Uint32Array
  readonly stamps: Float64Array
  /** Words of title and aliases. */
  readonly titleLengths: Uint32Array
  /** Words of everything else. */
  readonly bodyLengths: Uint32Array
}

const FORMAT = 1
/** A document takes at least a byte in each of the four lists. */
const LEAST_BYTES = 4

/** The header as bytes. */
export function packHeader({ keys, stamps, titleLengths, bodyLengths }: SegmentHeader): Uint8Array {
  const out = new ByteWriter(keys.length * 8 + 16)
  out.varint(FORMAT)
  out.varint(keys.length)
  for (const list of [keys, stamps]) {
    let before = 0
    for (const value of list) {
      out.signed(value - before)
      before = value
    }
  }
  for (const list of [titleLengths, bodyLengths]) for (const value of list) out.varint(value)
  return out.copy()
}

/** Reads what `packHeader` wrote; throws `DamagedWords`. */
export function unpackHeader(bytes: Uint8Array): SegmentHeader {
  const reader = new ByteReader(bytes)
  if (reader.varint() !== FORMAT) throw new DamagedWords('a segment is of another format')
  const count = reader.varint()
  if (count * LEAST_BYTES > bytes.length) throw new DamagedWords('a segment is shorter than it says')
  const header = {
    keys: readDeltas(reader, new Uint32Array(count)),
    stamps: readDeltas(reader, new Float64Array(count)),
    titleLengths: readPlain(reader, new Uint32Array(count)),
    bodyLengths: readPlain(reader, new Uint32Array(count)),
  }
  if (!reader.isAtEnd) throw new DamagedWords('a segment is longer than it says')
  return header
}

function readDeltas<List extends Uint32Array | Float64Array>(reader: ByteReader, list: List): List {
  let value = 0
  for (let at = 0; at < list.length; at++) {
    value += reader.signed()
    list[at] = value
    if (list[at] !== value) throw new DamagedWords('a key is out of range')
  }
  return list
}

function readPlain(reader: ByteReader, list: Uint32Array): Uint32Array {
  for (let at = 0; at < list.length; at++) list[at] = reader.varint()
  return list
}
