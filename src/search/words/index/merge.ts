import { ByteReader, ByteWriter, compareBytes, DamagedWords } from './bytes.ts'
import { type Page, PageCursor, PageWriter, PostingCursor, PostingWriter, type SegmentHeader } from './page.ts'

export interface MergeSource {
  readonly header: SegmentHeader
  readonly pages: Iterable<Uint8Array>
}

export type IsLive = (source: number, ordinal: number) => boolean

/** A merge pauses after this many bytes of entries, which take a millisecond or two. */
const SLICE_BYTES = 32 * 1024
const DEAD = -1

/**
 * Merges live documents, ordered by source and ordinal. The generator pauses (`yield`) every few milliseconds, and calls `isLive`
 * only before the first pause. Only the current word of each source is in memory. Returns the header of the new segment. Throws
 * `DamagedWords`.
 */
export function* mergeSegments(
  sources: readonly MergeSource[],
  isLive: IsLive,
  emit: (page: Page) => void,
): Generator<void, SegmentHeader> {
  const maps = renumber(sources, isLive)
  const header = mergeHeaders(sources, maps)
  const writer = new PageWriter(emit)
  const merger = new EntryMerger(writer)
  const streams = sources.map((source, index) => new EntryStream(source.pages, maps[index] as Int32Array))
  yield
  let open = streams.filter((stream) => stream.advance())
  let work = 0
  while (open.length > 0) {
    const smallestStreams = smallest(open)
    work += merger.merge(smallestStreams)
    const finished = new Set(smallestStreams.filter((stream) => !stream.advance()))
    if (finished.size > 0) open = open.filter((stream) => !finished.has(stream))
    if (work < SLICE_BYTES) continue
    work = 0
    yield
  }
  writer.close()
  return header
}

function renumber(sources: readonly MergeSource[], isLive: IsLive): readonly Int32Array[] {
  let next = 0
  return sources.map(({ header: { keys } }, source) => {
    const map = new Int32Array(keys.length).fill(DEAD)
    for (let ordinal = 0; ordinal < map.length; ordinal++) if (isLive(source, ordinal)) map[ordinal] = next++
    return map
  })
}

function mergeHeaders(sources: readonly MergeSource[], maps: readonly Int32Array[]): SegmentHeader {
  const count = maps.reduce((sum, map) => sum + map.reduce((live, ordinal) => live + (ordinal === DEAD ? 0 : 1), 0), 0)
  const merged = {
    keys: new Uint32Array(count),
    stamps: new Float64Array(count),
    titleLengths: new Uint32Array(count),
    bodyLengths: new Uint32Array(count),
    languages: new Uint8Array(count),
  }
  for (const [source, { header }] of sources.entries()) {
    maps[source]?.forEach((to, from) => {
      if (to === DEAD) return
      merged.keys[to] = header.keys[from] as number
      merged.stamps[to] = header.stamps[from] as number
      merged.titleLengths[to] = header.titleLengths[from] as number
      merged.bodyLengths[to] = header.bodyLengths[from] as number
      merged.languages[to] = header.languages[from] as number
    })
  }
  return merged
}

function smallest(streams: readonly EntryStream[]): readonly EntryStream[] {
  let smallestStreams: EntryStream[] = []
  for (const stream of streams) {
    const order = smallestStreams[0] === undefined ? 0 : compareKeys(stream.cursor, smallestStreams[0].cursor)
    if (order < 0) smallestStreams = [stream]
    else if (order === 0) smallestStreams.push(stream)
  }
  return smallestStreams
}

function compareKeys(a: PageCursor, b: PageCursor): number {
  return compareBytes(a.stem, b.stem) || compareBytes(a.form, b.form)
}

class EntryStream {
  cursor = new PageCursor(new Uint8Array(0))
  readonly map: Int32Array
  readonly hasDead: boolean
  readonly #pages: Iterator<Uint8Array>

  constructor(pages: Iterable<Uint8Array>, map: Int32Array) {
    this.#pages = pages[Symbol.iterator]()
    this.map = map
    this.hasDead = map.includes(DEAD)
  }

  advance(): boolean {
    const { cursor } = this
    const stem = cursor.stem.slice()
    const form = cursor.form.slice()
    while (!this.cursor.next()) {
      const page = this.#pages.next()
      if (page.done === true) return false
      this.cursor = new PageCursor(page.value)
    }
    // This check also ends a merge whose source repeats its pages forever.
    const order = compareBytes(stem, this.cursor.stem) || compareBytes(form, this.cursor.form)
    if (order >= 0 && stem.length > 0) throw new DamagedWords('words are out of order')
    return true
  }
}

class EntryMerger {
  readonly #postings = new ByteWriter()
  readonly #positions = new ByteWriter()
  readonly #writer = new PostingWriter(this.#postings)
  readonly #pages: PageWriter

  constructor(pages: PageWriter) {
    this.#pages = pages
  }

  merge(streams: readonly EntryStream[]): number {
    this.#postings.clear()
    this.#positions.clear()
    this.#writer.start()
    let bytes = 0
    for (const stream of streams) bytes += this.#append(stream)
    const { stem, form } = (streams[0] as EntryStream).cursor
    if (this.#postings.length > 0) {
      this.#pages.add({ stem, form, postings: this.#postings.view(), positions: this.#positions.view() })
    }
    return bytes
  }

  #append({ cursor, map, hasDead }: EntryStream): number {
    const { bytes, postings, positions } = cursor
    const documents = new PostingCursor(bytes, postings, map.length)
    const places = new ByteReader(bytes, positions.start, positions.end)
    while (documents.next()) {
      const ordinal = map[documents.ordinal] as number
      if (ordinal !== DEAD) this.#writer.add(ordinal, documents.title, documents.body)
      if (!hasDead) continue
      const from = places.at
      places.skipVarints(documents.title + documents.body)
      if (ordinal !== DEAD) this.#positions.bytes(bytes, from, places.at)
    }
    if (!hasDead) this.#positions.bytes(bytes, positions.start, positions.end)
    return positions.end - postings.start
  }
}
