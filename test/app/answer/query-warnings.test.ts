import { expect, test } from 'vitest'
import { type FindArguments, findNodes } from '../../../src/app/find/find-nodes.ts'
import { searchCore } from '../search-core.ts'

const NOTES = {
  'Home.md':
    '---\nstatus: done\nrating: 4\n---\n# Home\n\n- [x] sow beans\n- [ ] water the *roses*\n- [ ] prune roses and beans\n',
  'Roses.md': '---\nstatus: open\ntags: [project/garden]\n---\nAt [[Home]] and [[Nowhere]].\n',
}

async function ask(query: string, args: Partial<FindArguments> = {}) {
  const core = await searchCore(NOTES)
  const { value, warnings } = await findNodes(core, {
    query,
    limit: 10,
    orderBy: 'relevance',
    includeArchived: false,
    ...args,
  })
  await core.close()
  return { found: value.map(({ id, line, snippet }) => [id, line, snippet]), warnings }
}

test('a task query shows the matching tasks and the line of the first', async () => {
  expect((await ask('task:open')).found).toEqual([['home.md', 8, '- [ ] water the *roses*\n- [ ] prune roses and beans']])
  expect((await ask('task:done')).found).toEqual([['home.md', 7, '- [x] sow beans']])
  expect((await ask('task:open roses beans')).found).toEqual([['home.md', 9, '- [ ] prune roses and beans']])
})

test('finds notes that link to a note by its title, also when the target does not exist', async () => {
  expect((await ask('links:home')).found.map(([id]) => id)).toEqual(['roses.md'])
  expect(await ask('links:Nowhere')).toMatchObject({ found: [['roses.md', 5, 'At [[Home]] and [[Nowhere]].']], warnings: [] })
  expect((await ask('linkedfrom:Roses')).found.map(([id]) => id)).toEqual(['home.md'])
})

test('a query that names an unknown note is an error with the nearest ids', async () => {
  for (const query of ['links:rosses', '-linkedfrom:rosses', 'beans OR -linkedfrom:rosses'])
    await expect(ask(query)).rejects.toMatchObject({
      code: 'NODE_NOT_FOUND',
      message: 'There is no note "rosses".',
      candidates: ['roses.md'],
    })
})

test('warns only about the innermost set that matches no note', async () => {
  const notice = (set: string) => ({
    code: 'NOTICE',
    message: `No note matches the set ${set}, so no note links to it or is linked from it.`,
  })
  expect(await ask('links:( title:nothing )')).toEqual({ found: [], warnings: [notice('( title:nothing )')] })
  expect((await ask('-linkedfrom:(links:(links:(task:done nothing)))')).warnings).toEqual([notice('(task:done nothing)')])
  expect((await ask('links:(task:done)')).warnings).toEqual([])
  expect((await ask('links:(#projct)')).warnings).toMatchObject([{ code: 'UNKNOWN_ID' }, notice('(#projct)')])
})

test('warns about an unknown property with the nearest name, also when it is negated', async () => {
  expect((await ask('#statsu=done')).warnings).toEqual([
    { code: 'UNKNOWN_ID', message: 'No note has the property "statsu". Nearest: "status".' },
  ])
  expect((await ask('-#statsu=done')).warnings).toMatchObject([{ code: 'UNKNOWN_ID' }])
  expect((await ask('#status=done')).warnings).toEqual([])
})

test('warns about an unknown value with the nearest one, and about a property written like a tag', async () => {
  expect((await ask('#status=opne')).warnings).toEqual([
    { code: 'UNKNOWN_ID', message: 'No note has the value "opne" in the property "status". Nearest: "open".' },
  ])
  expect((await ask('#status=waiting')).warnings).toEqual([
    {
      code: 'UNKNOWN_ID',
      message: 'No note has the value "waiting" in the property "status". find_nodes with group_by "status" lists its values.',
    },
  ])
  expect((await ask('-#status=waiting')).warnings).toEqual([])
  expect((await ask('#status=open task:done')).warnings).toEqual([])
  expect((await ask('#rating')).warnings).toMatchObject([
    { code: 'UNKNOWN_ID' },
    {
      code: 'NOTICE',
      message: '"rating" is a property: #rating= finds notes that have it, and #rating=value finds notes with that value.',
    },
  ])
})

test('explains how to write a property if the query writes it like a tag', async () => {
  const { found, warnings } = await ask('-#rating')
  expect(found).toHaveLength(2)
  expect(warnings).toMatchObject([
    { code: 'UNKNOWN_ID', message: 'No note has the tag "#rating".' },
    { code: 'NOTICE', message: expect.stringContaining('"rating" is a property: #rating= finds notes that have it') },
  ])
})

test('does not warn about a value inside a text that lists several', async () => {
  const core = await searchCore({ 'Film.md': '---\ngenre: drama, comedy\n---\n' })
  const args = { query: '#genre=comedy task:open', limit: 10, orderBy: 'relevance', includeArchived: false } as const
  expect(await findNodes(core, args)).toMatchObject({ value: [], warnings: [] })
})

test('warns about an unknown tag with the nearest one, also when it is negated', async () => {
  expect((await ask('#projct')).warnings).toEqual([
    { code: 'UNKNOWN_ID', message: 'No note has the tag "#projct". Nearest: "project".' },
  ])
  expect((await ask('-tag:nothing roses')).warnings).toMatchObject([
    { code: 'UNKNOWN_ID', message: 'No note has the tag "#nothing".' },
  ])
  expect((await ask('#Project')).warnings).toEqual([])
})

test('a comparison with text explains why it finds nothing and what to write', async () => {
  expect(await ask('#status>3')).toEqual({
    found: [],
    warnings: [
      {
        code: 'NOTICE',
        message:
          'The property "status" has no numbers or dates to compare (text). Write #status=value; find_nodes with group_by "status" lists its values.',
      },
    ],
  })
  expect((await ask('#rating>5')).warnings).toEqual([])
})
