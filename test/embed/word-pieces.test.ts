import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openTableFile } from '../../src/embed/table-file.ts'
import { WordPieces } from '../../src/embed/word-pieces.ts'
import { tokenize, vocabularyOf } from './reference.ts'
import { MISSING, MODEL, TABLE, TOKENIZERS } from './support.ts'

const { vocabulary } = openTableFile(TABLE, 'words')
const known = vocabularyOf(vocabulary)
const names = [...known.keys()]
const wordPieces = new WordPieces(vocabulary)

function count(text: string, pieces = wordPieces): Readonly<Record<number, number>> {
  const { counts, rows, distinct } = pieces.count(text)
  return Object.fromEntries(Array.from(rows.subarray(0, distinct), (row) => [row, counts[row] ?? 0]))
}

function tally(rows: readonly number[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {}
  for (const row of rows) counts[row] = (counts[row] ?? 0) + 1
  return counts
}

/** Checks the pieces of a text, in order of first appearance. */
function check(text: string, ...expected: readonly string[]): void {
  const { rows, distinct } = wordPieces.count(text)
  expect(Array.from(rows.subarray(0, distinct), (row) => names[row])).toEqual(expected)
}

describe('tokenization', () => {
  test('splits words and punctuation, and ignores case', () =>
    check("Hello, World! $5+x's", 'hello', ',', 'world', '!', '$', '5', '+', 'x', "'", 's'))
  test('takes the longest piece first, then continuations', () => check('unaffable', 'una', '##ffa', '##ble'))
  test('strips accents, composed or not', () => check('Café e\u0301 İ', 'cafe', 'e', 'i'))
  test('ideographs stand alone', () => check('中国a', '中', '国', 'a'))
  test('a compatibility ideograph counts as its canonical one', () => check('a\uf90ab', 'a', '金', 'b'))
  test('decomposes Hangul', () => check('가', 'ᄀ', '##ᅡ'))
  test('lower-cases sigma regardless of its position', () => check('ΟΔΟΣ', 'ο', '##δ', '##ο', '##σ'))
  test('control characters do not separate words', () => check('a\0b\u200bc a\u00adb', 'abc', 'ab'))
  test('every kind of space separates words', () => check('a\tb\u00a0c\u2003d\u3000e', 'a', 'b', 'c', 'd', 'e'))
  test('drops an unknown word entirely', () => check('before x😀y after', 'before', 'after'))
  test('reads a word of 100 characters, but not of 101', () => {
    expect(Object.keys(count('x'.repeat(100))).length).toBeGreaterThan(0)
    check('x'.repeat(101))
  })
  test('treats special tokens as text', () => check('[CLS] ##s', '[', 'cl', '##s', ']', '#', 's'))
  test('drops lone surrogates', () => check('a\ud83db\ude00', 'ab'))
})

const script = fc.constantFrom(
  ...[
    'a',
    'É',
    'ß',
    'İ',
    'ǅ',
    'Σ',
    'ς',
    'ж',
    'Й',
    'א',
    'ם',
    'ا',
    'ي',
    'ก',
    'क',
    'ि',
    '가',
    '힣',
    'ぁ',
    'ガ',
    '漢',
    '\uf900',
    '𠀀',
    '😀',
    '🇩',
    '\u0301',
  ],
  ...[
    '\u0323',
    '\u200d',
    '\ufe0f',
    '\ufeff',
    '\u0000',
    '\u007f',
    '\u0085',
    '\u00ad',
    '\u2028',
    '\u3000',
    '\ud800',
    '\udc00',
    '\ue000',
  ],
  ...['##', '#', '[', '-', '—', '«', '。', '$', '^', ' ', ' ', '\n', 'ing', 'tion', 'the', 'ﬁ', '½', '²', '٣'],
)
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.array(script, { maxLength: 40 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...names), { maxLength: 20 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...names), { maxLength: 20 }).map((parts) => parts.join(' ').replaceAll('##', '')),
)

describe('property', () => {
  test('counts the same pieces as the simple version', () => {
    fc.assert(
      fc.property(text, (sample) => {
        expect(count(sample)).toEqual(tally(tokenize(sample, known)))
      }),
      { numRuns: 3000 },
    )
  })

  test('handles every code point alone and inside a word', () => {
    for (let codePoint = 0; codePoint < 0x30000; codePoint += 1) {
      const sample = `a${String.fromCodePoint(codePoint)}b`
      const [ours, theirs] = [JSON.stringify(count(sample)), JSON.stringify(tally(tokenize(sample, known)))]
      if (ours !== theirs) expect(`${codePoint.toString(16)} ${ours}`).toBe(`${codePoint.toString(16)} ${theirs}`)
    }
  })

  test('works with any vocabulary, including similar pieces', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '#'), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(
        fc.uniqueArray(piece, { minLength: 1, maxLength: 30 }),
        fc.string({ unit: fc.constantFrom('a', 'b', '#', ' ') }),
        (list, sample) => {
          const pieces = new WordPieces(new TextEncoder().encode(list.join('\n')))
          expect(count(sample, pieces)).toEqual(tally(tokenize(sample, new Map(list.map((name, row) => [name, row])))))
        },
      ),
    )
  })
})

describe.skipIf(MISSING !== '' || TOKENIZERS === undefined)(
  `against @huggingface/tokenizers${MISSING && ` (${MISSING})`}`,
  () => {
    interface Oracle {
      encode(text: string, options: { readonly add_special_tokens: boolean }): { readonly tokens: readonly string[] }
    }

    /** Excluded from the samples: the library differs here from the one that made the table, or takes quadratic time. */
    const unlike = /[\u{20000}-\u{3ffff}Σ\p{Cs}]|\[(PAD|UNK|CLS|SEP|MASK)\]/u

    test('gives the same pieces', () => {
      const { Tokenizer } = createRequire(import.meta.url)(TOKENIZERS ?? '') as {
        readonly Tokenizer: new (...json: unknown[]) => Oracle
      }
      const read = (name: string): unknown => JSON.parse(readFileSync(join(MODEL, name), 'utf8'))
      const oracle = new Tokenizer(read('tokenizer.json'), read('tokenizer_config.json'))
      fc.assert(
        fc.property(
          text.filter((sample) => !unlike.test(sample)),
          (sample) => {
            const { tokens } = oracle.encode(sample, { add_special_tokens: false })
            const rows = tokens.flatMap((token) => known.get(token) ?? [])
            expect(count(sample)).toEqual(tally(rows))
          },
        ),
        { numRuns: 2000 },
      )
    })
  },
)
