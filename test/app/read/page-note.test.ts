import { expect, test } from 'vitest'
import { pageNote } from '../../../src/app/read/page-note.ts'
import { fakeCore, fakeStore } from '../../support/fake-store.ts'
import { GARDEN } from '../../support/garden.ts'
import { searchCore } from '../search-core.ts'

const shown = async (id: string) => {
  const core = await searchCore({ 'Index.md': 'See [[Deep Work]].\n' })
  const answer = await pageNote(core, { id })
  await core.close()
  return answer
}

test.each(['deep work', 'Deep Work'])('shows a linked but missing note as missing for %j', async (id) => {
  const { value, warnings } = await shown(id)
  expect(value).toMatchObject({ id: 'deep work', title: 'Deep Work', kind: 'missing', text: '', left_out: 0, links: [] })
  expect(value).not.toHaveProperty('path')
  expect(warnings).toEqual([])
})

test("gives the name of the vault's folder without its path", async () => {
  const core = { ...fakeCore(fakeStore(GARDEN)), root: '/home/me/My notes' }
  expect((await pageNote(core, { id: 'home.md' })).value).toMatchObject({ folder: 'My notes', path: 'Home.md' })
})

test('a name that no note links to is null, with a warning', async () => {
  const { value, warnings } = await shown('deeper work')
  expect(value).toBeNull()
  expect(warnings.map(({ code }) => code)).toEqual(['UNKNOWN_ID'])
})

test('a missing note that only an excluded note links to is null', async () => {
  const core = fakeCore(fakeStore({ ...GARDEN, 'Hidden.md': { body: 'See [[Secret]].\n', excluded: true } }))
  expect((await pageNote(core, { id: 'secret' })).value).toBeNull()
  expect((await pageNote(core, { id: 'nowhere' })).value).toMatchObject({ kind: 'missing' })
})
