import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeTitles } from '../../../src/app/names/close-titles.ts'
import type { Scope } from '../../../src/core/store.ts'
import { type SearchCore, searchCore } from '../search-core.ts'

const close = ({ store }: SearchCore, typed: string, scope: Scope = {}) =>
  store.read((snapshot) => closeTitles(snapshot, typed, scope))

const NOTES = {
  'Dog sitter.md': '',
  'Getting started with plugins.md': '---\naliases: [Plug-in guide]\n---\n',
  'Cats.md': '',
  'Rats.md': '',
  'f/Weekly review 2024.md': '',
}

describe('close titles', () => {
  test('finds any title with one letter missing, added, changed or swapped, but not with another number', async () => {
    const core = await searchCore(NOTES)
    const titles = ['Dog sitter', 'Getting started with plugins', 'Plug-in guide', 'Weekly review 2024']
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...titles),
        fc.nat(3),
        fc.nat(100),
        fc.constantFrom('e', 'q', 'x'),
        async (title, kind, place, letter) => {
          const at = place % (title.length - 1)
          const slips = [
            title.slice(0, at) + title.slice(at + 1),
            title.slice(0, at) + letter + title.slice(at),
            title.slice(0, at) + letter + title.slice(at + 1),
            title.slice(0, at) + title[at + 1] + title[at] + title.slice(at + 2),
          ]
          const typed = slips[kind] as string
          if (typed.trim().toLowerCase() === title.toLowerCase()) return
          const found = await close(core, typed)
          const isNumbered = /\d+/.exec(typed)?.[0] !== /\d+/.exec(title)?.[0]
          expect(found.map(({ name }) => name).includes(title)).toBe(!isNumbered)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('finds nothing for an exact title, or for a short, long or distant one', async () => {
    const core = await searchCore(NOTES)
    for (const typed of ['dog SITTER', 'cats', '', '   ', 'Ra', 'a whole other thing', 'x'.repeat(10_000)]) {
      expect(await close(core, typed)).toEqual([])
    }
  })

  test('finds a long title despite two mistakes and missing accents', async () => {
    const title = 'Où trouver les données des réseaux étudiés au premier siècle'
    const core = await searchCore({ [`${title}.md`]: '' })
    expect((await close(core, 'ou trouver les donnees des reseax etudies au premiere siecle')).map(({ name }) => name)).toEqual([
      title,
    ])
  })

  test('accents and punctuation around a title are not mistakes', async () => {
    const core = await searchCore({ 'Crème brûlée.md': '' })
    expect(await close(core, 'creme brulee?')).toEqual([])
    expect((await close(core, 'creme brule')).map(({ name }) => name)).toEqual(['Crème brûlée'])
  })

  test('returns at most three titles, nearest first', async () => {
    const many = Object.fromEntries(['Planta', 'Plantb', 'Plantc', 'Plantd', 'Plante'].map((title) => [`${title}.md`, '']))
    expect(await close(await searchCore(many), 'Plantx')).toHaveLength(3)
  })

  test('searches only the scope', async () => {
    const core = await searchCore(NOTES)
    expect(await close(core, 'weekly reviw 2024', { folder: 'g' })).toEqual([])
    expect((await close(core, 'weekly reviw 2024', { folder: 'f' })).map(({ id }) => id)).toEqual(['f/weekly review 2024.md'])
  })
})
