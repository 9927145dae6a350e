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

describe('resolve_nodes with the semantic strategy', () => {
  const open = () => searchCore(NOTES, { embedder: new KnownBag() })

  test('compares titles and aliases by meaning, ignores the text, and returns the cosine as score', async () => {
    const core = await open()
    const [title, alias, none] = await resolve(core, ['roses, pruning', 'shrubs cutting back', 'volcano'])
    expect(title).toMatchObject({ query: 'roses, pruning', match: 'pruning roses.md' })
    expect(title?.score).toBe(1)
    expect(title?.candidates?.map(({ id }) => id)).toEqual(['pruning roses.md', 'f/roses pruning.md'])
    expect(alias?.match).toBe('pruning roses.md')
    expect(alias?.score).toBeCloseTo(1, 3)
    expect(none).toEqual({ query: 'volcano', match: null, score: 0 })
  })

  test('applies threshold and scope', async () => {
    const core = await open()
    expect((await resolve(core, ['pruning'], { threshold: 0.99 }))[0]?.match).toBeNull()
    expect((await resolve(core, ['pruning'], { threshold: 0.5 }))[0]?.match).not.toBeNull()
    expect((await resolve(core, ['pruning roses'], { path: 'f/' }))[0]?.match).toBe('f/roses pruning.md')
    expect((await resolve(core, ['pruning roses'], { tag: 'garden' }))[0]?.match).toBe('pruning roses.md')
  })

  test('returns no match and no error for names that cannot be embedded', async () => {
    expect((await resolve(await open(), ['🍎', '', ' '])).map(({ match }) => match)).toEqual([null, null, null])
  })

  test('the semantic strategy is an error without an embedder or with a failing one', async () => {
    await expect(resolve(await searchCore(NOTES), ['roses'])).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    const failing = { ...new KnownBag(), embed: async () => [], close: async () => {} }
    const core = await searchCore(NOTES, { embedder: new KnownBag(), open: async () => failing })
    await expect(resolve(core, ['roses'])).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  })
})
