import { describe, expect, test, vi } from 'vitest'
import { type SimilarArguments, similarNodes } from '../../../src/app/find/similar-nodes.ts'
import { ask } from '../../support/ask.ts'
import { slowStore } from '../../support/slow-store.ts'
import { KnownBag, type SearchCore, searchCore } from '../search-core.ts'

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
/** A server waits two seconds for the comparison of words, and a busy machine may need longer. */
const openCompared: typeof searchCore = async (...given) => {
  const core = await searchCore(...given)
  await core.insights.follow({ wait: 50_000 })
  return core
}
const open = () => openCompared(GARDEN, { embedder: new KnownBag() })

describe('similar_nodes', () => {
  test('returns the nearest notes first, without the note itself, archived or unrelated notes', async () => {
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

  test('embeds nothing', async () => {
    const bag = new KnownBag()
    const core = await openCompared(GARDEN, { embedder: bag })
    const embed = vi.spyOn(bag, 'embed')
    await idsOf(core)
    expect(embed).not.toHaveBeenCalled()
  })

  test('exclude_linked leaves out notes linked in either direction', async () => {
    expect(await idsOf(await open(), { excludeLinked: true })).toEqual(['beds/pruning.md'])
  })

  test('applies folder, tag, limit and relevance', async () => {
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

  test('works while the model is down', async () => {
    const down = async () => Promise.reject(new Error('the server is down'))
    const core = await openCompared(GARDEN, { embedder: new KnownBag(), open: down })
    expect(await idsOf(core)).toEqual(await idsOf(await open()))
  })

  test('explains that a node is not a note or has no text', async () => {
    const core = await openCompared({ ...GARDEN, '🌹.md': '🌹', 'pic.png': 'x' }, { embedder: new KnownBag() })
    const similar = async (id: string) => await similarNodes(core, { ...DEFAULTS, id })
    expect(await similar('pic.png')).toEqual({
      value: [],
      warnings: [{ code: 'UNKNOWN_ID', message: expect.stringContaining('is not a note') }],
    })
    expect(await similar('🌹.md')).toEqual({
      value: [],
      warnings: [{ code: 'NOTICE', message: expect.stringContaining('"🌹.md" has no text of its own') }],
      list: { offset: 0, shown: 0, count: 0, counted: 'relevant' },
    })
  })

  test('accepts a unique title and names the note', async () => {
    const core = await openCompared(
      { ...GARDEN, 'f/Roses and more.md': 'Roses need pruning in March.' },
      { embedder: new KnownBag() },
    )
    const { value, warnings } = await similarNodes(core, { ...DEFAULTS, id: 'roses AND more' })
    expect(value).toEqual((await similarNodes(core, { ...DEFAULTS, id: 'f/roses and more.md' })).value)
    expect(value.length).toBeGreaterThan(0)
    expect(warnings[0]).toEqual({ code: 'NOTICE', message: '"roses AND more" is the note "f/roses and more.md".' })
  })

  test('warns about an unknown note, and an empty note is similar to nothing', async () => {
    const core = await open()
    const { value, warnings } = await similarNodes(core, { ...DEFAULTS, id: 'rosse.md' })
    expect(value).toEqual([])
    expect(warnings).toMatchObject([{ code: 'UNKNOWN_ID' }])
    expect(await idsOf(core, { id: 'empty.md' })).toEqual(expect.not.arrayContaining(['empty.md']))
  })

  test('a note with hundreds of chunks does not hide others behind its own chunks', async () => {
    const part = (at: number) => `## Part ${at}\n\n${'Roses need pruning in March with sharp shears. '.repeat(30)}\n`
    const huge = Array.from({ length: 300 }, (_, at) => part(at)).join('\n')
    const core = await openCompared({ ...GARDEN, 'Huge.md': huge }, { embedder: new KnownBag() })
    expect((await ask(core.store).vectors('static:bag:64', 'huge.md' as never))?.chunks.length).toBeGreaterThan(250)
    expect(await idsOf(core, { id: 'huge.md' })).toEqual(expect.arrayContaining(['shears.md', 'beds/pruning.md']))
  })

  test('counts the relevant notes when the search by meaning reaches past them', async () => {
    const text = (at: number) => `garden0 garden1 and ${[0, 1].map((each) => `w${(at * 7 + each * 13) % 97}`).join(' ')}\n`
    const notes = Object.fromEntries(Array.from({ length: 420 }, (_, at) => [`n${at}.md`, text(at)]))
    const core = await openCompared(notes, { embedder: new KnownBag() })
    const { value, list } = await similarNodes(core, { ...DEFAULTS, id: 'n5', relevance: 'loose', limit: 60 })
    expect(value.length).toBeLessThan(60)
    expect(list).toEqual({ offset: 0, shown: value.length, count: value.length, counted: 'relevant' })
  })

  test('answers by words alone without an embedder', async () => {
    expect(await idsOf(await openCompared(GARDEN))).toEqual(expect.arrayContaining(['shears.md', 'beds/pruning.md', 'linker.md']))
  })

  test('shared boilerplate does not make notes similar', async () => {
    const plugin = (about: string) =>
      `# Plugin\n\nAuthor of this plugin\n${about}\n\n## Installed from the store\n\nSee the list of all plugins.\n`
    const core = await openCompared(
      {
        'Boards.md': plugin('Cards on boards, to be moved between columns.'),
        'Kanban.md': plugin('Columns of cards that are moved, as on boards.'),
        'Cannoli.md': plugin('Prompts that call a model from a canvas.'),
        'Maps.md': plugin('Places of photos shown on a globe.'),
      },
      { embedder: new KnownBag() },
    )
    const { value, warnings } = await similarNodes(core, { ...DEFAULTS, id: 'boards.md', relevance: 'normal' })
    expect(value.map(({ id }) => id)).toEqual(['kanban.md'])
    expect(value[0]?.score).toBeLessThan(1)
    expect(warnings).toMatchObject([{ code: 'NOTICE', message: expect.stringContaining('only 8 words of its own') }])
  })

  test('answers by vectors with a warning until words are compared, and has no answer without vectors', async () => {
    const insights = { follow: async () => undefined }
    const core = { ...(await open()), insights }
    const { value, warnings } = await similarNodes(core, DEFAULTS)
    expect(value.map(({ id }) => id as string)).toContain('beds/pruning.md')
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('uses meaning alone') }])
    expect(await similarNodes({ ...(await openCompared(GARDEN)), insights }, DEFAULTS)).toMatchObject({
      value: [],
      warnings: [{ code: 'INDEX_BUILDING' }],
    })
  })

  test('answers by vectors with a warning for a note that is newer than the comparison', async () => {
    const core = await open()
    const followed = await core.insights.follow({ wait: 10_000 })
    const without = followed && { ...followed.insight, ids: followed.insight.ids.filter((id) => (id as string) !== 'roses.md') }
    const old = {
      ...core,
      insights: { follow: async () => followed && { insight: without ?? followed.insight, isCurrent: false } },
    }
    const { value, warnings } = await similarNodes(old, DEFAULTS)
    expect(value.map(({ id }) => id as string)).toContain('beds/pruning.md')
    expect(warnings).toMatchObject([{ code: 'FALLBACK', message: expect.stringContaining('uses meaning alone') }])
  })

  test('warns that scores are stale, and leaves out removed notes', async () => {
    const core = await open()
    const followed = await core.insights.follow({ wait: 10_000 })
    core.vault.remove('Shears.md')
    await core.indexed.indexer.reconcile({ all: true })
    const old = { ...core, insights: { follow: async () => followed && { ...followed, isCurrent: false } } }
    const { value, warnings } = await similarNodes(old, DEFAULTS)
    expect(value.map(({ id }) => id as string)).not.toContain('shears.md')
    expect(warnings).toMatchObject([{ code: 'STALE' }])
  })

  test('falls back to vectors when words cannot be compared', async () => {
    const failing = { follow: () => Promise.reject(new Error('out of memory')) }
    expect(await idsOf({ ...(await open()), insights: failing } as SearchCore)).toContain('beds/pruning.md')
    await expect(idsOf({ ...(await openCompared(GARDEN)), insights: failing } as SearchCore)).rejects.toThrow('out of memory')
  })

  test('notes found only by meaning follow those near by words, with lower scores', async () => {
    const roses = Array.from({ length: 30 }, (_, at) => [`Roses ${at}.md`, `Roses need pruning, shears ${'x'.repeat(at + 1)}.\n`])
    const others = Array.from({ length: 90 }, (_, at) => [`Other ${at}.md`, `Something ${'y'.repeat(at + 1)}.\n`])
    const many: Readonly<Record<string, string>> = Object.fromEntries([...roses, ...others])
    const core = await openCompared({ ...GARDEN, ...many }, { embedder: new KnownBag() })
    const { value } = await similarNodes(core, { ...DEFAULTS, limit: 30 })
    const scores = value.map(({ score }) => score)
    expect(new Set(value.map(({ id }) => id)).size).toBe(value.length)
    expect(value.length).toBeGreaterThan(15)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
  })

  test('a note with many neighbors needs no more store queries than a note with few', async () => {
    const words = Array.from(
      { length: 40 },
      (_, at) => `petal${'abcdefghij'[at % 10]}${'klmn'[at % 4]} stem${'abcdefghij'[at % 10]}${'klmn'[at % 4]}`,
    )
    const each = words.map((text, at) => [`Flower ${at}.md`, `${text} grows.\n`])
    const core = await openCompared({ 'All.md': words.join('. '), ...Object.fromEntries(each) }, { embedder: new KnownBag() })
    const store = slowStore(core.store)
    const args: SimilarArguments = { ...DEFAULTS, id: 'all.md', limit: 30 }
    await core.insights.follow({ wait: 10_000 })
    await similarNodes({ ...core, store }, args)
    const before = store.trips.length
    expect((await similarNodes({ ...core, store }, args)).value.length).toBeGreaterThan(15)
    const questions = store.trips.slice(before).flatMap((trip) => trip.split('+'))
    expect(questions.length, questions.join(' ')).toBeLessThanOrEqual(9)
  })
})
