import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DamagedWords } from '../../../src/search/words/index/bytes.ts'
import { mergeSegments } from '../../../src/search/words/index/merge.ts'
import { packHeader, unpackHeader } from '../../../src/search/words/index/page.ts'
import { WordIndex } from '../../../src/search/words/index/word-index.ts'
import { phraseOf, queryTerms } from '../../../src/search/words/query-terms.ts'
import { documents, text } from './documents.ts'
import { MemoryPages, store } from './memory-pages.ts'

const damage = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 })

function spoil(bytes: Uint8Array, changes: readonly (readonly [number, number])[], cut: number): Uint8Array {
  const spoiled = Uint8Array.from(bytes)
  for (const [at, value] of changes) if (spoiled.length > 0) spoiled[at % spoiled.length] = value
  return spoiled.slice(0, spoiled.length - (cut % (spoiled.length + 1)))
}

/** Checks that a call finishes or reports damage. */
function survives(run: () => unknown): void {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(DamagedWords)
  }
}

describe('damaged bytes', () => {
  test('of pages give an answer or DamagedWords, never another error', () => {
    fc.assert(
      fc.property(documents, text, damage, fc.constantFrom(0, 0, 1, 7, 300), (list, query, changes, cut) => {
        const pages = new MemoryPages()
        const stored = store(pages, 1, list)
        const spoiled = pages.all(1).map(({ first, data }) => ({ first, data: spoil(data, changes, cut) }))
        pages.put(1, spoiled)
        const index = new WordIndex(pages, () => 1)
        index.setSegments([stored])
        const terms = queryTerms(query)
        survives(() => index.rank(terms, { limit: 5 }))
        survives(() => index.keysWithPhrase(phraseOf(query)))
        for (const { form } of terms) survives(() => index.keysWith({ form: form.slice(0, 2), match: 'prefix' }))
        const source = { header: stored.header, pages: spoiled.map(({ data }) => data) }
        survives(() => [
          ...mergeSegments(
            [source],
            (_, ordinal) => ordinal % 2 === 0,
            () => {},
          ),
        ])
      }),
      { numRuns: 500 },
    )
  })

  test('of a header as well', () => {
    fc.assert(
      fc.property(documents, damage, fc.constantFrom(0, 1, 9), (list, changes, cut) => {
        const { header } = store(new MemoryPages(), 1, list)
        expect(unpackHeader(packHeader(header))).toEqual(header)
        survives(() => unpackHeader(spoil(packHeader(header), changes, cut)))
      }),
      { numRuns: 500 },
    )
  })

  test('that claim a billion documents are rejected at once', () => {
    expect(() => unpackHeader(Uint8Array.of(2, 0, 0, 0, 255, 255, 255, 63))).toThrow(DamagedWords)
  })
})
