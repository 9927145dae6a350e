import { expect, test } from 'vitest'
import { listProperties, type PropertiesArguments } from '../../../src/app/read/tags-and-properties.ts'
import { searchCore } from '../search-core.ts'

const NOTES = {
  'a.md': '---\nStatus: done\nrating: 4\n---\n',
  'b.md': '---\nstatus: [open, Done]\nstart: 2024-01-01\n---\n',
  'c.md': `---\nstatus: ${'long '.repeat(100)}\nempty:\n---\n`,
}

async function ask(args: Partial<PropertiesArguments> = {}) {
  const core = await searchCore(NOTES)
  const { value, warnings } = await listProperties(core, { limit: 20, offset: 0, ...args })
  await core.close()
  return { value, warnings }
}

test('lists properties with counts and kinds, most used first', async () => {
  expect(await ask()).toEqual({
    value: {
      properties: [
        { key: 'status', count: 3, kinds: ['text', 'list'] },
        { key: 'empty', count: 1, kinds: ['empty'] },
        { key: 'rating', count: 1, kinds: ['number'] },
        { key: 'start', count: 1, kinds: ['date'] },
      ],
      total: 4,
    },
    warnings: [],
  })
})

test('pages through properties and filters by prefix', async () => {
  expect((await ask({ offset: 1, limit: 1 })).value).toMatchObject({ properties: [{ key: 'empty' }], total: 4 })
  expect((await ask({ prefix: 'STA', offset: 1 })).value).toMatchObject({ properties: [{ key: 'start' }], total: 2 })
})

test('counts values ignoring case, each list item on its own, and cuts long ones', async () => {
  const { value } = await ask({ key: '#STATUS' })
  expect(value).toEqual({
    values: [
      { value: 'Done', count: 2 },
      { value: expect.stringMatching(/^long long .* \[truncated\]$/), count: 1 },
      { value: 'open', count: 1 },
    ],
    total: 3,
  })
  expect((await ask({ key: 'status', prefix: 'o' })).value).toEqual({ values: [{ value: 'open', count: 1 }], total: 1 })
})

test('warns about an unknown property with the nearest name', async () => {
  expect(await ask({ key: 'statsu' })).toEqual({
    value: { values: [], total: 0 },
    warnings: [{ code: 'UNKNOWN_ID', message: 'No note has the property "statsu". Nearest: "status".' }],
  })
  expect((await ask({ key: 'empty' })).warnings).toEqual([])
})

test('explains when a property has no listable values', async () => {
  const core = await searchCore({ 'a.md': '---\nmade of: {a: 1}\n---\n' })
  const { value, warnings } = await listProperties(core, { key: 'Made of', limit: 20 })
  expect(value).toEqual({ values: [], total: 0 })
  const message =
    'The property "made of" has no values to list (object): find_nodes with #"made of"= finds the notes that have it.'
  expect(warnings).toEqual([{ code: 'NOTICE', message }])
  await core.close()
})
