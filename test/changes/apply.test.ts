import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileChange } from '../../src/core/changes.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { bytes, Fate, fatedFiles, foldingFiles, makeWorld, sha, snapshot } from './rig.ts'

const replace = (path: string, from: string, to: string): FileChange => {
  return { kind: 'replace', path, before: sha(from), bytes: bytes(to) }
}

/** Applies changes to files and tells what came of it; when they are refused everything must be as before. */
async function check(files: Readonly<Record<string, string>>, changes: readonly FileChange[], expected: unknown): Promise<void> {
  const world = makeWorld(temporaryFolder(), files)
  const before = snapshot(world.root)
  const writer = world.open()
  const error = await writer.apply(changes, { title: 't' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const after = snapshot(world.root)
  if (error !== undefined) {
    expect(after).toEqual(before)
    expect(error).toMatchObject(expected as object)
  } else {
    expect(after).toEqual(expected)
    const [last] = writer.list(1)
    await writer.undo(last?.id ?? '')
    expect(snapshot(world.root)).toEqual(before)
    await writer.undo(writer.list(1)[0]?.id ?? '')
    expect(snapshot(world.root)).toEqual(expected)
  }
  writer.close()
}

describe('a change is made, taken back, and made again', () => {
  test.each<[string, Record<string, string>, FileChange[], Record<string, string>]>([
    ['a file', {}, [{ kind: 'create', path: 'x/y/a.md', bytes: bytes('A') }], { 'x/': '', 'x/y/': '', 'x/y/a.md': 'A' }],
    ['bytes', { 'a.md': 'A' }, [replace('a.md', 'A', '\ufeffÄ\r\n')], { 'a.md': Buffer.from('\ufeffÄ\r\n').toString('latin1') }],
    ['an empty file', { 'a.md': 'A' }, [replace('a.md', 'A', '')], { 'a.md': '' }],
    ['a name', { 'a.md': 'A' }, [{ kind: 'move', from: 'a.md', to: 'A.md', before: sha('A') }], { 'A.md': 'A' }],
    [
      'a name and bytes',
      { 'a.md': 'A', 'f/b.md': 'see a' },
      [
        replace('a.md', 'A', 'A2'),
        { kind: 'move', from: 'a.md', to: 'f/c.md', before: sha('A') },
        replace('f/b.md', 'see a', 'see c'),
      ],
      { 'f/': '', 'f/c.md': 'A2', 'f/b.md': 'see c' },
    ],
    [
      'a whole folder, with what is hidden in it',
      { 'f/a.md': 'A', 'f/.hidden': 'H', 'f/g/b.md': 'B' },
      [replace('f/g/b.md', 'B', 'B2'), { kind: 'move', from: 'f', to: 'deep/er', before: undefined }],
      { 'deep/': '', 'deep/er/': '', 'deep/er/a.md': 'A', 'deep/er/.hidden': 'H', 'deep/er/g/': '', 'deep/er/g/b.md': 'B2' },
    ],
    [
      'a note into the trash, and its folder',
      { 'f/a.md': 'A' },
      [
        { kind: 'move', from: 'f/a.md', to: '.trash/f/a.md', before: undefined },
        { kind: 'removeFolder', path: 'f' },
      ],
      { '.trash/': '', '.trash/f/': '', '.trash/f/a.md': 'A' },
    ],
    ['an empty folder', {}, [{ kind: 'makeFolder', path: 'a/b' }], { 'a/': '', 'a/b/': '' }],
    ['no folder that is not empty', { 'f/a.md': 'A' }, [{ kind: 'removeFolder', path: 'f' }], { 'f/': '', 'f/a.md': 'A' }],
    ['nothing', { 'a.md': 'A' }, [replace('a.md', 'A', 'A')], { 'a.md': 'A' }],
  ])('%s', (_, files, changes, expected) => check(files, changes, expected))

  test('keeps the mode', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A' })
    chmodSync(join(world.root, 'a.md'), 0o640)
    const writer = world.open()
    const { id } = await writer.apply([replace('a.md', 'A', 'B')], { title: 't' })
    expect(statSync(join(world.root, 'a.md')).mode & 0o777).toBe(0o640)
    await writer.undo(id)
    expect(statSync(join(world.root, 'a.md')).mode & 0o777).toBe(0o640)
    writer.close()
  })
})

describe('refused, with everything as before', () => {
  const create = (path: string): FileChange => ({ kind: 'create', path, bytes: bytes('X') })
  const move = (from: string, to: string): FileChange => ({ kind: 'move', from, to, before: undefined })
  const FILES = { 'a.md': 'A', 'f/b.md': 'B' }
  test.each<[string, FileChange, object]>([
    ['out of the vault', create('../x.md'), { code: 'PERMISSION_DENIED' }],
    ['by an absolute name', create('/x.md'), { code: 'PERMISSION_DENIED' }],
    ['by a drive', create('C:/x.md'), { code: 'PERMISSION_DENIED' }],
    ['with a backslash', create('f\\x.md'), { code: 'INVALID_PARAMS' }],
    ['with NUL', create('x\0.md'), { code: 'INVALID_PARAMS' }],
    ['with no name', create(''), { code: 'INVALID_PARAMS' }],
    ['with an empty folder name', create('f//x.md'), { code: 'INVALID_PARAMS' }],
    ['Obsidian’s own folder', create('.obsidian/app.json'), { code: 'PERMISSION_DENIED' }],
    ['a hidden file', move('a.md', 'f/.a.md'), { code: 'PERMISSION_DENIED' }],
    ['the trash itself', move('.trash', 'x'), { code: 'PERMISSION_DENIED' }],
    ['a name of a device', create('f/Aux.md'), { code: 'INVALID_PARAMS', candidates: ['f/Aux_.md'] }],
    ['what Windows cannot hold', create('what?.md'), { code: 'INVALID_PARAMS', candidates: ['what-.md'] }],
    ['what a link cannot say', create('a#b.md'), { code: 'INVALID_PARAMS', candidates: ['a-b.md'] }],
    ['a dot at the end', create('f./x.md'), { code: 'INVALID_PARAMS', candidates: ['f'] }],
    ['a file that is there', create('a.md'), { code: 'NODE_EXISTS' }],
    ['a case twin', create('F/B.md'), { code: 'NODE_EXISTS', candidates: ['f'] }],
    ['a move onto a file', move('a.md', 'f/b.md'), { code: 'NODE_EXISTS' }],
    ['a move onto itself', move('a.md', 'a.md'), { code: 'INVALID_PARAMS' }],
    ['a folder into itself', move('f', 'f/g'), { code: 'INVALID_PARAMS' }],
    ['a move of nothing', move('x.md', 'y.md'), { code: 'NODE_NOT_FOUND' }],
    ['a file as a folder', create('a.md/x.md'), { code: 'NODE_EXISTS' }],
    [
      'older bytes',
      replace('a.md', 'older', 'X'),
      { code: 'CONFLICT', candidates: [{ expected: `partial:${sha('older')}`, actual: `partial:${sha('A')}` }] },
    ],
    ['a file that is gone', replace('x.md', 'X', 'Y'), { code: 'CONFLICT' }],
    ['a stale move', { kind: 'move', from: 'a.md', to: 'c.md', before: sha('older') }, { code: 'CONFLICT' }],
  ])('%s', (_, change, expected) => check(FILES, [replace('f/b.md', 'B', 'B2'), change], expected))

  test('one path twice', () => check(FILES, [replace('a.md', 'A', 'B'), replace('a.md', 'A', 'C')], { code: 'INVALID_PARAMS' }))
  test('two that fold alike', () => check(FILES, [create('x.md'), create('X.md')], { code: 'INVALID_PARAMS' }))

  test('a symbolic link, and what is behind one', async () => {
    const folder = temporaryFolder()
    const world = makeWorld(folder, FILES)
    mkdirSync(join(folder, 'outside'))
    writeFileSync(join(folder, 'outside/o.md'), 'O')
    symlinkSync(join(folder, 'outside'), join(world.root, 'out'))
    symlinkSync(join(folder, 'outside/o.md'), join(world.root, 'o.md'))
    const writer = world.open()
    for (const change of [
      create('out/x.md'),
      replace('out/o.md', 'O', 'X'),
      replace('o.md', 'O', 'X'),
      move('o.md', 'p.md'),
      create('o.md'),
    ]) {
      await expect(writer.apply([change], { title: 't' })).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:PERMISSION_DENIED|NODE_EXISTS)$/),
      })
    }
    writer.close()
    expect(readFileSync(join(folder, 'outside/o.md'), 'utf8')).toBe('O')
  })

  test('a read-only file, and what settings forbid', async () => {
    const world = makeWorld(temporaryFolder(), FILES)
    chmodSync(join(world.root, 'a.md'), 0o444)
    const writer = world.open({ refusal: (path) => (path.startsWith('f/') ? 'write.deny says so' : undefined) })
    await expect(writer.apply([replace('a.md', 'A', 'B')], { title: 't' })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' })
    await expect(writer.apply([replace('f/b.md', 'B', 'C')], { title: 't' })).rejects.toMatchObject({
      message: '"f/b.md" cannot be written: write.deny says so.',
    })
    expect(existsSync(join(world.state, 'state.db'))).toBe(false)
    writer.close()
  })

  test('a vault that is not there', async () => {
    const world = makeWorld(temporaryFolder())
    const writer = world.open({ root: `${world.root}-gone` })
    await expect(writer.apply([create('x.md')], { title: 't' })).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
  })
})

describe('undo', () => {
  test('is refused with a difference when someone edited since', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'one\n', 'b.md': 'B' })
    const writer = world.open()
    const { id } = await writer.apply([replace('a.md', 'one\n', 'two\n'), replace('b.md', 'B', 'B2')], { title: 't' })
    writeFileSync(join(world.root, 'a.md'), 'two\nthree\n')
    const after = snapshot(world.root)
    await expect(writer.undo(id)).rejects.toMatchObject({
      code: 'CONFLICT',
      candidates: [{ path: 'a.md', difference: '--- a.md\texpected\n+++ a.md\tnow\n@@ -1,1 +1,2 @@\n two\n+three\n' }],
    })
    expect(snapshot(world.root)).toEqual(after)
    expect(writer.list(9).map(({ state }) => state)).toEqual(['done'])
    writer.close()
  })

  test('of what was undone or never was says so', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A' })
    const writer = world.open()
    const { id } = await writer.apply([replace('a.md', 'A', 'B')], { title: 'edit' })
    await writer.undo(id)
    await expect(writer.undo(id)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(writer.undo('nothing')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      candidates: [{ title: 'Undo: edit' }, { id }],
    })
    expect(writer.list(2)).toMatchObject([
      { title: 'Undo: edit', state: 'done', undoes: id },
      { title: 'edit', state: 'undone', files: [{ kind: 'replace', path: 'a.md' }] },
    ])
    writer.close()
  })
})

test('asking for what is unfinished, and listing, make nothing on disk', async () => {
  const world = makeWorld(temporaryFolder())
  const writer = world.open()
  expect(await writer.recover()).toEqual([])
  expect(writer.list(5)).toEqual([])
  expect(existsSync(world.state)).toBe(false)
})

describe('where names that differ in case alone are one', () => {
  test.each<[string, FileChange[], Record<string, string>]>([
    ['a note', [{ kind: 'move', from: 'f/note.md', to: 'f/Note.md', before: sha('N') }], { 'f/': '', 'f/Note.md': 'N' }],
    [
      'a note and its bytes',
      [replace('f/note.md', 'N', 'N2'), { kind: 'move', from: 'f/note.md', to: 'f/NOTE.md', before: sha('N') }],
      { 'f/': '', 'f/NOTE.md': 'N2' },
    ],
    ['a folder', [{ kind: 'move', from: 'f', to: 'F', before: undefined }], { 'F/': '', 'F/note.md': 'N' }],
  ])('%s gets another spelling, wholly or not at all, and back', async (_, changes, expected) => {
    const world = makeWorld(temporaryFolder(), { 'f/note.md': 'N' })
    const fs = foldingFiles(world.root)
    const before = snapshot(world.root)
    const writer = world.open({ fs })
    const { id } = await writer.apply(changes, { title: 't' })
    expect(snapshot(world.root)).toEqual(expected)
    await writer.undo(id)
    expect(snapshot(world.root)).toEqual(before)
    for (let at = 0; ; at++) {
      const fate = new Fate(at)
      const dying = world.open({ fs: fatedFiles(fate, fs) })
      await dying.apply(changes, { title: 't' }).catch(() => {})
      dying.close()
      if (!fate.isDead) break
      await writer.recover()
      const now = snapshot(world.root)
      expect([before, expected]).toContainEqual(now)
      if (JSON.stringify(now) !== JSON.stringify(before)) await writer.undo(writer.list(1)[0]?.id ?? '')
      expect(snapshot(world.root)).toEqual(before)
    }
    writer.close()
  })

  test('another spelling of a file is not that file', async () => {
    const world = makeWorld(temporaryFolder(), { 'f/note.md': 'N' })
    const writer = world.open({ fs: foldingFiles(world.root) })
    await expect(writer.apply([replace('f/Note.md', 'N', 'X')], { title: 't' })).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(writer.apply([{ kind: 'create', path: 'F/x.md', bytes: bytes('X') }], { title: 't' })).rejects.toMatchObject({
      code: 'NODE_EXISTS',
      candidates: ['f'],
    })
    writer.close()
    expect(snapshot(world.root)).toEqual({ 'f/': '', 'f/note.md': 'N' })
  })
})
