import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { NodeId } from '../../../src/core/ids.ts'
import { evaluate } from '../../../src/search/query/evaluate.ts'
import { parseQuery } from '../../../src/search/query/parse-query.ts'
import { positiveWords, type Query, toCondition, withOptionalWords } from '../../../src/search/query/query.ts'
import { anyQuery } from './arbitraries.ts'
import { matchesOf, type TestNote, VaultSource } from './vault-source.ts'

const now = new Date(2024, 4, 15, 10, 30)

/** Links in these notes use titles. */
const TITLES = new Map(['home', 'a', 'b', 'c', 'ab'].map((title) => [title, [title as NodeId]]))

/** What matches all words, or else some of them. */
function find(query: Query, source: VaultSource) {
  const within = (part: Query) => {
    const condition = toCondition(part, { titles: TITLES })
    return condition === undefined ? source.all() : evaluate(condition, source)
  }
  const strict = within(query)
  const other = strict.isEmpty ? withOptionalWords(query) : undefined
  const matches = other === undefined ? strict : within(other)
  return { matches, fallback: other !== undefined && !matches.isEmpty }
}

const GARDEN: readonly TestNote[] = [
  { text: 'coffee roast light', title: 'Coffee', tags: ['recipe'], links: ['up>home'] },
  {
    text: 'light roast tea',
    title: 'Tea',
    tags: ['recipe/tea'],
    properties: { status: 'done', stars: '10' },
    linkedFrom: ['ab'],
  },
  {
    text: 'coffee mill',
    title: 'Mill',
    tags: ['draft'],
    properties: { status: '', type: 'tool', stars: '3' },
    linkedFrom: ['ab'],
    tasks: ['open'],
  },
  { text: 'nothing', title: 'Home', tags: [], created: new Date(2023, 0, 5).getTime(), tasks: ['done', 'open'] },
]

describe('evaluating a query', () => {
  test.each([
    ['', [0, 1, 2, 3]],
    ['coffee', [0, 2]],
    ['coffee roast', [0]],
    ['coffee OR tea', [0, 1, 2]],
    ['-coffee', [1, 3]],
    ['"light roast"', [1]],
    ['roa*', [0, 1]],
    ['#recipe', [0, 1]],
    ['#recipe -#recipe/tea', [0]],
    ['#status=', [1, 2]],
    ['#status=""', [2]],
    ['~up', [0]],
    ['~up=home', [0]],
    ['title:coffee OR title:mil*', [0, 2]],
    ['type:tool', [2]],
    ['created:2023', [3]],
    ['#stars>3', [1]],
    ['#stars<=10 -#stars<3', [1, 2]],
    ['links:home', [0]],
    ['linkedfrom:ab', [1, 2]],
    ['links:(title:home)', [0]],
    ['linkedfrom:(coffee)', [3]],
    ['-linkedfrom:(#recipe)', [0, 1, 2]],
    ['links:(#nowhere)', []],
    ['-links:(#nowhere)', [0, 1, 2, 3]],
    ['links:(linkedfrom:(links:(title:home)))', [0]],
    ['task:open OR task:done', [2, 3]],
    ['task:any', [2, 3]],
    ['-(coffee OR tea)', [3]],
    ['(coffee roast) OR #draft', [0, 2]],
  ])('%s', (query, keys) => {
    const { matches, fallback } = find(parseQuery(query, now), new VaultSource(GARDEN))
    expect({ keys: [...matches], fallback }).toEqual({ keys, fallback: false })
  })

  test.each([
    ['coffee tea', [0, 1, 2]],
    ['tea mil*', [1, 2]],
    ['#recipe tea mill', [1]],
    ['tea mill -roast', [2]],
    ['tea nothing OR coffee nothing', [0, 1, 2, 3]],
    ['(tea mill OR nowhere light) -coffee #recipe', [1]],
    ['(tea mill) (coffee)', [0, 1, 2]],
  ])('%s: nothing matches all words, so any word counts', (query, keys) => {
    const { matches, fallback } = find(parseQuery(query, now), new VaultSource(GARDEN))
    expect({ keys: [...matches], fallback }).toEqual({ keys, fallback: true })
  })

  test.each([
    '"tea light" roast',
    'title:coffee title:tea',
    'coffee #nowhere',
    'nowhere',
    'coffee -coffee',
    'no where',
    '-(coffee OR light OR nothing OR mill)',
  ])('%s: no condition can be dropped, so nothing is found', (query) => {
    const { matches, fallback } = find(parseQuery(query, now), new VaultSource(GARDEN))
    expect({ keys: [...matches], fallback }).toEqual({ keys: [], fallback: false })
  })

  test('returns the words to rank and highlight', () => {
    const query = 'b* a -c ("d e" OR title:f -(-g)) a title:a #h'
    const words = positiveWords(parseQuery(query, now))
    expect(words.map(({ form, text }) => `${form} ${text}`)).toEqual([
      'prefix b',
      'word a',
      'phrase d e',
      'word f',
      'word g',
      'word a',
    ])
  })

  test('leaves out notes that the source does not list', () => {
    const source = new VaultSource(GARDEN, [1, 2])
    expect([...find(parseQuery('coffee OR tea', now), source).matches]).toEqual([1, 2])
    expect([...find(parseQuery('-tea', now), source).matches]).toEqual([2])
  })

  test('sets contain notes that the source does not list, and none of their words are marked or ranked', () => {
    const source = new VaultSource(GARDEN, [0])
    expect([...find(parseQuery('links:(title:home)', now), source).matches]).toEqual([0])
    expect([...find(parseQuery('linkedfrom:(light)', now), source).matches]).toEqual([])
    expect(positiveWords(parseQuery('links:(a b) c -linkedfrom:(-d)', now))).toEqual([{ form: 'word', text: 'c' }])
  })

  test('a note that links to itself is not linked from a set that contains only itself', () => {
    const notes = [
      { text: 'x', title: 'a', tags: [], links: ['to>a', 'to>b'] },
      { text: 'x', title: 'b', tags: [], links: ['to>a'] },
    ]
    const keys = (query: string) => [...find(parseQuery(query, now), new VaultSource(notes)).matches]
    expect(keys('linkedfrom:(title:a)')).toEqual([1])
    expect(keys('linkedfrom:(linkedfrom:(title:a))')).toEqual([0])
    expect(keys('links:(x)')).toEqual([0, 1])
  })

  test('looks up each condition once, cheap ones first, and skips irrelevant ones', () => {
    const lookUps = (query: string) => {
      const source = new VaultSource(GARDEN)
      const condition = toCondition(parseQuery(query, now), { titles: TITLES })
      if (condition !== undefined) evaluate(condition, source)
      return source.lookUps
    }
    expect(lookUps('"light roast" roa* tea #recipe')).toEqual([
      'all',
      'tag recipe',
      'word tea',
      'prefix roa',
      'phrase light roast',
    ])
    expect(lookUps('coffee #nowhere "a b"')).toEqual(['all', 'tag nowhere'])
    expect(lookUps('coffee tea OR coffee mill OR -coffee tea')).toEqual(['all', 'word coffee', 'word tea', 'word mill'])
    expect(lookUps('nowhere mill')).toEqual(['all', 'word nowhere'])
    expect(lookUps('links:(#x) OR -links:(#x)')).toEqual(['all', 'all', 'tag x', 'links of 0'])
    expect(lookUps('#nowhere links:(#x)')).toEqual(['all', 'tag nowhere'])
    expect(lookUps('-#x OR nowhere')).toEqual(['all', 'tag x'])
  })

  test('equals checking each note', () => {
    fc.assert(
      fc.property(fc.array(anyNote, { maxLength: 8 }), anyQuery, (notes, text) => {
        const query = parseQuery(text, now)
        const source = new VaultSource(notes)
        const { matches, fallback } = find(query, source)
        expect({ keys: [...matches], fallback }).toEqual(matchesOf(query, notes))
      }),
      { numRuns: 2_000 },
    )
  })
})

const words = fc.array(fc.constantFrom('a', 'ab', 'b', 'c'), { maxLength: 4 }).map((list) => list.join(' '))
const anyNote: fc.Arbitrary<TestNote> = fc.record({
  text: words,
  title: words,
  tags: fc.subarray(['t', 't/u', 'v']),
  links: fc.subarray(['up>a', 'up>b', 'to>b']),
  properties: fc.constantFrom({}, { k: '1' }, { k: '' }, { type: 'x' }),
  path: fc.constantFrom('p/n', 'q/n'),
  created: fc.constantFrom(new Date(2023, 5, 1).getTime(), new Date(2024, 2, 1).getTime()),
})
