import { describe, expect, test } from 'vitest'
import { type ResolveArguments, resolveNodes } from '../../../src/app/find/resolve-nodes.ts'
import { KnownBag, type SearchCore, searchCore } from '../search-core.ts'

const NOTES = {
  'Pruning roses.md': '---\naliases: [Cutting back shrubs]\ntags: [garden]\n---\nText.\n',
  'f/Roses pruning.md': 'Text.\n',
  'Taxes.md': 'Pruning roses, pruning roses.\n',
}
const resolve = async (core: SearchCore, names: readonly string[], args: Partial<ResolveArguments> = {}) =>
  (await resolveNodes(core, { names, strategy: 'semantic', threshold: 0.7, ...args })).value

describe('resolve_nodes, semantic', () => {
  const open = () => searchCore(NOTES, { embedder: new KnownBag() })

  test('titles and aliases by what they mean, the cosine as the score; never by the text', async () => {
    const core = await open()
    const [title, alias, none] = await resolve(core, ['roses, pruning', 'shrubs cutting back', 'volcano'])
    expect(title).toMatchObject({ query: 'roses, pruning', match: 'pruning roses.md' })
    expect(title?.score).toBeCloseTo(1, 3)
    expect(title?.candidates?.map(({ id }) => id)).toEqual(['pruning roses.md', 'f/roses pruning.md'])
    expect(alias?.match).toBe('pruning roses.md')
    expect(alias?.score).toBeCloseTo(1, 3)
    expect(none).toEqual({ query: 'volcano', match: null, score: 0 })
  })

  test('threshold and scope', async () => {
    const core = await open()
    expect((await resolve(core, ['pruning'], { threshold: 0.99 }))[0]?.match).toBeNull()
    expect((await resolve(core, ['pruning'], { threshold: 0.5 }))[0]?.match).not.toBeNull()
    expect((await resolve(core, ['pruning roses'], { path: 'f/' }))[0]?.match).toBe('f/roses pruning.md')
    expect((await resolve(core, ['pruning roses'], { tag: 'garden' }))[0]?.match).toBe('pruning roses.md')
  })

  test('names of nothing that is known: no match and no error', async () => {
    expect((await resolve(await open(), ['🍎', '', ' '])).map(({ match }) => match)).toEqual([null, null, null])
  })

  test('without an embedder, or with one that fails: an error that says so', async () => {
    await expect(resolve(await searchCore(NOTES), ['roses'])).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    const failing = { ...new KnownBag(), embed: async () => [], close: async () => {} }
    const core = await searchCore(NOTES, { embedder: new KnownBag(), open: async () => failing })
    await expect(resolve(core, ['roses'])).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  })
})
