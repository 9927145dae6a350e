/** An error for a keyword index that is corrupt and must be rebuilt. */
export class DamagedWords extends Error {
  override readonly name = 'DamagedWords'

  constructor(reason: string) {
    super(`The keyword index is damaged: ${reason}.`)
  }
}

export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(room = 256) {
    this.#bytes = new Uint8Array(room)
  }

  get length(): number {
    return this.#length
  }

  clear(): void {
    this.#length = 0
  }

  byte(value: number): void {
    if (this.#length === this.#bytes.length) this.#grow(1)
    this.#bytes[this.#length++] = value
  }

  /** Writes LEB128, for integers from 0 to 2^53 - 1. */
  varint(value: number): void {
    let large = value
    for (; large > MAX_INT; large = Math.floor(large / 128)) this.byte((large % 128) | 128)
    // Shifts are faster than divisions, and most numbers fit in 32 bits.
    let rest = large | 0
    for (; rest >= 128; rest >>= 7) this.byte((rest & 127) | 128)
    this.byte(rest)
  }

  bytes(from: Uint8Array, start = 0, end = from.length): void {
    const count = end - start
    if (this.#length + count > this.#bytes.length) this.#grow(count)
    this.#bytes.set(start === 0 && end === from.length ? from : from.subarray(start, end), this.#length)
    this.#length += count
  }

  /** Returns the written bytes, which are valid until the next write. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  copy(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #grow(count: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}

const MAX_INT = 2 ** 31 - 1

/** A reader of bytes, which throws `DamagedWords` at the end. */
export class ByteReader {
  readonly bytes: Uint8Array
  at: number
  readonly end: number

  constructor(bytes: Uint8Array, at = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  get isAtEnd(): boolean {
    return this.at >= this.end
  }

  byte(): number {
    if (this.at >= this.end) throw new DamagedWords('it ends too early')
    return this.bytes[this.at++] as number
  }

  varint(): number {
    const first = this.byte()
    if (first < 128) return first
    const second = this.byte()
    if (second < 128) return (first & 127) | (second << 7)
    let value = (first & 127) | ((second & 127) << 7)
    for (let scale = 2 ** 14; scale < 2 ** 53; scale *= 128) {
      const byte = this.byte()
      value += (byte & 127) * scale
      if (byte < 128) return checked(value)
    }
    throw new DamagedWords('a number is too large')
  }

  skipVarints(count: number): void {
    const { bytes, end } = this
    let at = this.at
    for (let remaining = count; remaining > 0; at++) {
      if (at >= end) throw new DamagedWords('it ends too early')
      if ((bytes[at] as number) < 128) remaining--
    }
    this.at = at
  }

  take(count: number): number {
    const start = this.at
    if (count > this.end - start) throw new DamagedWords('it ends too early')
    this.at = start + count
    return start
  }
}

/** Compares in the same order as SQLite compares BLOBs. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const difference = (a[at] as number) - (b[at] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function checked(value: number): number {
  if (!Number.isSafeInteger(value)) throw new DamagedWords('a number is too large')
  return value
}
