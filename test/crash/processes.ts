import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { RETENTION } from '../../src/changes/open-changes.ts'
import { Journal } from '../../src/changes/record/journal.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { makeWorld, snapshot, type World, writeNote } from '../changes/rig.ts'
import { random } from './random.ts'
import { GROUP, versionText, type WriterTask } from './writers.ts'

/** Starts a process of `writers.mjs`. */
export function startWriter(program: string, role: string, task: WriterTask): ChildProcess {
  return spawn(process.execPath, [program, role, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] })
}

export function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', resolve))
}

export interface SigkillFigures {
  readonly kills: number
  /** The number of the last written version. */
  readonly versions: number
  readonly rolledBack: number
  readonly losses: readonly string[]
}

/** Kills a continuously writing process at random moments, recovers, and compares all files of each change. */
export async function killProcesses(
  folder: string,
  { program, kills, seed }: { readonly program: string; readonly kills: number; readonly seed: number },
): Promise<SigkillFigures> {
  const chance = random(seed)
  const world = makeWorld(folder)
  for (let i = 0; i < GROUP; i++) writeNote(world.root, `group/${i}.md`, versionText(0))
  writeNote(world.root, 'track/0.md', 'track')
  for (let i = 0; i < 500; i++) writeNote(world.root, `other/${i}.md`, `other ${i}`)
  const others = JSON.stringify(snapshot(join(world.root, 'other')))
  const task = { root: world.root, state: world.state, name: 'v', operations: 0, seed, log: join(folder, 'log') }
  writeFileSync(task.log, '')
  const losses: string[] = []
  let rolledBack = 0
  let booting = 0
  for (let n = 0; n < kills; n++) {
    const child = startWriter(program, 'versions', task)
    // The first run measures the boot time of this machine; some later ones are killed during recovery.
    if (n === 0) booting = await timeUntil(() => statSync(task.log).size > 0)
    await sleep((n === 0 ? 0 : 0.8 * booting) + chance.below(160))
    child.kill('SIGKILL')
    await ended(child)
    // Every third time, the next process recovers instead.
    if (n % 3 === 0 && n < kills - 1) continue
    const writer = world.open()
    rolledBack += (await writer.recover()).filter((recovery) => recovery.state === 'rolled_back').length
    writer.close()
    losses.push(...inspectVersions(world, task.log).map((loss) => `kill ${n}: ${loss}`))
    if (JSON.stringify(snapshot(join(world.root, 'other'))) !== others) losses.push(`kill ${n}: a file of no one's changed`)
  }
  return { kills, versions: versionOf(world), rolledBack, losses }
}

/** Waits until the condition holds; returns milliseconds. */
async function timeUntil(holds: () => boolean): Promise<number> {
  const began = performance.now()
  while (!holds()) await sleep(5)
  return performance.now() - began
}

function versionOf({ root }: World): number {
  return Number.parseInt(readdirSync(join(root, 'track')).join(' '), 10)
}

function inspectVersions(world: World, log: string): readonly string[] {
  const losses: string[] = []
  const version = versionOf(world)
  const files = snapshot(world.root)
  for (let i = 0; i < GROUP; i++)
    if (files[`group/${i}.md`] !== versionText(version)) losses.push(`group/${i}.md is not of ${version}`)
  const accepted = Number(readFileSync(log, 'utf8').trim().split('\n').at(-1))
  if (accepted > version) losses.push(`version ${accepted} was accepted, ${version} is there`)
  const made = Object.keys(files).filter((name) => name.startsWith('made/') && name.endsWith('.md'))
  if (made.length !== version) losses.push(`${made.length} files were made in ${version} versions`)
  losses.push(...strays(files))
  return losses
}

/** Returns the temporary files that were never removed. */
function strays(files: Readonly<Record<string, string>>): readonly string[] {
  return Object.keys(files).filter((name) => name.includes('.roux-'))
}

export interface ConcurrencyFigures {
  readonly operations: number
  readonly accepted: number
  readonly refused: number
  readonly human: number
  /** Accepted writes that the user overwrote; the history has each of them. */
  readonly overwrittenByHuman: number
  /** Files that the user replaced in exactly the documented window. */
  readonly lostInWindow: number
  /** Text that the user wrote into a file opened before it was displaced, after its last check. */
  readonly lostInOpenFile: number
  readonly losses: readonly string[]
}

/** Lets two servers, and optionally a user, write into one vault. Afterwards, every accepted line must still exist. */
export async function writeTogether(
  folder: string,
  options: { readonly program: string; readonly operations: number; readonly human: boolean; readonly seed: number },
): Promise<ConcurrencyFigures> {
  const { program, operations, human, seed } = options
  const world = makeWorld(folder)
  for (let i = 0; i < 12; i++) writeNote(world.root, `${i % 3 === 0 ? 'sub/' : ''}${i}.md`, `# ${i} end\n`)
  const task = (name: string, nth: number): WriterTask => {
    const log = join(folder, `log-${name}`)
    writeFileSync(log, '')
    return { root: world.root, state: world.state, name, operations: Math.ceil(operations / 2), seed: seed + nth, log }
  }
  const servers = [task('one', 1), task('two', 2)]
  const person = task('h', 3)
  const children = servers.map((server) => startWriter(program, 'server', server))
  const editor = human ? startWriter(program, 'human', { ...person, operations: 1e9 }) : undefined
  const codes = await Promise.all(children.map(ended))
  if (editor !== undefined) {
    editor.kill('SIGTERM')
    await ended(editor)
  }
  const logs = servers.flatMap(({ log }) => readFileSync(log, 'utf8').trim().split('\n'))
  const accepted = logs.filter((line) => line.startsWith('server'))
  const edits = readFileSync(person.log, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
  const files = snapshot(world.root)
  const text = Object.values(files).join('')
  const missing = accepted.filter((token) => !text.includes(`${token} end\n`))
  const lost = edits.filter((line) => !text.includes(`${line.split(' ').slice(0, 3).join(' ')} end\n`))
  const losses = [
    ...codes.filter((code) => code !== 0).map((code) => `a server ended with ${code}`),
    ...(human ? unrecorded(world, missing) : missing),
    ...strays(files),
    ...torn(files),
  ]
  return {
    operations: logs.length,
    accepted: accepted.length,
    refused: logs.length - accepted.length,
    human: edits.length,
    overwrittenByHuman: missing.length,
    lostInWindow: lost.filter((line) => line.endsWith('renamed')).length,
    lostInOpenFile: lost.filter((line) => line.endsWith('within')).length,
    losses,
  }
}

function torn(files: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(files).flatMap(([name, text]) => {
    if (!name.endsWith('.md')) return []
    return text.split('\n').some((line) => line !== '' && !line.endsWith(' end')) ? [`${name} is torn`] : []
  })
}

/** Returns the writes that are missing even from the journal. */
function unrecorded(world: World, tokens: readonly string[]): readonly string[] {
  const journal = new Journal(join(world.state, 'state.db'), { openDatabase: openSqlite, retention: RETENTION, now: Date.now })
  const known = new Map(journal.list(world.root, 1e9).map((change) => [change.title, change]))
  const found = (token: string) =>
    known.get(token)?.entries.some((entry) => {
      if (entry.kind !== 'replace') return false
      return Buffer.from(journal.content(entry.after) ?? []).includes(`${token} end\n`)
    })
  const missing = tokens.filter((token) => !found(token))
  journal.close()
  return missing.map((token) => `${token} is nowhere`)
}
