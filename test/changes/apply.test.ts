import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileChange } from '../../src/core/changes.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { bytes, Fate, fatedFiles, foldingFiles, makeWorld, sha, snapshot } from './rig.ts'

const replace = (path: string, from: string, to: string): FileChange => {
  return { kind: 'replace', path, before: sha(from), bytes: bytes(to) }
}

/** Applies changes to files and compares the result; a refusal must leave everything unchanged. Then undoes and redoes them. */
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

describe('apply, undo and redo', () => {
  test.each<[string, Record<string, string>, FileChange[], Record<string, string>]>([
    [
      'creates a file in new folders',
      {},
      [{ kind: 'create', path: 'x/y/a.md', bytes: bytes('A') }],
      { 'x/': '', 'x/y/': '', 'x/y/a.md': 'A' },
    ],
    [
      'replaces bytes',
      { 'a.md': 'A' },
      [replace('a.md', 'A', '\ufeffÄ\r\n')],
      { 'a.md': Buffer.from('\ufeffÄ\r\n').toString('latin1') },
    ],
    ['empties a file', { 'a.md': 'A' }, [replace('a.md', 'A', '')], { 'a.md': '' }],
    ['renames a file', { 'a.md': 'A' }, [{ kind: 'move', from: 'a.md', to: 'A.md', before: sha('A') }], { 'A.md': 'A' }],
    [
      'renames and edits',
      { 'a.md': 'A', 'f/b.md': 'see a' },
      [
        replace('a.md', 'A', 'A2'),
        { kind: 'move', from: 'a.md', to: 'f/c.md', before: sha('A') },
        replace('f/b.md', 'see a', 'see c'),
      ],
      { 'f/': '', 'f/c.md': 'A2', 'f/b.md': 'see c' },
    ],
    [
      'moves a folder with hidden files',
      { 'f/a.md': 'A', 'f/.hidden': 'H', 'f/g/b.md': 'B' },
      [replace('f/g/b.md', 'B', 'B2'), { kind: 'move', from: 'f', to: 'deep/er', before: undefined }],
      { 'deep/': '', 'deep/er/': '', 'deep/er/a.md': 'A', 'deep/er/.hidden': 'H', 'deep/er/g/': '', 'deep/er/g/b.md': 'B2' },
    ],
    [
      'moves a note to the trash and removes its folder',
      { 'f/a.md': 'A' },
      [
        { kind: 'move', from: 'f/a.md', to: '.trash/f/a.md', before: undefined },
        { kind: 'removeFolder', path: 'f' },
      ],
      { '.trash/': '', '.trash/f/': '', '.trash/f/a.md': 'A' },
    ],
    ['creates an empty folder', {}, [{ kind: 'makeFolder', path: 'a/b' }], { 'a/': '', 'a/b/': '' }],
    [
      'does not remove a folder that is not empty',
      { 'f/a.md': 'A' },
      [{ kind: 'removeFolder', path: 'f' }],
      { 'f/': '', 'f/a.md': 'A' },
    ],
    ['changes nothing', { 'a.md': 'A' }, [replace('a.md', 'A', 'A')], { 'a.md': 'A' }],
  ])('%s', (_, files, changes, expected) => check(files, changes, expected))

  test('keeps the file mode', async () => {
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

describe('refused changes leave everything unchanged', () => {
  const create = (path: string): FileChange => ({ kind: 'create', path, bytes: bytes('X') })
  const move = (from: string, to: string): FileChange => ({ kind: 'move', from, to, before: undefined })
  const FILES = { 'a.md': 'A', 'f/b.md': 'B' }
  test.each<[string, FileChange, object]>([
    ['outside the vault', create('../x.md'), { code: 'PERMISSION_DENIED' }],
    ['an absolute path', create('/x.md'), { code: 'PERMISSION_DENIED' }],
    ['a drive letter', create('C:/x.md'), { code: 'PERMISSION_DENIED' }],
    ['a backslash', create('f\\x.md'), { code: 'INVALID_PARAMS' }],
    ['a NUL character', create('x\0.md'), { code: 'INVALID_PARAMS' }],
    ['an empty path', create(''), { code: 'INVALID_PARAMS' }],
    ['an empty folder name', create('f//x.md'), { code: 'INVALID_PARAMS' }],
    ['Obsidian’s own folder', create('.obsidian/app.json'), { code: 'PERMISSION_DENIED' }],
    ['a hidden file', move('a.md', 'f/.a.md'), { code: 'PERMISSION_DENIED' }],
    ['the trash itself', move('.trash', 'x'), { code: 'PERMISSION_DENIED' }],
    ['the name of a device', create('f/Aux.md'), { code: 'INVALID_PARAMS', hint: 'Use "Aux_.md".', candidates: undefined }],
    [
      'a name that Windows does not allow',
      create('what?.md'),
      { code: 'INVALID_PARAMS', hint: 'Use "what-.md".', candidates: undefined },
    ],
    [
      'a name that a link cannot contain',
      create('a#b.md'),
      { code: 'INVALID_PARAMS', hint: 'Use "a-b.md".', candidates: undefined },
    ],
    ['a trailing dot', create('f./x.md'), { code: 'INVALID_PARAMS', hint: 'Use "f".', candidates: undefined }],
    ['an existing file', create('a.md'), { code: 'NODE_EXISTS' }],
    ['a case twin', create('F/B.md'), { code: 'NODE_EXISTS', candidates: ['f'] }],
    ['a move onto a file', move('a.md', 'f/b.md'), { code: 'NODE_EXISTS' }],
    ['a move onto itself', move('a.md', 'a.md'), { code: 'INVALID_PARAMS' }],
    ['a folder into itself', move('f', 'f/g'), { code: 'INVALID_PARAMS' }],
    ['a move of a missing file', move('x.md', 'y.md'), { code: 'NODE_NOT_FOUND' }],
    ['a file as a folder', create('a.md/x.md'), { code: 'NODE_EXISTS' }],
    [
      'an outdated version',
      replace('a.md', 'older', 'X'),
      { code: 'CONFLICT', candidates: [{ expected: `partial:${sha('older')}`, actual: `partial:${sha('A')}` }] },
    ],
    ['a removed file', replace('x.md', 'X', 'Y'), { code: 'CONFLICT' }],
    ['a stale move', { kind: 'move', from: 'a.md', to: 'c.md', before: sha('older') }, { code: 'CONFLICT' }],
  ])('%s', (_, change, expected) => check(FILES, [replace('f/b.md', 'B', 'B2'), change], expected))

  test('the same path twice', () =>
    check(FILES, [replace('a.md', 'A', 'B'), replace('a.md', 'A', 'C')], { code: 'INVALID_PARAMS' }))
  test('two paths that differ only in case', () => check(FILES, [create('x.md'), create('X.md')], { code: 'INVALID_PARAMS' }))

  test('a symbolic link, or a path through one', async () => {
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

  test('a read-only file, or a path that settings forbid', async () => {
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

  test('a missing vault', async () => {
    const world = makeWorld(temporaryFolder())
    const writer = world.open({ root: `${world.root}-gone` })
    await expect(writer.apply([create('x.md')], { title: 't' })).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
  })
})

describe('undo', () => {
  test('undo is refused with a diff when the file was edited since', async () => {
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

  test('the diff names a file on one line, with readable letters', async () => {
    const path = 'é\n.md'
    const world = makeWorld(temporaryFolder(), { [path]: 'one\n' })
    const writer = world.open()
    const { id } = await writer.apply([replace(path, 'one\n', 'two\n')], { title: 't' })
    writeFileSync(join(world.root, path), 'three\n')
    const difference = '--- "é\\n.md"\texpected\n+++ "é\\n.md"\tnow\n@@ -1,1 +1,1 @@\n-two\n+three\n'
    await expect(writer.undo(id)).rejects.toMatchObject({ candidates: [{ difference }] })
    writer.close()
  })

  test('an undo lists only folders that it removes', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A', 'b.md': 'B' })
    const writer = world.open()
    const trash = (name: string): FileChange => ({ kind: 'move', from: name, to: `.trash/x/${name}`, before: undefined })
    const { id: first } = await writer.apply([trash('a.md')], { title: 't' })
    const { id: second } = await writer.apply([trash('b.md')], { title: 't' })
    expect((await writer.undo(first)).files.map(({ kind }) => kind)).toEqual(['move'])
    expect(writer.list(1)[0]?.files.map(({ kind }) => kind)).toEqual(['move'])
    expect(snapshot(world.root)).toEqual({ '.trash/': '', '.trash/x/': '', '.trash/x/b.md': 'B', 'a.md': 'A' })
    await writer.undo(second)
    const { id: create } = await writer.apply([{ kind: 'create', path: 'n/m/c.md', bytes: bytes('C') }], { title: 't' })
    expect((await writer.undo(create)).files).toMatchObject([{ kind: 'remove' }, { path: 'n/m' }, { path: 'n' }])
    writer.close()
  })

  test('undoing an undone or unknown change is an error with the recent changes', async () => {
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

test('recover and list create nothing on disk', async () => {
  const world = makeWorld(temporaryFolder())
  const writer = world.open()
  expect(await writer.recover()).toEqual([])
  expect(writer.list(5)).toEqual([])
  expect(existsSync(world.state)).toBe(false)
})

describe('on a case-insensitive file system', () => {
  test.each<[string, FileChange[], Record<string, string>]>([
    ['a note', [{ kind: 'move', from: 'f/note.md', to: 'f/Note.md', before: sha('N') }], { 'f/': '', 'f/Note.md': 'N' }],
    [
      'a note and its bytes',
      [replace('f/note.md', 'N', 'N2'), { kind: 'move', from: 'f/note.md', to: 'f/NOTE.md', before: sha('N') }],
      { 'f/': '', 'f/NOTE.md': 'N2' },
    ],
    ['a folder', [{ kind: 'move', from: 'f', to: 'F', before: undefined }], { 'F/': '', 'F/note.md': 'N' }],
  ])('renaming %s to another case is atomic and can be undone', async (_, changes, expected) => {
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

  test('another spelling does not address the same file', async () => {
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
