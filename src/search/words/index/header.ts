import { DamagedWords } from './bytes.ts'

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

/** As the machine writes it: to one of another byte order it is another format. */
const FORMAT = 2
const HEAD_BYTES = 8
const DOCUMENT_BYTES = 20

/** Encodes the header: format and count, then the four arrays as in memory, so a start reads them without a loop. */
export function packHeader({ keys, stamps, titleLengths, bodyLengths }: SegmentHeader): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES + keys.length * DOCUMENT_BYTES)
  new Uint32Array(bytes.buffer, 0, 2).set([FORMAT, keys.length])
  const header = listsIn(bytes.buffer, keys.length)
  header.keys.set(keys)
  header.stamps.set(stamps)
  header.titleLengths.set(titleLengths)
  header.bodyLengths.set(bodyLengths)
  return bytes
}

/** Reads what `packHeader` wrote; throws `DamagedWords`. */
export function unpackHeader(bytes: Uint8Array): SegmentHeader {
  // A copy begins where numbers may lie.
  const { buffer } = new Uint8Array(bytes)
  if (bytes.length < HEAD_BYTES) throw new DamagedWords('a segment has no header')
  const [format, count = 0] = new Uint32Array(buffer, 0, 2)
  if (format !== FORMAT) throw new DamagedWords('a segment is of another format')
  if (bytes.length !== HEAD_BYTES + count * DOCUMENT_BYTES) throw new DamagedWords('a segment is not as long as it says')
  return listsIn(buffer, count)
}

function listsIn(buffer: ArrayBuffer, count: number): SegmentHeader {
  const keysStart = HEAD_BYTES + count * Float64Array.BYTES_PER_ELEMENT
  const list = (at: number) => new Uint32Array(buffer, keysStart + at * count * Uint32Array.BYTES_PER_ELEMENT, count)
  return { keys: list(0), stamps: new Float64Array(buffer, HEAD_BYTES, count), titleLengths: list(1), bodyLengths: list(2) }
}
