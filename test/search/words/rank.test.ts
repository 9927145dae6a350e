import { describe, expect, test } from 'vitest'
import { WordIndex } from '../../../src/search/words/index/word-index.ts'
import { queryTerms } from '../../../src/search/words/query-terms.ts'
import { MAX_TERMS } from '../../../src/search/words/rank.ts'
import { MemoryPages, note, store, type WordDocument } from './memory-pages.ts'

function indexOf(...list: readonly WordDocument[]): WordIndex {
  const pages = new MemoryPages()
  const index = new WordIndex(pages, () => 1)
  index.setSegments([store(pages, 1, list)])
  return index
}

const found = (index: WordIndex, query: string, limit = 10): number[] =>
  index.rank(queryTerms(query), { limit }).hits.map(({ key }) => key)

describe('a ranking', () => {
  test('puts a title before a mention, and notes with more of the words first', () => {
    const mentions = [note(2, 'Dog', 'cat'), note(3, 'Fish', 'cat'), note(4, 'Bird', 'sings'), note(5, 'Worm', 'cat dog')]
    const index = indexOf(note(1, 'Cat', 'purrs'), ...mentions)
    expect(found(index, 'cat')[0]).toBe(1)
    expect(found(index, 'dog cat sings').indexOf(5)).toBeLessThan(found(index, 'dog cat sings').indexOf(3))
  })

  test('respects limit and filter', () => {
    const index = indexOf(...Array.from({ length: 20 }, (_, key) => note(key, 'same', 'cat')))
    const accepted = (limit: number) => index.rank(queryTerms('cat'), { limit, accept: (key) => key > 4 }).hits
    expect(accepted(3).map(({ key }) => key)).toEqual([5, 6, 7])
    expect(accepted(20)).toHaveLength(15)
    expect(found(index, 'cat', 0)).toEqual([])
  })

  test('uses the parts of a name that does not occur, otherwise the whole', () => {
    const index = indexOf(note(1, 'a', 'node version'), note(2, 'b', 'js only'), note(3, 'c', 'deno'))
    expect(found(index, 'node.js').sort()).toEqual([1, 2])
    expect(found(indexOf(note(1, 'a', 'node.js'), note(2, 'b', 'node')), 'node.js')).toEqual([1])
    expect(found(indexOf(note(1, 'a', 'useEffect'), note(2, 'b', 'other')), 'effect')).toEqual([1])
  })

  test('reports which query terms occur, and how much of the query each document has', () => {
    const ranking = indexOf(note(1, 'a', 'cat'), note(2, 'b', 'cat dog')).rank(queryTerms('cat dog unicorn'), { limit: 5 })
    expect(ranking.terms.map(({ term, documents }) => [term.form, documents])).toEqual([
      ['cat', 2],
      ['dog', 1],
      ['unicorn', 0],
    ])
    const [cat, dog, unicorn] = ranking.terms.map(({ idf }) => idf) as [number, number, number]
    expect(ranking.coverage).toBeCloseTo((cat + dog) / (cat + dog + unicorn), 6)
    expect(ranking.hits.map(({ key, matched }) => [key, matched])).toEqual([
      [2, expect.closeTo(ranking.coverage, 5)],
      [1, expect.closeTo(cat / (cat + dog + unicorn), 5)],
    ])
    expect(ranking.hits[0]?.score).toBeLessThan(ranking.maxScore)
  })

  test('of nothing is empty', () => {
    const empty = { hits: [], terms: [], coverage: 0, maxScore: 0 }
    expect(indexOf().rank([], { limit: 5 })).toEqual(empty)
    expect(indexOf(note(1, 'a')).rank(queryTerms('?!'), { limit: 5 })).toEqual(empty)
    expect(indexOf().rank(queryTerms('cat'), { limit: 5 }).hits).toEqual([])
  })

  test('uses the rarest words of a long query', () => {
    const words = Array.from({ length: MAX_TERMS + 50 }, (_, at) => `w${at}`)
    const index = indexOf(note(1, 'a', words.join(' ')), note(2, 'b', words.slice(0, 50).join(' ')))
    const ranking = index.rank(queryTerms(words.join(' ')), { limit: 5 })
    expect(ranking.terms).toHaveLength(MAX_TERMS)
    expect(ranking.hits.map(({ key }) => key)).toEqual([1])
  })

  test('does not join texts of a field into a phrase', () => {
    const { key, stamp, fields } = note(1, 'black')
    const index = indexOf({ key, stamp, fields: { ...fields, title: ['black', 'cat'], headings: ['one'], tags: ['two'] } })
    const phrase = (...forms: string[]) => ({
      words: forms.map((form, offset) => ({ form, stem: form, offset, isPrefix: false })),
    })
    expect(index.keysWithPhrase(phrase('black', 'cat')).isEmpty).toBe(true)
    expect(index.keysWithPhrase(phrase('one', 'two')).isEmpty).toBe(true)
    expect(index.keysWithPhrase({ words: [] }).isEmpty).toBe(true)
  })
})

test('a segment accepts a document only once', () => {
  expect(() => store(new MemoryPages(), 1, [note(1, 'a'), note(1, 'b')])).toThrow(RangeError)
})
