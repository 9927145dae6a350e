import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LANGUAGES } from '../../../src/core/languages.ts'
import { foldWord } from '../../../src/search/words/fold-word.ts'
import { isStopWord, stemOf, stemsOf, withoutEndings } from '../../../src/search/words/stem.ts'

test.each([
  ['de', 'Häuser', 'Häusern'],
  ['de', 'Einstellung', 'Einstellungen'],
  ['nl', 'tekening', 'tekeningen'],
  ['sv', 'mappar', 'mapparna'],
  ['da', 'mapper', 'mapperne'],
  ['no', 'bilder', 'bildene'],
  ['es', 'pequeño', 'pequeñas'],
  ['it', 'cartella', 'cartelle'],
  ['ro', 'fișier', 'fișierelor'],
  ['pl', 'notatka', 'notatkami'],
  ['cs', 'složka', 'složkami'],
  ['sk', 'poznámka', 'poznámkami'],
  ['ru', 'книга', 'книгами'],
  ['uk', 'нотатка', 'нотатками'],
  ['el', 'σημείωση', 'σημείωσης'],
  ['fi', 'kansio', 'kansiossa'],
  ['hu', 'bővítmény', 'bővítmények'],
  ['tr', 'klasör', 'klasörler'],
] as const)('%s: %s and %s have a common stem', (language, one, other) => {
  expect(stemOf(foldWord(one), language)).toBe(stemOf(foldWord(other), language))
})

test('no word has the stem of a word in another language', () => {
  expect(stemOf('noten', 'de')).not.toBe(stemOf('noten', 'nl'))
  expect(stemOf('note', 'de')).not.toBe(stemOf('note'))
})

test('a word in another script than its note has the English stem', () => {
  expect(stemOf('notes', 'ru')).toBe(stemOf('notes'))
  expect(stemOf('v2.1', 'de')).toBe('v2.1')
})

test('a stem without its mark is the beginning of the word', () => {
  const letters = fc.constantFrom(...'aeinrstoumlkаеионяьςουη')
  const word = fc.array(letters, { minLength: 1, maxLength: 14 }).map((list) => list.join(''))
  fc.assert(
    fc.property(word, fc.constantFrom(...LANGUAGES), (form, language) => form.startsWith(withoutEndings(form, language) ?? form)),
  )
})

test('a word can have a stem in each language of the vault', () => {
  expect(stemsOf('notes', ['de', 'th', 'fr'])).toEqual(['note', 'note~de'])
})

test('function words are those of the language, and English ones if there is no list', () => {
  expect(isStopWord('die', 'de')).toBe(true)
  expect(isStopWord('die')).toBe(false)
  expect(isStopWord('για', 'el')).toBe(true)
  expect(isStopWord('the', 'ka')).toBe(true)
})
