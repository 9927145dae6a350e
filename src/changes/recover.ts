import { closeSync, existsSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ChangeState, Recovery } from '../core/changes.ts'
import { quietly } from '../core/quietly.ts'
import { ChangeDirectory, type Numbered } from './change-directory.ts'
import { type Entry, pathsOf } from './entry.ts'
import { missingVault } from './failures.ts'
import type { ChangeFiles } from './file-system.ts'
import type { ChangeRecord, Journal } from './record/journal.ts'
import { type ContentOf, settle, sideOf } from './settle.ts'

const ENDINGS: readonly Ending[] = ['done', 'rolled_back']

export interface RecoveryParts {
  readonly root: string
  readonly fs: ChangeFiles
  readonly journal: Journal
  readonly endings: Endings
}

/**
 * Settles unfinished changes, newest first. The caller must hold the write lock, so no other process is working on them. A saved
 * outcome is only added to the record; any other change is completed if all of its bytes are in place, and otherwise rolled back.
 * @throws RouxError `VAULT_NOT_FOUND`, and errors from calls; call again afterwards
 */
export async function recoverChanges({ root, fs, journal, endings }: RecoveryParts): Promise<readonly Recovery[]> {
  const pending = journal.applying(root)
  const stamp = pending.length === 0 ? undefined : fs.lstat(root)
  if (pending.length > 0 && stamp?.kind !== 'folder') throw missingVault(root)
  const recoveries: Recovery[] = []
  for (const change of pending) {
    const place = new ChangeDirectory(root, change.id, { fs })
    const entries = numbered(change.entries)
    const facts = { id: change.id, title: change.title, paths: pathsOf(entries) }
    const ending = endings.find(change.id)
    if (ending !== undefined) {
      journal.finish(change.id, ending)
      endings.forget(change.id)
      recoveries.push({ ...facts, state: ending, kept: [] })
      continue
    }
    if (isOtherFolder(place, change, stamp?.ino)) {
      recoveries.push({ ...facts, state: 'applying', kept: [] })
      continue
    }
    const side = sideOf(place, entries)
    const keptFiles = await settle(place, entries, { side, content: contentOf(journal) })
    const state = side === 'after' ? 'done' : 'rolled_back'
    try {
      journal.finish(change.id, state)
    } catch (error) {
      endings.record(change.id, state)
      throw error
    }
    recoveries.push({ ...facts, state, kept: keptFiles })
  }
  forgetEnded(journal, endings)
  return recoveries
}

/** Deletes the outcome files of settled changes, which nothing else removes. */
function forgetEnded(journal: Journal, endings: Endings): void {
  const noted = endings.recordedIds()
  if (noted.length === 0) return
  const unfinished = journal.unfinished()
  for (const id of noted) if (!unfinished.has(id)) endings.forget(id)
}

export function numbered(entries: readonly Entry[]): readonly Numbered[] {
  return entries.map((entry, index) => ({ ...entry, index }))
}

export function contentOf(journal: Journal): ContentOf {
  return (hash) => {
    const bytes = journal.content(hash)
    if (bytes === undefined) throw new Error(`the record of changes lacks the bytes ${hash}`)
    return bytes
  }
}

/**
 * Returns true if the root is now another folder, such as the empty mount point of a disconnected drive. Changes to the original
 * folder must then wait.
 */
function isOtherFolder(place: ChangeDirectory, { rootInode, entries }: ChangeRecord, inode: bigint | undefined): boolean {
  if (String(inode) === rootInode) return false
  return !pathsOf(entries).some((path) => place.stamp(path) !== undefined)
}

export type Ending = Extract<ChangeState, 'done' | 'rolled_back'>

/**
 * Outcomes that could not be recorded. They are kept in memory, and as empty files, which can be created even on a full disk. If
 * both are lost, recovery determines the outcome from the files.
 */
export class Endings {
  readonly #folder: string
  readonly #endings = new Map<string, Ending>()

  /** @param folder created by the first change */
  constructor(folder: string) {
    this.#folder = folder
  }

  record(id: string, ending: Ending): void {
    this.#endings.set(id, ending)
    quietly(() => closeSync(openSync(this.#path(id, ending), 'a', 0o600)))
  }

  find(id: string): Ending | undefined {
    return this.#endings.get(id) ?? ENDINGS.find((ending) => existsSync(this.#path(id, ending)))
  }

  /** Returns the ids of changes with an outcome file, in all vaults. */
  recordedIds(): readonly string[] {
    const names = quietly(() => readdirSync(this.#folder)) ?? []
    return names.flatMap((name) =>
      ENDINGS.flatMap((ending) => (name.endsWith(`.${ending}`) ? name.slice(0, -ending.length - 1) : [])),
    )
  }

  forget(id: string): void {
    this.#endings.delete(id)
    for (const ending of ENDINGS) quietly(() => rmSync(this.#path(id, ending), { force: true }))
  }

  #path(id: string, ending: Ending): string {
    return join(this.#folder, `${id}.${ending}`)
  }
}
