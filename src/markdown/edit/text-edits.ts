import type { TextEdit } from '../../core/changes.ts'
import { checked, editText } from '../../core/text/edit-text.ts'

export type EditStep = (text: string) => readonly TextEdit[]

export function editInSteps(text: string, steps: readonly EditStep[]): readonly TextEdit[] {
  let edits: readonly TextEdit[] = []
  let current = text
  for (const step of steps) {
    const next = step(current)
    if (next.length === 0) continue
    edits = composeEdits(edits, next)
    current = editText(current, next)
  }
  return withoutNoOps(text, edits)
}

/** Combines two lists of edits in linear time. `second` edits the result of `first`. */
export function composeEdits(first: readonly TextEdit[], second: readonly TextEdit[]): readonly TextEdit[] {
  const composer = new Composer(first)
  for (const edit of second) {
    composer.copyTo(edit.start)
    composer.dropTo(edit.end)
    composer.insert(edit.text)
  }
  composer.copyTo(Number.POSITIVE_INFINITY)
  return composer.edits
}

class Composer {
  readonly edits: TextEdit[] = []
  readonly #first: readonly TextEdit[]
  #next = 0
  #usedEdits = 0
  /** The matching offsets in the edited and the original text. */
  #at = 0
  #original = 0

  constructor(first: readonly TextEdit[]) {
    this.#first = first
  }

  copyTo(place: number): void {
    this.#walk(place, true)
  }

  dropTo(place: number): void {
    this.#walk(place, false)
  }

  insert(text: string): void {
    this.#push(this.#original, this.#original, text)
  }

  #walk(place: number, keep: boolean): void {
    for (;;) {
      const edit = this.#first[this.#next]
      const gap = edit ? edit.start - this.#original : Number.POSITIVE_INFINITY
      // Unchanged text is consumed first.
      if (this.#usedEdits === 0 && gap > 0) {
        const length = Math.min(gap, place - this.#at)
        if (!keep) this.#push(this.#original, this.#original + length, '')
        this.#original += length
        this.#at += length
        if (length < gap) return
      }
      if (!edit || (place === this.#at && edit.text.length > this.#usedEdits)) return
      this.#useText(edit, place, keep)
      if (this.#usedEdits < edit.text.length) return
      this.#push(edit.start, edit.end, '')
      this.#original = edit.end
      this.#usedEdits = 0
      this.#next++
    }
  }

  #useText(edit: TextEdit, place: number, keep: boolean): void {
    const length = Math.min(edit.text.length - this.#usedEdits, place - this.#at)
    if (keep) this.#push(edit.start, edit.start, edit.text.slice(this.#usedEdits, this.#usedEdits + length))
    this.#usedEdits += length
    this.#at += length
  }

  #push(start: number, end: number, text: string): void {
    if (start === end && text === '') return
    const last = this.edits.at(-1)
    if (last && last.end === start) this.edits[this.edits.length - 1] = { start: last.start, end, text: last.text + text }
    else this.edits.push({ start, end, text })
  }
}

export function withoutNoOps(text: string, edits: readonly TextEdit[]): readonly TextEdit[] {
  return edits.filter(({ start, end, text: inserted }) => text.slice(start, end) !== inserted)
}

const ENCODER = new TextEncoder()

/**
 * Applies edits to a file's bytes in linear time. Offsets refer to the decoded text, including the byte order mark. Invalid UTF-8
 * outside the edits is preserved; each ill-formed sequence counts as one U+FFFD
 * (https://encoding.spec.whatwg.org/#utf-8-decoder).
 * @throws RangeError for an offset outside the text or inside a surrogate pair
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

/** Converts offsets, which must be ascending. */
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
      // A four-byte sequence is the only one that decodes to two code units. An ill-formed sequence has at most three bytes.
      this.#unit += length === 4 ? 2 : 1
      this.#byte += length
    }
    if (this.#unit > unit) throw new RangeError(`Offset ${unit} is between the halves of a surrogate pair.`)
    return this.#byte
  }
}

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

/** Returns the bounds of the second byte, which exclude overlong forms, surrogates and values above U+10FFFF. */
function secondByteBounds(first: number): readonly [low: number, high: number] {
  if (first === 0xe0) return [0xa0, 0xbf]
  if (first === 0xed) return [0x80, 0x9f]
  if (first === 0xf0) return [0x90, 0xbf]
  return first === 0xf4 ? [0x80, 0x8f] : [0x80, 0xbf]
}
