import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { boundaryBefore, truncate, truncateExcerpt } from '../../../src/app/answer/truncate.ts'
import { MARKER } from '../../../src/core/text/partial-reading.ts'

const family = '👩‍👩‍👧‍👦'
const zalgo = `e${'\u0301'.repeat(40)}`
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const boundaries = (text: string) => new Set([...[...segmenter.segment(text)].map(({ index }) => index), text.length])

test('keeps a text at the limit whole, and cuts a longer one to the limit including the marker', () => {
  expect(truncate('a'.repeat(40), 40)).toEqual({ text: 'a'.repeat(40) })
  expect(truncate('a'.repeat(41), 40)).toEqual({ text: 'a'.repeat(25) + MARKER, next: 25 })
})

test.each([
  ['emoji', '👍'],
  ['a family', family],
  ['a skin tone', '👍🏽'],
  ['a flag', '🇩🇪'],
  ['combining marks', 'e\u0301'],
  ['many combining marks', zalgo],
  ['Devanagari', 'नि'],
  ['decomposed Hangul', '\u1112\u1161\u11ab'],
  ['CRLF', '\r\n'],
])('never splits %s, wherever the cut falls', (_, cluster) => {
  for (let before = 0; before < cluster.length + 2; before += 1) {
    const text = 'x'.repeat(30 + before) + cluster.repeat(30)
    const known = boundaries(text)
    for (let limit = 50; limit < 80; limit += 1) {
      const { next } = truncate(text, limit)
      if (next !== undefined) expect(known.has(next)).toBe(true)
    }
  }
})

test('cuts a character longer than the limit between code points, and reading can continue', () => {
  const text = `e${'\u0301'.repeat(500)}`
  const cut = truncate(text, 100)
  expect(cut.text.length).toBeLessThanOrEqual(100)
  expect(cut.next).toBeGreaterThan(0)
  const emoji = '👩‍'.repeat(200)
  const part = truncate(emoji, 50)
  expect(part.text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
  expect(part.next).toBeGreaterThan(0)
})

test('cuts text without plain letters correctly', () => {
  const flags = '🇩🇪'.repeat(4000)
  const { next = 0 } = truncate(flags, 10_000)
  expect(next % 4).toBe(0)
  expect(next).toBe(9984)
})

test('an excerpt ends with the marker when the text continues', () => {
  expect(truncateExcerpt('short', 500, false)).toBe('short')
  expect(truncateExcerpt('short', 500, true)).toBe(`short${MARKER}`)
  expect(truncateExcerpt('a'.repeat(560), 500, true)).toHaveLength(500)
  expect(truncateExcerpt('a'.repeat(490), 500, true)).toHaveLength(500)
  expect(truncateExcerpt('a'.repeat(560), 200, false)).toHaveLength(200)
})

const clusters = fc.constantFrom(
  'a',
  ' ',
  'é',
  'e\u0301',
  '\n',
  '\r\n',
  '👍',
  family,
  '🇩🇪',
  '👍🏽',
  '漢',
  'नि',
  '한',
  '\u1112\u1161',
  '\u200d',
  '\ud800',
  'ж',
)
const texts = fc.array(clusters, { maxLength: 120 }).map((parts) => parts.join(''))

describe('properties of any text', () => {
  test('a boundary is the last Unicode boundary before the limit', () => {
    fc.assert(
      fc.property(texts, fc.nat(300), (text, index) => {
        const expected = [...boundaries(text)].filter((at) => at <= Math.min(index, text.length)).at(-1) ?? 0
        expect(boundaryBefore(text, 0, index)).toBe(Math.max(expected, 0))
      }),
      { numRuns: 500 },
    )
  })

  test('the parts join to the original text, and no part exceeds the limit', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 20, max: 90 }), (text, limit) => {
        let read = ''
        for (let start: number | undefined = 0; start !== undefined; ) {
          const cut: { text: string; next?: number } = truncate(text, limit, { start, end: text.length })
          expect(cut.text.length).toBeLessThanOrEqual(limit)
          read += cut.next === undefined ? cut.text : cut.text.slice(0, -MARKER.length)
          if (cut.next !== undefined) expect(cut.next).toBeGreaterThan(start)
          start = cut.next
        }
        expect(read).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})
