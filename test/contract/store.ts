import { afterEach, describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/core/embedder.ts'
import type { NodeId } from '../../src/core/ids.ts'
import type { ProblemKind, Scope, Store } from '../../src/core/store.ts'
import { testStoreSearch } from './store-search.ts'

/** A store over notes that can be changed. */
export interface StoreUnderTest {
  readonly store: Store
  /** Writes files (`undefined`: deletes them) and waits until the store was told. */
  change(files: Readonly<Record<string, string | undefined>>): Promise<void>
  /** Makes every note findable by its words, and by its meaning where there is an embedder. */
  indexSearch(embedder?: Embedder): Promise<void>
  close(): Promise<void>
}

export type OpenStore = (
  files: Readonly<Record<string, string>>,
  options?: {
    readonly vault?: string
    /** Files whose paths begin so are hidden by the vault's own filters. */
    readonly excluded?: string
    /** Symbolic links that lead out of the vault. */
    readonly outside?: Readonly<Record<string, string>>
  },
) => Promise<StoreUnderTest>

const GARDEN = {
  'Home.md': '---\naliases: [Start, Hub]\ntags: [map]\n---\nSee [[Roses]] and [[Soil|the soil]]. Also [[Roses#Pruning]].\n',
  'Plants/Roses.md':
    '---\nup: "[[Home]]"\ncreated: 2024-01-02\ntags: [plant/shrub]\n---\n# Roses\n\nThey like [[Soil]]. ![[rose.png]]\n\n## Pruning\nIn March. #todo\n',
  'Plants/Soil.md': '---\ntitle: Good soil\nupdated: 2024-05-06\n---\nHome of [[Worms]]. [[Soil]] is [[soil]].\n',
  'Plants/Old.md': '---\narchived: true\n---\n[[Home]]\n',
  'Lonely.md': 'Nobody links here.\n',
  'rose.png': 'not really',
  'Map.canvas': '{"nodes":[{"id":"1","type":"file","file":"Home.md"}]}',
}

const page = { offset: 0, limit: 100 }
const id = (text: string) => text as NodeId

/** What every implementation of the `Store` port must do. */
export function testStore(name: string, open: OpenStore): void {
  testStoreSearch(name, open)
  describe(`${name} store`, () => {
    let opened: StoreUnderTest[] = []
    const garden = async (more: Readonly<Record<string, string>> = {}, options?: Parameters<OpenStore>[1]) => {
      const under = await open({ ...GARDEN, ...more }, options)
      opened.push(under)
      return under
    }
    afterEach(async () => {
      for (const under of opened) await under.close()
      opened = []
    })

    test('lookup: exact, folded, without ending; missing targets; absence', async () => {
      const { store } = await garden()
      expect(await store.lookup(['Home.md', 'home', 'PLANTS/ROSES.MD', 'rose.png', 'worms', 'nope', '', '../home'])).toEqual([
        'home.md',
        'home.md',
        'plants/roses.md',
        'rose.png',
        'worms',
        undefined,
        undefined,
        undefined,
      ])
    })

    test('nodes: in order, with links by in-degree, times from properties first', async () => {
      const { store } = await garden()
      const [roses, none, soil, ghost] = await store.nodes(
        [id('plants/roses.md'), id('nope'), id('plants/soil.md'), id('worms')],
        { links: 100, times: true },
      )
      expect(none).toBeUndefined()
      expect(roses).toMatchObject({
        id: 'plants/roses.md',
        path: 'Plants/Roses.md',
        title: 'Roses',
        kind: 'note',
        tags: ['plant/shrub', 'todo'],
        properties: { up: '[[Home]]', created: '2024-01-02' },
        created: '2024-01-02',
        links: [
          { id: 'home.md', title: 'Home' },
          { id: 'plants/soil.md', title: 'Good soil' },
        ],
        linkCount: 2,
        excluded: false,
        excerptCut: false,
      })
      expect(roses?.excerpt.startsWith('# Roses')).toBe(true)
      expect(roses?.headings.map(({ text, level, line }) => [text, level, line])).toEqual([
        ['Roses', 1, 6],
        ['Pruning', 2, 10],
      ])
      expect(soil).toMatchObject({ title: 'Good soil', modified: '2024-05-06', linkCount: 0, links: [] })
      expect(ghost).toMatchObject({ id: 'worms', title: 'Worms', kind: 'missing', links: [] })
    })

    test('text: the file as it is now, also when the index is behind', async () => {
      const { store, change } = await garden()
      const before = await store.text(id('lonely.md'))
      expect(before).toMatchObject({ text: 'Nobody links here.\n', bodyStart: 0 })
      expect(before?.hash).toMatch(/^[0-9a-f]{64}$/)
      await change({ 'Lonely.md': '---\na: 1\n---\nNow [[Home]].\n' })
      expect(await store.text(id('lonely.md'))).toMatchObject({ text: '---\na: 1\n---\nNow [[Home]].\n', bodyStart: 13 })
      expect(await store.text(id('nope'))).toBeUndefined()
      expect(await store.text(id('rose.png'))).toBeUndefined()
    })

    test('select: by id, by scope, paged', async () => {
      const { store } = await garden()
      const ids = async (scope: Scope, p = page) => (await store.select(scope, p)).items.map((item) => item.id)
      expect(await store.select({}, { offset: 1, limit: 2 })).toEqual({
        items: [
          { id: 'lonely.md', title: 'Lonely' },
          { id: 'plants/old.md', title: 'Old' },
        ],
        total: 5,
      })
      expect(await ids({ path: 'PLANTS/r' })).toEqual(['plants/roses.md'])
      expect(await ids({ folder: 'plant' })).toEqual([])
      expect(await ids({ folder: '/Plants/' })).toEqual(['plants/old.md', 'plants/roses.md', 'plants/soil.md'])
      expect(await ids({ kinds: ['attachment', 'canvas', 'missing'] })).toEqual(['map.canvas', 'rose.png', 'worms'])
      expect(await ids({ path: 'WO', kinds: ['missing'] })).toEqual(['worms'])
      expect(await ids({ folder: 'worms', kinds: ['missing'] })).toEqual([])
      expect(await ids({ tags: { names: ['#Plant'], mode: 'any' } })).toEqual(['plants/roses.md'])
      expect(await ids({ tags: { names: ['plant', 'map'], mode: 'any' } })).toEqual(['home.md', 'plants/roses.md'])
      expect(await ids({ tags: { names: ['plant', 'todo'], mode: 'all' } })).toEqual(['plants/roses.md'])
      expect(await ids({ tags: { names: ['plant', 'map'], mode: 'all' } })).toEqual([])
      expect(await ids({}, { offset: 99, limit: 5 })).toEqual([])
    })

    test('sample: any of the scope, the same for the same seed', async () => {
      const { store } = await garden()
      const picks = await Promise.all([0, 0.2, 0.5, 0.99].map((seed) => store.sample({}, seed)))
      expect(picks).toEqual(['home.md', 'lonely.md', 'plants/old.md', 'plants/soil.md'])
      expect(await store.sample({ tags: { names: ['no'], mode: 'any' } }, 0.5)).toBeUndefined()
    })

    test('tags: nested ones counted into their parents, by count, then name', async () => {
      const { store } = await garden({ 'x.md': '#plant #Plant/Tree' })
      expect(await store.tags()).toEqual(
        [
          { tag: 'plant', count: 2 },
          { tag: 'map', count: 1 },
          { tag: 'plant/shrub', count: 1 },
          { tag: 'Plant/Tree', count: 1 },
          { tag: 'todo', count: 1 },
        ].sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1)),
      )
      expect((await store.tags('#PLANT/s')).map(({ tag }) => tag)).toEqual(['plant/shrub'])
    })

    test('tree: folders with counts, notes at the leaves, what was left out', async () => {
      const { store } = await garden({ 'Plants/Trees/Oak.md': '' })
      const options = { depth: 1, limit: 100, includeArchived: false }
      expect(await store.tree('', options)).toMatchObject({
        path: '',
        noteCount: 5,
        notes: [{ id: 'home.md' }, { id: 'lonely.md' }],
        folders: [
          {
            path: 'Plants',
            noteCount: 3,
            folders: [],
            omittedFolders: 1,
            notes: [{ id: 'plants/roses.md' }, { id: 'plants/soil.md' }],
          },
        ],
      })
      expect(await store.tree('plants', { ...options, includeArchived: true, limit: 1 })).toMatchObject({
        path: 'Plants',
        noteCount: 4,
        notes: [{ id: 'plants/old.md' }],
        omittedNotes: 2,
        folders: [{ path: 'Plants/Trees', omittedNotes: 1 }],
      })
      expect(await store.tree('nowhere', options)).toBeUndefined()
    })

    test('problems: of every kind, by id and line, paged', async () => {
      const more = {
        'a/Twin.md': '[[Home]]',
        'b/Twin.md': '[[Home]]',
        'z.md': '---\ntags: [x\n---\n[[Twin]]\n[[Rosse]]\n',
        'A.md': '[[z]]',
        'a.md': '[[z]]',
        'note (conflicted copy 2024-05-01).md': '[[z]]',
      }
      const { store } = await garden(more, { outside: { 'b/Out.md': '/etc/hosts', 'Plants/out': '..' } })
      const list = async (kind?: ProblemKind) =>
        (await store.problems(kind === undefined ? {} : { kind }, page)).items.map((problem) => [
          problem.id,
          problem.line,
          problem.candidates,
        ])
      expect(await list('broken_link')).toEqual([
        ['plants/soil.md', 5, undefined],
        ['z.md', 5, ['plants/roses.md']],
      ])
      expect(await list('ambiguous_link')).toEqual([['z.md', 4, ['a/twin.md', 'b/twin.md']]])
      expect((await list('malformed')).map(([node]) => node)).toEqual(['z.md'])
      expect(await list('orphan')).toEqual([['lonely.md', 0, undefined]])
      expect(await list('twin')).toEqual([
        ['A.md', 0, ['a.md']],
        ['a.md', 0, ['A.md']],
      ])
      expect((await list('conflict_copy')).map(([node]) => node)).toEqual(['note (conflicted copy 2024-05-01).md'])
      expect(await list('outside_link')).toEqual([
        ['b/out.md', 0, undefined],
        ['plants/out', 0, undefined],
      ])
      const all = await store.problems({}, page)
      expect(all.total).toBe(all.items.length)
      const parts = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((offset) => store.problems({}, { offset, limit: 1 })))
      expect(parts.flatMap((part) => part.items)).toEqual(all.items.slice(0, 10))
      const inPlants = (await store.problems({ folder: 'plants' }, page)).items
      expect(inPlants.map((problem) => problem.id)).toEqual(['plants/out', 'plants/soil.md'])
    })

    test('problems: links whose note is there and whose heading or block is not, as headings come and go', async () => {
      const under = await garden({
        'Guide.md': [
          'See [[Roses#Prunning]], [[Roses#Soil]], [[Roses#^cut]], [cut](Plants/Roses.md#pruning) and [[#Own]].',
          '## Parts',
          '[[#Parts]] [[rose.png#page=2]] [[Nowhere#Part]] [[Roses#Roses#Pruning]] [[Roses#Pruning#Roses]] [[Map.canvas#x]]',
        ].join('\n'),
        'Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Home.md","subpath":"#Top"}]}',
      })
      const list = async () =>
        (await under.store.problems({ kind: 'broken_heading' }, page)).items.map((problem) => [
          problem.id,
          problem.line,
          problem.text,
          problem.candidates,
        ])
      expect(await list()).toEqual([
        ['board.canvas', 1, 'Home.md#Top', undefined],
        ['guide.md', 1, '[[Roses#Prunning]]', ['plants/roses.md#Pruning']],
        ['guide.md', 1, '[[Roses#Soil]]', undefined],
        ['guide.md', 1, '[[Roses#^cut]]', undefined],
        ['guide.md', 1, '[[#Own]]', undefined],
        ['guide.md', 3, '[[Roses#Pruning#Roses]]', ['plants/roses.md#Roses']],
      ])
      await under.change({ 'Home.md': '# Top\n', 'Plants/Roses.md': '# Roses\n## Soil\nMuch. ^cut-2\n' })
      expect(await list()).toEqual([
        ['guide.md', 1, '[[Roses#Prunning]]', undefined],
        ['guide.md', 1, '[[Roses#^cut]]', undefined],
        ['guide.md', 1, 'Plants/Roses.md#pruning', undefined],
        ['guide.md', 1, '[[#Own]]', undefined],
        ['guide.md', 3, '[[Roses#Roses#Pruning]]', undefined],
        ['guide.md', 3, '[[Roses#Pruning#Roses]]', ['plants/roses.md#Roses']],
      ])
      // Another note takes the name: the links lead to its headings.
      await under.change({
        'Roses.md': '# Prunning\n## Roses\n# Own\n# Soil\nx ^cut\n',
        'Guide.md': '[[Roses#Prunning]] [[Roses#^cuts]]',
      })
      expect(await list()).toEqual([['guide.md', 1, '[[Roses#^cuts]]', ['roses.md#^cut']]])
      await under.change({ 'Roses.md': undefined, 'Guide.md': '[[Roses#Soil]]' })
      expect(await list()).toEqual([])
      expect((await under.store.problems({ kind: 'broken_link' }, page)).items.map((problem) => problem.id)).not.toContain(
        'guide.md',
      )
    })

    test('problems: a broken link is told with what it may have meant, and with nothing where no note is called nearly so', async () => {
      const { store } = await garden({
        'people/rusi.md': '[[Music]]',
        'Composting.md': '[[Compostin]] [[Composting 2]] [[Home page notes]] [[Soill types]] [[Lonly]]',
        'Soil types.md': '',
      })
      const { items } = await store.problems({ kind: 'broken_link', folder: '' }, page)
      expect(items.filter(({ id: at }) => !at.startsWith('plants/')).map(({ text, candidates }) => [text, candidates])).toEqual([
        ['[[Compostin]]', undefined],
        ['[[Composting 2]]', undefined],
        ['[[Home page notes]]', undefined],
        ['[[Soill types]]', ['soil types.md']],
        ['[[Lonly]]', ['lonely.md']],
        ['[[Music]]', undefined],
      ])
    })

    test('lookup: a canvas by its name without ending, where no note has it', async () => {
      const { store } = await garden({ 'Home.canvas': '{}', 'boards/Plan.canvas': '{"nodes":[]}' })
      expect(await store.lookup(['map', 'boards/plan', 'Boards/Plan', 'home', 'home.canvas', 'worms', 'rose'])).toEqual([
        'map.canvas',
        'boards/plan.canvas',
        'boards/plan.canvas',
        'home.md',
        'home.canvas',
        'worms',
        undefined,
      ])
    })

    test('neighbors: either way, by in-degree, by kind and by property', async () => {
      const { store } = await garden()
      const ids = async (node: string, options: Partial<Parameters<Store['neighbors']>[1]>) =>
        (await store.neighbors(id(node), { direction: 'both', ...options }, page)).items
      expect(await ids('home.md', { direction: 'out' })).toEqual(['plants/soil.md', 'plants/roses.md'])
      expect(await ids('home.md', { direction: 'in' })).toEqual(['plants/roses.md', 'plants/old.md'])
      expect(await ids('home.md', { direction: 'in', kinds: ['canvas', 'note'] })).toEqual([
        'plants/roses.md',
        'map.canvas',
        'plants/old.md',
      ])
      expect(await ids('plants/roses.md', { direction: 'out', kinds: ['attachment'] })).toEqual(['rose.png'])
      expect(await ids('plants/roses.md', { type: 'UP' })).toEqual(['home.md'])
      expect(await ids('home.md', { type: 'up', direction: 'in' })).toEqual(['plants/roses.md'])
      expect(await ids('home.md', { type: 'up', direction: 'out' })).toEqual([])
      expect(await ids('plants/soil.md', { kinds: ['missing'] })).toEqual(['worms'])
      expect(await ids('worms', { direction: 'in' })).toEqual(['plants/soil.md'])
      expect(await ids('nope', {})).toEqual([])
      expect(await store.neighbors(id('home.md'), { direction: 'both' }, { offset: 1, limit: 1 })).toEqual({
        items: ['plants/roses.md'],
        total: 3,
      })
    })

    test('occurrences: every place, in order, with kind, line and property', async () => {
      const { store } = await garden()
      const [links, up, none] = await store.occurrences([
        [id('home.md'), id('plants/roses.md')],
        [id('plants/roses.md'), id('home.md')],
        [id('home.md'), id('lonely.md')],
      ])
      expect(links?.map(({ kind, line, subpath }) => [kind, line, subpath])).toEqual([
        ['link', 5, undefined],
        ['link', 5, 'Pruning'],
      ])
      expect(up).toMatchObject([{ kind: 'property', property: 'up', line: 2, inComment: false }])
      expect(none).toEqual([])
      const text = GARDEN['Home.md']
      expect(links?.map(({ start, end }) => text.slice(start, end))).toEqual(['[[Roses]]', '[[Roses#Pruning]]'])
    })

    test('paths: shortest first; none where there is none', async () => {
      const { store } = await garden()
      const options = { direction: 'any', count: 3, avoidHubs: false } as const
      expect(await store.paths(id('plants/old.md'), id('plants/soil.md'), options)).toEqual([
        ['plants/old.md', 'home.md', 'plants/soil.md'],
        ['plants/old.md', 'home.md', 'plants/roses.md', 'plants/soil.md'],
      ])
      expect(await store.paths(id('plants/soil.md'), id('home.md'), { ...options, direction: 'out' })).toEqual([])
      expect(await store.paths(id('home.md'), id('lonely.md'), options)).toEqual([])
      expect(await store.paths(id('home.md'), id('home.md'), options)).toEqual([['home.md']])
    })

    test('hubs: by every metric, by scope', async () => {
      const { store } = await garden()
      const top = async (metric: Parameters<Store['hubs']>[0], scope: Scope = {}) =>
        (await store.hubs(metric, scope, 2)).items.map((item) => [item.id, item.score])
      expect(await top('in_degree')).toEqual([
        ['home.md', 2],
        ['plants/soil.md', 2],
      ])
      expect(await top('out_degree')).toEqual([
        ['home.md', 2],
        ['plants/roses.md', 2],
      ])
      expect(await top('in_degree', { folder: 'plants' })).toEqual([
        ['plants/soil.md', 2],
        ['plants/roses.md', 1],
      ])
      expect(await top('in_degree', { tags: { names: ['plant'], mode: 'any' } })).toEqual([['plants/roses.md', 1]])
      expect((await top('pagerank'))[0]?.[0]).toBe('plants/soil.md')
      expect(await top('betweenness')).toEqual([
        ['home.md', 1 / 3],
        ['lonely.md', 0],
      ])
    })

    test('hubs: the last scores serve while newer ones are computed, and say so', async () => {
      const { store, change } = await garden()
      expect((await store.hubs('pagerank', {}, 1)).stale).toBe(false)
      await change({ 'New.md': '[[Lonely]]' })
      expect((await store.hubs('pagerank', {}, 1)).stale).toBe(true)
      await expect.poll(async () => (await store.hubs('pagerank', {}, 1)).stale).toBe(false)
      expect((await store.hubs('in_degree', {}, 9)).items.find((item) => item.id === 'lonely.md')?.score).toBe(1)
    })

    test('names: equal ones by id, similar ones by score, aliases too', async () => {
      const { store } = await garden({ 'x/home.md': '' })
      expect(await store.named('HOME', {})).toMatchObject([
        { id: 'home.md', name: 'Home', score: 1 },
        { id: 'x/home.md', name: 'home', score: 1 },
      ])
      expect((await store.named('start', {})).map((hit) => [hit.id, hit.name])).toEqual([['home.md', 'Start']])
      expect(await store.named('Home', { folder: 'x' })).toHaveLength(1)
      expect(await store.named('Hom', {})).toEqual([])
      expect(await store.named('Stärt!', {})).toEqual([])
      expect((await store.namedPlainly(' Stärt! ', {})).map((hit) => [hit.id, hit.name])).toEqual([['home.md', 'Start']])
      expect(await store.namedPlainly('home', { folder: 'x' })).toHaveLength(1)
      expect(await store.namedPlainly('!?', {})).toEqual([])
      const [best] = await store.similarNames('good sol', {}, { limit: 1, minimum: 0.3 })
      expect(best).toMatchObject({ id: 'plants/soil.md', title: 'Good soil', name: 'Good soil' })
    })

    test('export: every node by id, then every resolved link, missing targets apart', async () => {
      const { store } = await garden()
      const rows = []
      for await (const row of store.export()) rows.push(row)
      expect(rows.filter((row) => row.kind === 'node').map((row) => row.path)).toEqual([
        'Home.md',
        'Lonely.md',
        'Map.canvas',
        'Plants/Old.md',
        'Plants/Roses.md',
        'Plants/Soil.md',
        'rose.png',
      ])
      expect(rows).toContainEqual({ kind: 'edge', source: 'home.md', target: 'plants/roses.md', count: 2, kinds: ['link'] })
      expect(rows).toContainEqual({ kind: 'edge', source: 'plants/soil.md', target: 'plants/soil.md', count: 2, kinds: ['link'] })
      expect(rows).toContainEqual({ kind: 'unresolved', source: 'plants/soil.md', target: 'Worms', count: 1 })
    })

    test('changes are told and seen in the next call, whatever they are', async () => {
      const { store, change } = await garden()
      const heard: NodeId[] = []
      const stop = store.onChange(({ ids }) => heard.push(...ids))
      const { generation } = await store.state()
      await change({ 'Worms.md': 'Now here.', 'Lonely.md': undefined, 'Plants/Roses.md': '[[Lonely]]' })
      expect((await store.state()).generation).toBeGreaterThan(generation)
      expect(await store.lookup(['worms', 'lonely.md', 'lonely'])).toEqual(['worms.md', undefined, 'lonely'])
      expect((await store.neighbors(id('worms.md'), { direction: 'in' }, page)).items).toEqual(['plants/soil.md'])
      expect(heard).toContain('worms.md')
      stop()
      const before = heard.length
      await change({ 'Worms.md': 'Changed.' })
      await store.state()
      expect(heard).toHaveLength(before)
    })

    test('two vaults in one process do not know of each other; ids of a named one carry its name, arguments may', async () => {
      const first = await garden()
      const second = await garden({ 'Only here.md': '[[Home]]' }, { vault: 'work' })
      expect(await first.store.lookup(['only here.md', 'work:home.md'])).toEqual([undefined, undefined])
      expect(await second.store.lookup(['home.md', 'work:Only here'])).toEqual(['work:home.md', 'work:only here.md'])
      expect((await second.store.neighbors(id('work:home.md'), { direction: 'in' }, page)).items).toContain('work:only here.md')
      await first.change({ 'Home.md': undefined })
      expect(await second.store.lookup(['work:home.md'])).toEqual(['work:home.md'])
    })

    test('an empty vault answers everything with nothing', async () => {
      const under = await open({})
      opened.push(under)
      const { store } = under
      expect(await store.state()).toMatchObject({ files: 0 })
      expect(await store.select({}, page)).toEqual({ items: [], total: 0 })
      expect(await store.sample({}, 0.5)).toBeUndefined()
      expect(await store.tags()).toEqual([])
      expect(await store.tree('', { depth: 1, limit: 1, includeArchived: true })).toMatchObject({ noteCount: 0, notes: [] })
      expect((await store.hubs('pagerank', {}, 5)).items).toEqual([])
      expect((await store.hubs('betweenness', {}, 5)).items).toEqual([])
      expect(await store.problems({}, page)).toEqual({ items: [], total: 0 })
    })
  })
}
