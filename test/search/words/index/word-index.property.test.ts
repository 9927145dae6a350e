import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type StoredSegment, WordIndex } from '../../../../src/search/words/index/word-index.ts'
import { phraseOf, queryTerms, toTerm } from '../../../../src/search/words/query-terms.ts'
import { DEFAULT_SCORING, type Scoring } from '../../../../src/search/words/rank.ts'
import { analyze } from '../../../../src/search/words/scan.ts'
import { documents, text, word } from '../documents.ts'
import { MemoryPages, store, type WordDocument } from '../memory-pages.ts'
import { NaiveIndex } from '../naive-index.ts'

const field = fc.constantFrom('any' as const, 'title' as const)

/** The same documents in this many segments. */
function indexOf(list: readonly WordDocument[], parts: number): WordIndex {
  const pages = new MemoryPages()
  const segments = Array.from({ length: parts }, (_, part) =>
    store(
      pages,
      part,
      list.filter((_, at) => at % parts === part),
    ),
  )
  const index = new WordIndex(pages, () => 1)
  index.setSegments(segments)
  return index
}

describe('the keyword index', () => {
  test('finds every word by form and by stem, and nothing else', () => {
    fc.assert(
      fc.property(documents, word, field, fc.constantFrom('stem', 'form', 'prefix'), (list, sought, where, match) => {
        const index = indexOf(list, 2)
        for (const token of analyze(sought)) {
          const term = toTerm(token, match)
          expect([...index.keysWith(term, where)]).toEqual(new NaiveIndex(list).keysWith(term, where))
        }
      }),
    )
  })

  test('finds words with a prefix, whatever their stems', () => {
    fc.assert(
      fc.property(documents, word, fc.integer({ min: 1, max: 8 }), field, (list, sought, length, where) => {
        const prefix = [...(analyze(sought)[0]?.form ?? 'x')].slice(0, length).join('')
        const expected = new NaiveIndex(list).keysWith({ form: prefix, match: 'prefix' }, where)
        expect([...indexOf(list, 1).keysWith({ form: prefix, match: 'prefix' }, where)]).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })

  test('finds consecutive words', () => {
    const pair = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(documents, pair, field, fc.boolean(), (list, sought, where, isPrefix) => {
        const phrase = phraseOf(sought, { isPrefix })
        expect([...indexOf(list, 2).keysWithPhrase(phrase, where)]).toEqual(new NaiveIndex(list).keysWithPhrase(phrase, where))
      }),
      { numRuns: 300 },
    )
  })

  test('finds any part of a body as a phrase', () => {
    fc.assert(
      fc.property(documents, fc.nat(), fc.integer({ min: 1, max: 5 }), (list, seed, count) => {
        const document = list[seed % Math.max(1, list.length)]
        const words = document?.fields.body.split(/\s+/).filter((one) => analyze(one).length > 0) ?? []
        const from = seed % Math.max(1, words.length)
        const phrase = phraseOf(words.slice(from, from + count).join(' '))
        if (document === undefined || phrase.words.length === 0) return
        expect(indexOf(list, 1).keysWithPhrase(phrase).has(document.key)).toBe(true)
      }),
    )
  })

  test('ranks like BM25 over two fields, with any number of segments', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const scoring: fc.Arbitrary<Scoring> = fc
      .tuple(share, share, share)
      .map(([weight, k1, b]) => ({ title: { weight, k1: k1 + 0.1, b }, body: { ...DEFAULT_SCORING.body, b } }))
    fc.assert(
      fc.property(documents, text, scoring, fc.integer({ min: 1, max: 3 }), (list, query, used, parts) => {
        const terms = queryTerms(query).map((term) => ({ ...term, parts: [] }))
        const ranking = indexOf(list, parts).rank(terms, { limit: 100, scoring: used })
        const expected = new NaiveIndex(list).rank(terms, used)
        expect(new Set(ranking.hits.map(({ key }) => key))).toEqual(new Set(expected.keys()))
        for (const [at, { key, score, matched }] of ranking.hits.entries()) {
          expect(score).toBeCloseTo(expected.get(key) ?? -1, 4)
          expect(score).toBeLessThanOrEqual((ranking.hits[at - 1] ?? { score: ranking.maxScore * 1.000001 }).score)
          expect(matched > 0 && matched <= 1).toBe(true)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('answers from the newest version of each file after any changes', () => {
    const change = fc.record({ documents, gone: fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 5 }) })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), text, fc.boolean(), (changes, query, dropsFirst) => {
        const pages = new MemoryPages()
        const files = new Map<number, WordDocument>()
        const index = new WordIndex(pages, (key) => files.get(key)?.stamp)
        let segments: readonly StoredSegment[] = []
        for (const [round, { documents: list, gone }] of changes.entries()) {
          const stamped = list.map((document) => ({ ...document, stamp: round + 1 }))
          for (const document of stamped) files.set(document.key, document)
          segments = [...segments, store(pages, round, stamped)]
          index.setSegments(segments)
          for (const key of gone) files.delete(key)
          index.changed(gone)
        }
        if (dropsFirst) index.setSegments(segments.slice(1))
        const live = [...files.values()].filter(({ stamp }) => !dropsFirst || stamp > 1)
        const terms = queryTerms(query).map((term) => ({ ...term, parts: [] }))
        const expected = new NaiveIndex(live).rank(terms, DEFAULT_SCORING)
        const { hits } = index.rank(terms, { limit: 100 })
        expect(new Set(hits.map(({ key }) => key))).toEqual(new Set(expected.keys()))
        for (const { key, score } of hits) expect(score).toBeCloseTo(expected.get(key) ?? -1, 4)
      }),
      { numRuns: 200 },
    )
  })
})
