import { describe, expect, test } from 'vitest'
import { compareBytes } from '../../../src/search/words/index/bytes.ts'
import { PageCursor } from '../../../src/search/words/index/page.ts'
import { WordIndex } from '../../../src/search/words/index/word-index.ts'
import { toTerm } from '../../../src/search/words/query-terms.ts'
import { analyze } from '../../../src/search/words/scan.ts'
import { isStemmed, STEM_TAILS, stemOf } from '../../../src/search/words/stem.ts'
import { MemoryPages, note, store } from './memory-pages.ts'
import { NaiveIndex } from './naive-index.ts'

const roots = ['happ', 'rel', 'gener', 'abil', 'conn', 'siz', 'possib', 'logi', 'tri', 'op', 'form', 'cr', 'v', 'sens']
const endings = [
  'y',
  'ily',
  'iness',
  'ation',
  'ational',
  'ize',
  'izer',
  'ized',
  'izing',
  'ities',
  'ity',
  'ly',
  'es',
  'ed',
  'ing',
  'ate',
]
const english = roots.flatMap((root) => endings.flatMap((ending) => [root + ending, `${root}at${ending}`, `${root}bil${ending}`]))
const list = Array.from({ length: 120 }, (_, key) => {
  const words = Array.from({ length: 40 }, (_, at) => english[(key * 37 + at * at * 11) % english.length])
  return note(key, `note ${key} n${key * 7919}`, `${words.join(' ')} ${'common '.repeat(key)} u${(key * 104_729).toString(36)}`)
})

describe('pages', () => {
  const pages = new MemoryPages()
  const stored = store(pages, 1, list)
  const index = new WordIndex(pages, () => 1)
  index.setSegments([stored])
  const naive = new NaiveIndex(list)

  test('are in order, and one page has all forms of a stem', () => {
    const all = pages.all(1)
    expect(all.length).toBeGreaterThan(4)
    const seen = new Set<string>()
    let before: Uint8Array = new Uint8Array()
    for (const { first, data } of all) {
      const cursor = new PageCursor(data)
      const stems = new Set<string>()
      while (cursor.next()) {
        if (stems.size === 0) expect(Buffer.from(cursor.stem).equals(first)).toBe(true)
        expect(compareBytes(before, cursor.stem)).toBeLessThanOrEqual(0)
        before = cursor.stem.slice()
        stems.add(Buffer.from(cursor.stem).toString())
      }
      for (const stem of stems) expect(seen.has(stem)).toBe(false)
      for (const stem of stems) seen.add(stem)
      expect(stems.size === 1 || data.length <= 5000).toBe(true)
    }
  })

  test('return every word and every prefix', () => {
    for (const token of analyze(english.slice(0, 200).join(' '))) {
      for (const match of ['stem', 'form', 'prefix'] as const) {
        expect([...index.keysWith(toTerm(token, match))]).toEqual(naive.keysWith(toTerm(token, match), 'any'))
      }
      const prefix = token.form.slice(0, 4)
      expect([...index.keysWith({ form: prefix, match: 'prefix' })]).toEqual(
        naive.keysWith({ form: prefix, match: 'prefix' }, 'any'),
      )
    }
  })

  test('before the first and after the last word are empty', () => {
    for (const form of ['!', '\u{10ffff}', 'zzzz']) expect(index.keysWith({ form, match: 'prefix' }).isEmpty).toBe(true)
  })
})

test('a stem is a prefix of its form with one of the known endings', () => {
  for (const form of english) {
    expect(isStemmed(form)).toBe(true)
    const stem = stemOf(form)
    const fits = STEM_TAILS.some((tail) => stem.endsWith(tail) && form.startsWith(stem.slice(0, stem.length - tail.length)))
    expect(fits, form).toBe(true)
  }
})
