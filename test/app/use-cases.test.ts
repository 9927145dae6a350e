import { describe, expect, test } from 'vitest'
import { listNodes, randomNode, searchByTags } from '../../src/app/find/list-nodes.ts'
import { resolveNodes } from '../../src/app/find/resolve-nodes.ts'
import { listProblems } from '../../src/app/insight/get-problems.ts'
import { findPath } from '../../src/app/links/find-path.ts'
import { getHubs } from '../../src/app/links/get-hubs.ts'
import { getNeighbors } from '../../src/app/links/get-neighbors.ts'
import { Rankings } from '../../src/app/links/rankings.ts'
import { nodesExist } from '../../src/app/names/known-node.ts'
import { getTree } from '../../src/app/read/get-tree.ts'
import { listTags } from '../../src/app/read/tags-and-properties.ts'
import { toNodeId } from '../../src/core/ids.ts'
import { fakeCore, fakeStore, withSnapshot } from '../support/fake-store.ts'
import { GARDEN } from '../support/garden.ts'

const store = fakeStore(GARDEN)
const core = fakeCore(store)

describe('get_neighbors', () => {
  const args = { id: 'soil/compost.md', direction: 'both', limit: 20, includeContent: false, evidence: false } as const

  test('shows metadata, best linked first', async () => {
    const { value, warnings } = await getNeighbors(core, args)
    expect(value.map(({ id }) => id)).toEqual(['soil/worms.md', 'beds/tomato.md', 'home.md'])
    expect(value.find(({ id }) => id === 'soil/worms.md')).toEqual({
      id: 'soil/worms.md',
      path: 'Soil/Worms.md',
      title: 'Worms',
      tags: ['soil', 'animals'],
      links: [{ id: 'soil/compost.md', title: 'Compost' }],
      properties: { tags: ['soil', 'animals'] },
      link_count: 1,
    })
    expect(warnings).toEqual([])
  })

  test('shows content instead of properties on request', async () => {
    const { value } = await getNeighbors(core, { ...args, includeContent: true, direction: 'in' })
    expect(value.map(({ id }) => id)).toEqual(['soil/worms.md', 'home.md'])
    expect(value[0]?.content).toBe('They live in [[Compost]].')
    expect(value[0]).not.toHaveProperty('properties')
  })

  test('follows one relation, and includes other kinds on request', async () => {
    const up = await getNeighbors(core, { ...args, type: 'up' })
    expect(up.value.map(({ id }) => id)).toEqual(['home.md'])
    const kinds = ['missing', 'attachment'] as const
    const others = await getNeighbors(core, { ...args, id: 'home', kinds })
    expect(others.value.map(({ id, kind }) => [id, kind])).toEqual([
      ['nowhere', 'missing'],
      ['photo.png', 'attachment'],
    ])
  })

  test('returns nothing for an unknown note and names the nearest ids', async () => {
    const { value, warnings } = await getNeighbors(core, { ...args, id: 'soil/compots.md' })
    expect(value).toEqual([])
    expect(warnings).toEqual([{ code: 'UNKNOWN_ID', message: expect.stringContaining('"soil/compost.md"') }])
  })

  test('returns the notes that link to a missing note', async () => {
    const { value } = await getNeighbors(core, { ...args, id: 'nowhere' })
    expect(value.map(({ id }) => id)).toEqual(['home.md'])
  })
})

test('shortens a very long id in a warning', async () => {
  const { warnings } = await getNeighbors(core, {
    id: `${'x'.repeat(99)}👍${'y'.repeat(100_000)}`,
    direction: 'both',
    limit: 20,
    includeContent: false,
    evidence: false,
  })
  expect(warnings[0]?.message).toMatch(/^There is no node "x{50,}…"/)
  expect(warnings[0]?.message.length).toBeLessThan(200)
})

test('explains that an id is a folder', async () => {
  const args = { direction: 'both', limit: 20, includeContent: false, evidence: false } as const
  for (const id of ['beds', 'Beds/']) {
    expect(await getNeighbors(core, { id, ...args })).toMatchObject({
      value: [],
      warnings: [
        {
          code: 'UNKNOWN_ID',
          message: expect.stringMatching(/^There is no node "beds\/?", but there is a folder with that name. find_nodes/i),
        },
      ],
    })
  }
})

describe('find_path', () => {
  const args = { source: 'home.md', target: 'beds/tomato.md', direction: 'any', count: 1, avoidHubs: false } as const

  test.each([
    [
      'any',
      /^No links lead from "alone\.md" to "beds\/tomato\.md" in either direction, over any number of links\. suggest_links /,
    ],
    [
      'out',
      /^No links lead from "alone\.md" to "beds\/tomato\.md" in the forward direction, over any number of links\. direction any /,
    ],
  ] as const)('says that there is no path in direction %s, and what to try', async (direction, expected) => {
    const { value, warnings } = await findPath(core, { ...args, source: 'alone.md', direction })
    expect(value).toBeNull()
    expect(warnings).toEqual([{ code: 'NOTICE', message: expect.stringMatching(expected) }])
  })

  test('shows the sentence of each link', async () => {
    const worms = await findPath(core, { ...args, source: 'soil/worms.md' })
    expect(worms.value).toEqual({
      path: ['soil/worms.md', 'soil/compost.md', 'beds/tomato.md'],
      length: 2,
      hops: [
        {
          from: 'soil/worms.md',
          to: 'soil/compost.md',
          type: 'link',
          direction: 'out',
          line: 4,
          text: 'They live in [[Compost]].',
        },
        {
          from: 'soil/compost.md',
          to: 'beds/tomato.md',
          type: 'link',
          direction: 'out',
          line: 11,
          text: 'It feeds [[Tomato]].',
        },
      ],
      alternatives: [],
    })
  })

  test('follows a link backwards and names the property and its note', async () => {
    const files = { 'Home.md': {}, 'Compost.md': { properties: { up: '[[Home]]' } } }
    const { value } = await findPath(fakeCore(fakeStore(files)), { ...args, target: 'compost' })
    expect(value?.hops).toEqual([
      { from: 'home.md', to: 'compost.md', type: 'up', direction: 'in', line: 2, text: expect.stringContaining('[[Home]]') },
    ])
  })

  test("reports that a link's heading or block is missing", async () => {
    const files = {
      'Home.md': { body: 'See [[Compost#Heat]], [[Tomato#Pruning]].' },
      'Compost.md': { body: '# Heat\n' },
      'Tomato.md': { body: '# Heat\n' },
    }
    const store = fakeStore(files)
    const withSubpaths = withSnapshot(store, {
      async occurrences(pairs) {
        const found = await store.snapshot.occurrences(pairs)
        return found.map((each) => each.map((one) => (one.to === 'tomato.md' ? { ...one, brokenSubpath: true } : one)))
      },
      paths: async (source, target) => [[source, target]],
    })
    const hopTo = async (target: string) => (await findPath(fakeCore(withSubpaths), { ...args, target })).value?.hops[0]
    expect(await hopTo('tomato.md')).toMatchObject({ to: 'tomato.md', brokenSubpath: true })
    expect(await hopTo('compost.md')).not.toHaveProperty('brokenSubpath')
  })

  test('follows only forward links on request', async () => {
    const back = { ...args, source: 'beds/tomato.md', target: 'soil/compost.md' }
    expect((await findPath(core, back)).value?.length).toBe(1)
    expect((await findPath(core, { ...back, direction: 'out' })).value).toBeNull()
  })

  test('finds alternative paths', async () => {
    const { value } = await findPath(core, { ...args, count: 3 })
    expect(value?.path).toEqual(['home.md', 'soil/compost.md', 'beds/tomato.md'])
    expect(value?.alternatives.map(({ path, length }) => [path, length])).toEqual([
      [['home.md', 'soil/worms.md', 'soil/compost.md', 'beds/tomato.md'], 3],
    ])
    expect(value?.alternatives[0]?.hops).toHaveLength(3)
  })

  test('the path from a note to itself has no hops', async () => {
    const { value } = await findPath(core, { ...args, target: 'HOME' })
    expect(value).toEqual({ path: ['home.md'], length: 0, hops: [], alternatives: [] })
  })

  test('an unknown end gives null and a warning for each', async () => {
    const { value, warnings } = await findPath(core, { ...args, source: 'nowhere', target: 'x.md' })
    expect(value).toBeNull()
    expect(warnings.map(({ code }) => code)).toEqual(['UNKNOWN_ID', 'UNKNOWN_ID'])
  })
})

describe('get_hubs', () => {
  test('ranks notes, and filters by folder and tag', async () => {
    const { value } = await getHubs(core, { metric: 'in_degree', limit: 2 })
    expect(value).toEqual([
      { id: 'soil/compost.md', title: 'Compost', score: 2 },
      { id: 'soil/worms.md', title: 'Worms', score: 2 },
    ])
    const soil = await getHubs(core, { metric: 'out_degree', limit: 5, folder: '/Soil/', tag: '#SOIL' })
    expect(soil.value.map(({ id }) => id)).toEqual(['soil/compost.md', 'soil/worms.md'])
  })

  test('warns when scores are stale or estimated', async () => {
    const old = withSnapshot(store, { hubs: async () => ({ items: [], generation: 0, sampled: 500 }) })
    const { warnings } = await getHubs(fakeCore(old), { metric: 'betweenness', limit: 2 })
    expect(warnings.map(({ code }) => code)).toEqual(['STALE', 'FALLBACK'])
    expect(warnings[1]?.message).toContain('500')
  })

  test('says that scores are being computed instead of waiting until the call fails', async () => {
    const none = withSnapshot(store, { hubs: async () => undefined })
    const rankings = new Rankings(none, { run: () => new Promise(() => {}) })
    const late = { waitUntil: performance.now() + 20 }
    const { value, warnings } = await getHubs({ ...fakeCore(none), rankings }, { metric: 'betweenness', limit: 2 }, late)
    expect(value).toEqual([])
    expect(warnings).toEqual([{ code: 'STALE', message: 'The betweenness scores are being computed. Ask again in a moment.' }])
  })
})

test('search_by_tags matches any or all tags, includes nested tags, and accepts #', async () => {
  const ids = async (tags: readonly string[], mode: 'any' | 'all') =>
    (await searchByTags(core, { tags, mode, limit: 20 })).value.map(({ id }) => id)
  expect(await ids(['#Work'], 'any')).toEqual(['beds/tomato.md', 'soil/compost.md'])
  expect(await ids(['work', 'soil'], 'all')).toEqual(['soil/compost.md'])
  expect(await ids(['none'], 'any')).toEqual([])
  const [first] = (await searchByTags(core, { tags: ['animals'], mode: 'any', limit: 1 })).value
  expect(first?.content).toBe('They live in [[Compost]].')
})

test('random_node shows a whole note, or null when none matches', async () => {
  const { value } = await randomNode(core, { tags: ['animals'], seed: 0 })
  expect(value).toEqual({
    id: 'soil/worms.md',
    path: 'Soil/Worms.md',
    title: 'Worms',
    content: 'They live in [[Compost]].\n',
    tags: ['soil', 'animals'],
    links: [{ id: 'soil/compost.md', title: 'Compost' }],
  })
  expect((await randomNode(core, { tags: ['none'] })).value).toBeNull()
  expect((await randomNode(core, { tags: [] })).value).not.toBeNull()
  expect((await randomNode(fakeCore(fakeStore({})), {})).value).toBeNull()
})

test('list_nodes pages through ids and titles, with the total', async () => {
  const all = await listNodes(core, { limit: 100, offset: 0 })
  expect(all.value.total).toBe(7)
  expect(all.value.nodes[0]).toEqual({ id: 'alone.md', title: 'Alone' })
  const page = await listNodes(core, { limit: 2, offset: 6, path: '' })
  expect(page.value).toEqual({ nodes: all.value.nodes.slice(6), total: 7 })
  const beds = await listNodes(core, { limit: 9, offset: 0, path: 'BEDS/', tag: 'work' })
  expect(beds.value).toEqual({ nodes: [{ id: 'beds/tomato.md', title: 'Tomatoes' }], total: 1 })
  const files = await listNodes(core, { limit: 9, offset: 0, kinds: ['canvas', 'attachment'] })
  expect(files.value.nodes.map(({ id }) => id)).toEqual(['board.canvas', 'photo.png'])
})

test('nodes_exist uses normalized ids; a missing note does not exist', async () => {
  const { value } = await nodesExist(core, ['HOME.md', 'home', 'Nowhere', 'No/Such.md', '../x', '__proto__', 'photo.png'])
  expect(JSON.stringify(value)).toBe(
    '{"home.md":true,"nowhere":false,"no/such.md":false,"../x":false,"__proto__":false,"photo.png":true}',
  )
})

test('list_tags counts nested tags in their parents', async () => {
  const { value } = await listTags(core, {})
  expect(value.slice(0, 2)).toEqual([
    { tag: 'soil', count: 2 },
    { tag: 'work', count: 2 },
  ])
  expect((await listTags(core, { prefix: '#WORK/' })).value).toEqual([{ tag: 'work/autumn', count: 1 }])
})

test('get_tree shows folders with counts and what was left out', async () => {
  const { value } = await getTree(core, { depth: 3, limit: 3, includeArchived: false })
  expect(value).toMatchObject({ path: '', note_count: 6, notes: [{ id: 'alone.md' }, { id: 'home.md' }] })
  expect(value?.folders.map(({ path, note_count }) => [path, note_count])).toEqual([
    ['Beds', 2],
    ['Soil', 2],
  ])
  const soil = await getTree(core, { path: '/Soil/', depth: 1, limit: 1, includeArchived: true })
  expect(soil.value).toEqual({
    path: 'Soil',
    note_count: 2,
    folders: [],
    notes: [{ id: 'soil/compost.md', title: 'Compost' }],
    omitted_notes: 1,
  })
  const none = await getTree(core, { path: 'Nope', depth: 1, limit: 1, includeArchived: true })
  expect(none).toEqual({
    value: null,
    warnings: [{ code: 'UNKNOWN_ID', message: 'There is no folder "Nope" with notes.' }],
  })
})

test('get_problems filters by kind and folder', async () => {
  const own = fakeStore(GARDEN)
  const id = toNodeId('soil/worms.md')
  const link = { form: 'wikilink', target: 'animals/Wrms' } as const
  own.problemsFound.push({ kind: 'broken_link', id: toNodeId('soil/compost.md'), line: 4, link, name: 'animals/Wrms' })
  own.problemsFound.push({ kind: 'orphan', id: toNodeId('alone.md'), line: 0 })
  const all = await listProblems(fakeCore(own), { limit: 20, offset: 0 })
  expect(all.value.total).toBe(2)
  const some = await listProblems(fakeCore(own), { limit: 20, offset: 0, folder: 'Soil/', kind: 'broken_link' })
  expect(some.value).toEqual({
    problems: [{ kind: 'broken_link', id: 'soil/compost.md', line: 4, text: '[[animals/Wrms]]', candidates: [id] }],
    total: 1,
  })
})

describe('resolve_nodes', () => {
  const resolve = async (names: readonly string[], rest: object = {}) =>
    (await resolveNodes(core, { names, strategy: 'fuzzy', threshold: 0.7, ...rest })).value

  test('finds titles and aliases in order, and null where nothing matches', async () => {
    expect(await resolve(['tomatoes', 'HUMUS', 'Wormz', 'quantum'], { threshold: 0.6 })).toEqual([
      { query: 'tomatoes', match: 'beds/tomato.md', score: 1 },
      { query: 'HUMUS', match: 'soil/compost.md', score: 1 },
      { query: 'Wormz', match: 'soil/worms.md', score: 0.75 },
      { query: 'quantum', match: null, score: 0 },
    ])
    expect(await resolve([])).toEqual([])
  })

  test('names the candidates and the rule when several match', async () => {
    expect(await resolve(['Compost'], { strategy: 'exact' })).toEqual([
      {
        query: 'Compost',
        match: 'soil/compost.md',
        score: 1,
        candidates: [
          { id: 'soil/compost.md', title: 'Compost', score: 1 },
          { id: 'yard/compost.md', title: 'Compost', score: 1 },
        ],
        rule: 'first id',
      },
    ])
    expect(await resolve(['Compost'], { tag: 'soil' })).toEqual([{ query: 'Compost', match: 'soil/compost.md', score: 1 }])
    expect(await resolve(['Compost'], { path: 'soil/' })).toMatchObject([{ match: 'soil/compost.md' }])
  })

  test('prefers titles to aliases, then the shorter id', async () => {
    const files = { 'b/X.md': {}, 'aa/X.md': {}, 'a.md': { properties: { aliases: ['X', 'Y'] } }, 'cc/Y.md': {} }
    const other = fakeCore(fakeStore(files))
    const { value } = await resolveNodes(other, { names: ['x', 'y'], strategy: 'exact', threshold: 0 })
    expect(value.map(({ match, rule }) => [match, rule])).toEqual([
      ['b/x.md', 'shortest id'],
      ['cc/y.md', 'title before alias'],
    ])
  })

  test('respects the threshold, and exact means exact', async () => {
    expect(await resolve(['Wormz'], { threshold: 0.8 })).toMatchObject([{ match: null }])
    expect(await resolve(['Wormz'], { strategy: 'exact' })).toMatchObject([{ match: null }])
  })

  test('the semantic strategy needs an embedder', async () => {
    await expect(resolve(['x'], { strategy: 'semantic' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
  })
})
