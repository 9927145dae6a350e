import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EmbedKind } from '../../src/core/embedder.ts'
import { openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { openTableFile } from '../../src/embed/table-file.ts'
import { dot, testEmbedder } from '../contract/embedder.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { tokenize, vocabularyOf } from './reference.ts'
import { TABLE, TABLES } from './support.ts'

const ENGLISH = { english: TABLE }

testEmbedder('static', async () => openStaticEmbedder(TABLES), { knowsMeanings: true, runs: 100 })
testEmbedder('static, English', async () => openStaticEmbedder(ENGLISH), { knowsMeanings: true })
testEmbedder('static, a third as wide', async () => openStaticEmbedder({ ...TABLES, dimensions: 130 }), { knowsMeanings: true })

const embedder = openStaticEmbedder(ENGLISH)
const both = openStaticEmbedder(TABLES)

test('its id names models, dimension and the version of the multilingual table', () => {
  expect(embedder.id).toBe('static:all-minilm-l6-v2:256')
  expect(openStaticEmbedder({ ...ENGLISH, dimensions: 128 }).id).toBe('static:all-minilm-l6-v2:128')
  const version = readFileSync(TABLES.multilingual).subarray(-4).reverse().toString('hex')
  expect(both.id).toBe(`static:all-minilm-l6-v2+multilingual-e5-small:${both.dimensions}:${version}`)
  expect(openStaticEmbedder({ ...TABLES, dimensions: 100 }).id).toBe(
    `static:all-minilm-l6-v2+multilingual-e5-small:100:${version}`,
  )
})

describe('both tables together', () => {
  const width = embedder.dimensions
  const partsOf = (text: string, kind: EmbedKind) => {
    const vector = both.embedText(text, kind)
    return { english: vector.subarray(0, width), multilingual: vector.subarray(width) }
  }
  const lengthOf = (vector: Float32Array) => Math.sqrt(dot(vector, vector))

  test.each([
    ['Latin letters', 'Der Garten im Herbst'],
    ['half Latin letters', 'garden сад один'],
    ['no letters', '2024'],
  ])('a query with %s uses only the English part', (_, text) => {
    const query = partsOf(text, 'query')
    expect(lengthOf(query.multilingual)).toBe(0)
    expect(dot(query.english, embedder.embedText(text))).toBeCloseTo(1, 5)
  })

  test('a query without Latin letters uses the multilingual part', () => {
    const { english, multilingual } = partsOf('これは日本語です', 'query')
    expect(lengthOf(english)).toBe(0)
    expect(lengthOf(multilingual)).toBeCloseTo(1, 5)
  })

  test.each([
    ['German', 'how to prune roses', 'Rosen richtig schneiden', 'Die Börse ist gefallen'],
    ['Spanish', 'train timetable', 'horario de los trenes', 'receta de pan'],
    ['Japanese', 'weather forecast for tomorrow', '明日の天気予報', '数学の試験'],
    ['Arabic', 'a school for children', 'مدرسة للأطفال', 'محرك السيارة'],
  ])('a question finds notes in %s', (_, question, near, far) => {
    const vector = both.embedText(question, 'across')
    expect(dot(vector, both.embedText(near))).toBeGreaterThan(dot(vector, both.embedText(far)) + 0.07)
  })

  test('a cross-language query has no English part', () => {
    expect(lengthOf(partsOf('a garden in autumn', 'across').english)).toBe(0)
  })

  test.each(['a garden in autumn', 'garden сад один', 'これは日本語です'])(
    'a cross-language query is equally near to the same text in any script: %s',
    (text) => {
      expect(dot(both.embedText(text, 'across'), both.embedText(text))).toBeCloseTo(Math.SQRT1_2, 1)
    },
  )

  test('a query without known letters has no cross-language vector', () => {
    expect(lengthOf(both.embedText('!?', 'across'))).toBe(0)
  })

  test('a text that one table does not know has the vector of the other', () => {
    expect(lengthOf(partsOf('!?', 'query').multilingual)).toBe(0)
    expect(lengthOf(partsOf('!?', 'query').english)).toBeCloseTo(1, 5)
  })

  test('with fewer dimensions, each table provides half', () => {
    for (const [dimensions, english] of [
      [64, 32],
      [256, 128],
      [384, 256],
      [512, 256],
    ] as const) {
      const vector = openStaticEmbedder({ ...TABLES, dimensions }).embedText('a garden in autumn')
      expect(lengthOf(vector.subarray(0, english))).toBeCloseTo(lengthOf(vector.subarray(english)), 5)
    }
  })
})

describe('vectors', () => {
  const table = openTableFile(TABLE, 'words')
  const weights = new Int8Array(table.rows * table.dimensions)
  table.read(0, table.dimensions, weights)
  const known = vocabularyOf(table.vocabulary)

  test('vectors are the weighted sums that the format prescribes', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...known.keys()), { maxLength: 60 }), (pieces) => {
        const text = pieces.join(' ')
        const expected = plainSum(text)
        const actual = embedder.embedText(text)
        for (const [i, value] of expected.entries()) expect(Math.abs(value - (actual[i] ?? 0))).toBeLessThan(1e-6)
      }),
    )
  })

  test.each([
    ['a query finds its passage', 'how do glaciers shape a valley', 'ice carves the mountain', 'the bank raised interest rates'],
    ['inflections are near', 'running', 'runs', 'cheese'],
    ['synonyms are near', 'physician', 'doctor', 'violin'],
  ])('%s', (_, text, near, far) => {
    const [anchor, close, distant] = [text, near, far].map((sample) => embedder.embedText(sample)) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ]
    expect(dot(anchor, close)).toBeGreaterThan(dot(anchor, distant) + 0.1)
  })

  test('vectors ignore case, accents and order', () => {
    expect(embedder.embedText('CAFÉ noir')).toEqual(embedder.embedText('cafe noir'))
    expect(dot(embedder.embedText('a b c'), embedder.embedText('c b a'))).toBeCloseTo(1, 6)
  })

  test.each([
    ['20 MB of words', 'the quick brown fox '.repeat(1_000_000), false],
    ['a word of 1 MB', 'x'.repeat(1_000_000), true],
    ['only emoji', '😀🎉'.repeat(250_000), true],
    ['only marks', '\u0301\u0323'.repeat(500_000), true],
  ])('%s', (_, text, unknown) => {
    const vector = embedder.embedText(text)
    expect(dot(vector, vector)).toBeCloseTo(unknown ? 0 : 1, 5)
  })

  function plainSum(text: string): readonly number[] {
    const sum = Array<number>(table.dimensions).fill(0)
    for (const row of tokenize(text, known)) {
      for (let i = 0; i < sum.length; i++) {
        sum[i] = (sum[i] ?? 0) + (table.scales[row] ?? 0) * (weights[row * table.dimensions + i] ?? 0)
      }
    }
    const length = Math.hypot(...sum)
    return sum.map((value) => (length === 0 ? 0 : value / length))
  }
})

test('a long call yields to other work', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await embedder.embed(Array(50).fill('the quick brown fox '.repeat(20_000)), 'passage')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})

test.each([
  ['both tables', TABLES],
  ['English', ENGLISH],
  ['a few columns', { ...TABLES, dimensions: 129 }],
])('vectors are bit-identical in any order of texts and with or without SIMD: %s', async (_, tables) => {
  const plain = openStaticEmbedder(tables, { simd: false })
  const sample = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('日本語 und Größe', 'word '.repeat(400), 'сад', '한국어 문서'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(sample), async (texts) => {
      const fresh = openStaticEmbedder(tables)
      const backwards = texts.toReversed().map((text) => fresh.embedText(text))
      expect(texts.map((text) => plain.embedText(text))).toEqual(backwards.toReversed())
      await fresh.close()
    }),
    { numRuns: 20 },
  )
  await plain.close()
  expect(() => plain.embedText('never read before')).toThrow(/is closed/)
})

describe.each([
  ['English', 'words', TABLE],
  ['multilingual', 'sentences', TABLES.multilingual],
] as const)('an unusable table (%s)', (_, kind, original) => {
  const bytes = readFileSync(original)
  const [header, end] = [JSON.parse(bytes.toString('utf8', 8, 8 + bytes.readUInt32LE(4))), 8 + bytes.readUInt32LE(4)]

  function check(damaged: Uint8Array, message: RegExp): void {
    const path = join(temporaryFolder(), 'table.bin')
    writeFileSync(path, damaged)
    const tables = kind === 'words' ? { ...TABLES, english: path } : { ...TABLES, multilingual: path }
    expect(() => openStaticEmbedder(tables, { isExpected: true })).toThrow(
      expect.objectContaining({
        code: 'PROVIDER_ERROR',
        message: expect.stringMatching(message),
        hint: expect.stringContaining('embedder.kind'),
      }),
    )
    expect(() => openStaticEmbedder(tables, { isExpected: true })).toThrow(path)
  }

  /** The table with a modified header. */
  function withHeader(changes: Readonly<Record<string, unknown>>): Uint8Array {
    const json = Buffer.from(JSON.stringify({ ...header, ...changes }))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(json.length)
    return sealed(Buffer.concat([bytes.subarray(0, 4), length, json, bytes.subarray(end, -4)]))
  }

  test('a missing file', () => {
    expect(() => openTableFile('/nowhere/table.bin', kind)).toThrow(/\/nowhere\/table.bin.*cannot be read/)
  })
  test('an empty file', () => check(new Uint8Array(), /not an embedding table/))
  test('another format', () => check(Buffer.from('PK\x03\x04 something else'), /not an embedding table/))
  test('the other table', () =>
    check(readFileSync(kind === 'words' ? TABLES.multilingual : TABLES.english), /not an embedding table/))
  test('a truncated file', () => check(bytes.subarray(0, 1_000_000), /bytes instead of/))
  test('a file truncated by one byte', () => check(bytes.subarray(0, -1), /bytes instead of/))
  test('a file truncated in its header', () => check(bytes.subarray(0, 60), /header is truncated/))
  test('a file that is too long', () => check(Buffer.concat([bytes, Buffer.from('x')]), /bytes instead of/))
  test.each([0.1, 0.5, 0.99])('a flipped bit at %f of the length', (share) => {
    const altered = Buffer.from(bytes)
    const at = Math.floor(share * bytes.length)
    altered[at] = (altered[at] ?? 0) ^ 1
    check(altered, /content has been altered/)
  })
  test('a header that is not JSON', () =>
    check(Buffer.concat([bytes.subarray(0, 8), Buffer.from('x'), bytes.subarray(9)]), /header is damaged/))
  test('a huge header', () =>
    check(Buffer.concat([bytes.subarray(0, 4), Buffer.from('\xff\xff\xff\xff{}', 'latin1')]), /header is truncated/))
  test.each([
    { rows: 0 },
    { rows: -1 },
    { rows: 2 ** 40 },
    { rows: '5' },
    { dims: 1.5 },
    { dims: null },
    { vocabBytes: 2 ** 31 },
  ])('impossible sizes: %j', (sizes) => check(withHeader(sizes), /impossible sizes/))
  test('a table for case-sensitive text', () => check(withHeader({ lowercase: false }), /this version cannot read/))
  test('a different number of pieces and rows', () => {
    const vocabularyFirst = Buffer.from(bytes)
    vocabularyFirst[vocabularyFirst.indexOf('\n', end)] = 0x41
    check(sealed(vocabularyFirst.subarray(0, -4)), new RegExp(`${header.rows - 1} word pieces for ${header.rows} rows`))
  })
  test('weights that are not numbers', () => {
    const broken = Buffer.from(bytes.subarray(0, -4))
    broken.writeFloatLE(
      Number.NaN,
      end +
        Math.ceil(header.vocabBytes / 4) * 4 -
        (kind === 'words' ? header.vocabBytes % 4 && 4 - (header.vocabBytes % 4) : 0) +
        40,
    )
    check(sealed(broken), /invalid weights/)
  })
})

test('rejects more dimensions than the table has', () => {
  expect(() => openStaticEmbedder({ ...ENGLISH, dimensions: 512 })).toThrow(/have 256 dimensions, but 512 were requested/)
})

test.each(['words', 'sentences'] as const)('a damaged table of %s fails with a RouxError or works', (kind) => {
  const small = smallTable(kind)
  const path = join(temporaryFolder(), 'table.bin')
  fc.assert(
    fc.property(
      fc.nat(small.length),
      fc.array(fc.tuple(fc.nat(small.length - 1), fc.nat(255)), { maxLength: 8 }),
      fc.boolean(),
      (length, changes, isSealed) => {
        const damaged = Buffer.from(small.subarray(0, length))
        for (const [at, value] of changes) if (at < length) damaged[at] = value
        writeFileSync(path, isSealed ? sealed(damaged) : damaged)
        try {
          const table = openTableFile(path, kind)
          table.read(0, table.dimensions, new Int8Array(table.rows * table.dimensions))
          table.close()
        } catch (error) {
          expect(error).toMatchObject({ code: 'PROVIDER_ERROR' })
        }
      },
    ),
    { numRuns: 200 },
  )
})

/** Appends the checksum. */
function sealed(content: Buffer): Buffer {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(crc32(content))
  return Buffer.concat([content, checksum])
}

/** Two rows of two columns. */
function smallTable(kind: 'words' | 'sentences'): Buffer {
  const vocabulary = 'cat\n###'
  const json = JSON.stringify({ rows: 2, dims: 2, vocabBytes: vocabulary.length, lowercase: true, teacher: 'x/y' }).padEnd(80)
  const start = Buffer.alloc(8)
  start.write(kind === 'words' ? 'STE1' : 'MLT1')
  start.writeUInt32LE(80, 4)
  const numbers = Buffer.alloc(kind === 'words' ? 8 + 4 : 1 + 16 + 2, 1)
  return Buffer.concat([start, Buffer.from(json + vocabulary), numbers])
}

test('knows the words that its English vocabulary contains as a whole', () => {
  const known = ['diary', 'temperature', 'diaro', 'tempurature', 'diary diary', ''].map((word) => both.knowsWord(word))
  expect(known).toEqual([true, true, false, false, false, false])
})
