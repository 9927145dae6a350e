import { expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { resolveNames } from '../../../src/cli/tools/prepare.ts'
import { fakeCore } from '../../support/fake-store.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'

const FILES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  home: { 'Work: plan.md': 'x', 'work:list.md': 'x', 'Both.md': 'x' },
  work: { 'list.md': 'x', 'Both.md': 'x' },
}
const vaults = vaultsOnDemand(Object.keys(FILES), async (name = '') => {
  const { store } = await new IndexedVault(new MemoryVault(FILES[name] ?? {}), {}, name).index()
  return { ...fakeCore(store), name }
})
const idOf = async (id: string, more: object = {}) => (await resolveNames(vaults, { names: { id: 'note' } }, { id, ...more })).id

test.each([
  ['work:List', 'work:list.md'],
  ['home:work:list', 'home:work:list.md'],
  ['Work: plan', 'home:work: plan.md'],
  ['home:Work: plan', 'home:work: plan.md'],
  ['work:nothing', 'work:nothing'],
  ['nothing', 'nothing'],
])('with several vaults, "%s" resolves to %s', async (name, id) => {
  expect(await idOf(name)).toBe(id)
})

test('each of several names is a title or an id', async () => {
  const { ids } = await resolveNames(vaults, { names: { ids: 'note' } }, { ids: ['Work: plan', 'work:list.md', 'nothing', 4] })
  expect(ids).toEqual(['home:work: plan.md', 'work:list.md', 'nothing', 4])
})

test('a title in several vaults is an error, and `vault` selects one', async () => {
  await expect(idOf('Both')).rejects.toMatchObject({ code: 'AMBIGUOUS_NAME', candidates: ['home:both.md', 'work:both.md'] })
  expect(await idOf('Both', { vault: 'work' })).toBe('work:both.md')
})
