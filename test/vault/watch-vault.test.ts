import { EventEmitter } from 'node:events'
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Dirty } from '../../src/core/vault.ts'
import { type WatchOptions, watchVault } from '../../src/vault/watch-vault.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { countWatches, mirrorVault } from './mirror.ts'
import { type Files, OPTIONS, pathsOf, writeFiles } from './support.ts'

const isLinux = process.platform === 'linux'

/** A watched vault in its own folder; `write` and `at` take its paths. */
async function watched(files: Files, options: Partial<WatchOptions> = {}) {
  const folder = temporaryFolder()
  const root = join(folder, 'vault')
  writeFiles(root, { './': '', ...files })
  const mirror = await mirrorVault(root, options)
  return { ...mirror, folder, root, at: (name: string) => join(root, name), write: (written: Files) => writeFiles(root, written) }
}

/** Checks that an edit of every existing file is noticed at the end. */
async function checkSeesEdits({ root, settle, vault }: Awaited<ReturnType<typeof watched>>): Promise<void> {
  await settle()
  await sleep(300)
  await settle()
  for (const name of pathsOf(vault.list())) writeFiles(root, { [name]: `edited ${Math.random()}` })
  await settle()
}

const ENGINES: readonly (readonly [string, Partial<WatchOptions>])[] = [
  ...(isLinux ? [['inotify', { engine: 'inotify' }] as const] : []),
  ['chokidar', { engine: 'chokidar' }],
  ['polling', { watch: 'polling', polling: { shortest: 50, longest: 100 } }],
]

test.runIf(isLinux)('a settled watcher on Linux has reported every earlier change', async () => {
  const root = temporaryFolder()
  writeFiles(root, { 'f/a.md': '' })
  const noticed: (string | undefined)[] = []
  const watcher = watchVault(root, { ...OPTIONS, watch: 'auto', onNoticed: (file) => noticed.push(file) }, () => {})
  onTestFinished(() => watcher.close())
  await watcher.ready
  for (let edit = 0; edit < 20; edit++) {
    writeFiles(root, { [`f/${edit}.md`]: 'x' })
    // There is no turn of the event loop between the change and the question.
    expect(await watcher.settle()).toBe(true)
    expect(noticed).toContain(`f/${edit}.md`)
  }
  // A new folder is reported as a whole, or it is not watched yet.
  writeFiles(root, { 'new/b.md': '' })
  expect([await watcher.settle(), noticed.includes(undefined)]).not.toEqual([true, false])
})

test('a watcher that polls, or follows links out of the vault, never claims to know all changes', async () => {
  for (const options of [{ watch: 'polling' }, { linkRoots: [temporaryFolder()] }] as const) {
    const watcher = watchVault(temporaryFolder(), { ...OPTIONS, watch: 'auto', ...options }, () => {})
    onTestFinished(() => watcher.close())
    await watcher.ready
    expect(await watcher.settle()).toBe(false)
  }
})

describe.each(ENGINES)('watching by %s', (engine, options) => {
  test('sees files appear, change and disappear', async () => {
    const vault = await watched({ 'a.md': '', 'f/b.md': '' }, options)
    vault.write({ 'a.md': 'more', 'f/c.md': '', 'd.png': '' })
    await vault.settle()
    unlinkSync(vault.at('f/b.md'))
    renameSync(vault.at('a.md'), vault.at('f/a.md'))
    await vault.settle()
    expect(pathsOf(vault.vault.list())).toEqual(['d.png', 'f/a.md', 'f/c.md'])
    await checkSeesEdits(vault)
  })

  test('sees atomic replacement, and editors that write twice', async () => {
    const vault = await watched({ 'f/a.md': 'one' }, options)
    for (let i = 0; i < 5; i += 1) {
      writeFileSync(vault.at('f/.a.md.tmp'), `version ${i}${'!'.repeat(i)}`)
      renameSync(vault.at('f/.a.md.tmp'), vault.at('f/a.md'))
      await vault.settle()
      writeFileSync(vault.at('f/a.md'), '')
      writeFileSync(vault.at('f/a.md'), `twice ${'!'.repeat(i)}`)
      await vault.settle()
    }
    renameSync(vault.at('f/a.md'), vault.at('f/a.md~'))
    vault.write({ 'f/a.md': 'new' })
    unlinkSync(vault.at('f/a.md~'))
    await checkSeesEdits(vault)
  })

  test('sees the contents of new folders, however quickly they appear', async () => {
    const vault = await watched({ 'a.md': '' }, options)
    for (let i = 0; i < 20; i += 1) {
      vault.write({ [`n${i}/x/y/a.md`]: '', [`n${i}/x/b.md`]: '' })
      await sleep(i % 7)
      vault.write({ [`n${i}/x/y/late.md`]: '' })
    }
    await checkSeesEdits(vault)
  })

  test('sees folders move in, around, out and back', async () => {
    const vault = await watched({ 'd/e/a.md': '', 'd/b.md': '', 'c.md': '' }, options)
    const out = join(vault.folder, 'out')
    renameSync(vault.at('d'), out)
    await vault.settle()
    expect(pathsOf(vault.vault.list())).toEqual(['c.md'])
    renameSync(out, vault.at('d'))
    await checkSeesEdits(vault)
    renameSync(vault.at('d/e'), vault.at('e2'))
    await checkSeesEdits(vault)
    writeFiles(vault.folder, { 'new/g/n.md': '' })
    renameSync(join(vault.folder, 'new'), vault.at('d/new'))
    await checkSeesEdits(vault)
    rmSync(vault.at('d'), { recursive: true })
    await checkSeesEdits(vault)
  })

  test('sees a checkout of a thousand files', async () => {
    const names = Array.from({ length: 1000 }, (_, i) => `f${i % 13}/g${i % 7}/n${i}.md`)
    const vault = await watched(Object.fromEntries(names.map((name) => [name, 'a'])), options)
    vault.write(Object.fromEntries(names.map((name) => [name, 'bb'])))
    await vault.settle()
    for (const name of names.filter((_, i) => i % 3 === 0)) unlinkSync(vault.at(name))
    vault.write(Object.fromEntries(names.map((name) => [`new/${name}`, 'c'])))
    await vault.settle()
    expect(vault.vault.list().files).toHaveLength(1666)
  })

  test('survives the root disappearing and returning', async () => {
    const vault = await watched({ 'f/a.md': '', 'b.md': '' }, options)
    rmSync(vault.root, { recursive: true })
    await vault.until(() => vault.told.some((dirty) => dirty.all))
    await sleep(400)
    writeFiles(vault.root, { 'f/a.md': 'back', 'c.md': '' })
    await checkSeesEdits(vault)
    renameSync(vault.root, join(vault.folder, 'parked'))
    await sleep(400)
    renameSync(join(vault.folder, 'parked'), vault.root)
    await checkSeesEdits(vault)
  })

  test('sees names of all kinds', async () => {
    const names = [
      'Große Notizen/Über uns.md',
      'Cafe\u0301 f/Cafe\u0301.md',
      '🗂️ hub/🗂️.md',
      ' lead/ a .md',
      '-rf/-x.md',
      'it\'s/q"uo.md',
    ]
    const vault = await watched(Object.fromEntries(names.map((name) => [name, ''])), options)
    await checkSeesEdits(vault)
    for (const name of names) unlinkSync(vault.at(name))
    await vault.settle()
    expect(vault.vault.list().files).toEqual([])
  })

  test.skipIf(process.platform === 'win32')('sees edits under a root that is a symbolic link', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'real/f/a.md': '' })
    symlinkSync('real', join(folder, 'alias'))
    const mirror = await mirrorVault(join(folder, 'alias'), options)
    writeFiles(folder, { 'alias/f/a.md': 'x', 'real/b.md': 'y' })
    await mirror.settle()
    if (engine !== 'polling')
      expect(mirror.told.flatMap((dirty) => dirty.files)).toEqual(expect.arrayContaining(['f/a.md', 'b.md']))
  })

  test('sees changes of the filters, and new markers', async () => {
    const vault = await watched({ 'a.md': '', 'f/b.md': '' }, options)
    vault.write({ '.obsidian/app.json': '{"userIgnoreFilters":["f/"]}' })
    await vault.until(() => vault.told.some((dirty) => dirty.all))
    await vault.settle()
    await sleep(300)
    await vault.settle()
    vault.told.length = 0
    vault.write({ '.obsidian/app.json': '{"userIgnoreFilters":[]}' })
    await vault.until(() => vault.told.some((dirty) => dirty.all))
    await vault.until(() => !vault.vault.list().files.some((file) => file.excluded))
    await vault.settle()
  })

  test('sees .gitignore change, and the files that it shows again', async () => {
    const vault = await watched({ '.gitignore': 'out/', 'out/deep/a.md': '', 'b.md': '' }, { ...options, gitignore: true })
    vault.write({ '.gitignore': '# nothing' })
    await checkSeesEdits(vault)
    expect(pathsOf(vault.vault.list())).toEqual(['b.md', 'out/deep/a.md'])
    vault.write({ '.gitignore': 'b.md' })
    await checkSeesEdits(vault)
  })

  test.skipIf(process.platform === 'win32')('sees changes behind followed links', async () => {
    const folder = temporaryFolder()
    writeFiles(folder, { 'vault/a.md': '', 'other/g/b.md': '' })
    symlinkSync('../other', join(folder, 'vault/o'))
    const mirror = await mirrorVault(join(folder, 'vault'), { ...options, linkRoots: [join(folder, 'other')] })
    writeFiles(folder, { 'other/g/b.md': 'x', 'other/c.md': '' })
    await mirror.settle()
    expect(pathsOf(mirror.vault.list())).toEqual(['a.md', 'o/c.md', 'o/g/b.md'])
  })

  test('reports nothing after closing', async () => {
    const { watchVault } = await import('../../src/vault/watch-vault.ts')
    const vault = await watched({ 'a.md': '' }, options)
    const told: unknown[] = []
    const watcher = watchVault(
      vault.root,
      { ignore: [], gitignore: false, linkRoots: [], mode: 'auto', watch: 'auto', ...options },
      (dirty) => told.push(dirty),
    )
    await watcher.ready
    await watcher.close()
    told.length = 0
    vault.write({ 'a.md': 'x' })
    await vault.settle()
    await sleep(200)
    expect(told).toEqual([])
  })
})

describe.skipIf(engineMissing('inotify'))('on Linux', () => {
  test('uses one watch per listed folder, and none for files', async () => {
    const before = countWatches()
    const files = Array.from({ length: 300 }, (_, i) => [`f/g${i % 5}/n${i}.md`, ''] as const)
    const vault = await watched(
      {
        ...Object.fromEntries(files),
        'node_modules/p/a.md': '',
        '.git/objects/a': '',
        'skip/x/a.md': '',
        'out/y/a.md': '',
        '.gitignore': 'out',
      },
      { ignore: ['skip'], gitignore: true },
    )
    expect(countWatches() - before).toBe(7)
    vault.write({ 'new/deep/a.md': '', 'skip/z/a.md': '', 'f/node_modules/q/a.md': '' })
    await vault.until(() => countWatches() - before === 9)
    rmSync(vault.at('f'), { recursive: true })
    await vault.until(() => countWatches() - before === 3)
  })

  test("watches the application's settings folder itself, but not below it", async () => {
    const before = countWatches()
    const vault = await watched({ '.obsidian/plugins/x/main.js': '', 'a.md': '' })
    expect(countWatches() - before).toBe(2)
    vault.write({ '.obsidian/workspace.json': '{}', '.obsidian/plugins/y/main.js': '' })
    vault.write({ 'a.md': 'x' })
    await vault.settle()
    expect(differing(vault.told)).toEqual([{ folders: [], files: ['a.md'], all: false }])
  })

  test('uses as many watches with chokidar', async () => {
    const before = countWatches()
    const vault = await watched(
      { 'f/a.md': '', 'f/g/b.md': '', '.git/objects/x': '', 'node_modules/p/a.md': '' },
      { engine: 'chokidar' },
    )
    expect(countWatches() - before).toBe(3)
    expect(vault.problems).toEqual([])
  })

  test('a folder that is replaced before it is read is watched again', async () => {
    const vault = await watched({ 'd/e/a.md': '', 'd/b.md': '' })
    for (let i = 0; i < 5; i += 1) {
      rmSync(vault.at('d'), { recursive: true })
      vault.write({ 'd/e/a.md': `${i}`, 'd/b.md': `${i}` })
      await checkSeesEdits(vault)
    }
    cpSync(vault.at('d'), join(vault.folder, 'copy'), { recursive: true })
    renameSync(vault.at('d'), join(vault.folder, 'old'))
    renameSync(join(vault.folder, 'copy'), vault.at('d'))
    await checkSeesEdits(vault)
    rmSync(vault.root, { recursive: true })
    vault.write({ 'd/e/a.md': 'again' })
    await checkSeesEdits(vault)
  })

  test('a single edit reports only the file', async () => {
    const vault = await watched({ 'f/a.md': '', 'f/b.md': '' })
    vault.write({ 'f/a.md': 'x' })
    await vault.settle()
    expect(differing(vault.told)).toEqual([{ folders: [], files: ['f/a.md'], all: false }])
  })

  test('notices a queue overflow', async () => {
    const vault = await watched({ 'a.md': '', 'b.md': '' })
    // All events occur in one turn of the event loop and have different names, so the kernel cannot merge them.
    for (let i = 0; i < 20_000; i += 1) writeFileSync(vault.at(i % 2 ? 'a.md' : 'b.md'), '')
    vault.write({ 'new/deep/c.md': '' })
    await checkSeesEdits(vault)
  })

  test('any sequence of changes ends with a correct listing', async () => {
    const vault = await watched({ 'a/a.md': '', 'b/c/b.md': '' })
    const random = randomNumbers(20240501)
    const pick = (names: readonly string[]) => names[Math.floor(random() * names.length)] ?? ''
    const names = ['a', 'b', 'c', 'a/b', 'a/c', 'b/c', 'b/c/a', 'c/a/b', 'a/a']
    const acts = [
      (name: string) => mkdirSync(vault.at(name), { recursive: true }),
      (name: string) => vault.write({ [`${name}/n.md`]: `${random()}` }),
      (name: string) => vault.write({ [`${name}/${pick(['a', 'b', 'm.md'])}`]: 'file' }),
      (name: string) => rmSync(vault.at(name), { recursive: true, force: true }),
      (name: string) => renameSync(vault.at(name), vault.at(pick(names))),
      (name: string) => renameSync(vault.at(name), join(vault.folder, 'parked')),
      (name: string) => renameSync(join(vault.folder, 'parked'), vault.at(name)),
    ]
    for (let i = 0; i < 600; i += 1) {
      try {
        acts[Math.floor(random() * acts.length)]?.(pick(names))
      } catch {
        // Half of these moves are impossible, such as moving a folder into itself.
      }
      if (i % 10 === 0) await sleep(Math.floor(random() * 20))
      if (i % 200 === 199) await checkSeesEdits(vault)
    }
    expect(vault.problems).toEqual([])
  })
})

/** On a busy machine, an edit can be noticed twice: when the file is emptied and when it is written. */
function differing(told: readonly Dirty[]): readonly Dirty[] {
  return told.filter((dirty, at) => told.findIndex((one) => isDeepStrictEqual(one, dirty)) === at)
}

function engineMissing(engine: string): boolean {
  return !ENGINES.some(([name]) => name === engine)
}

/** Random numbers that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

test('closing does not wait until chokidar has scanned the vault', async () => {
  const close = vi.fn(async () => {})
  vi.doMock('chokidar', () => ({ watch: () => Object.assign(new EventEmitter(), { close }) }))
  onTestFinished(() => vi.doUnmock('chokidar'))
  const options = { ignore: [], gitignore: false, linkRoots: [], mode: 'auto', watch: 'auto', engine: 'chokidar' } as const
  const watcher = watchVault(temporaryFolder(), options, () => {})
  await watcher.close()
  await watcher.ready
  expect(close).toHaveBeenCalledOnce()
})
