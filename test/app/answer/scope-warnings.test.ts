import { describe, expect, test } from 'vitest'
import { findNodes } from '../../../src/app/find/find-nodes.ts'
import { listNodes, randomNode, searchByTags } from '../../../src/app/find/list-nodes.ts'
import { search } from '../../../src/app/find/search.ts'
import type { GraphCore, Warning } from '../../../src/app/graph-core.ts'
import { listProblems } from '../../../src/app/insight/get-problems.ts'
import { getHubs } from '../../../src/app/links/get-hubs.ts'
import { getTree } from '../../../src/app/read/get-tree.ts'
import { listProperties, listTags } from '../../../src/app/read/tags-and-properties.ts'
import { type FakeFile, fakeCore, fakeStore } from '../../support/fake-store.ts'

const core = () =>
  fakeCore(
    fakeStore({
      'Archive/Old/a.md': { body: 'oak', properties: { tags: ['tree/oak'] } },
      'Beds/b.md': { body: 'bean', properties: { tags: ['Plant'] } },
    }),
  )
const page = { limit: 10, offset: 0 }
const find = { query: 'bean', limit: 10, orderBy: 'relevance', includeArchived: true } as const

describe('empty answers', () => {
  test.each<[string, () => Promise<{ readonly warnings: readonly object[] }>, readonly string[]]>([
    [
      'list_nodes names the nearest folder for an unknown one',
      () => listNodes(core(), { ...page, path: 'archvie/' }),
      ['No id begins with "archvie/". Nearest: "Archive".'],
    ],
    [
      'find_nodes names the nearest folder',
      () => findNodes(core(), { ...find, folder: 'Bed' }),
      ['There is no folder "Bed" with notes. Nearest: "Beds".'],
    ],
    [
      'get_hubs warns about the folder and the tag',
      () => getHubs(core(), { metric: 'in_degree', limit: 5, folder: '/nowhere/', tag: '#plnat' }),
      ['There is no folder "nowhere" with notes.', 'No note has the tag "#plnat". Nearest: "Plant".'],
    ],
    [
      'get_problems names the nearest folders',
      () => listProblems(core(), { ...page, folder: 'archive/odl' }),
      ['There is no folder "archive/odl" with notes. Nearest: "Archive/Old", "Archive".'],
    ],
    [
      'get_tree names the nearest folders',
      () => getTree(core(), { path: 'archiv', depth: 3, limit: 10, includeArchived: false }),
      ['There is no folder "archiv" with notes. Nearest: "Archive", "Archive/Old".'],
    ],
    [
      'random_node names the nearest tags',
      () => randomNode(core(), { tags: ['tre'] }),
      ['No note has the tag "#tre". Nearest: "tree", "tree/oak".'],
    ],
  ])('%s', async (_, ask, messages) => {
    const { warnings } = await ask()
    expect(warnings.filter((warning) => 'code' in warning && warning.code === 'UNKNOWN_ID')).toEqual(
      messages.map((message) => ({ code: 'UNKNOWN_ID', message })),
    )
  })

  test('does not warn when the folder or tag exists but nothing matches', async () => {
    const one = core()
    expect((await getHubs(one, { metric: 'in_degree', limit: 5, folder: 'Archive', tag: 'plant' })).warnings).toEqual([])
    expect((await listNodes(one, { ...page, path: 'beds', tag: 'tree' })).warnings).toEqual([])
    expect((await listProblems(one, { ...page, folder: '/Beds/' })).warnings).toEqual([])
  })
})

describe('a vault without notes', () => {
  const NO_NOTES =
    'The vault has no notes. Check that it is the right folder, and that vault.ignore and .gitignore do not leave its notes out.'
  const EXCLUDED = 'The vault has 2 notes, but all are excluded. Check "Excluded files" in the settings of Obsidian.'
  const asks: readonly [string, (vault: GraphCore) => Promise<{ readonly warnings: readonly Warning[] }>][] = [
    [
      'search',
      (vault) =>
        search(vault, { ...page, query: 'a', mode: 'keyword', includeContent: false, relevance: 'normal', explain: false }),
    ],
    ['find_nodes', (vault) => findNodes(vault, { ...find, query: 'folder:Beds a' })],
    ['list_nodes', (vault) => listNodes(vault, { ...page, path: 'a' })],
    ['list_tags', (vault) => listTags(vault, {})],
    ['list_properties', (vault) => listProperties(vault, page)],
    ['get_hubs', (vault) => getHubs(vault, { metric: 'in_degree', limit: 5 })],
    ['get_tree', (vault) => getTree(vault, { depth: 3, limit: 10, includeArchived: false })],
    ['random_node', (vault) => randomNode(vault, { tags: [] })],
  ]
  const messagesOf = async (files: Record<string, FakeFile>, ask: (typeof asks)[number][1]) =>
    (await ask(fakeCore(fakeStore(files)))).warnings.filter(({ code }) => code === 'NOTICE').map(({ message }) => message)

  test.each(asks)('%s says so', async (_, ask) => {
    expect(await messagesOf({}, ask)).toEqual([NO_NOTES])
    expect(await messagesOf({ 'b.png': {} }, ask)).toEqual([NO_NOTES])
  })

  test('search and find_nodes do not say so among several vaults, because another one may have notes', async () => {
    const args = { ...page, query: 'a', mode: 'keyword', includeContent: false, relevance: 'normal', explain: false } as const
    const empty = fakeCore(fakeStore({}))
    expect((await search(empty, args, { isPart: true })).warnings).not.toContainEqual(expect.objectContaining({ code: 'NOTICE' }))
    expect((await findNodes(empty, find, { isPart: true })).warnings).not.toContainEqual(
      expect.objectContaining({ code: 'NOTICE' }),
    )
  })

  test.each(asks)('%s says if all notes are excluded', async (_, ask) => {
    expect(await messagesOf({ 'a.md': { excluded: true }, 'b.md': { excluded: true } }, ask)).toEqual([EXCLUDED])
  })
})

test('names the unknown tag among several, whatever the others find', async () => {
  const { value, warnings } = await searchByTags(core(), { tags: ['PLANT', '#tree', 'oka'], mode: 'any', limit: 10 })
  expect(value.map(({ id }) => id)).toEqual(['archive/old/a.md', 'beds/b.md'])
  expect(warnings).toEqual([{ code: 'UNKNOWN_ID', message: 'No note has the tag "#oka".' }])
})
