import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/core/embedder.ts'
import { SnapshotOutdated } from '../../src/core/errors.ts'
import type { NodeId } from '../../src/core/ids.ts'
import {
  ALL,
  isCentral,
  type Metric,
  type PathOptions,
  PROBLEM_KINDS,
  type ProblemKind,
  type Scope,
  type Snapshot,
  type Store,
} from '../../src/core/store.ts'
import { betweenness, pageRank } from '../../src/graph/analytics.ts'
import { ask } from '../support/ask.ts'
import { testStoreSearch } from './store-search.ts'

/** A store over notes that tests can change. */
export interface StoreUnderTest {
  readonly store: Store
  /** Writes files (`undefined` deletes them) and waits until the store knows. */
  change(files: Readonly<Record<string, string | undefined>>): Promise<void>
  /** Makes every note searchable by words and, with an embedder, by meaning. */
  indexSearch(embedder?: Embedder): Promise<void>
  close(): Promise<void>
}

export type OpenStore = (
  files: Readonly<Record<string, string>>,
  options?: {
    readonly vault?: string
    /** The vault's own filters hide paths with this prefix. */
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
  'Lonely.md': 'No one links here.\n',
  'rose.png': 'not really',
  'Map.canvas': '{"nodes":[{"id":"1","type":"file","file":"Home.md"}]}',
}

const page = { offset: 0, limit: 100 }
const id = (text: string) => text as NodeId
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The top notes by a metric; first computes metrics that need a run over the whole graph. */
async function ranked(store: Store, metric: Metric, scope: Scope, limit: number) {
  if (isCentral(metric)) {
    const topology = await ask(store).topology()
    const { offsets, targets } = topology
    const scores = metric === 'pagerank' ? { scores: pageRank({ offsets, targets }) } : betweenness({ offsets, targets })
    await store.keepScores(metric, topology, scores)
  }
  return await ask(store).hubs(metric, scope, limit)
}

/** The contract of the `Store` port. */
export function testStore(name: string, open: OpenStore, { isShared }: { readonly isShared: boolean }): void {
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

    test('lookup: exact, folded, without extension; missing targets; unknown names', async () => {
      const { store } = await garden()
      expect(await ask(store).lookUp(['Home.md', 'home', 'PLANTS/ROSES.MD', 'rose.png', 'worms', 'nope', '', '../home'])).toEqual(
        ['home.md', 'home.md', 'plants/roses.md', 'rose.png', 'worms', undefined, undefined, undefined],
      )
    })

    test('nodes: in order, with links by in-degree, and times from properties first', async () => {
      const { store } = await garden()
      const [roses, none, soil, ghost] = await ask(store).nodes(
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

    test('nodes: tasks only on request', async () => {
      const { store } = await garden({ 'a.md': '- [ ] one\n- [x] two [[Gone]]\n- [-] three\n' })
      const ids = [id('a.md'), id('home.md'), id('rose.png'), id('gone')]
      const tasks = async (options: { readonly tasks?: boolean }) =>
        (await ask(store).nodes(ids, { links: 0, ...options })).map((node) => node?.tasks)
      const inNote = [
        { line: 1, state: 'open' },
        { line: 2, state: 'done' },
        { line: 3, state: 'other' },
      ]
      expect(await tasks({ tasks: true })).toEqual([inNote, [], [], []])
      expect(await tasks({})).toEqual([undefined, undefined, undefined, undefined])
    })

    test('kinds: compares ids exactly', async () => {
      const { store } = await garden()
      const ids = ['home.md', 'Home.md', 'home', 'rose.png', 'worms', 'Worms', '', 'plants/roses.md']
      expect(await ask(store).kinds(ids)).toEqual([
        'note',
        undefined,
        undefined,
        'attachment',
        'missing',
        undefined,
        undefined,
        'note',
      ])
    })

    test('versions: the hash of the indexed bytes', async () => {
      const { store, change } = await garden()
      const ask1 = async () => await ask(store).versions([id('lonely.md'), id('nope'), id('worms'), id('rose.png')])
      const [lonely, none, missing, picture] = await ask1()
      expect(lonely).toEqual({ id: 'lonely.md', path: 'Lonely.md', kind: 'note', hash: sha256('No one links here.\n') })
      expect([none, missing]).toEqual([undefined, undefined])
      expect(picture).toMatchObject({ kind: 'attachment', hash: '' })
      await change({ 'Lonely.md': 'Now [[Home]].\n' })
      expect((await ask1())[0]?.hash).toBe(sha256('Now [[Home]].\n'))
    })

    test("namesOf: the title, then the aliases; a missing target's name", async () => {
      const { store } = await garden()
      expect(await ask(store).namesOf([id('home.md'), id('nope'), id('worms')])).toEqual([
        ['Home', 'Start', 'Hub'],
        [],
        ['Worms'],
      ])
    })

    test('read: runs again if the vault changes, and sees a single generation', async () => {
      const { store, change } = await garden()
      const runs: number[] = []
      const seen = await store.read(async (snapshot) => {
        runs.push(snapshot.generation)
        const { total: before } = await snapshot.select({}, page)
        if (runs.length === 1) await change({ 'New.md': '', 'Newer.md': '' })
        const { total: after } = await snapshot.select({}, page)
        return { before, after, generation: snapshot.generation, isMixed: snapshot.isMixed }
      })
      expect(seen).toEqual({ before: 7, after: 7, generation: runs[1], isMixed: false })
      expect(runs).toHaveLength(2)
      expect(runs[1]).toBeGreaterThan(runs[0] ?? 0)
    })

    test('read: gives up after repeated changes and reports a mixed snapshot', async () => {
      const { store, change } = await garden()
      let runs = 0
      const isMixed = await store.read(async (snapshot) => {
        await change({ [`New ${runs++}.md`]: '' })
        await snapshot.select({}, page)
        return snapshot.isMixed
      })
      expect(isMixed).toBe(true)
      expect(runs).toBeLessThanOrEqual(10)
    })

    test('read: an abort signal ends every query of a snapshot', async () => {
      const { store } = await garden()
      const controller = new AbortController()
      const reading = store.read(async (snapshot) => {
        await snapshot.tags()
        controller.abort(new Error('no one waits'))
        return await snapshot.tags()
      }, controller.signal)
      await expect(reading).rejects.toThrow('no one waits')
    })

    test('select: by scope, ordered by id, paged', async () => {
      const { store } = await garden()
      const ids = async (scope: Scope, p = page) => (await ask(store).select(scope, p)).items.map((item) => item.id)
      expect(await ask(store).select({}, { offset: 1, limit: 2 })).toEqual({
        items: [
          { id: 'lonely.md', title: 'Lonely' },
          { id: 'plants/old.md', title: 'Old' },
        ],
        total: 5,
      })
      expect(await ids({ path: 'plants/r' })).toEqual(['plants/roses.md'])
      expect(await ids({ folder: 'plant' })).toEqual([])
      expect(await ids({ folder: 'plants' })).toEqual(['plants/old.md', 'plants/roses.md', 'plants/soil.md'])
      expect(await ids({ kinds: ['attachment', 'canvas', 'missing'] })).toEqual(['map.canvas', 'rose.png', 'worms'])
      expect(await ids({ path: 'wo', kinds: ['missing'] })).toEqual(['worms'])
      expect(await ids({ folder: 'worms', kinds: ['missing'] })).toEqual([])
      expect(await ids({ tags: { names: ['plant'], mode: 'any' } })).toEqual(['plants/roses.md'])
      expect(await ids({ tags: { names: ['plant', 'map'], mode: 'any' } })).toEqual(['home.md', 'plants/roses.md'])
      expect(await ids({ tags: { names: ['plant', 'todo'], mode: 'all' } })).toEqual(['plants/roses.md'])
      expect(await ids({ tags: { names: ['plant', 'map'], mode: 'all' } })).toEqual([])
      expect(await ids({}, { offset: 99, limit: 5 })).toEqual([])
    })

    test('sample: a note of the scope, the same for the same seed', async () => {
      const { store } = await garden()
      const picks = await Promise.all([0, 0.2, 0.5, 0.99].map((seed) => ask(store).sample({}, seed)))
      expect(picks).toEqual(['home.md', 'lonely.md', 'plants/old.md', 'plants/soil.md'])
      expect(await ask(store).sample({ tags: { names: ['no'], mode: 'any' } }, 0.5)).toBeUndefined()
    })

    test('tags: count nested tags in their parents; ordered by count, then name', async () => {
      const { store } = await garden({ 'x.md': '#plant #Plant/Tree' })
      expect(await ask(store).tags()).toEqual(
        [
          { tag: 'plant', count: 2 },
          { tag: 'map', count: 1 },
          { tag: 'plant/shrub', count: 1 },
          { tag: 'Plant/Tree', count: 1 },
          { tag: 'todo', count: 1 },
        ].sort((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1)),
      )
      expect((await ask(store).tags('plant/s')).map(({ tag }) => tag)).toEqual(['plant/shrub'])
    })

    test('tree: folders with counts, notes, and what was left out', async () => {
      const { store } = await garden({ 'Plants/Trees/Oak.md': '' })
      const options = { depth: 1, limit: 100, includeArchived: false }
      expect(await ask(store).tree('', options)).toMatchObject({
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
      expect(await ask(store).tree('plants', { ...options, includeArchived: true, limit: 1 })).toMatchObject({
        path: 'Plants',
        noteCount: 4,
        notes: [{ id: 'plants/old.md' }],
        omittedNotes: 2,
        folders: [{ path: 'Plants/Trees', omittedNotes: 1 }],
      })
      expect(await ask(store).tree('nowhere', options)).toBeUndefined()
    })

    test('problems: every kind, by id and line, paged', async () => {
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
        (await ask(store).problems(kind === undefined ? {} : { kind }, page)).items.map((problem) => [
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
      const all = await ask(store).problems({}, page)
      expect(all.total).toBe(all.items.length)
      const parts = await Promise.all(
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((offset) => ask(store).problems({}, { offset, limit: 1 })),
      )
      expect(parts.flatMap((part) => part.items)).toEqual(all.items.slice(0, 10))
      const inPlants = (await ask(store).problems({ folder: 'plants' }, page)).items
      expect(inPlants.map((problem) => problem.id)).toEqual(['plants/out', 'plants/soil.md'])
    })

    test('problems: counts per kind agree with the lists, also by folder and target', async () => {
      const more = { 'a/Twin.md': '[[Home#Gone]]', 'b/Twin.md': '[[Worms]]', 'z.md': '[[Twin]] [[Rosse]] [[Home#Gone]]' }
      const { store } = await garden(more, { outside: { 'b/Out.md': '/etc/hosts' } })
      const filters = [{}, { folder: 'plants' }, { folder: 'b' }, { target: id('home.md') }, { target: id('worms') }]
      for (const filter of filters) {
        const { items } = await ask(store).problems(filter, page)
        const counts = await ask(store).problemCounts(filter)
        for (const kind of PROBLEM_KINDS) {
          expect([kind, counts[kind]]).toEqual([kind, items.filter((problem) => problem.kind === kind).length])
          expect((await ask(store).problems({ ...filter, kind }, page)).total).toBe(counts[kind])
        }
      }
    })

    test('problems: filtered by target, including missing and ambiguous targets', async () => {
      const { store } = await garden({
        'a/Twin.md': '[[Home#Gone]] [[Roses#Gone]]',
        'b/Twin.md': '[[Worms]] [[Wormz]]',
        'z.md': '---\ntags: [x\n---\n[[Twin]] [[Home#Gone]]',
      })
      const list = async (target: string) =>
        (await ask(store).problems({ target: id(target) }, page)).items.map((problem) => [problem.kind, problem.id, problem.line])
      expect(await list('home.md')).toEqual([
        ['broken_heading', 'a/twin.md', 1],
        ['broken_heading', 'z.md', 4],
      ])
      expect(await list('worms')).toEqual([
        ['broken_link', 'b/twin.md', 1],
        ['broken_link', 'plants/soil.md', 5],
      ])
      expect(await list('b/twin.md')).toEqual([])
      expect(await list('a/twin.md')).toEqual([['ambiguous_link', 'z.md', 4]])
      expect(await list('nowhere')).toEqual([])
    })

    test('wanted: missing notes by the number of linking files, with nearly equal names merged', async () => {
      const { store } = await garden(
        {
          'a.md': '[[Deep Work]] [[deep-work]] [[photo.jpg]]',
          'b.md': '[[Déep Work]] [[2024-01-01]]',
          'c/c.md': '[[Deep Work]] [[2024-01-02]] [[Node.js]] [[a]]',
          'c/d.md': '[[Deep work]] [[a]]',
          'c/e.md': '[[deep_work]]',
          'hidden/f.md': '[[Deep Work]] [[Secret]]',
        },
        { excluded: 'hidden/' },
      )
      const { items, total } = await ask(store).wantedNotes({}, page)
      expect(items).toEqual([
        {
          name: 'Deep Work',
          ids: ['deep work', 'deep-work', 'deep_work', 'déep work'],
          files: 5,
          sources: ['a.md', 'b.md', 'c/c.md'],
        },
        { name: '2024-01-01', ids: ['2024-01-01'], files: 1, sources: ['b.md'] },
        { name: '2024-01-02', ids: ['2024-01-02'], files: 1, sources: ['c/c.md'] },
        { name: 'Node.js', ids: ['node.js'], files: 1, sources: ['c/c.md'] },
        { name: 'Worms', ids: ['worms'], files: 1, sources: ['plants/soil.md'] },
      ])
      expect(total).toBe(5)
      const inFolder = await ask(store).wantedNotes({ folder: 'c' }, { offset: 0, limit: 1 })
      expect(inFolder).toMatchObject({ items: [{ name: 'Deep Work', files: 3 }], total: 3 })
      expect(await ask(store).wantedNotes({ folder: 'c' }, { offset: 1, limit: 1 })).toMatchObject({
        items: [{ name: '2024-01-02' }],
        total: 3,
      })
      const counted = await ask(store).wantedNotes({ counts: (path) => path !== 'b.md' && !path.startsWith('c/') }, page)
      expect(counted.items.map(({ name, files }) => [name, files])).toEqual([
        ['Deep Work', 1],
        ['Worms', 1],
      ])
    })

    test('twins: exactly one has the plain id, through every change', async () => {
      const { store, change } = await garden()
      const twins = async () => {
        const { items } = await ask(store).problems({ kind: 'twin' }, page)
        return items.map(({ id: own, candidates }) => [own, candidates])
      }
      const kinds = async () => await ask(store).kinds(['lonely.md', 'Lonely.md', 'LONELY.md'])
      await change({ 'LONELY.md': '[[Home]]' })
      expect(await twins()).toEqual([
        ['Lonely.md', ['lonely.md']],
        ['lonely.md', ['Lonely.md']],
      ])
      expect(await kinds()).toEqual(['note', 'note', undefined])
      await change({ 'lonely.md': '[[Home]]' })
      expect(await kinds()).toEqual(['note', 'note', 'note'])
      expect(await twins()).toHaveLength(3)
      expect((await ask(store).neighbors(id('home.md'), { direction: 'in' }, page)).items).toContain('LONELY.md')
      await change({ 'Lonely.md': undefined, 'lonely.md': undefined })
      expect(await twins()).toEqual([])
      expect(await kinds()).toEqual(['note', undefined, undefined])
      expect((await ask(store).neighbors(id('home.md'), { direction: 'in' }, page)).items).toContain('lonely.md')
    })

    test('problems: links to missing headings and blocks, as headings come and go', async () => {
      const under = await garden({
        'Guide.md': [
          'See [[Roses#Prunning]], [[Roses#Soil]], [[Roses#^cut]], [cut](Plants/Roses.md#pruning) and [[#Own]].',
          '## Parts',
          '[[#Parts]] [[rose.png#page=2]] [[Nowhere#Part]] [[Roses#Roses#Pruning]] [[Roses#Pruning#Roses]] [[Map.canvas#x]]',
        ].join('\n'),
        'Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Home.md","subpath":"#Top"}]}',
      })
      const list = async () =>
        (await ask(under.store).problems({ kind: 'broken_heading' }, page)).items.map((problem) => [
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
      // Another note takes over the name, so the links now lead to the headings of that note.
      await under.change({
        'Roses.md': '# Prunning\n## Roses\n# Own\n# Soil\nx ^cut\n',
        'Guide.md': '[[Roses#Prunning]] [[Roses#^cuts]]',
      })
      expect(await list()).toEqual([['guide.md', 1, '[[Roses#^cuts]]', ['roses.md#^cut']]])
      await under.change({ 'Roses.md': undefined, 'Guide.md': '[[Roses#Soil]]' })
      expect(await list()).toEqual([])
      expect((await ask(under.store).problems({ kind: 'broken_link' }, page)).items.map((problem) => problem.id)).not.toContain(
        'guide.md',
      )
    })

    test('problems: a broken link has candidates only if a name is close', async () => {
      const { store } = await garden({
        'people/rusi.md': '[[Music]]',
        'Composting.md': '[[Compostin]] [[Composting 2]] [[Home page notes]] [[Soill types]] [[Lonly]]',
        'Soil types.md': '',
      })
      const { items } = await ask(store).problems({ kind: 'broken_link' }, page)
      expect(items.filter(({ id: at }) => !at.startsWith('plants/')).map(({ text, candidates }) => [text, candidates])).toEqual([
        ['[[Compostin]]', undefined],
        ['[[Composting 2]]', undefined],
        ['[[Home page notes]]', undefined],
        ['[[Soill types]]', ['soil types.md']],
        ['[[Lonly]]', ['lonely.md']],
        ['[[Music]]', undefined],
      ])
    })

    test('lookup: a canvas by its name without extension, if no note has it', async () => {
      const { store } = await garden({ 'Home.canvas': '{}', 'boards/Plan.canvas': '{"nodes":[]}' })
      expect(await ask(store).lookUp(['map', 'boards/plan', 'Boards/Plan', 'home', 'home.canvas', 'worms', 'rose'])).toEqual([
        'map.canvas',
        'boards/plan.canvas',
        'boards/plan.canvas',
        'home.md',
        'home.canvas',
        'worms',
        undefined,
      ])
    })

    test('neighbors: by direction, kind and property, ordered by in-degree', async () => {
      const { store } = await garden()
      const ids = async (node: string, options: Partial<Parameters<Snapshot['neighbors']>[1]>) =>
        (await ask(store).neighbors(id(node), { direction: 'both', ...options }, page)).items
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
      expect(await ask(store).neighbors(id('home.md'), { direction: 'both' }, { offset: 1, limit: 1 })).toEqual({
        items: ['plants/roses.md'],
        total: 3,
      })
    })

    test('neighbors: property names ignore case and Unicode form', async () => {
      const { store } = await garden({ 'Vase.md': '---\nGr\u00f6\u00dfer als: "[[Home]]"\nCafe\u0301: "[[Lonely]]"\n---\n' })
      const ids = async (type: string) =>
        (await ask(store).neighbors(id('vase.md'), { direction: 'out', type }, page)).items as readonly string[]
      expect([await ids('gro\u0308\u00dfER als'), await ids('caf\u00e9'), await ids('cafe')]).toEqual([
        ['home.md'],
        ['lonely.md'],
        [],
      ])
    })

    test('occurrences: every place in order, with kind, line and property', async () => {
      const { store } = await garden()
      const [links, up, none] = await ask(store).occurrences([
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

    test('linksInto: every place in other nodes that links to the given ones', async () => {
      const { store } = await garden()
      const links = await ask(store).linksInto([id('plants/roses.md'), id('plants/old.md')])
      const { items } = await ask(store).neighbors(id('plants/roses.md'), { direction: 'in', kinds: ['note', 'canvas'] }, ALL)
      const into = links.filter(({ to }) => to === 'plants/roses.md')
      expect(new Set(into.map(({ from }) => from))).toEqual(new Set(items.filter((one) => one !== 'plants/old.md')))
      expect(into.filter(({ from }) => from === 'home.md').map(({ line, subpath }) => [line, subpath])).toEqual([
        [5, undefined],
        [5, 'Pruning'],
      ])
      expect(links.map(({ from }) => from)).toEqual(links.map(({ from }) => from).toSorted())
      expect(await ask(store).linksInto([id('nobody.md')])).toEqual([])
    })

    test('linksFrom: every place in some nodes that links to other nodes, missing ones included', async () => {
      const { store } = await garden({
        'Self.md': '[[Self]] [[#Top]] [[Home]] ![[rose.png]] [[Nowhere]] %% [[Lonely]] %%\n[[Home|again]]',
      })
      const links = await ask(store).linksFrom([id('self.md'), id('home.md'), id('nobody.md'), id('rose.png'), id('self.md')])
      const own = links.filter(({ from }) => from === 'self.md')
      expect(own.map(({ to, kind, line, inComment }) => [to, kind, line, inComment])).toEqual([
        ['home.md', 'link', 1, false],
        ['rose.png', 'embed', 1, false],
        ['nowhere', 'link', 1, false],
        ['lonely.md', 'link', 1, true],
        ['home.md', 'link', 2, false],
      ])
      expect(links.map(({ from }) => from)).toEqual(links.map(({ from }) => from).toSorted())
      const pairs = [...new Set(links.map(({ from, to }) => JSON.stringify([from, to])))].map((pair) => JSON.parse(pair))
      const all = (await ask(store).occurrences(pairs)).flat()
      expect(new Set(links.map((link) => JSON.stringify(link)))).toEqual(new Set(all.map((link) => JSON.stringify(link))))
    })

    test('linksWithin: the links of a stretch to other nodes of the scope, with how many link there', async () => {
      const { store } = await garden()
      const text = GARDEN['Home.md']
      const at = text.indexOf('[[Roses#Pruning]]')
      const [all, part, none] = await ask(store).linksWithin(
        [
          { id: id('home.md'), start: 0, end: text.length },
          { id: id('home.md'), start: at, end: at + 1 },
          { id: id('nobody.md'), start: 0, end: 9 },
        ],
        { kinds: ['note'] },
      )
      const { items } = await ask(store).neighbors(id('plants/roses.md'), { direction: 'in', kinds: ['note', 'canvas'] }, ALL)
      expect(part).toMatchObject([{ to: 'plants/roses.md', start: at, inLinks: items.length }])
      expect(all?.map(({ start }) => start)).toEqual(all?.map(({ start }) => start).toSorted((a, b) => a - b))
      expect(all?.map(({ to }) => to)).toContain('plants/roses.md')
      expect(none).toEqual([])
      const [elsewhere] = await ask(store).linksWithin([{ id: id('home.md'), start: 0, end: text.length }], { folder: 'nowhere' })
      expect(elsewhere).toEqual([])
    })

    test('paths: shortest first, or none', async () => {
      const { store } = await garden()
      const options = { direction: 'any', count: 3, avoidHubs: false } as const
      expect(await ask(store).paths(id('plants/old.md'), id('plants/soil.md'), options)).toEqual([
        ['plants/old.md', 'home.md', 'plants/soil.md'],
        ['plants/old.md', 'home.md', 'plants/roses.md', 'plants/soil.md'],
      ])
      expect(await ask(store).paths(id('plants/soil.md'), id('home.md'), { ...options, direction: 'out' })).toEqual([])
      expect(await ask(store).paths(id('home.md'), id('lonely.md'), options)).toEqual([])
      expect(await ask(store).paths(id('home.md'), id('home.md'), options)).toEqual([['home.md']])
    })

    test('paths: any distance between two notes', async () => {
      const ids = Array.from({ length: 60 }, (_, at) => `c${at}.md`)
      const { store } = await garden(Object.fromEntries(ids.map((path, at) => [path, `[[c${at + 1}]]`])))
      const paths = (from: string, to: string, options: Partial<PathOptions> = {}) =>
        ask(store).paths(id(from), id(to), { direction: 'any', count: 2, avoidHubs: false, ...options })
      expect(await paths('c0.md', 'c59.md')).toEqual([ids])
      expect(await paths('c59.md', 'c0.md', { avoidHubs: true })).toEqual([ids.toReversed()])
      expect(await paths('c0.md', 'c59.md', { direction: 'out' })).toEqual([ids])
      expect(await paths('c59.md', 'c0.md', { direction: 'out' })).toEqual([])
    })

    test('hubs: by every metric and scope', async () => {
      const { store } = await garden()
      const top = async (metric: Metric, scope: Scope = {}) =>
        (await ranked(store, metric, scope, 2))?.items.map((item) => [item.id, item.score])
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
      expect((await top('pagerank'))?.[0]?.[0]).toBe('plants/soil.md')
      expect(await top('betweenness')).toEqual([
        ['home.md', 1 / 3],
        ['lonely.md', 0],
      ])
    })

    test('hubs: none before scores are kept; old scores serve until newer ones exist', async () => {
      const { store, change } = await garden()
      expect(await ask(store).hubs('pagerank', {}, 1)).toBeUndefined()
      const first = await ranked(store, 'pagerank', {}, 1)
      await change({ 'New.md': '[[Lonely]]' })
      const { generation } = await ask(store).state()
      expect(first?.generation).toBeLessThan(generation)
      expect((await ask(store).hubs('pagerank', {}, 1))?.generation).toBe(first?.generation)
      expect((await ranked(store, 'pagerank', {}, 1))?.generation).toBe(generation)
      expect((await ask(store).hubs('in_degree', {}, 9))?.items.find((item) => item.id === 'lonely.md')?.score).toBe(1)
    })

    test('whole-vault results: everyone who shares the store gets the newest one kept', async () => {
      const { store } = await garden()
      const { results } = store
      expect(results !== undefined).toBe(isShared)
      if (results === undefined) return
      expect(await results.newer('whole', -1)).toBeUndefined()
      const large = Uint8Array.from({ length: 2_500_000 }, (_, at) => at % 251)
      await results.keep('whole', { generation: 3, bytes: large })
      await results.keep('links', { generation: 5, bytes: Uint8Array.of(0, 127, 128, 255) })
      const whole = await results.newer('whole', 2)
      expect([whole?.generation, Buffer.compare(whole?.bytes ?? Buffer.of(), large)]).toEqual([3, 0])
      expect(await results.newer('whole', 3)).toBeUndefined()
      await results.keep('whole', { generation: 4, bytes: Uint8Array.of(7) })
      await results.keep('whole', { generation: 3, bytes: large })
      const newest = await Promise.all(['whole', 'links'].map((one) => results.newer(one, 0)))
      expect(newest.map((one) => [one?.generation, ...(one?.bytes ?? [])])).toEqual([
        [4, 7],
        [5, 0, 127, 128, 255],
      ])
    })

    test('topology: the listed notes and their links, as rows', async () => {
      const { store, change } = await garden()
      const topology = await ask(store).topology()
      const { offsets, targets, generation } = topology
      const ids = topology.ids()
      expect(generation).toBe((await ask(store).state()).generation)
      const links = ids.flatMap((from, node) =>
        [...targets.slice(offsets[node], offsets[node + 1])].map((to) => `${from} ${ids[to]}`),
      )
      expect(links.sort()).toEqual([
        'home.md plants/roses.md',
        'home.md plants/soil.md',
        'plants/old.md home.md',
        'plants/roses.md home.md',
        'plants/roses.md plants/soil.md',
      ])
      await change({ 'Lonely.md': undefined })
      await ask(store).state()
      expect(() => topology.ids()).toThrow(SnapshotOutdated)
    })

    test('names: exact ones by id, similar ones by score, including aliases', async () => {
      const { store } = await garden({ 'x/home.md': '' })
      expect(await ask(store).named('HOME', {})).toMatchObject([
        { id: 'home.md', name: 'Home', score: 1 },
        { id: 'x/home.md', name: 'home', score: 1 },
      ])
      expect((await ask(store).named('start', {})).map((hit) => [hit.id, hit.name])).toEqual([['home.md', 'Start']])
      expect(await ask(store).named('Home', { folder: 'x' })).toHaveLength(1)
      expect(await ask(store).named('Hom', {})).toEqual([])
      expect(await ask(store).named('Stärt!', {})).toEqual([])
      expect((await ask(store).named(' Stärt! ', {}, 'plain')).map((hit) => [hit.id, hit.name])).toEqual([['home.md', 'Start']])
      expect(await ask(store).named('home', { folder: 'x' }, 'plain')).toHaveLength(1)
      expect(await ask(store).named('!?', {}, 'plain')).toEqual([])
      const [best] = await ask(store).named('good sol', {}, 'similar', { limit: 1, minimum: 0.3 })
      expect(best).toMatchObject({ id: 'plants/soil.md', title: 'Good soil', name: 'Good soil' })
    })

    test('export: every node by id, then every resolved link, then missing targets', async () => {
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

    test('changes: reported to listeners and visible to the next call', async () => {
      const { store, change } = await garden()
      const heard: NodeId[] = []
      const stop = store.onChange(({ ids }) => heard.push(...ids))
      const { generation } = await ask(store).state()
      await change({ 'Worms.md': 'Now here.', 'Lonely.md': undefined, 'Plants/Roses.md': '[[Lonely]]' })
      expect((await ask(store).state()).generation).toBeGreaterThan(generation)
      expect(await ask(store).lookUp(['worms', 'lonely.md', 'lonely'])).toEqual(['worms.md', undefined, 'lonely'])
      expect((await ask(store).neighbors(id('worms.md'), { direction: 'in' }, page)).items).toEqual(['plants/soil.md'])
      expect(heard).toContain('worms.md')
      stop()
      const before = heard.length
      await change({ 'Worms.md': 'Changed.' })
      await ask(store).state()
      expect(heard).toHaveLength(before)
    })

    test("two vaults in one process are independent; ids include the vault's name, arguments may", async () => {
      const first = await garden()
      const second = await garden({ 'Only here.md': '[[Home]]' }, { vault: 'work' })
      expect(await ask(first.store).lookUp(['only here.md', 'work:home.md'])).toEqual([undefined, undefined])
      expect(await ask(second.store, 'work').lookUp(['home.md', 'work:Only here'])).toEqual(['work:home.md', 'work:only here.md'])
      expect((await ask(second.store).neighbors(id('work:home.md'), { direction: 'in' }, page)).items).toContain(
        'work:only here.md',
      )
      await first.change({ 'Home.md': undefined })
      expect(await ask(second.store, 'work').lookUp(['work:home.md'])).toEqual(['work:home.md'])
    })

    test('an empty vault returns empty results', async () => {
      const under = await open({})
      opened.push(under)
      const { store } = under
      expect(await ask(store).state()).toMatchObject({ files: 0 })
      expect(await ask(store).select({}, page)).toEqual({ items: [], total: 0 })
      expect(await ask(store).sample({}, 0.5)).toBeUndefined()
      expect(await ask(store).tags()).toEqual([])
      expect(await ask(store).tree('', { depth: 1, limit: 1, includeArchived: true })).toMatchObject({ noteCount: 0, notes: [] })
      expect((await ranked(store, 'pagerank', {}, 5))?.items).toEqual([])
      expect((await ranked(store, 'betweenness', {}, 5))?.items).toEqual([])
      expect(await ask(store).problems({}, page)).toEqual({ items: [], total: 0 })
    })
  })
}
