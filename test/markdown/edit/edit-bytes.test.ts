import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TextEdit } from '../../../src/core/changes.ts'
import { editText } from '../../../src/core/text/edit-text.ts'
import { composeEdits, editBytes, editInSteps } from '../../../src/markdown/edit/text-edits.ts'

/** Often ill-formed bytes: parts of characters, byte order marks, line endings. */
const bytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'efbbbf',
        '0d0a',
        '0d',
        '0a',
        '00',
        'c3a9',
        'e282ac',
        'f09f9880',
        'eda080',
        'f0808080',
        'f4908080',
        'c0af',
        'e282',
        'f09f98',
      ),
      fc.uint8Array({ maxLength: 3 }).map((each) => Buffer.from(each).toString('hex')),
    ),
    { maxLength: 24 },
  )
  .map((parts) => Uint8Array.from(Buffer.from(parts.join(''), 'hex')))

function decode(data: Uint8Array): string {
  return Buffer.from(data).toString('utf8')
}

/** Edits of a text, at places from numbers in 0–1, never inside a surrogate pair. */
function editsOf(text: string, picks: readonly (readonly [number, number, string])[]): readonly TextEdit[] {
  const whole = (at: number) =>
    /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '') ? at - 1 : at
  const places = picks.flatMap(([one, other]) => [
    whole(Math.floor(one * (text.length + 1))),
    whole(Math.floor(other * (text.length + 1))),
  ])
  places.sort((a, b) => a - b)
  return picks.map(([, , inserted], i) => ({ start: places[2 * i] ?? 0, end: places[2 * i + 1] ?? 0, text: inserted }))
}

const part = fc.double({ min: 0, max: 0.999, noNaN: true })
const inserted = fc.constantFrom('', 'x', 'é', '😀', '\r\n', '\ufffd', 'long text')
const picks = fc.array(fc.tuple(part, part, inserted), { maxLength: 4 })

describe('edits of bytes', () => {
  test('equal edits of the text and change no other byte', () => {
    fc.assert(
      fc.property(bytes, picks, (data, chosen) => {
        const text = decode(data)
        expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(data)).toBe(text)
        const edits = editsOf(text, chosen)
        const result = editBytes(data, edits)
        let at = 0
        let from = 0
        for (const { start, end, text: put } of edits) {
          // Each kept part decodes to the original text and is a slice of the original bytes.
          const kept = bytesOf(data, from, start)
          expect(Buffer.from(result.subarray(at, at + kept.length))).toEqual(Buffer.from(kept))
          at += kept.length
          const put8 = Buffer.from(put)
          expect(Buffer.from(result.subarray(at, at + put8.length))).toEqual(put8)
          at += put8.length
          from = end
        }
        expect(Buffer.from(result.subarray(at))).toEqual(Buffer.from(bytesOf(data, from, text.length)))
      }),
      { numRuns: 4_000 },
    )
  })

  test('without edits change nothing', () => {
    fc.assert(fc.property(bytes, (data) => Buffer.from(editBytes(data, [])).equals(data)))
  })

  test('keep ill-formed sequences', () => {
    const data = Uint8Array.of(0xff, 0x61, 0xe2, 0x82, 0x62, 0xed, 0xa0, 0x80, 0x63)
    const text = decode(data)
    const at = text.indexOf('b')
    expect(editBytes(data, [{ start: at, end: at + 1, text: 'é' }])).toEqual(
      Uint8Array.of(0xff, 0x61, 0xe2, 0x82, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0x63),
    )
  })

  test('reject an offset inside a surrogate pair or outside the text', () => {
    expect(() => editBytes(Buffer.from('😀'), [{ start: 1, end: 1, text: 'x' }])).toThrow(RangeError)
    expect(() => editBytes(Buffer.from('é'), [{ start: 2, end: 2, text: 'x' }])).toThrow(RangeError)
    expect(() =>
      editText('abc', [
        { start: 2, end: 3, text: '' },
        { start: 1, end: 1, text: '' },
      ]),
    ).toThrow(RangeError)
  })
})

/** The bytes for a range of the decoded text: where the parts of the file decode to the parts of the text. */
function bytesOf(data: Uint8Array, start: number, end: number): Uint8Array {
  const text = decode(data)
  const splits = (at: number, unit: number) =>
    decode(data.subarray(0, at)) === text.slice(0, unit) && decode(data.subarray(at)) === text.slice(unit)
  const places = Array.from({ length: data.length + 1 }, (_, at) => at)
  return data.subarray(
    places.find((at) => splits(at, start)),
    places.find((at) => splits(at, end)),
  )
}

describe('successive edits', () => {
  const text = fc.string({ maxLength: 20 })

  test('compose to edits of the first text', () => {
    fc.assert(
      fc.property(text, picks, picks, (before, one, other) => {
        const first = editsOf(before, one)
        const between = editText(before, first)
        const second = editsOf(between, other)
        expect(editText(before, composeEdits(first, second))).toBe(editText(between, second))
      }),
      { numRuns: 5_000 },
    )
  })

  test('keep what neither changes', () => {
    const append = (current: string) => [{ start: current.length, end: current.length, text: '!' }]
    const head = (current: string) => [{ start: 0, end: 1, text: current[0]?.toUpperCase() ?? '' }]
    expect(editInSteps('abc', [append, head, append])).toEqual([
      { start: 0, end: 1, text: 'A' },
      { start: 3, end: 3, text: '!!' },
    ])
    expect(editInSteps('abc', [() => [{ start: 1, end: 2, text: 'b' }]])).toEqual([])
  })
})
