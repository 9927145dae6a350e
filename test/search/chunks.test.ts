import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseNote } from '../../src/markdown/parse-note.ts'
import { type Chunk, chunkHash, chunkNote, MAX_CHUNKS, plainText } from '../../src/search/chunks.ts'

function chunksOf(text: string, title = 'Note'): readonly Chunk[] {
  const { bodyStart, headings } = parseNote(text, { profile: 'lenient', mode: 'obsidian', comments: true })
  return chunkNote({ title, text, bodyStart, headings })
}

const LONE_SURROGATE = /\p{Surrogate}/u

/** Sentences of ten words, all different. */
const prose = (name: string, words: number) =>
  Array.from({ length: words / 10 }, (_, i) => `The ${name} number ${i} has seven more words here.`).join(' ')

test('a short note is one chunk: title, headings and text without markup', () => {
  const text =
    '---\ntags: x\n---\n\n# Bees\n\nThey *dance*, see [[Dance|the waggle]] and [more](https://a.b/c_(d)).\n\n## Honey\n- [ ] sweet\n'
  expect(chunksOf(text, 'Bees')).toEqual([
    {
      heading: ['Bees'],
      startLine: 5,
      endLine: 10,
      start: 17,
      end: text.length - 1,
      text: 'Bees\nThey dance , see the waggle and more.\nHoney\nsweet',
    },
  ])
})

test('long sections are chunks, and short ones join their neighbors', () => {
  const text = `# Zoo\n\n${prose('lion', 200)}\n\n## Bears\n\n${prose('bear', 200)}\n\n### Food\n\nHoney.\n\n### Sleep\n\nAll winter.\n`
  expect(chunksOf(text, 'Zoo').map(({ heading, startLine, endLine }) => ({ heading, startLine, endLine }))).toEqual([
    { heading: ['Zoo'], startLine: 1, endLine: 3 },
    { heading: ['Zoo', 'Bears'], startLine: 5, endLine: 15 },
  ])
  expect(chunksOf(text, 'Zoo')[1]?.text).toMatch(/^Zoo\nBears\nThe bear number 0 .*\nFood\nHoney\.\nSleep\nAll winter\.$/s)
})

test('a heading ends the previous one of the same level, even if levels are skipped', () => {
  const text = `## A\n\n#### B\n\n${prose('b', 300)}\n\n### C\n\n${prose('c', 300)}\n`
  expect(chunksOf(text).map((chunk) => chunk.heading.join('/'))).toContain('A/C')
})

test.each([
  ['nothing', ''],
  ['a byte', 'x'],
  ['blank lines', '\n\r\n \n'],
  ['frontmatter alone', '---\na: b\n---\n'],
  ['emoji', '🐝'.repeat(5000)],
  ['half an emoji', '\ud83d'],
  ['code', '```js\nlet a = 1\n```\n'],
  ['rules', '---\n\n***\n\n---\n'],
  ['an empty heading', '# \n\n#\n'],
  ['CRLF', '# A\r\n\r\nb\r\n'],
])('%s has at least one chunk, all within bounds and beginning with the title', (_, text) => {
  const chunks = chunksOf(text, 'Name')
  expect(chunks.length).toBeGreaterThan(0)
  for (const chunk of chunks) {
    expect(chunk.text).toMatch(/^Name/)
    expect(chunk.end).toBeGreaterThanOrEqual(chunk.start)
    expect(chunk.endLine).toBeGreaterThanOrEqual(chunk.startLine)
    expect(LONE_SURROGATE.test(chunk.text)).toBe(LONE_SURROGATE.test(text))
  }
})

test.each([
  ['one line without a space', 'x'.repeat(2_000_000)],
  ['one line of words', 'word and '.repeat(200_000)],
  ['one line of brackets', '['.repeat(500_000)],
  ['one line of opened links', '[a](b'.repeat(200_000)],
  ['ten thousand headings', Array.from({ length: 10_000 }, (_, i) => `## Heading ${i}\n`).join('')],
  ['ten thousand equal lines', '- the same line again and again\n'.repeat(10_000)],
  ['a million tiny lines', 'a\n'.repeat(1_000_000)],
  ['ideographs', '知識'.repeat(100_000)],
])('%s: a bounded number of chunks of bounded length', (_, text) => {
  const chunks = chunksOf(text)
  expect(chunks.length).toBeLessThanOrEqual(MAX_CHUNKS)
  for (const chunk of chunks) expect(chunk.text.length).toBeLessThan(10_000)
})

test('converts a piece of Markdown to plain text', () => {
  const cases = {
    '> - [x] ==Done== `now` ^id1': 'Done now',
    '![[Pic.png|A bee]] and [[Note#Part]]': 'A bee and Note Part',
    'see https://example.org/a?b=c for <b class="x">more</b>': 'see for more',
    '| a | b |': 'a b',
    '|---|:--:|': '',
    '```ts': '',
    '1. snake_case': 'snake case',
    'a < b > c': 'a < b c',
  }
  for (const [piece, plain] of Object.entries(cases)) expect(plainText(piece), piece).toBe(plain)
})

test('equal texts have the same hash, of 16 bytes', () => {
  expect(chunkHash('a')).toBe('ca978112ca1bbdcafac231b39a23dc4d')
})

const word = fc.constantFrom('tree', 'bee', 'stone', 'river', 'cloud', 'fire', 'moss', 'lake', 'wind', 'root', 'leaf', 'sand')
const sentence = fc.array(word, { minLength: 4, maxLength: 30 }).map((words) => `${words.join(' ')}.`)
const block = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.tuple(fc.integer({ min: 1, max: 6 }), sentence).map(([level, text]) => `${'#'.repeat(level)} ${text}`),
  },
  { weight: 4, arbitrary: fc.array(sentence, { minLength: 1, maxLength: 8 }).map((sentences) => sentences.join(' ')) },
  { weight: 2, arbitrary: fc.array(sentence, { minLength: 1, maxLength: 8 }).map((items) => `- ${items.join('\n- ')}`) },
)

test('chunks are in order and contain every word, and lines match offsets', () => {
  const newline = fc.constantFrom('\n', '\r\n')
  fc.assert(
    fc.property(fc.array(block, { maxLength: 60 }), newline, (blocks, end) => {
      const text = blocks.join('\n\n').replaceAll('\n', end)
      const chunks = chunksOf(text)
      let last = 0
      for (const chunk of chunks) {
        expect(text.slice(last, chunk.start).trim()).toBe('')
        expect(text.slice(0, chunk.start).split('\n').length).toBe(chunk.startLine)
        expect(text.slice(0, chunk.end).split('\n').length).toBe(chunk.endLine)
        expect(text.slice(chunk.start, chunk.end).trim().length).toBe(chunk.end - chunk.start)
        last = chunk.end
      }
      expect(text.slice(last).trim()).toBe('')
    }),
  )
})

test('a chunk is neither tiny nor longer than a model can read', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 20, maxLength: 60 }), (blocks) => {
      const chunks = chunksOf(blocks.join('\n\n'))
      const words = chunks.map((chunk) => blocksWords(blocks.join('\n\n').slice(chunk.start, chunk.end)))
      if (chunks.length > 1) for (const count of words) expect(count).toBeGreaterThanOrEqual(100)
      for (const count of words) expect(count).toBeLessThanOrEqual(450)
    }),
  )
})

function blocksWords(text: string): number {
  return (text.match(/[a-z]+/g) ?? []).length
}

test('an edit changes only nearby chunks', () => {
  const scenario = fc.tuple(fc.array(block, { minLength: 80, maxLength: 200 }), fc.nat(), sentence)
  fc.assert(
    fc.property(scenario, ([blocks, at, added]) => {
      const place = at % blocks.length
      const tail = blocks.slice(place).join('\n\n')
      const before = blocks.join('\n\n')
      const after = [...blocks.slice(0, place), added, ...blocks.slice(place)].join('\n\n')
      const starts = (text: string) => new Set(chunksOf(text).map((chunk) => text.length - chunk.start))
      const [old, now] = [starts(before), starts(after)]
      // Only cuts that both notes have, and that are farther from the edit than the widest chunk plus the radius, are compared.
      // All later ones must be equal.
      const common = [...old].filter((start) => start <= tail.length && now.has(start))
      const first = Math.max(0, ...common)
      expect([...now].filter((start) => start < first)).toEqual([...old].filter((start) => start < first))
      if (tail.length > 20_000) expect(tail.length - first).toBeLessThan(15_000)
    }),
    { numRuns: 40 },
  )
})
