import { expect, test } from 'vitest'
import { resolveNodes } from '../../../src/app/find/resolve-nodes.ts'
import { searchCore } from '../search-core.ts'

test('tolerates a misspelling in a short name', async () => {
  const core = await searchCore({
    'f/Hashing.md': '',
    'Encryption.md': '',
    'GDPR.md': '',
    '渐进式总结.md': '',
    'Max.md': '',
    'a2.md': '',
  })
  const matches = async (names: readonly string[], threshold: number, path?: string) => {
    const { value } = await resolveNodes(core, { names, strategy: 'fuzzy', threshold, path })
    return value.map(({ match, score }) => [match, score])
  }
  expect(await matches(['Hahsing', 'encrytpion', 'GDRP', '渐近式总结'], 0.7)).toEqual([
    ['f/hashing.md', 0.86],
    ['encryption.md', 0.9],
    ['gdpr.md', 0.75],
    ['渐进式总结.md', 0.8],
  ])
  // Another word, another number, and a score below the threshold.
  expect(await matches(['Mix', 'a3', 'Hashtag', 'a whole other thing'], 0.7)).toEqual(Array(4).fill([null, 0]))
  expect(await matches(['Hahsing'], 0.9)).toEqual([[null, 0]])
  expect(await matches(['Hahsing'], 0.7, 'g/')).toEqual([[null, 0]])
})

test('resolves an attachment by its file name unless a note has that name', async () => {
  const core = await searchCore({ 'img/Engelbart.jpg': '', 'img/Twin.png': '', 'Twin.png.md': '' })
  const match = async (strategy: 'exact' | 'fuzzy') => {
    const { value } = await resolveNodes(core, { names: ['Engelbart.jpg', 'Twin.png'], strategy, threshold: 0.7 })
    return value.map((resolved) => resolved.match)
  }
  expect(await match('exact')).toEqual(['img/engelbart.jpg', 'twin.png.md'])
  expect(await match('fuzzy')).toEqual(['img/engelbart.jpg', 'twin.png.md'])
  await core.close()
})

test('an id or path is resolved, too, unless a note has that name', async () => {
  const core = await searchCore({ 'f/Hashing.md': '', 'g/Hashing.md': '', 'Home.md': '[[gone]]', 'Home.md.md': '' })
  const matches = async (names: readonly string[], path?: string) => {
    const { value } = await resolveNodes(core, { names, strategy: 'exact', threshold: 0.7, path })
    return value.map(({ match }) => match)
  }
  expect(await matches(['g/Hashing.md', 'g/hashing', 'Home.md', 'gone', 'h/Hashing'])).toEqual([
    'g/hashing.md',
    'g/hashing.md',
    'home.md.md',
    null,
    null,
  ])
  expect(await matches(['g/Hashing.md', 'g/Hashing.md'], 'f/')).toEqual([null, null])
  expect(await matches(['g/Hashing.md'], 'g/')).toEqual(['g/hashing.md'])
  await core.close()
})
