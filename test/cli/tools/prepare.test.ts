import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vaultsOnDemand } from '../../../src/app/vaults.ts'
import { UsageError } from '../../../src/cli/host.ts'
import { resolveNames, withoutShellPaths } from '../../../src/cli/tools/prepare.ts'
import type { LoadedVault } from '../../../src/config/load-vaults.ts'
import { fakeCore } from '../../support/fake-store.ts'
import { IndexedVault, MemoryVault } from '../../support/memory-vault.ts'
import { temporaryFolder } from '../../support/temporary.ts'

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

const TOOL = { names: { id: 'note', ids: 'note', folder: 'place', change_id: 'place' } } as const

function makeVault() {
  const above = temporaryFolder()
  const root = join(above, 'notes')
  mkdirSync(join(root, 'Plans'), { recursive: true })
  mkdirSync(join(above, 'other'))
  writeFileSync(join(root, 'Plans/Garden.md'), 'Beds.\n')
  return { above, root }
}

function inVault(root: string, more: Partial<LoadedVault> = {}) {
  return { ...more, settings: { vault: { path: root } } } as LoadedVault
}

function read(args: Readonly<Record<string, unknown>>, { cwd, vaults }: { cwd: string; vaults: readonly LoadedVault[] }) {
  return withoutShellPaths(TOOL, args, { cwd, vaults })
}

test.each([
  ['./Plans/Garden.md', 'Plans/Garden.md'],
  ['../notes/Plans/Garden.md', 'Plans/Garden.md'],
  ['./Plans/', 'Plans/'],
  ['./New note.md', 'New note.md'],
  ['.', ''],
  ['Plans/Garden.md', 'Plans/Garden.md'],
  ['.hidden.md', '.hidden.md'],
  ['...', '...'],
  ['/nowhere/at all.md', '/nowhere/at all.md'],
])("%s, typed in the vault's folder, becomes %j", (id, expected) => {
  const { root } = makeVault()
  expect(read({ id, limit: 3 }, { cwd: root, vaults: [inVault(root)] })).toEqual({ id: expected, limit: 3 })
})

test('an absolute path is resolved in the vault that contains it', () => {
  const { above, root } = makeVault()
  const vaults = [inVault(join(above, 'other'), { name: 'other' }), inVault(root, { name: 'notes' })]
  const given = { ids: [join(root, 'Plans/Garden.md'), 'Garden'], folder: join(root, 'Plans') }
  expect(read(given, { cwd: '/', vaults })).toEqual({ ids: ['notes:Plans/Garden.md', 'Garden'], folder: 'notes:Plans' })
})

test('resolves a symbolic link to a vault, but keeps a note that is a symbolic link', () => {
  const { above, root } = makeVault()
  const link = join(above, 'link')
  symlinkSync(root, link)
  symlinkSync(join(root, 'Plans/Garden.md'), join(root, 'Link.md'))
  expect(read({ id: join(link, 'Plans/Garden.md') }, { cwd: '/', vaults: [inVault(root)] })).toEqual({ id: 'Plans/Garden.md' })
  expect(read({ id: './Link.md' }, { cwd: root, vaults: [inVault(root)] })).toEqual({ id: 'Link.md' })
})

test('rejects a folder outside every vault, with the option that names a vault', () => {
  const { above, root } = makeVault()
  const other = join(above, 'other')
  const refused = () => read({ folder: other }, { cwd: root, vaults: [inVault(root)] })
  expect(refused).toThrow(UsageError)
  expect(refused).toThrow(`${other} is not inside a vault.`)
  expect(() => read({ folder: '../other' }, { cwd: root, vaults: [inVault(root)] })).toThrow('is not inside a vault')
})

test('does not resolve paths of a vault that is served from a database', () => {
  const { root } = makeVault()
  const stored = [inVault(root, { stored: 'notes' })]
  expect(read({ id: join(root, 'Plans/Garden.md') }, { cwd: '/', vaults: stored })).toEqual({ id: join(root, 'Plans/Garden.md') })
})
