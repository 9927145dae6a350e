import { describe, expect, test } from 'vitest'
import { type FindArguments, findNodes } from '../../../src/app/find/find-nodes.ts'
import { countNodes, groupNodes } from '../../../src/app/find/group-notes.ts'
import { listNodes } from '../../../src/app/find/list-nodes.ts'
import { search } from '../../../src/app/find/search.ts'
import { contextPack } from '../../../src/app/insight/context-pack.ts'
import { getHubs } from '../../../src/app/links/get-hubs.ts'
import { getTree } from '../../../src/app/read/get-tree.ts'
import { type SearchCore, searchCore } from '../search-core.ts'

const FILES = {
  '01 - Community/People/Ann.md': 'Ann bakes rye bread. [[Rye]]\n',
  '01 - Community/People/Bo.md': 'Bo bakes nothing.\n',
  'Recipes/Rye.md': 'Rye bread.\n',
  'Recipes/Spelt.md': 'Spelt bread.\n',
  'Old/Drafts/a.md': 'oat\n',
  'New/Drafts/b.md': 'oat\n',
}
const TAKEN = 'The folder "People" is "01 - Community/People".'
const UNKNOWN = 'There is no folder "Receps" with notes. Nearest: "Recipes".'
const FIND: FindArguments = { query: '', limit: 10, orderBy: 'title', includeArchived: false }
const messages = ({ warnings }: { readonly warnings: readonly { readonly message: string }[] }) =>
  warnings.map(({ message }) => message)

async function found(core: SearchCore, args: Partial<FindArguments>) {
  const answer = await findNodes(core, { ...FIND, ...args })
  return [answer.value.map(({ title }) => title), messages(answer)]
}

describe('a folder named by the end of its path', () => {
  test('is taken if no other folder ends with it, and the answer says so', async () => {
    const core = await searchCore(FILES)
    expect(await found(core, { folder: 'People' })).toEqual([['Ann', 'Bo'], [TAKEN]])
    expect(await found(core, { query: 'folder:people' })).toEqual([
      ['Ann', 'Bo'],
      ['The folder "people" is "01 - Community/People".'],
    ])
    expect(await found(core, { folder: '01 - Community/People' })).toEqual([['Ann', 'Bo'], []])
  })

  test('works in sets, also in negated ones', async () => {
    const core = await searchCore(FILES)
    expect(await found(core, { query: 'linkedfrom:(folder:"People")' })).toEqual([['Rye'], [TAKEN]])
    expect(await found(core, { query: 'folder:Recipes -linkedfrom:(folder:"People")' })).toEqual([['Spelt'], [TAKEN]])
  })

  test('works for every tool that reads a folder', async () => {
    const core = await searchCore(FILES)
    const counted = await countNodes(core, { ...FIND, folder: 'People' })
    expect([counted.value.total, messages(counted)]).toEqual([2, [TAKEN]])
    expect(counted.value.counted).toContain('in the folder "01 - Community/People"')
    const grouped = await groupNodes(core, { ...FIND, folder: 'People', groupBy: 'folder' })
    expect([grouped.value.notes, messages(grouped)]).toEqual([2, [TAKEN]])
    const asked = {
      query: 'bread',
      limit: 10,
      includeContent: false,
      relevance: 'loose',
      mode: 'keyword',
      explain: false,
    } as const
    const searched = await search(core, { ...asked, folder: 'People' })
    expect([searched.value.map(({ title }) => title), messages(searched)]).toEqual([['Ann'], [TAKEN]])
    const pack = await contextPack(core, { query: 'who bakes rye bread?', folder: 'People' })
    expect([pack.value.excerpts[0]?.title, messages(pack)]).toEqual(['Ann', expect.arrayContaining([TAKEN])])
    const hubs = await getHubs(core, { metric: 'out_degree', limit: 1, folder: 'People' })
    expect([hubs.value.map(({ title }) => title), messages(hubs)]).toEqual([['Ann'], [TAKEN]])
    const tree = await getTree(core, { path: 'People', depth: 1, limit: 5, includeArchived: false })
    expect([tree.value?.note_count, messages(tree)]).toEqual([2, [TAKEN]])
    const listed = await listNodes(core, { path: 'People/', limit: 5 })
    expect([listed.value.total, messages(listed)]).toEqual([2, [TAKEN]])
  })

  test('is not guessed if several folders end with it', async () => {
    const core = await searchCore(FILES)
    const unknown = 'There is no folder "Drafts" with notes. Nearest: "New/Drafts", "Old/Drafts".'
    expect(await found(core, { folder: 'Drafts' })).toEqual([[], [unknown]])
    expect(await found(core, { query: 'folder:Drafts' })).toEqual([[], [unknown]])
  })

  test('is not guessed for one of several vaults, because the name may be a folder of another', async () => {
    const core = await searchCore(FILES)
    const answer = await findNodes(core, { ...FIND, query: 'folder:People' }, { isPart: true })
    expect([answer.value, messages(answer)]).toEqual([[], [expect.stringContaining('There is no folder "People"')]])
    expect((await findNodes(core, { ...FIND, folder: 'People' }, { isPart: true })).value).toEqual([])
  })
})

test('a misspelled folder inside others is suggested with its whole path', async () => {
  const core = await searchCore(FILES)
  expect(await found(core, { folder: 'Poeple' })).toEqual([
    [],
    ['There is no folder "Poeple" with notes. Nearest: "01 - Community/People".'],
  ])
  expect(await found(core, { folder: 'Draft' })).toEqual([
    [],
    ['There is no folder "Draft" with notes. Nearest: "New/Drafts", "Old/Drafts".'],
  ])
})

test('an unknown folder is named in every empty answer', async () => {
  const core = await searchCore(FILES)
  expect(await found(core, { query: 'folder:Receps' })).toEqual([[], [UNKNOWN]])
  expect(messages(await countNodes(core, { ...FIND, folder: 'Receps' }))).toEqual([UNKNOWN])
  expect(messages(await countNodes(core, { ...FIND, query: '-folder:Receps' }))).toEqual([UNKNOWN])
  expect(messages(await groupNodes(core, { ...FIND, folder: 'Receps', groupBy: 'folder' }))).toEqual([UNKNOWN])
})
