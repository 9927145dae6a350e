import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ChangeFiles } from '../../src/changes/file-system.ts'
import type { FileChange } from '../../src/core/changes.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { bytes, Fate, fatedDatabase, fatedFiles, makeWorld, quickFiles, sha, snapshot } from './rig.ts'

const FILES = { 'a.md': 'A', 'b.md': 'B', 'f/c.md': 'C', 'old/d.md': 'D' }
const CHANGES: readonly FileChange[] = [
  { kind: 'replace', path: 'a.md', before: sha('A'), bytes: bytes('A2') },
  { kind: 'replace', path: 'b.md', before: sha('B'), bytes: bytes('B2') },
  { kind: 'move', from: 'b.md', to: 'new/b.md', before: sha('B') },
  { kind: 'move', from: 'f/c.md', to: '.trash/c.md', before: undefined },
  { kind: 'create', path: 'n.md', bytes: bytes('N') },
  { kind: 'move', from: 'old', to: 'older', before: undefined },
  { kind: 'removeFolder', path: 'f' },
]

/** Calls `meet` before each call of the file system. */
function withEach(meet: (name: string) => void): ChangeFiles {
  const wrapped = Object.entries(quickFiles).map(([name, call]) => [
    name,
    (...values: never[]) => {
      meet(name)
      return (call as (...values: never[]) => unknown)(...values)
    },
  ])
  return Object.fromEntries(wrapped)
}

function deny(call: string, path: string): never {
  throw Object.assign(new Error(`EACCES: permission denied, ${call} '${path}'`), { code: 'EACCES' })
}

describe('a failing call', () => {
  test.each([
    // Every call with each of the two error codes, and a sample of the errors that map to them.
    ['ENOSPC', 'PROVIDER_ERROR', 1],
    ['EACCES', 'PERMISSION_DENIED', 1],
    ['EROFS', 'PERMISSION_DENIED', 7],
    ['EIO', 'PROVIDER_ERROR', 7],
  ] as const)('a call that fails with %s, at any position, leaves the vault unchanged', async (code, expected, step) => {
    const world = makeWorld(temporaryFolder(), FILES)
    const before = snapshot(world.root)
    for (let at = 0; ; at += step) {
      const fate = new Fate(at, code)
      // A file is opened only to look for late writes, which must not fail a change.
      const writer = world.open({ fs: { ...fatedFiles(fate), open: quickFiles.open } })
      const error = await writer.apply(CHANGES, { title: 'fails' }).catch((thrown: unknown) => thrown)
      if (fate.calls <= at) break
      expect([fate.names.at(-1), error]).toEqual([fate.names.at(-1), expect.objectContaining({ code: expected })])
      expect(snapshot(world.root)).toEqual(before)
      expect(writer.list(1).map(({ state }) => state)).not.toContain('applying')
      writer.close()
    }
  })

  test.each<[string, Partial<typeof quickFiles>, string]>([
    ['when writing a text', { create: (path) => deny('open', path) }, "permission denied, open 'f/c.md'"],
    ['when moving a file', { link: (_, to) => deny('link', to) }, "link 'new/b.md'"],
  ])("a failing call is reported with the note's path: %s", async (_, fs, message) => {
    const world = makeWorld(temporaryFolder(), FILES)
    const writer = world.open({ fs: { ...quickFiles, ...fs } })
    const changes: readonly FileChange[] = fs.create
      ? [{ kind: 'replace', path: 'f/c.md', before: sha('C'), bytes: bytes('C2') }]
      : [{ kind: 'move', from: 'b.md', to: 'new/b.md', before: sha('B') }]
    const error = await writer.apply(changes, { title: 'denied' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'PERMISSION_DENIED', message: expect.stringContaining(message) })
    expect(String(error)).not.toContain('.roux-')
    writer.close()
  })

  test('a damaged lock file is reported with what to do', async () => {
    const world = makeWorld(temporaryFolder(), FILES)
    const writer = world.open()
    await writer.apply(CHANGES.slice(0, 1), { title: 'first' })
    const [lock = ''] = readdirSync(join(world.state, 'locks')).filter((name) => name.endsWith('.lock'))
    writeFileSync(join(world.state, 'locks', lock), 'no database at all, but long enough to be looked at. '.repeat(100))
    const error = await writer.apply(CHANGES.slice(1), { title: 'second' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining(lock) })
    expect(error).toMatchObject({ hint: expect.stringContaining('Delete it') })
    rmSync(join(world.state, 'locks', lock))
    await writer.apply(CHANGES.slice(1), { title: 'third' })
    writer.close()
  })

  test('a permanent failure is rolled back by the next recovery', async () => {
    const world = makeWorld(temporaryFolder(), FILES)
    const before = snapshot(world.root)
    const fate = new Fate(60)
    const writer = world.open({ fs: fatedFiles(fate) })
    await expect(writer.apply(CHANGES, { title: 'fails' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(writer.list(1)[0]?.state).toBe('applying')
    writer.close()
    const next = world.open()
    expect(await next.recover()).toMatchObject([{ state: 'rolled_back', kept: [] }])
    expect(await next.recover()).toEqual([])
    next.close()
    expect(snapshot(world.root)).toEqual(before)
  })

  test('a failure of the journal leaves the vault untouched', async () => {
    const world = makeWorld(temporaryFolder(), FILES)
    const writer = world.open({ openDatabase: fatedDatabase(new Fate(3, 'ENOSPC')) })
    await expect(writer.apply(CHANGES, { title: 'fails' })).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(snapshot(world.root)).toEqual(snapshot(makeWorld(temporaryFolder(), FILES).root))
  })
})

test('syncs the journal before the file, and the file before its rename', async () => {
  const world = makeWorld(temporaryFolder(), { 'a.md': 'A', 'b.md': 'B' })
  const fate = new Fate()
  const writer = world.open({ fs: fatedFiles(fate), openDatabase: fatedDatabase(fate) })
  const changes: readonly FileChange[] = [
    { kind: 'replace', path: 'a.md', before: sha('A'), bytes: bytes('A2') },
    { kind: 'move', from: 'b.md', to: 'c.md', before: undefined },
  ]
  await writer.apply(changes, { title: 'order' })
  writer.close()
  const steps = fate.names.filter((name) =>
    /^(?:create|write|fsync|link|rename|syncFolder|unlink|sql (?:COMMIT|PRAGMA synchronous))/.test(name),
  )
  expect(steps.slice(steps.indexOf('create') - 1)).toEqual([
    'sql COMMIT',
    ...['create', 'write', 'fsync'],
    ...['rename', 'link', 'unlink'],
    ...['link', 'syncFolder', 'rename', 'syncFolder'],
    ...['unlink', 'unlink'],
    ...['sql PRAGMA synchronous =', 'sql COMMIT', 'sql PRAGMA synchronous ='],
  ])
})

describe('a user who edits during the write', () => {
  const REPLACE: FileChange = { kind: 'replace', path: 'a.md', before: sha('A'), bytes: bytes('A2') }
  const CREATE: FileChange = { kind: 'create', path: 'c.md', bytes: bytes('C') }

  test('a user gets back a file that was edited while it was displaced', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A', 'b.md': 'B' })
    const rename = (from: string, to: string) => {
      quickFiles.rename(from, to)
      if (to.endsWith('.old')) appendFileSync(to, ' human')
    }
    const writer = world.open({ fs: { ...quickFiles, rename } })
    await expect(writer.apply([REPLACE, CREATE], { title: 'late' })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(`expected to be partial:${sha('A')} and is now partial:`),
      candidates: [{ path: 'a.md', expected: `partial:${sha('A')}`, actual: `partial:${sha('A human')}` }],
    })
    writer.close()
    expect(snapshot(world.root)).toEqual({ 'a.md': 'A human', 'b.md': 'B' })
  })

  test('a user loses nothing by saving a new file between any two calls', async () => {
    for (let at = 0; ; at++) {
      const world = makeWorld(temporaryFolder(), { 'a.md': 'A' })
      let calls = 0
      const save = (text: string) => {
        writeFileSync(`${world.root}/.human`, text)
        renameSync(`${world.root}/.human`, `${world.root}/a.md`)
      }
      const meet = () => calls++ === at && save('human')
      const writer = world.open({ fs: withEach(meet) })
      await writer.apply([REPLACE], { title: 'late' }).catch(() => {})
      writer.close()
      if (calls <= at) break
      expect([at, snapshot(world.root)]).toEqual([at, { 'a.md': 'human' }])
    }
  })

  test.each<[string, Readonly<Record<string, string>>]>([
    ['that succeeds', {}],
    ['that is taken back', { 'c.md': 'human' }],
  ])('a user who has a file open during a change %s loses nothing by writing to it at any moment', async (_, taken) => {
    const text = 'A human'
    const run = async (openAt: number, writeAt: number): Promise<number> => {
      const world = makeWorld(temporaryFolder(), { 'a.md': 'A' })
      const note = `${world.root}/a.md`
      let calls = 0
      let file: number | undefined
      const open = () => {
        file ??= openSync(note, 'r+')
      }
      const save = () => {
        if (file === undefined) return
        ftruncateSync(file, 0)
        writeSync(file, text, 0)
        closeSync(file)
        file = undefined
      }
      const meet = (name: string) => {
        if (name === 'fsync') for (const [path, content] of Object.entries(taken)) writeFileSync(`${world.root}/${path}`, content)
        // For a moment, no file has the name, and an editor would try again.
        if (calls >= openAt && calls < writeAt && existsSync(note)) open()
        if (calls++ === writeAt) save()
      }
      const writer = world.open({ fs: withEach(meet) })
      await writer.apply([REPLACE, CREATE], { title: 'late' }).catch(() => {})
      const callsOfChange = calls
      if (writeAt >= callsOfChange) open()
      save()
      writer.close()
      const texts = Object.entries(snapshot(world.root)).flatMap(([name, each]) => (/^a.*\.md$/.test(name) ? [each] : []))
      expect([openAt, writeAt, texts]).toEqual([openAt, writeAt, expect.arrayContaining([text])])
      return callsOfChange
    }
    const calls = await run(0, Number.POSITIVE_INFINITY)
    for (let at = 1; at < calls; at++) {
      await run(0, at)
      await run(at, Number.POSITIVE_INFINITY)
    }
  })

  test('what a program writes after the change becomes a conflicted copy within seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A', 'b.md': 'B' })
    const files = ['a.md', 'b.md'].map((path) => openSync(`${world.root}/${path}`, 'r+'))
    const writer = world.open()
    const second: FileChange = { kind: 'replace', path: 'b.md', before: sha('B'), bytes: bytes('B2') }
    await writer.apply([REPLACE, second], { title: 'late' })
    writeSync(files[0] as number, ' human', 1)
    const copy = `a (conflicted copy ${new Date().toISOString().slice(0, 10)}).md`
    expect(snapshot(world.root)).toEqual({ 'a.md': 'A2', 'b.md': 'B2' })
    vi.advanceTimersByTime(2_000)
    expect(snapshot(world.root)).toEqual({ 'a.md': 'A2', 'b.md': 'B2', [copy]: 'A human' })
    writer.close()
    for (const fd of files) closeSync(fd)
  })

  test('a change succeeds if the file it removes cannot be opened or closed to look for late writes', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A' })
    const fs = { ...quickFiles, open: () => deny('open', 'a.md') }
    const writer = world.open({ fs })
    await writer.apply([REPLACE], { title: 'not opened' })
    Object.assign(fs, { open: quickFiles.open })
    await writer.apply([{ ...REPLACE, before: sha('A2'), bytes: bytes('A3') }], { title: 'not closed' })
    Object.assign(fs, { close: () => deny('close', 'a.md') })
    writer.close()
    expect(snapshot(world.root)).toEqual({ 'a.md': 'A3' })
  })

  test.each<[string, string, Readonly<Record<string, string>>]>([
    ['in the nearest folder that is left', 'human', { 'a (conflicted copy DAY).md': 'human' }],
    ['unless the file has the same content', 'A2', { 'f/': '', 'f/a.md': 'A2' }],
  ])('late writes are kept %s', async (_, text, expected) => {
    const world = makeWorld(temporaryFolder(), { 'f/a.md': 'A' })
    const file = openSync(`${world.root}/f/a.md`, 'r+')
    const writer = world.open()
    await writer.apply([{ ...REPLACE, path: 'f/a.md' }], { title: 'late' })
    writeSync(file, text, 0)
    closeSync(file)
    if (!('f/a.md' in expected)) rmSync(`${world.root}/f`, { recursive: true })
    writer.close()
    const day = new Date().toISOString().slice(0, 10)
    const files = Object.entries(expected).map(([path, content]) => [path.replace('DAY', day), content])
    expect(snapshot(world.root)).toEqual(Object.fromEntries(files))
  })

  test('the bytes of a removed file are read again only if it was written to', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A', 'b.md': 'B' })
    const hourAgo = new Date(Date.now() - 3_600_000)
    for (const path of ['a.md', 'b.md']) utimesSync(`${world.root}/${path}`, hourAgo, hourAgo)
    const file = openSync(`${world.root}/b.md`, 'r+')
    const read: string[] = []
    const readOpen = (fd: number) => {
      const content = quickFiles.readOpen(fd)
      read.push(Buffer.from(content).toString())
      return content
    }
    const writer = world.open({ fs: { ...quickFiles, readOpen } })
    const second: FileChange = { kind: 'replace', path: 'b.md', before: sha('B'), bytes: bytes('B2') }
    await writer.apply([REPLACE, second], { title: 'late' })
    writeSync(file, 'H', 0)
    closeSync(file)
    writer.close()
    expect(read).toEqual(['H'])
  })

  test.each<[string, FileChange, string]>([
    ['a conflict', CREATE, 'CONFLICT'],
    ['another failure', { kind: 'create', path: 'denied.md', bytes: bytes('D') }, 'PERMISSION_DENIED'],
  ])('a user who saves twice learns where the first version is: %s', async (_, other, code) => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A' })
    const save = (text: string) => {
      writeFileSync(`${world.root}/.human`, text)
      renameSync(`${world.root}/.human`, `${world.root}/a.md`)
    }
    const rename = (from: string, to: string) => {
      quickFiles.rename(from, to)
      if (to.endsWith('.old')) appendFileSync(to, ' human')
    }
    const link = (from: string, to: string) => {
      if (to.endsWith('denied.md')) {
        save('second')
        deny('link', to)
      }
      quickFiles.link(from, to)
      if (to.endsWith('c.md')) save('second')
    }
    const writer = world.open({ fs: { ...quickFiles, rename, link } })
    const error = await writer.apply([REPLACE, other], { title: 'late' }).catch((thrown: unknown) => thrown)
    writer.close()
    const copy = `a (conflicted copy ${new Date().toISOString().slice(0, 10)}).md`
    expect(snapshot(world.root)).toEqual({ 'a.md': 'second', [copy]: 'A human' })
    expect(error).toMatchObject({ code, message: expect.stringContaining(copy) })
    expect(String(error)).not.toMatch(/as before\.|nothing else/)
  })

  test('a file created by the user in the meantime is not overwritten', async () => {
    const world = makeWorld(temporaryFolder(), { 'a.md': 'A' })
    const create = (path: string, mode: number) => {
      writeFileSync(`${world.root}/c.md`, 'human')
      return quickFiles.create(path, mode)
    }
    const writer = world.open({ fs: { ...quickFiles, create } })
    await expect(writer.apply([REPLACE, CREATE], { title: 'late' })).rejects.toMatchObject({ code: 'CONFLICT' })
    writer.close()
    expect(snapshot(world.root)).toEqual({ 'a.md': 'A', 'c.md': 'human' })
  })

  test("a user's edits to files of a dead writer are kept, and the next change reports them", async () => {
    const world = makeWorld(temporaryFolder(), FILES)
    const reference = world.open()
    const { id } = await reference.apply(CHANGES, { title: 'whole' })
    await reference.undo(id)
    reference.close()
    for (let at = 40; ; at++) {
      const fate = new Fate(at)
      const writer = world.open({ fs: fatedFiles(fate) })
      await writer.apply(CHANGES, { title: 'dies' }).catch(() => {})
      writer.close()
      if (!fate.isDead) break
      const found = Object.entries(snapshot(world.root)).find(([path, text]) => path === 'a.md' && text === 'A2')
      if (found === undefined) {
        const recovering = world.open()
        await recovering.recover()
        recovering.close()
        continue
      }
      writeFileSync(`${world.root}/a.md`, 'human')
      const next = world.open()
      const { notes } = await next.apply([{ kind: 'makeFolder', path: 'x' }], { title: 'the next change' })
      expect(notes).toEqual([expect.stringContaining('except for files edited since: "a.md" (')])
      await next.undo(next.list(1)[0]?.id ?? '')
      next.close()
      expect(snapshot(world.root)).toEqual({ ...snapshot(makeWorld(temporaryFolder(), FILES).root), 'a.md': 'human' })
      return
    }
    expect.unreachable()
  })
})
