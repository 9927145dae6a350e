import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Operation } from '../../../src/core/operations.ts'
import { temporaryFolder } from '../../support/temporary.ts'
import { writable } from '../../support/writable-vault.ts'
import { sha } from '../rig.ts'
import { check, refuse } from './checked.ts'

const remove = (id: string, expectedHash?: string): Operation => ({
  kind: 'delete',
  id,
  ...(expectedHash === undefined ? {} : { expectedHash }),
})
const restore = (id: string): Operation => ({ kind: 'restore', id })

test('restores the last deleted version, however many files were deleted since', async () => {
  const vault = await writable({ 'a.md': 'first' })
  await vault.write(remove('a'))
  vault.put('a.md', 'second')
  await vault.service.reconcile()
  await vault.write(remove('a'))
  for (let n = 0; n < 45; n++) vault.put(`n${n}.md`, `${n}`)
  await vault.service.reconcile()
  await vault.write(Array.from({ length: 25 }, (_, n) => remove(`n${n}`)))
  for (let n = 25; n < 45; n++) await vault.write(remove(`n${n}`))
  await vault.write(restore('a'))
  expect(vault.files()['a.md']).toBe('second')
  await vault.write(restore('n3'))
  expect(vault.files()['n3.md']).toBe('3')
})

describe('deleting', () => {
  test('moves a file to the same folder in the trash and names broken links', async () => {
    const files = { 'F/a.md': '[[b]]', 'b.md': '\n[[a]] [[F/a#x]]', 'c.md': '[[b]]' }
    const { vault, result } = await check(files, remove('f/A'), { 'F/a.md': null, '.trash/F/a.md': '[[b]]' })
    expect(result).toMatchObject({
      files: [{ kind: 'deleted', from: 'F/a.md' }],
      subjects: [undefined],
      diff: expect.stringContaining('Deleted: F/a.md'),
    })
    expect(result.dangling).toEqual([
      { path: 'b.md', line: 2, text: 'a', reason: 'nothing has this name anymore' },
      { path: 'b.md', line: 2, text: 'F/a', reason: 'nothing has this name anymore' },
    ])
    expect(await vault.edges()).toEqual(['b.md -> (F/a) x1', 'b.md -> (a) x1', 'c.md -> b.md x1'].sort())
  })

  test.each(['what? #1.md', 'a: b.md', 'x|y.md', '[z].md'])(
    'deletes and restores a file whose name is not allowed for new files: %s',
    async (name) => {
      const { vault } = await check({ [name]: 'text', 'b.md': '' }, remove(name), { [name]: null, [`.trash/${name}`]: 'text' })
      await vault.write(restore(name))
      expect(vault.files()[name]).toBe('text')
    },
  )

  test('deletes and restores a twin beside the other', async () => {
    await check({ 'A.md': 'one', 'a.md': 'two' }, remove('A.md', sha('one')), { 'A.md': null, '.trash/A.md': 'one' })
  })

  test('names links that now lead to another file', async () => {
    const { result } = await check({ 'a.md': '', 'f/a.md': '', 'b.md': '[[a]]' }, remove('a'), {
      'a.md': null,
      '.trash/a.md': '',
    })
    expect(result.dangling).toEqual([{ path: 'b.md', line: 1, text: 'a', reason: 'it now leads to "f/a.md"' }])
  })

  test('numbers a name that the trash already has, ignoring case', async () => {
    await check({ 'a.md': '1', '.trash/A.md': '0', '.trash/a 1.md': '0' }, remove('a'), { 'a.md': null, '.trash/a 2.md': '1' })
    await check(
      { 'f/p.png': '1', '.trash/f/p.png': '0' },
      { kind: 'deleteAttachment', id: 'f/p.png' },
      { 'f/p.png': null, '.trash/f/p 1.png': '1' },
    )
    await check({ 'f/b': '1', '.trash/f/b': '0' }, { kind: 'deleteAttachment', id: 'f/b' }, { 'f/b': null, '.trash/f/b 1': '1' })
  })

  test.each<[string, Operation, object]>([
    ['a note that changed since it was seen', remove('a', sha('old')), { code: 'CONFLICT' }],
    ['an ambiguous twin', remove('t'), { code: 'INVALID_PARAMS' }],
    ['an unknown note', remove('nope'), { code: 'NODE_NOT_FOUND' }],
    ['an attachment', remove('p.png'), { code: 'INVALID_PARAMS', hint: 'delete_attachment deletes it.' }],
    [
      'a note as an attachment',
      { kind: 'deleteAttachment', id: 'a' },
      { code: 'INVALID_PARAMS', hint: 'delete_node deletes it.' },
    ],
    ['a path outside the vault', remove('../x'), { code: 'PERMISSION_DENIED' }],
    ["Obsidian's settings", remove('.obsidian/app.json'), { code: 'PERMISSION_DENIED' }],
  ])('does not delete %s', async (_, operation, error) => {
    await refuse({ 'a.md': 'A', 'T.md': '1', 't.md': '2', 'p.png': '', '.obsidian/app.json': '{}' }, operation, error)
  })
})

describe('restoring', () => {
  test('restores the newest version byte for byte, with its links', async () => {
    const vault = await writable({ 'F/a.md': 'one \r\n', 'b.md': '[[a]]' })
    await vault.write(remove('f/a'))
    vault.put('F/a.md', Buffer.from([0xff, 0x0a]))
    await vault.service.reconcile(['F/a.md'])
    await vault.write(remove('f/a'))
    const result = await vault.write(restore('f/a'))
    expect(result.subjects).toEqual(['F/a.md'])
    expect(vault.raw('F/a.md')).toBe('\u00ff\n')
    expect(await vault.edges()).toEqual(['b.md -> f/a.md x1'])
    await vault.write(remove('f/a'))
    expect(Object.keys(vault.files())).toEqual(['.trash/F/a 1.md', '.trash/F/a.md', 'b.md'])
    await vault.write(restore('F/A.md'))
    await vault.write({ kind: 'move', id: 'f/a', to: 'moved' })
    await vault.write(restore('f/a'))
    expect(vault.files()).toMatchObject({ 'F/a.md': 'one \r\n', 'moved.md': '\ufffd\n' })
  })

  test('distinguishes a numbered trash file from a note with such a name', async () => {
    const vault = await writable({ 'a.md': 'a', 'a 1.md': 'the first' })
    await vault.write(remove('a'))
    await vault.write(remove('a 1'))
    await vault.write(restore('a'))
    await vault.write(restore('a 1'))
    expect(vault.files()).toEqual({ 'a.md': 'a', 'a 1.md': 'the first' })
  })

  test('finds files by name that other programs have moved to the trash', async () => {
    await check(
      { '.trash/f/a.md': '0', '.trash/f/a 1.md': '1', '.trash/f/a 10.md': '10', '.trash/f/a b.md': '' },
      restore('f/a'),
      { '.trash/f/a 10.md': null, 'f/a.md': '10' },
    )
    await refuse({ '.trash/a 1.md': '1' }, restore('a'), { code: 'NODE_NOT_FOUND' })
  })

  test('uses the current spelling of the folder', async () => {
    await check({ '.trash/f/a.md': '0', 'F/x.md': '' }, restore('f/a'), { '.trash/f/a.md': null, 'F/a.md': '0' })
  })

  test('deleting and restoring in one request changes nothing', async () => {
    const { result } = await check({ 'a.md': 'A', 'b.md': '[[a]]' }, [remove('a'), restore('a')], {})
    expect(result).toMatchObject({ files: [], dangling: [] })
  })

  test('refuses an existing path, an unknown file and a path outside the vault', async () => {
    await refuse({ '.trash/a.md': '0', 'A.md': '' }, restore('a'), { code: 'NODE_EXISTS' })
    await refuse({ '.trash/a.md': '0' }, restore('b'), { code: 'NODE_NOT_FOUND' })
    await refuse({ '.trash/a.md': '0' }, restore('../a'), { code: 'PERMISSION_DENIED' })
  })

  test('does not follow symbolic links', async () => {
    const vault = await writable()
    const outside = temporaryFolder()
    mkdirSync(join(vault.root, '.trash'))
    symlinkSync(outside, join(vault.root, '.trash', 'f'))
    symlinkSync('/etc/hostname', join(outside, 'a.md'))
    await expect(vault.write(restore('f/a'))).rejects.toMatchObject({ code: 'NODE_NOT_FOUND' })
  })
})
