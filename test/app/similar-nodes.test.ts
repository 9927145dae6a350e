import { describe, expect, test, vi } from 'vitest'
import { type SimilarArguments, similarNodes } from '../../src/app/similar-nodes.ts'
import { ask } from '../support/ask.ts'
import { KnownBag, type SearchCore, searchCore } from './search-core.ts'

const GARDEN = {
  'Roses.md': 'Roses need pruning in March, with sharp shears. See [[Shears]].\n',
  'Shears.md': 'Sharp shears for pruning roses in March.\n',
  'beds/Pruning.md': '---\ntags: [work]\n---\nPruning roses in March needs sharp shears.\n',
  'Old.md': '---\narchived: true\n---\nRoses need pruning in March, with sharp shears.\n',
  'Taxes.md': 'Income, deductions, forms, deadlines.\n',
  'Linker.md': 'Sharp shears, pruning, roses in March: [[Roses]].\n',
  'Empty.md': '🌹',
}
const DEFAULTS: SimilarArguments = { id: 'roses.md', limit: 10, relevance: 'loose', excludeLinked: false }
const idsOf = async (core: SearchCore, args: Partial<SimilarArguments> = {}) =>
  (await similarNodes(core, { ...DEFAULTS, ...args })).value.map(({ id }) => id as string)
const open = () => searchCore(GARDEN, { embedder: new KnownBag() })

describe('similar_nodes', () => {
  test('the nearest first, without itself, archived ones and what is about something else', async () => {
    const core = await open()
    const { value, warnings } = await similarNodes(core, DEFAULTS)
    const ids = value.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['shears.md', 'beds/pruning.md', 'linker.md']))
    for (const out of ['roses.md', 'old.md', 'taxes.md']) expect(ids).not.toContain(out)
    const scores = value.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true)
    expect(warnings).toEqual([])
  })

  test('nothing is embedded', async () => {
    const bag = new KnownBag()
    const core = await searchCore(GARDEN, { embedder: bag })
    const embed = vi.spyOn(bag, 'embed')
    await idsOf(core)
    expect(embed).not.toHaveBeenCalled()
  })

  test('exclude_linked leaves out what it links to and what links to it', async () => {
    expect(await idsOf(await open(), { excludeLinked: true })).toEqual(['beds/pruning.md'])
  })

  test('folder, tag, limit, relevance', async () => {
    const core = await open()
    expect(await idsOf(core, { folder: 'beds' })).toEqual(['beds/pruning.md'])
    expect(await idsOf(core, { tag: 'work' })).toEqual(['beds/pruning.md'])
    expect(await idsOf(core, { limit: 1 })).toEqual((await idsOf(core)).slice(0, 1))
    const loose = await idsOf(core)
    const normal = await idsOf(core, { relevance: 'normal' })
    const strict = await idsOf(core, { relevance: 'strict' })
    expect(loose.slice(0, normal.length)).toEqual(normal)
    expect(normal.slice(0, strict.length)).toEqual(strict)
  })

  test('the model need not be there', async () => {
    const down = async () => Promise.reject(new Error('the server is down'))
    const core = await searchCore(GARDEN, { embedder: new KnownBag(), open: down })
    expect(await idsOf(core)).toEqual(await idsOf(await open()))
  })

  test('what is no note, or has no vectors, is told', async () => {
    const core = await searchCore({ ...GARDEN, '🌹.md': '🌹', 'pic.png': 'x' }, { embedder: new KnownBag() })
    const told = async (id: string) => await similarNodes(core, { ...DEFAULTS, id })
    expect(await told('pic.png')).toEqual({
      value: [],
      warnings: [{ code: 'UNKNOWN_ID', message: expect.stringContaining('is no note') }],
    })
    expect(await told('🌹.md')).toEqual({
      value: [],
      warnings: [{ code: 'FALLBACK', message: expect.stringContaining('no vectors') }],
    })
  })

  test('an unknown note is told, one of which nothing is known is like nothing', async () => {
    const core = await open()
    const { value, warnings } = await similarNodes(core, { ...DEFAULTS, id: 'rosse.md' })
    expect(value).toEqual([])
    expect(warnings).toMatchObject([{ code: 'UNKNOWN_ID' }])
    expect(await idsOf(core, { id: 'empty.md' })).toEqual(expect.not.arrayContaining(['empty.md']))
  })

  test('a note of hundreds of chunks is not hidden behind its own', async () => {
    const part = (at: number) => `## Part ${at}\n\n${'Roses need pruning in March with sharp shears. '.repeat(30)}\n`
    const huge = Array.from({ length: 300 }, (_, at) => part(at)).join('\n')
    const core = await searchCore({ ...GARDEN, 'Huge.md': huge }, { embedder: new KnownBag() })
    expect((await ask(core.store).vectors('static:bag:64', 'huge.md' as never))?.chunks.length).toBeGreaterThan(250)
    expect(await idsOf(core, { id: 'huge.md' })).toEqual(expect.arrayContaining(['shears.md', 'beds/pruning.md']))
  })

  test('without an embedder it is an error that says which setting', async () => {
    await expect(idsOf(await searchCore(GARDEN))).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  })
})
