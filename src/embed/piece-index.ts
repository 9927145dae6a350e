/** The constants of 32-bit FNV-1a, from http://www.isthe.com/chongo/tech/comp/fnv/. */
export const FNV_BASIS = 0x811c9dc5 | 0

const FNV_PRIME = 0x01000193

const HASH_SIGN = 0x23

const NEWLINE = 0x0a

const FILTER_BITS = 4

export function hashByte(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, FNV_PRIME)
}

/** The hash of `##`, which precedes pieces that continue a word. */
export const CONTINUATION = hashByte(hashByte(FNV_BASIS, HASH_SIGN), HASH_SIGN)

/** An open-addressing hash table over a vocabulary in file format. The caller fills `word` and looks up its parts. */
export class PieceIndex {
  readonly size: number
  readonly longest: number
  readonly #bytes: Uint8Array
  readonly #word: Uint8Array
  /** The start of each piece, including its line break, followed by the end of the last piece. */
  readonly #starts: Uint32Array
  /** The slots of the table, with row + 1 in the lower bits and the hash in the upper bits. 0 is a free slot. */
  readonly #slots: Int32Array
  readonly #rowBits: number
  readonly #prefixes: Uint8Array
  readonly #decoder = new TextDecoder()

  /** @param vocabulary UTF-8, one piece per line, without a trailing line break */
  constructor(vocabulary: Uint8Array, word: Uint8Array) {
    this.#bytes = vocabulary
    this.#word = word
    this.#starts = lineStarts(vocabulary)
    this.size = this.#starts.length - 1
    // An unsuccessful search in a half-full table probes 2.5 slots (linear probing, Knuth 6.4).
    const capacity = powerOfTwo(this.size * 2 + 1)
    this.#slots = new Int32Array(capacity)
    this.#rowBits = 2 ** (32 - Math.clz32(this.size)) - 1
    this.#prefixes = new Uint8Array(powerOfTwo(vocabulary.length * FILTER_BITS + 8) / 8)
    this.longest = this.#index()
  }

  piece(row: number): string {
    return this.#decoder.decode(this.#bytes.subarray(this.#starts[row], (this.#starts[row + 1] as number) - 1))
  }

  lengthOf(row: number): number {
    return (this.#starts[row + 1] as number) - (this.#starts[row] as number) - 1
  }

  isPrefix(hash: number): boolean {
    const bit = slotOf(hash, 8 * this.#prefixes.length - 1)
    return ((this.#prefixes[bit >> 3] as number) & (1 << (bit & 7))) !== 0
  }

  /** Returns the piece's row, or -1. `hash` is the hash of the word from `start` to `end`. */
  find(hash: number, start: number, end: number): number {
    const mask = this.#slots.length - 1
    const rowBits = this.#rowBits
    for (let slot = slotOf(hash, mask); this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const stored = this.#slots[slot] as number
      if (((stored ^ hash) & ~rowBits) !== 0) continue
      const row = (stored & rowBits) - 1
      if (this.lengthOf(row) === end - start && this.#isAt(this.#starts[row] as number, start, end)) return row
    }
    return -1
  }

  /** Works like `find`, but for a piece that starts with `##`. */
  findContinuation(hash: number, start: number, end: number): number {
    const mask = this.#slots.length - 1
    const rowBits = this.#rowBits
    for (let slot = slotOf(hash, mask); this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const stored = this.#slots[slot] as number
      if (((stored ^ hash) & ~rowBits) !== 0) continue
      const row = (stored & rowBits) - 1
      const first = this.#starts[row] as number
      if (this.lengthOf(row) !== end - start + 2 || !this.#isContinuation(first)) continue
      if (this.#isAt(first + 2, start, end)) return row
    }
    return -1
  }

  #isContinuation(first: number): boolean {
    return this.#bytes[first] === HASH_SIGN && this.#bytes[first + 1] === HASH_SIGN
  }

  #isAt(first: number, start: number, end: number): boolean {
    for (let at = start; at < end; at++) if (this.#bytes[first + at - start] !== this.#word[at]) return false
    return true
  }

  /** @returns the length of the longest piece in bytes */
  #index(): number {
    const mask = this.#slots.length - 1
    let longest = 0
    for (let row = 0; row < this.size; row++) {
      const start = this.#starts[row] as number
      const length = this.lengthOf(row)
      const hash = this.#hashPiece(start, start + length)
      let slot = slotOf(hash, mask)
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = (hash & ~this.#rowBits) | (row + 1)
      if (length > longest) longest = length
    }
    return longest
  }

  #hashPiece(start: number, end: number): number {
    let hash = FNV_BASIS
    for (let at = start; at < end; at++) {
      hash = hashByte(hash, this.#bytes[at] as number)
      const bit = slotOf(hash, 8 * this.#prefixes.length - 1)
      this.#prefixes[bit >> 3] = (this.#prefixes[bit >> 3] as number) | (1 << (bit & 7))
    }
    return hash
  }
}

/** Returns the start of each line. The last item is the text's length plus one. */
function lineStarts(bytes: Uint8Array): Uint32Array {
  const starts = [0]
  // A loop would be slower than `indexOf`, because V8 does not compile a loop that runs only once.
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) starts.push(at + 1)
  starts.push(bytes.length + 1)
  return Uint32Array.from(starts)
}

/** FNV's lower bits are unevenly distributed for short words, so mix in the upper half. */
function slotOf(hash: number, mask: number): number {
  return (hash ^ (hash >>> 15)) & mask
}

function powerOfTwo(minimum: number): number {
  return 2 ** Math.ceil(Math.log2(minimum))
}

export class RowCounts {
  /** The number of occurrences by row. The next text overwrites the array. */
  readonly counts: Int32Array
  /** The rows in order of first appearance. Only the first `distinct` items are valid. */
  readonly rows: Int32Array
  #distinctCount = 0

  constructor(size: number) {
    this.counts = new Int32Array(size)
    this.rows = new Int32Array(size)
  }

  get distinct(): number {
    return this.#distinctCount
  }

  add(row: number): void {
    const before = this.counts[row] as number
    if (before === 0) this.rows[this.#distinctCount++] = row
    this.counts[row] = before + 1
  }

  clear(): void {
    for (let i = 0; i < this.#distinctCount; i++) this.counts[this.rows[i] as number] = 0
    this.#distinctCount = 0
  }
}

export type PieceCounts = Pick<RowCounts, 'counts' | 'rows' | 'distinct'>
