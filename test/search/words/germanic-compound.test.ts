import { describe, expect, test } from 'vitest'
import { joinWords, splitCompound } from '../../../src/search/words/germanic-compound.ts'
import { WordIndex } from '../../../src/search/words/index/word-index.ts'
import { queryTerms } from '../../../src/search/words/query-terms.ts'
import { stemOf } from '../../../src/search/words/stem.ts'
import { MemoryPages, note, store } from './memory-pages.ts'

/** A vault with these words in a language. */
function vaultOf(language: string, words: readonly string[]) {
  const stems = words.map((word) => stemOf(word, language))
  return { language, frequencyOf: (stem: string) => stems.filter((own) => own === stem).length }
}

describe('a compound is split', () => {
  test.each([
    ['de', 'versionsverlauf', ['version', 'verlauf'], ['version', 'verlauf']],
    ['de', 'Versionsverlaufe', ['versionen', 'verlauf'], ['version', 'verlaufe']],
    ['de', 'seitenleiste', ['seite', 'seiten', 'leiste'], ['seiten', 'leiste']],
    ['nl', 'stadhuisplein', ['stadhuis', 'plein'], ['stadhuis', 'plein']],
    ['sv', 'versionshistorik', ['version', 'historik'], ['version', 'historik']],
    ['da', 'versionshistorik', ['version', 'historik'], ['versions', 'historik']],
  ])('%s: %s', (language, compound, vault, parts) => {
    expect(splitCompound(compound.toLowerCase(), vaultOf(language, vault))).toEqual(parts)
  })

  test.each([
    ['a part that the vault does not have', 'versionsverlauf', ['version']],
    ['a part that is a function word', 'durchfahrt', ['durch', 'fahrt']],
    ['a part of three letters', 'seeleute', ['see', 'leute']],
    ['digits', 'version2023', ['version', '2023']],
  ])('not by %s', (_, compound, vault) => {
    expect(splitCompound(compound, vaultOf('de', vault))).toEqual([])
  })
})

test('two words are joined in either order if the vault has the compound', () => {
  const vault = vaultOf('de', ['versionsverlauf', 'verlaufsversion'])
  expect(joinWords('verlauf', 'versionen', vault)).toEqual(['verlaufsversionen', 'versionsverlauf'])
})

const NOTES = [
  note(1, 'Sync', 'Der Verlauf der Versionen zeigt alle Änderungen.'),
  note(2, 'Publish', 'Im Versionsverlauf stehen alle Änderungen.'),
  note(3, 'Start', 'Die Oberfläche hat viele Fenster.'),
]

/** The keys of the notes found, best first. */
function find(question: string, { among = NOTES, language = 'de' } = {}): readonly number[] {
  const pages = new MemoryPages()
  const index = new WordIndex(pages, () => 1)
  index.setSegments([
    store(
      pages,
      1,
      among.map((one) => ({ ...one, language })),
    ),
  ])
  return index.rank(queryTerms(question), { limit: 9 }).hits.map(({ key }) => key)
}

describe('a vault with compounds', () => {
  test('a compound finds its note first, then a note with its parts', () => {
    expect(find('Versionsverlauf')).toEqual([2, 1])
  })

  test('a compound that no note has finds a note with its parts', () => {
    expect(find('Versionsverlauf', { among: NOTES.filter(({ key }) => key !== 2) })).toEqual([1])
  })

  test('words find a note with their compound', () => {
    expect(find('Verlauf der Versionen')).toEqual([1, 2])
  })

  test('a part counts less than a word of the question', () => {
    const pages = new MemoryPages()
    const index = new WordIndex(pages, () => 1)
    index.setSegments([
      store(
        pages,
        1,
        NOTES.map((one) => ({ ...one, language: 'de' })),
      ),
    ])
    const { hits, coverage, maxScore } = index.rank(queryTerms('Versionsverlauf'), { limit: 9 })
    expect(hits[0]?.matched).toBeCloseTo(1)
    expect(hits[1]?.matched).toBeLessThan(0.7)
    expect(coverage).toBe(1)
    expect(hits[0]?.score).toBeLessThan(maxScore)
  })

  test('English words are not split', () => {
    const among = [note(1, 'a', 'The back of the ground.'), note(2, 'b', 'Background sync.')]
    expect(find('background', { among, language: 'en' })).toEqual([2])
  })
})
