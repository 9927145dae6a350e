import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openSparseStaticEmbedder, openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { parseStaticTable, readStaticTable } from '../../src/embed/static-table.ts'
import { dot, testEmbedder } from '../contract/embedder.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { tokenize, vocabularyOf } from './reference.ts'
import { TABLE } from './support.ts'

testEmbedder('static', async () => openStaticEmbedder(TABLE), { knowsMeanings: true, runs: 100 })
testEmbedder('static, of rows that are read when needed', async () => openSparseStaticEmbedder(TABLE), { knowsMeanings: true })
testEmbedder('static, half as wide', async () => openStaticEmbedder(TABLE, 128), { knowsMeanings: true })

const embedder = openStaticEmbedder(TABLE)

test('its id names model and dimension', () => {
  expect(embedder.id).toBe('static:all-minilm-l6-v2:256')
  expect(openStaticEmbedder(TABLE, 128).id).toBe('static:all-minilm-l6-v2:128')
})

describe('vectors', () => {
  const table = readStaticTable(TABLE)
  const known = vocabularyOf(table.vocabulary)

  test('are the sums that the format prescribes', () => {
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

  test('do not depend on case, accents or order', () => {
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
        sum[i] = (sum[i] ?? 0) + (table.scales[row] ?? 0) * (table.weights[row * table.dimensions + i] ?? 0)
      }
    }
    const length = Math.hypot(...sum)
    return sum.map((value) => (length === 0 ? 0 : value / length))
  }
})

test('others have their turn during a long call', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await embedder.embed(Array(50).fill('the quick brown fox '.repeat(20_000)), 'passage')
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})

test('rows that are read when needed give the same vectors to the bit, and the same coverage', async () => {
  const sparse = openSparseStaticEmbedder(TABLE)
  const half = [openStaticEmbedder(TABLE, 128), openSparseStaticEmbedder(TABLE, 128)] as const
  for (const text of ['', 'How is sourdough fed?', '日本語 und Größe', 'word '.repeat(400), 'qqqzzzxxyy']) {
    expect(sparse.embedText(text)).toEqual(embedder.embedText(text))
    expect(sparse.coverage(text)).toEqual(embedder.coverage(text))
    expect(half[1].embedText(text)).toEqual(half[0].embedText(text))
  }
  for (const one of [sparse, half[1]]) await one.close()
  expect(() => sparse.embedText('never read before')).toThrow(/was closed/)
})

describe('a table that cannot be used', () => {
  const bytes = readFileSync(TABLE)
  const [header, end] = [JSON.parse(bytes.toString('utf8', 8, 8 + bytes.readUInt32LE(4))), 8 + bytes.readUInt32LE(4)]

  function check(damaged: Uint8Array, message: RegExp): void {
    const path = join(temporaryFolder(), 'table.bin')
    writeFileSync(path, damaged)
    for (const open of [openStaticEmbedder, openSparseStaticEmbedder]) {
      expect(() => open(path)).toThrow(
        expect.objectContaining({
          code: 'PROVIDER_ERROR',
          message: expect.stringMatching(message),
          hint: expect.stringContaining('embedder.kind'),
        }),
      )
      expect(() => open(path)).toThrow(path)
    }
  }

  function withHeader(changes: Readonly<Record<string, unknown>>): Uint8Array {
    const json = Buffer.from(JSON.stringify({ ...header, ...changes }))
    const length = Buffer.alloc(4)
    length.writeUInt32LE(json.length)
    return Buffer.concat([Buffer.from('STE1'), length, json, bytes.subarray(end)])
  }

  test('missing', () => {
    expect(() => openStaticEmbedder('/nowhere/table.bin')).toThrow(/\/nowhere\/table.bin.*cannot be read/)
  })
  test('empty', () => check(new Uint8Array(), /no embedding table/))
  test('of another format', () => check(Buffer.from('PK\x03\x04 something else'), /no embedding table/))
  test('cut off', () => check(bytes.subarray(0, 1_000_000), /should have/))
  test('cut off within its header', () => check(bytes.subarray(0, 60), /header is cut off/))
  test('too long', () => check(Buffer.concat([bytes, Buffer.from('x')]), /should have/))
  test('with a header that is no JSON', () =>
    check(Buffer.concat([bytes.subarray(0, 8), Buffer.from('x'), bytes.subarray(9)]), /header is damaged/))
  test('with a header that is huge', () => check(Buffer.from('STE1\xff\xff\xff\xff{}', 'latin1'), /header is cut off/))
  test.each([
    { rows: 0 },
    { rows: -1 },
    { rows: 2 ** 40 },
    { rows: '5' },
    { dims: 1.5 },
    { dims: null },
    { vocabBytes: 2 ** 31 },
  ])('with impossible sizes: %j', (sizes) => check(withHeader(sizes), /impossible sizes/))
  test('made for text with capitals', () => check(withHeader({ lowercase: false }), /this version cannot read/))
  test('with another number of pieces than rows', () => {
    const vocabularyFirst = Buffer.from(bytes)
    vocabularyFirst[end + 1] = 0x41
    check(vocabularyFirst, /29522 word pieces for 29523 rows/)
  })
  test('with weights that are no numbers', () => {
    const broken = Buffer.from(bytes)
    broken.writeFloatLE(Number.NaN, end + header.vocabBytes + 40)
    check(broken, /no numbers/)
  })
  test('with fewer columns than asked for', () => {
    expect(() => openStaticEmbedder(TABLE, 512)).toThrow(/256 dimensions, and 512 are asked for/)
  })

  test('any damage is an error of ours or no harm', () => {
    const small = smallTable()
    fc.assert(
      fc.property(
        fc.nat(small.length),
        fc.array(fc.tuple(fc.nat(small.length - 1), fc.nat(255)), { maxLength: 8 }),
        (length, changes) => {
          const damaged = Buffer.from(small.subarray(0, length))
          for (const [at, value] of changes) if (at < length) damaged[at] = value
          try {
            parseStaticTable(damaged, 'table.bin')
          } catch (error) {
            expect(error).toMatchObject({ code: 'PROVIDER_ERROR' })
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

/** Two rows of two columns. */
function smallTable(): Buffer {
  const vocabulary = 'cat\n##s'
  const json = JSON.stringify({ rows: 2, dims: 2, vocabBytes: vocabulary.length, lowercase: true, teacher: 'x/y' }).padEnd(80)
  const bytes = Buffer.alloc(8 + 80 + vocabulary.length + 8 + 4)
  bytes.write('STE1')
  bytes.writeUInt32LE(80, 4)
  bytes.write(json + vocabulary, 8)
  bytes.writeFloatLE(1, 88 + vocabulary.length)
  bytes.writeFloatLE(1, 92 + vocabulary.length)
  return bytes
}
