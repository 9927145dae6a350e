import { describe, expect, test } from 'vitest'
import { joinWords, splitCompound } from '../../../src/search/words/germanic-compound.ts'
import { WordIndex } from '../../../src/search/words/index/word-index.ts'
import { queryTerms } from '../../../src/search/words/query-terms.ts'
import type { Ranking } from '../../../src/search/words/rank.ts'
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
  return rank(question, among, language).hits.map(({ key }) => key)
}

function rank(question: string, among: typeof NOTES, language = 'de'): Ranking {
  const pages = new MemoryPages()
  const index = new WordIndex(pages, () => 1)
  index.setSegments([
    store(
      pages,
      1,
      among.map((one) => ({ ...one, language })),
    ),
  ])
  return index.rank(queryTerms(question), { limit: 9 })
}

function matchedOf(hits: Ranking['hits'], key: number): number {
  return hits.find((hit) => hit.key === key)?.matched ?? 0
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

  test('a note with the words of a compound lacks no word of the question, a note with one of them does', () => {
    const among = [...NOTES, note(4, 'Zeit', 'Der Verlauf der Zeit.')]
    const { hits, coverage, maxScore } = rank('Versionsverlauf', among)
    expect(matchedOf(hits, 2)).toBeCloseTo(1)
    expect(matchedOf(hits, 1)).toBeCloseTo(1)
    expect(matchedOf(hits, 4)).toBeLessThan(0.4)
    expect(coverage).toBe(1)
    expect(hits[0]?.score).toBeLessThan(maxScore)
  })

  test('a note with a compound lacks none of its words, but still other words of the question', () => {
    const { hits } = rank('Verlauf Versionen', NOTES)
    expect(matchedOf(hits, 1)).toBeCloseTo(1)
    expect(matchedOf(hits, 2)).toBeCloseTo(1)
    const { hits: others } = rank('Fenster Verlauf Versionen', NOTES)
    expect(matchedOf(others, 1)).toBeLessThan(0.8)
    expect(matchedOf(others, 2)).toBeCloseTo(matchedOf(others, 1))
    // The compound must not count twice if the note also contains its words.
    const { hits: both } = rank('Fenster Verlauf Versionen', [
      ...NOTES,
      note(4, 'Beide', 'Der Versionsverlauf: Verlauf aller Versionen.'),
    ])
    expect(matchedOf(both, 4)).toBeLessThan(0.8)
  })

  test('English words are not split', () => {
    const among = [note(1, 'a', 'The back of the ground.'), note(2, 'b', 'Background sync.')]
    expect(find('background', { among, language: 'en' })).toEqual([2])
  })
})
