import type { TextEdit } from '../../core/changes.ts'
import { checked } from '../../core/text/edit-text.ts'

const ENCODER = new TextEncoder()

/**
 * Applies edits of a file's decoded text (UTF-8, a byte order mark kept as U+FEFF) to its bytes. Bytes outside of the edited
 * ranges stay as they are, also where they are no UTF-8: each ill-formed sequence counts as the one U+FFFD that decoding
 * makes of it (https://encoding.spec.whatwg.org/#utf-8-decoder). Throws a `RangeError` for an offset outside of the text or
 * between the halves of a surrogate pair. Time and memory are linear in bytes and edits.
 */
export function editBytes(bytes: Uint8Array, edits: readonly TextEdit[]): Uint8Array {
  const places = new BytePlaces(bytes)
  const parts: Uint8Array[] = []
  let at = 0
  for (const { start, end, text } of checked(edits, bytes.length)) {
    parts.push(bytes.subarray(at, places.byteAt(start)), ENCODER.encode(text))
    at = places.byteAt(end)
  }
  parts.push(bytes.subarray(at))
  return joined(parts)
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Finds the byte at which a code unit of the decoded text begins; asked in ascending order. */
class BytePlaces {
  readonly #bytes: Uint8Array
  #byte = 0
  #unit = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byteAt(unit: number): number {
    const bytes = this.#bytes
    while (this.#unit < unit) {
      const first = bytes[this.#byte]
      if (first === undefined) throw new RangeError(`The text ends before offset ${unit}.`)
      if (first < 0x80) {
        this.#byte++
        this.#unit++
        continue
      }
      const length = sequenceLength(bytes, this.#byte, first)
      // Only four bytes make two code units; an ill-formed sequence has three at most.
      this.#unit += length === 4 ? 2 : 1
      this.#byte += length
    }
    if (this.#unit > unit) throw new RangeError(`Offset ${unit} is between the halves of a surrogate pair.`)
    return this.#byte
  }
}

/** How many bytes the character, or the ill-formed sequence, has that begins with the non-ASCII byte `first` at `at`. */
function sequenceLength(bytes: Uint8Array, at: number, first: number): number {
  const length = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  let [low, high] = secondByteBounds(first)
  for (let i = 1; i < length; i++) {
    const byte = bytes[at + i] ?? 0
    if (byte < low || byte > high) return i
    low = 0x80
    high = 0xbf
  }
  return length
}

/** They keep out overlong forms, surrogates and what is above U+10FFFF. */
function secondByteBounds(first: number): readonly [low: number, high: number] {
  if (first === 0xe0) return [0xa0, 0xbf]
  if (first === 0xed) return [0x80, 0x9f]
  if (first === 0xf0) return [0x90, 0xbf]
  return first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf]
}
