import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SentencePieces } from '../../src/embed/sentence-pieces.ts'
import { openTableFile } from '../../src/embed/table-file.ts'
import { cutIntoSentencePieces, vocabularyOf } from './reference.ts'
import { TABLES } from './support.ts'

const table = openTableFile(TABLES.multilingual, 'sentences')
table.close()
const known = vocabularyOf(table.vocabulary)
const names = [...known.keys()]
const pieces = new SentencePieces(table.vocabulary, table.scores)

/** Counts each piece. */
function count(text: string, from = pieces, by = names): Readonly<Record<string, number>> {
  const { counts, rows, distinct } = from.count(text)
  return Object.fromEntries(Array.from(rows.subarray(0, distinct), (row) => [by[row], counts[row] ?? 0]))
}

function tally(rows: readonly number[], by = names): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[by[row] ?? ''] = (counts[by[row] ?? ''] ?? 0) + 1
  return counts
}

describe('words', () => {
  test('ignores case, width and Turkish dots', () => {
    expect(count('ＧＡＲＴＥＮ')).toEqual(count('garten'))
    expect(count('İstanbul')).toEqual(count('istanbul'))
  })
  test('punctuation, symbols and private-use characters end a word', () => {
    expect(count('garten,haus\ue000wald😀meer')).toEqual(count('garten haus wald meer'))
  })
  test('treats decomposed letters like composed ones', () => {
    expect(count('Universita\u0308t 가')).toEqual(count('Universität 가'))
  })
  test('drops emoji, private-use characters, lone surrogates and unknown scripts', () => {
    for (const text of ['😀🎉❤️', '\ue000\u{f0000}', '\ud800', 'ᚠᚢᚦ']) expect(count(text)).toEqual({})
  })
  test('computes the share of Latin letters', () => {
    expect(pieces.count('Haus и ёж').latin).toBeCloseTo(4 / 7)
    expect(pieces.count('2024 😀').latin).toBe(1)
    expect(pieces.count('ｗｉｄｅ 日本').latin).toBeCloseTo(4 / 6)
  })
  test.each([
    ['one-letter words', 'a '.repeat(500_000)],
    ['one word of a million letters', 'a'.repeat(1_000_000)],
    ['marks in non-canonical order', '\u0301\u0323'.repeat(500_000)],
    ['characters that NFKC makes longer', '\ufdfa'.repeat(300_000)],
    ['characters beyond the basic plane', '\u{20000}'.repeat(500_000)],
  ])('reads a long text in linear time: %s', (_, text) => {
    expect(pieces.count(text).latin).toBeGreaterThanOrEqual(0)
  })
})

const script = fc.constantFrom(
  ...[
    'a',
    'É',
    'ß',
    'İ',
    'ﬁ',
    'ж',
    'Й',
    'א',
    'ا',
    'ي',
    '\u064e',
    'ก',
    'ำ',
    'क',
    'ि',
    '가',
    'ガ',
    'ｶﾞ',
    '漢',
    '字',
    '𠀀',
    'ᚠ',
    'ក',
  ],
  ...[
    '\u0301',
    '\u0323',
    '\u200c',
    '\u200d',
    '\ufe0f',
    '\ufeff',
    '\u0000',
    '\u00ad',
    '\ud800',
    '\ue000',
    '\ufdfa',
    '㈱',
    '½',
    '٣',
  ],
  ...['😀', '-', '—', '。', ' ', ' ', '▁', 'ing', 'schaft', 'ción', 'の'],
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(script, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...names), { maxLength: 20 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...names), { maxLength: 20 }).map((parts) => parts.join('').replaceAll('▁', ' ')),
)

describe('property', () => {
  test('counts the same pieces as the simple version', () => {
    fc.assert(
      fc.property(text, (sample) => {
        expect(count(sample)).toEqual(tally(cutIntoSentencePieces(sample, known, table.scores)))
      }),
      { numRuns: 700 },
    )
  })

  test('works with any vocabulary, including similar pieces', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '▁', '漢'), minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(piece, fc.integer({ min: -1_000_000, max: -1 })), {
          minLength: 1,
          maxLength: 30,
          selector: ([name]) => name,
        }),
        fc.string({ unit: fc.constantFrom('a', 'b', 'é', '漢', 'x', ' ') }),
        (list, sample) => {
          const own = list.map(([name]) => name)
          // A double distinguishes different sums of these scores.
          const scores = Float32Array.from(list, ([, score]) => score / 1024)
          const few = new SentencePieces(new TextEncoder().encode(own.join('\n')), scores)
          const expected = cutIntoSentencePieces(sample, new Map(own.map((name, row) => [name, row])), scores)
          const total = (counts: Readonly<Record<string, number>>) =>
            own.reduce((sum, name, row) => sum + (counts[name] ?? 0) * (scores[row] ?? 0), 0)
          const counted = count(sample, few, own)
          // Two segmentations may be equally likely.
          if (JSON.stringify(counted) !== JSON.stringify(tally(expected, own)))
            expect(total(counted)).toBeCloseTo(total(tally(expected, own)), 6)
        },
      ),
    )
  })
})
