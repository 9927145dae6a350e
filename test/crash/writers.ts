import {
  appendFileSync,
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type ChangeFiles, diskFiles } from '../../src/changes/file-system.ts'
import { openChanges } from '../../src/changes/open-changes.ts'
import type { FileChange } from '../../src/core/changes.ts'
import { RouxError } from '../../src/core/errors.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { bytes, quickFiles, sha } from '../changes/rig.ts'
import { type Random, random } from './random.ts'

/** Entry point of the processes in the crash and concurrency suites: `node writers.mjs <role> <json>`. */
export interface WriterTask {
  readonly root: string
  readonly state: string
  readonly name: string
  readonly operations: number
  readonly seed: number
  /** A file that gets a line for every accepted write. */
  readonly log: string
}

/** The number of notes that share a version. */
export const GROUP = 8

function openWriter({ root, state }: WriterTask, fs: ChangeFiles) {
  const lockTimeout = 60_000
  return openChanges({ root, stateFolder: state, openDatabase: openSqlite, fs, lockTimeout })
}

/** Repeatedly writes the next version into all notes of a group, and into the name of another. */
async function writeVersions(task: WriterTask): Promise<void> {
  const writer = openWriter(task, quickFiles)
  await writer.recover()
  const track = readdirSync(join(task.root, 'track'))[0] ?? ''
  for (let version = Number.parseInt(track, 10); ; version++) {
    const edits = Array.from({ length: GROUP }, (_, i): FileChange => {
      const path = `group/${i}.md`
      return { kind: 'replace', path, before: sha(readFileSync(join(task.root, path))), bytes: bytes(versionText(version + 1)) }
    })
    await writer.apply(
      [
        ...edits,
        { kind: 'move', from: `track/${version}.md`, to: `track/${version + 1}.md`, before: undefined },
        { kind: 'create', path: `made/${version % 5}/${version + 1}.md`, bytes: bytes(versionText(version + 1)) },
      ],
      { title: `version ${version + 1}` },
    )
    appendFileSync(task.log, `${version + 1}\n`)
  }
}

export function versionText(version: number): string {
  return `version ${version}\n${'content '.repeat(version % 900)}`
}

/** Appends lines to random notes, sometimes several in one change, and moves some. */
async function serve(task: WriterTask): Promise<void> {
  const chance = random(task.seed)
  // Uses the real disk, whose delays let others write in between.
  const writer = openWriter(task, diskFiles)
  for (let n = 0; n < task.operations; n++) {
    const token = `server ${task.name} ${n}`
    try {
      await writer.apply(planEdit(task.root, token, chance), { title: token })
      appendFileSync(task.log, `${token}\n`)
    } catch (error) {
      if (!(error instanceof RouxError) || !REFUSALS.includes(error.code)) throw error
      appendFileSync(task.log, `refused ${error.code}\n`)
    }
  }
  writer.close()
}

const REFUSALS: readonly string[] = ['CONFLICT', 'NODE_EXISTS', 'NODE_NOT_FOUND', 'INVALID_PARAMS']

function planEdit(root: string, token: string, chance: Random): readonly FileChange[] {
  const notes = listNotes(root)
  const changes: FileChange[] = []
  for (const path of chance.pick(notes, 1 + chance.below(3))) {
    const content = readIfThere(join(root, path))
    if (content === undefined) continue
    changes.push({ kind: 'replace', path, before: sha(content), bytes: Buffer.concat([content, bytes(`${token} end\n`)]) })
  }
  const [first] = changes
  if (first?.kind === 'replace' && chance.below(5) === 0) {
    const to = first.path.startsWith('moved/') ? first.path.slice(6) : `moved/${first.path}`
    changes.push({ kind: 'move', from: first.path, to, before: first.before })
  }
  return changes
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

function listNotes(root: string): readonly string[] {
  const names = ['', 'sub', 'moved', 'moved/sub'].flatMap((folder) => namesIn(root, folder))
  return names.filter((name) => name.endsWith('.md') && !/(?:^|\/)\./.test(name))
}

function namesIn(root: string, folder: string): readonly string[] {
  try {
    return readdirSync(join(root, folder)).map((name) => (folder === '' ? name : `${folder}/${name}`))
  } catch {
    return []
  }
}

/** Appends lines like an editor: in place, or by replacing the file. */
async function edit(task: WriterTask): Promise<void> {
  const chance = random(task.seed)
  for (let n = 0; n < task.operations; n++) {
    const [path] = chance.pick(listNotes(task.root), 1)
    const content = path === undefined ? undefined : readIfThere(join(task.root, path))
    if (path !== undefined && content !== undefined) save(task, path, { content, n, chance })
    await new Promise((resolve) => setTimeout(resolve, chance.below(4)))
  }
}

function save(
  task: WriterTask,
  path: string,
  { content, n, chance }: { readonly content: Buffer; readonly n: number; readonly chance: Random },
): void {
  const file = join(task.root, path)
  const line = bytes(`human ${task.name} ${n} end\n`)
  const way = chance.below(2) === 0 ? 'within' : 'renamed'
  try {
    if (way === 'within') {
      const fd = openSync(file, 'r+')
      // Only this process changes a file while it is open, because the program always creates new files.
      writeSync(fd, line, 0, line.length, fstatSync(fd).size)
      closeSync(fd)
    } else {
      writeFileSync(join(task.root, `.human-${task.name}`), Buffer.concat([content, line]))
      renameSync(join(task.root, `.human-${task.name}`), file)
    }
    appendFileSync(task.log, `human ${task.name} ${n} ${way}\n`)
  } catch {}
}

/** Holds the write lock until it is killed. */
async function hold(task: WriterTask): Promise<void> {
  const writer = openChanges({
    root: task.root,
    stateFolder: task.state,
    openDatabase: openSqlite,
    // The timer keeps this promise alive. Without it, the promise, its waiters and their lock would be garbage-collected.
    fs: { ...quickFiles, fsync: () => new Promise((resolve) => setTimeout(resolve, 1e8)) },
  })
  const began = setInterval(() => {
    if (readdirSync(task.root).some((name) => name.startsWith('.roux-'))) {
      clearInterval(began)
      process.stdout.write('held\n')
    }
  }, 5)
  await writer.apply([{ kind: 'create', path: 'held.md', bytes: bytes('held') }], { title: 'held' })
}

const [role, json] = process.argv[1]?.endsWith('writers.mjs') === true ? process.argv.slice(2) : []
if (role === 'versions') await writeVersions(JSON.parse(json ?? '') as WriterTask)
else if (role === 'server') await serve(JSON.parse(json ?? '') as WriterTask)
else if (role === 'human') await edit(JSON.parse(json ?? '') as WriterTask)
else if (role === 'hold') await hold(JSON.parse(json ?? '') as WriterTask)
