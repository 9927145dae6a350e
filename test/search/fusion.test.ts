import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fuse, type KeywordHit, nearestNotes, type SemanticHit } from '../../src/search/fusion.ts'

const CERTAINTY = { low: 0.3, high: 0.7 }

const keyword = [
  { key: 'a', score: 10, matched: 0.8 },
  { key: 'b', score: 5, matched: 0.5 },
]
const semantic = [
  { key: 'b', score: 0.5 },
  { key: 'c', score: 0.25 },
]

test('combines the scores of both rankings, and each hit shows how', () => {
  // Confidence by words .7 · .8 = .56, by meaning (.5 − .3)
  // .4 = .5: 1 − .44 · .5 = .78.
  const hits = fuse(keyword, semantic, { weight: 0.4, certainty: CERTAINTY })
  expect(hits.map(({ key, score }) => [key, score])).toEqual([
    ['a', expect.closeTo(0.78 * (0.6 * 0.92 + 0.4 * 0.5))],
    ['b', expect.closeTo(0.78 * (0.6 * 0.5 + 0.4))],
    ['c', expect.closeTo(0.78 * 0.4 * 0.5)],
  ])
  expect(hits[1]).toEqual({
    key: 'b',
    score: expect.closeTo(0.546),
    exact: false,
    keyword: { rank: 2, score: 5, normalized: expect.closeTo(0.5) },
    semantic: { rank: 1, score: 0.5, normalized: 1 },
    weight: 0.4,
  })
})

test('of two notes with the same BM25 score, the one with more words of the query comes first', () => {
  const hits = fuse(
    [
      { key: 'often one word', score: 8, matched: 0.3 },
      { key: 'all words', score: 8, matched: 1 },
    ],
    [],
    { weight: 0.3 },
  )
  expect(hits.map((hit) => hit.key)).toEqual(['all words', 'often one word'])
})

test('if one ranking finds nothing, the other is used alone', () => {
  const words = fuse(keyword, [], { weight: 0.4, certainty: CERTAINTY })
  expect(words.map(({ key, score, weight }) => [key, score, weight])).toEqual([
    ['a', expect.closeTo(0.8 * 0.92), 0],
    ['b', expect.closeTo(0.8 * 0.5), 0],
  ])
  const meaning = fuse([], semantic, { weight: 0.4, certainty: CERTAINTY })
  expect(meaning.map(({ key, score, weight }) => [key, score, weight])).toEqual([
    ['b', expect.closeTo(0.5), 1],
    ['c', expect.closeTo(0.25), 1],
  ])
  expect(fuse([], [], { weight: 0.4 })).toEqual([])
})

test('a note missing from the semantic results gets the lowest score returned there', () => {
  const near = [
    { key: 'b', score: 0.72 },
    { key: 'c', score: 0.7 },
  ]
  const hits = fuse(keyword, near, { weight: 0.4, certainty: CERTAINTY })
  expect(hits.map(({ key, semantic: leg }) => [key, leg?.rank])).toEqual([
    ['a', undefined],
    ['b', 1],
    ['c', 2],
  ])
})

test('meaning counts less when a note has all the words', () => {
  const weightAt = (matched: number) => fuse([{ key: 'a', score: 1, matched }], semantic, { weight: 0.5 })[0]?.weight
  expect([0, 0.8, 0.9, 1].map(weightAt)).toEqual([0.5, 0.5, expect.closeTo(0.375), expect.closeTo(0.25)])
})

test('an exact title comes first with score 1, whether or not a ranking finds it', () => {
  const hits = fuse(keyword, semantic, { weight: 0.4, certainty: CERTAINTY, exact: new Set(['z', 'c']) })
  expect(hits.map(({ key, exact }) => [key, exact])).toEqual([
    ['c', true],
    ['z', true],
    ['a', false],
    ['b', false],
  ])
  expect(hits[1]).toMatchObject({ score: 1, keyword: undefined, semantic: undefined })
})

test('a query that neither words nor meaning answer has low scores', () => {
  const hits = fuse([{ key: 'a', score: 9, matched: 0.1 }], [{ key: 'a', score: 0.3 }], { weight: 0.4, certainty: CERTAINTY })
  expect(hits[0]?.score).toBeLessThan(0.07)
})

test('a note scores as its best vector; titles count slightly less', () => {
  const passages = [
    { key: 1, score: 0.5 },
    { key: 2, score: 0.4 },
    { key: 1, score: 0.3 },
  ]
  const names = [
    { key: 2, score: 1 },
    { key: 3, score: -0.1 },
  ]
  expect(nearestNotes(passages, names)).toEqual([
    { key: 2, score: 0.9 },
    { key: 1, score: 0.5 },
    { key: 3, score: expect.closeTo(-0.09) },
  ])
})

const byScore = <Hit extends { readonly score: number }>(hits: readonly Hit[]) => hits.toSorted((a, b) => b.score - a.score)
const keywordHits: fc.Arbitrary<readonly KeywordHit<number>[]> = fc
  .uniqueArray(
    fc.record({
      key: fc.nat(20),
      score: fc.double({ min: 0.001, max: 100, noNaN: true }),
      matched: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { selector: (hit) => hit.key },
  )
  .map(byScore)
const semanticHits: fc.Arbitrary<readonly SemanticHit<number>[]> = fc
  .uniqueArray(fc.record({ key: fc.nat(20), score: fc.double({ min: -1, max: 1, noNaN: true }) }), { selector: (hit) => hit.key })
  .map(byScore)

test('scores are 0–1 and descending, keys are unique, and better evidence never lowers a note', () => {
  const weight = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(keywordHits, semanticHits, weight, (words, meaning, share) => {
      const hits = fuse(words, meaning, { weight: share, certainty: CERTAINTY })
      const keys = [...words, ...meaning].map((hit) => hit.key)
      expect(new Set(hits.map((hit) => hit.key))).toEqual(new Set(keys))
      expect(hits.length).toBe(new Set(keys).size)
      let last = 1
      for (const { score } of hits) {
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(last)
        last = score
      }
      const [first, ...others] = words
      if (!first) return
      const better = fuse([{ ...first, matched: 1 }, ...others], meaning, { weight: share, certainty: CERTAINTY })
      const scoreOf = (list: typeof hits) => list.find((hit) => hit.key === first.key)?.score ?? 0
      expect(scoreOf(better)).toBeGreaterThanOrEqual(scoreOf(hits))
    }),
  )
})

/** Relative scores of notes in the query's language (`a`, `b`) and in another one, whose cosines are `near`. */
function sharesOf(near: number, own = [0.4, 0.4]) {
  const byLanguage = {
    own: own.map((score, at) => ({ key: 'ab'[at] as string, score })),
    other: [
      { key: 'first', score: near },
      { key: 'second', score: near * 0.9 },
    ],
  }
  const meaning = byScore([...byLanguage.own, ...byLanguage.other])
  const hits = fuse(keyword, meaning, { weight: 0.4, certainty: CERTAINTY, byLanguage })
  return Object.fromEntries(hits.map(({ key, score }) => [key, Number((score / (hits[0]?.score ?? 0)).toFixed(2))]))
}

test('a note in another language is not outranked because it lacks the words of the query', () => {
  expect(sharesOf(0.4)).toEqual({ a: 1, first: 0.9, second: 0.81, b: 0.74 })
})

test('notes in another language are raised less if they are farther away than those in the language of the query', () => {
  expect([0.4, 0.32].map((near) => sharesOf(near).first)).toEqual([0.9, 0.71])
  expect(sharesOf(0.2).first, 'too far away to be an answer').toBe(0.21)
})

test('if no note is in the language of the query, words and meaning count as usual', () => {
  expect(sharesOf(0.4, [])).toEqual({ a: 1, b: 0.72, first: 0.44, second: 0.39 })
})
