import { type FileHandle, open } from 'node:fs/promises'
import { BUILD_BREADTH, type GraphFile, LINKS } from './hnsw-graph.ts'

/**
 * Throws unless a file has the size and header that hnswlib 0.8 writes for such a graph on a 64-bit little-endian
 * machine: a truncated write has the right hash, and hnswlib trusts the sizes in the header.
 * The header has thirteen fields; then a record per label (links on the lowest level, vector, label); then, per label,
 * the bytes of its links on higher levels behind their number.
 */
export async function verifyGraphLayout(file: GraphFile): Promise<void> {
  const handle = await open(file.path, 'r')
  try {
    const { size } = await handle.stat()
    const tailAt = HEADER_BYTES + file.count * recordBytes(file.dimensions)
    if (size < tailAt + 4 * file.count) throw new Error('the file is too short')
    const entry = verifyHeader(await readBytes(handle, 0, HEADER_BYTES), file)
    verifyTail(await readBytes(handle, tailAt, size - tailAt), file.count, entry)
  } finally {
    await handle.close()
  }
}

const HEADER_BYTES = 96
const LEVEL_BYTES = 4 + 4 * LINKS
const LOWEST_LEVEL_BYTES = 4 + 4 * 2 * LINKS

function recordBytes(dimensions: number): number {
  return LOWEST_LEVEL_BYTES + 4 * dimensions + 8
}

/** Where searches start: a label with links on all levels above the lowest. */
interface EntryPoint {
  readonly number: number
  readonly levels: number
}

function verifyHeader(header: DataView, { dimensions, count, capacity }: GraphFile): EntryPoint {
  const integer = (at: number) => Number(header.getBigUint64(at, true))
  const label = LOWEST_LEVEL_BYTES + 4 * dimensions
  const sizes = [0, capacity, count, recordBytes(dimensions), label, LOWEST_LEVEL_BYTES]
  const links = [LINKS, 2 * LINKS, LINKS]
  const levels = header.getInt32(48, true)
  const number = header.getUint32(52, true)
  const fits =
    sizes.every((value, i) => integer(8 * i) === value) &&
    links.every((value, i) => integer(56 + 8 * i) === value) &&
    Math.abs(header.getFloat64(80, true) * Math.log(LINKS) - 1) < 1e-14 &&
    integer(88) === BUILD_BREADTH &&
    levels >= 0 &&
    number < count
  if (!fits) throw new Error('the header is not that of this graph')
  return { number, levels }
}

function verifyTail(tail: DataView, count: number, entry: EntryPoint): void {
  let at = 0
  for (let i = 0; i < count && at + 4 <= tail.byteLength; i++) {
    const bytes = tail.getUint32(at, true)
    const highest = entry.levels * LEVEL_BYTES
    if (bytes % LEVEL_BYTES !== 0 || bytes > highest || (i === entry.number && bytes !== highest)) {
      throw new Error('the links have sizes that cannot be')
    }
    at += 4 + bytes
  }
  if (at !== tail.byteLength) throw new Error('the file does not end where its links end')
}

async function readBytes(handle: FileHandle, at: number, length: number): Promise<DataView> {
  const bytes = new Uint8Array(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(bytes, read, length - read, at + read)
    if (bytesRead === 0) throw new Error('the file is too short')
    read += bytesRead
  }
  return new DataView(bytes.buffer)
}
