import { chmodSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { diskFiles } from '../../src/changes/file-system.ts'
import { openChanges } from '../../src/changes/open-changes.ts'
import { planOperations } from '../../src/changes/plan/plan-operations.ts'
import type { Operation } from '../../src/core/operations.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { openVaultView } from '../../src/workers/files/vault-view.ts'
import { Fate, fatedDatabase, fatedFiles } from '../changes/rig.ts'
import { writable } from '../support/writable-vault.ts'

const create = (id: string, content = ''): Operation => ({ kind: 'create', id, content })
const move = (id: string, to: string): Operation => ({ kind: 'move', id, to })

describe('a write', () => {
  test('is in the index at once, also in new folders', async () => {
    const vault = await writable({ 'f/a.md': '[[b]]', 'b.md': '' })
    await vault.write(move('f', 'g'))
    await vault.write(create('f/a', '[[b]]'))
    await vault.write({ kind: 'update', id: 'f/a', append: '[[g/a]]', updateLinks: false })
    expect(await vault.edges()).toEqual(['f/a.md -> b.md x1', 'f/a.md -> g/a.md x1', 'g/a.md -> b.md x1'])
  })

  test('runs after the previous one, in any mix of calls', async () => {
    const vault = await writable({ 'a.md': '' })
    const add = (text: string): Operation => ({ kind: 'update', id: 'a', append: text, updateLinks: false })
    await Promise.all([vault.write(add('1')), vault.write(create('b')), vault.write(add('2')), vault.write(move('a', 'c'))])
    expect(vault.files()).toEqual({ 'b.md': '', 'c.md': '1\n\n2' })
  })

  test('is in the list of changes', async () => {
    const vault = await writable()
    const { changeId = '' } = await vault.write(create('a', 'A'), { title: 'create_node a' })
    expect(await vault.writes.changes(5)).toMatchObject([
      { id: changeId, title: 'create_node a', state: 'done', files: [{ kind: 'create', path: 'a.md' }] },
    ])
  })

  test('stays written if indexing fails afterwards, and reports that', async () => {
    const vault = await writable()
    const { changes } = vault
    const apply = changes.apply.bind(changes)
    changes.apply = async (list, options) => {
      const applied = await apply(list, options)
      rmSync(vault.root, { recursive: true })
      return applied
    }
    const result = await vault.write(create('a'))
    expect(result.changeId).toBeDefined()
    await expect(vault.write(create('b'))).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
  })
})

describe('a file that is not indexed yet', () => {
  test('can be edited and deleted, also in another spelling', async () => {
    const vault = await writable({ 'a.md': '' })
    vault.put('F/new.md', 'N')
    await vault.write({ kind: 'update', id: 'f/NEW', append: 'x', updateLinks: false })
    vault.put('F/other.md', 'O')
    const { files } = await vault.write([{ kind: 'delete', id: 'f/other' }, create('b', 'B')])
    expect(files).toMatchObject([{ kind: 'deleted', from: 'F/other.md' }, { kind: 'created' }])
    expect(vault.files()).toEqual({ 'a.md': '', 'b.md': 'B', 'F/new.md': 'N\n\nx', '.trash/F/other.md': 'O' })
  })

  test('that was deleted frees its name', async () => {
    const vault = await writable({ 'a.md': 'A' })
    await vault.write({ kind: 'delete', id: 'a' })
    vault.put('a.md', 'again')
    await vault.service.reconcile()
    rmSync(join(vault.root, 'a.md'))
    await vault.write({ kind: 'restore', id: 'a' })
    expect(vault.files()).toEqual({ 'a.md': 'A' })
  })
})

test('every operation on a missing vault reports that it is missing', async () => {
  const vault = await writable({ 'a.md': 'A' })
  rmSync(vault.root, { recursive: true })
  const missing = { code: 'VAULT_NOT_FOUND' }
  await expect(vault.write({ kind: 'update', id: 'a', append: 'x', updateLinks: false })).rejects.toMatchObject(missing)
  await expect(vault.write({ kind: 'delete', id: 'a' })).rejects.toMatchObject(missing)
  await expect(vault.write(create('b'))).rejects.toMatchObject(missing)
})

describe('a dry run refuses what the write would refuse', () => {
  test.each<[string, Operation]>([
    ['a folder behind a symbolic link', create('outside/a')],
    ['the way into one', move('a', 'outside/x')],
    ['a file that is read-only', { kind: 'update', id: 'closed', append: 'x', updateLinks: false }],
    ['a read-only folder, out of it', move('locked/a', 'x')],
    ['a read-only folder, into it', move('a', 'locked/b/x')],
    ['a read-only folder, a folder out of it', move('locked/f', 'x')],
    ['a read-only folder, a new text in it', { kind: 'update', id: 'locked/a', append: 'x', updateLinks: false }],
  ])('%s', async (_, operation) => {
    const fs = { ...diskFiles, isWritable: (folder: string) => !folder.endsWith('/locked') }
    const vault = await writable({ 'a.md': 'A', 'closed.md': 'C', 'locked/a.md': 'L', 'locked/f/b.md': '' }, { changes: { fs } })
    chmodSync(join(vault.root, 'closed.md'), 0o444)
    symlinkSync(vault.state, join(vault.root, 'outside'))
    await vault.service.reconcile()
    const before = vault.snapshot()
    const denied = { code: 'PERMISSION_DENIED' }
    await expect(vault.write(operation, { dryRun: true })).rejects.toMatchObject(denied)
    await expect(vault.write(operation)).rejects.toMatchObject(denied)
    expect(vault.snapshot()).toEqual(before)
  })
})

test('a note keeps its creation time through edits and moves', async () => {
  const vault = await writable({ 'f/a.md': 'A [b](b.md)', 'f/b.md': '' })
  const bornAt = async (path: string) =>
    await vault.service.exclusively(async ({ indexer }) => (await indexer.openView()).known.get(path)?.stat.birthtime)
  const born = await bornAt('f/a.md')
  expect(born).toBeGreaterThan(0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  await vault.write({ kind: 'update', id: 'f/a', append: 'x', updateLinks: false })
  expect(statSync(join(vault.root, 'f/a.md')).birthtimeMs).not.toBe(born)
  expect(await bornAt('f/a.md')).toBe(born)
  // Rewriting the note's own link creates a new file under a new name.
  const { changeId = '' } = await vault.write(move('f/a', 'g/h/c'))
  expect(await bornAt('g/h/c.md')).toBe(born)
  await vault.write(move('g', 'z'))
  expect(await bornAt('z/h/c.md')).toBe(born)
  await vault.write(move('z', 'g'))
  await vault.writes.undo(changeId)
  expect(await bornAt('f/a.md')).toBe(born)
})

describe('undo', () => {
  test('reports each file', async () => {
    const vault = await writable({ 'a.md': 'A', 'b.md': '[[a]]', 'c.md': '' })
    const request = [create('f/new'), move('a', 'g/z'), { kind: 'delete', id: 'c' } as const]
    const { changeId = '' } = await vault.write(request)
    const undone = await vault.writes.undo(changeId)
    expect(undone.changeId).not.toBe(changeId)
    expect([...undone.files].sort((a, b) => ((a.from ?? '') < (b.from ?? '') ? -1 : 1))).toEqual([
      { kind: 'moved', from: '.trash/c.md', to: 'c.md', relinked: [] },
      { kind: 'changed', from: 'b.md', to: 'b.md', relinked: [] },
      { kind: 'deleted', from: 'f/new.md', relinked: [] },
      { kind: 'moved', from: 'g/z.md', to: 'a.md', relinked: [] },
    ])
    expect(vault.files()).toEqual({ 'a.md': 'A', 'b.md': '[[a]]', 'c.md': '' })
    const redone = await vault.writes.undo(undone.changeId ?? '')
    expect(redone.files).toContainEqual({ kind: 'created', to: 'f/new.md', relinked: [] })
    expect(redone.files).toContainEqual({ kind: 'deleted', from: 'c.md', relinked: [] })
  })

  test('is refused if a file changed since, or if the change is unknown', async () => {
    const vault = await writable({ 'a.md': 'A' })
    const { changeId = '' } = await vault.write({ kind: 'update', id: 'a', content: 'B', updateLinks: false })
    vault.put('a.md', 'by hand')
    await expect(vault.writes.undo(changeId)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(vault.text('a.md')).toBe('by hand')
    await expect(vault.writes.undo('nope')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      hint: expect.stringContaining('candidates'),
      candidates: [{ id: changeId, title: 'test' }],
    })
    const none = await (await writable()).writes.undo('nope').catch((error: unknown) => error)
    expect(none).toMatchObject({ code: 'INVALID_PARAMS', hint: expect.stringContaining('the history is empty') })
    expect(none).not.toHaveProperty('candidates.0')
  })
})

describe('a change left half done by a dead process', () => {
  test.each([
    ['rename', false],
    [12, false],
    [20, false],
    // By now, only temporary files remain to be removed.
    [63, true],
  ])('is undone or completed, and indexed (the process died at %j)', async (at, isEnded) => {
    const files = { 'a.md': 'A', 'b.md': '[[a]]', 'c.md': '[[a]]' }
    const vault = await writable(files)
    const edges = await vault.edges()
    const fate = new Fate(at)
    const dying = openChanges({
      root: vault.root,
      stateFolder: vault.state,
      openDatabase: fatedDatabase(fate),
      fs: fatedFiles(fate),
    })
    onTestFinished(() => dying.close())
    const { changes: plan } = await planned(vault, move('a', 'f/z'))
    await expect(dying.apply(plan, { title: 'dies' })).rejects.toThrow()
    await vault.service.reconcile()
    await vault.writes.recover()
    expect(vault.files()).toEqual(isEnded ? { 'b.md': '[[z]]', 'c.md': '[[z]]', 'f/z.md': 'A' } : files)
    expect(await vault.edges()).toEqual(isEnded ? ['b.md -> f/z.md x1', 'c.md -> f/z.md x1'] : edges)
  })

  test('is indexed, with later edits, when a caller asks for its outcome', async () => {
    const vault = await writable({ 'b.md': '' })
    const { changeId: id = '' } = await vault.write(create('a', '[[b]]'))
    const kept = [{ path: 'a.md', reason: 'it was changed since' }]
    const { changes } = vault
    const recover = changes.recover.bind(changes)
    changes.recover = async () => {
      changes.recover = recover
      vault.put('a.md', '[[b]] [[b]]')
      return [{ id, title: '', state: 'rolled_back', paths: ['a.md'], kept }]
    }
    expect(await vault.writes.outcomeOf(id)).toMatchObject({ kept })
    expect(await vault.edges()).toEqual(['a.md -> b.md x2'])
    expect(await vault.writes.outcomeOf(id), 'of what was recovered before').toMatchObject({ kept })
    expect(await vault.writes.outcomeOf('none')).toBeUndefined()
  })

  test('without such a change, nothing is created on disk', async () => {
    const vault = await writable({ 'a.md': '' })
    rmSync(vault.state, { recursive: true, force: true })
    await vault.writes.recover()
    expect(() => openSqlite(join(vault.state, 'state.db'))).toThrow()
  })
})

/** The changes of an operation, as another process would write them. */
async function planned(vault: Awaited<ReturnType<typeof writable>>, operation: Operation) {
  return await vault.service.exclusively(async (access) => planOperations(await openVaultView(access, 'lower'), [operation]))
}

test('a plan is applied exactly as shown, even if the index reads its files again in between', async () => {
  const texts = { 'a.md': '[[t]] #x', 'b.md': '[[t]] #x [[u]] <a href="f/t.md">', 'c.md': '[[t]] #x' }
  const vault = await writable({ ...texts, 'f/t.md': '', 'f/u.md': '[[t]]' })
  const operations: readonly Operation[] = [move('f/t', 'g/v'), move('f', 'h'), { kind: 'renameTag', tag: 'x', to: 'y' }]
  for (const operation of operations) {
    const dry = await vault.write(operation, { dryRun: true })
    expect(dry.files[0]?.kind, 'what was asked for comes first').toBe(operation.kind === 'move' ? 'moved' : 'changed')
    for (const [path, text] of Object.entries(texts).slice(0, 2)) {
      vault.put(path, '')
      await vault.service.reconcile()
      vault.put(path, text)
      await vault.service.reconcile()
    }
    expect({ ...(await vault.write(operation, { dryRun: true })), planId: dry.planId }).toEqual(dry)
    const done = await vault.writes.run({ title: 'test', operations: [], dryRun: false, planId: dry.planId ?? '' })
    expect({ ...done, changeId: undefined }).toEqual({ ...dry, planId: undefined })
    await vault.writes.undo(done.changeId ?? '')
  }
})

test('updates links in a file that is not indexed yet', async () => {
  const vault = await writable({ 'x.md': '', 'a.md': 'nothing' })
  vault.put('a.md', 'now [[x]]')
  await vault.write({ kind: 'move', id: 'x', to: 'y' })
  expect(vault.files()['a.md']).toBe('now [[y]]')
})

test('rejects a value given twice', async () => {
  const vault = await writable({})
  const create = { kind: 'create', id: 'a', content: '', tags: ['x'], properties: { Tags: ['y'] } } as const
  await expect(vault.write(create)).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
})

test.each([
  { tags: [], properties: { tags: ['y'] } },
  { title: 'T', properties: { Title: 'U' } },
  { properties: { Up: 'x' }, relations: { up: ['b'] } },
])('rejects a value given twice for an existing note: %j', async (members) => {
  const vault = await writable({ 'a.md': '---\ntags: [x]\n---\n' })
  const update = { kind: 'update', id: 'a', updateLinks: false, ...members } as const
  await expect(vault.write(update)).rejects.toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining('twice') })
})
