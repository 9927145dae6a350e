import { rmSync } from 'node:fs'
import type { ChangeFiles } from '../../src/changes/file-system.ts'
import type { Changes } from '../../src/changes/open-changes.ts'
import type { FileChange } from '../../src/core/changes.ts'
import { bytes, Fate, fatedDatabase, fatedFiles, makeWorld, quickFiles, sha, snapshot, type World } from '../changes/rig.ts'
import { type Random, random } from './random.ts'

export interface KillFigures {
  readonly kills: number
  readonly killsInRecovery: number
  readonly calls: number
  readonly changes: number
  readonly old: number
  readonly done: number
  readonly losses: readonly string[]
}

export interface KillOptions {
  readonly notes: number
  /** The minimum number of kills. The current change is finished after the last one. */
  readonly kills: number
  readonly seed: number
  /** Whether the file system has hard links. The default is true. */
  readonly links?: boolean
}

/**
 * Kills a process at every call it makes while it applies a change to many files in a generated vault, and at a random call of the
 * recovery; then recovers and compares every byte with the state before and after the change.
 */
export async function simulateKills(folder: string, { notes, kills, seed, links = true }: KillOptions): Promise<KillFigures> {
  const chance = random(seed)
  const files: ChangeFiles = links ? quickFiles : { ...quickFiles, link: refuseLink }
  const world = makeWorld(folder, generateNotes(notes, chance))
  const figures = { kills: 0, killsInRecovery: 0, calls: 0, changes: 0, old: 0, done: 0, losses: [] as string[] }
  while (figures.kills < kills) {
    const before = snapshot(world.root)
    const changes = planChange(before, chance)
    const after = await appliedOnce(world, changes)
    figures.changes++
    await undoLast(world.open())
    expectSame(snapshot(world.root), before, 'undo', figures.losses)
    for (let at = 0; ; at++) {
      const fate = new Fate(at)
      const died = await die(world, fate, { changes, files })
      if (!died) {
        figures.calls += fate.calls
        break
      }
      figures.kills++
      figures.killsInRecovery += await recoverDying(world, chance, files)
      const now = snapshot(world.root)
      const isDone = sameSnapshot(now, after)
      if (isDone) figures.done++
      else if (expectSame(now, before, `killed at call ${at} (${fate.names.at(-1)})`, figures.losses)) figures.old++
      expectJournal(world, figures.losses)
      if (isDone) await undoLast(world.open())
      if (figures.losses.length > 0) return figures
    }
  }
  rmSync(folder, { recursive: true, force: true })
  return figures
}

function refuseLink(): never {
  throw Object.assign(new Error('EPERM: this file system has no links'), { code: 'EPERM' })
}

async function appliedOnce(world: World, changes: readonly FileChange[]): Promise<Readonly<Record<string, string>>> {
  const writer = world.open()
  await writer.apply(changes, { title: 'once' })
  writer.close()
  return snapshot(world.root)
}

async function undoLast(writer: Changes): Promise<void> {
  const last = writer.list(5).find((change) => change.state === 'done')
  if (last !== undefined) await writer.undo(last.id)
  writer.close()
}

/** @returns whether the process died before it finished. */
async function die(
  world: World,
  fate: Fate,
  { changes, files }: { readonly changes: readonly FileChange[]; readonly files: ChangeFiles },
): Promise<boolean> {
  const writer = world.open({ fs: fatedFiles(fate, files), openDatabase: fatedDatabase(fate) })
  await writer.apply(changes, { title: 'killed' }).catch((error: unknown) => {
    if (!fate.isDead) throw error
  })
  closeDead(writer, fate)
  return fate.isDead
}

function closeDead(writer: Changes, fate: Fate): void {
  const wasDead = fate.isDead
  // The system closes everything a dead process had open.
  fate.isDead = true
  writer.close()
  fate.isDead = wasDead
}

/** Recovers, and kills the recovery up to twice. @returns the number of kills. */
async function recoverDying(world: World, chance: Random, files: ChangeFiles): Promise<number> {
  let deaths = 0
  for (const limit of [40, 120]) {
    const fate = new Fate(chance.below(limit))
    const writer = world.open({ fs: fatedFiles(fate, files), openDatabase: fatedDatabase(fate) })
    await writer.recover().catch((error: unknown) => {
      if (!fate.isDead) throw error
    })
    closeDead(writer, fate)
    if (fate.isDead) deaths++
  }
  const writer = world.open({ fs: files })
  await writer.recover()
  await writer.recover()
  writer.close()
  return deaths
}

function expectJournal(world: World, losses: string[]): void {
  const writer = world.open()
  const open = writer.list(3).filter((change) => change.state === 'applying')
  writer.close()
  if (open.length > 0) losses.push('a change is still being applied')
}

function sameSnapshot(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(a)
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name])
}

function expectSame(
  now: Readonly<Record<string, string>>,
  then: Readonly<Record<string, string>>,
  when: string,
  losses: string[],
): boolean {
  if (sameSnapshot(now, then)) return true
  const names = [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((name) => now[name] !== then[name])
  losses.push(`${when}: ${names.slice(0, 6).join(', ')}`)
  return false
}

function generateNotes(count: number, chance: Random): Record<string, string> {
  const notes: Record<string, string> = {}
  for (let n = 0; n < count; n++) {
    const links = Array.from({ length: 5 }, () => `[[note ${chance.below(count)}]]`).join(' ')
    notes[`${FOLDERS[n % FOLDERS.length]}note ${n}.md`] = `# Note ${n}\n\n${links}\n${'text '.repeat(chance.below(200))}`
  }
  return notes
}

const FOLDERS = ['', 'a/', 'a/b/', 'projects/', 'projects/old/', 'Ünïcode/']

/** Moves notes, one of them to the trash, rewrites links to them, creates notes, and creates, moves and removes folders. */
function planChange(files: Readonly<Record<string, string>>, chance: Random): readonly FileChange[] {
  const notes = Object.keys(files).filter((path) => path.endsWith('.md') && !path.startsWith('.trash/'))
  const moved = chance.pick(notes, 1 + chance.below(3))
  const serial = chance.below(1e9)
  const targets = moved.map((_, i) => (i === 1 ? `.trash/${serial}.md` : `new ${serial}/sub/moved ${i}.md`))
  const edited = chance.pick(notes, 2 + chance.below(6))
  return [
    ...moved.map((from, i) => ({ kind: 'move' as const, from, to: targets[i] ?? '', before: latinSha(files[from]) })),
    ...edited.map((path) => ({
      kind: 'replace' as const,
      path,
      before: latinSha(files[path]),
      bytes: Buffer.from(`${files[path]}\nedited ${serial}`, 'latin1'),
    })),
    { kind: 'create', path: `created ${serial}.md`, bytes: bytes(`new ${serial}`) },
    { kind: 'makeFolder', path: `empty ${serial}` },
    { kind: 'removeFolder', path: 'projects/old' },
  ]
}

function latinSha(text = ''): string {
  return sha(Buffer.from(text, 'latin1'))
}
