import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { AppliedChange, ChangeProgress, ChangeSummary, FileChange, KeptFile, Recovery, Trashed } from '../core/changes.ts'
import { messageOf, RouxError } from '../core/errors.ts'
import { ChangeDirectory, type Numbered } from './change-directory.ts'
import { changedFile, foldersOf, pathsOf } from './entry.ts'
import { type Examined, examine, type Intent, takeBack } from './examine.ts'
import { listKept, lockError, missingVault, namingFiles, rolledBackError, writeError } from './failures.ts'
import { type ChangeFiles, diskFiles } from './file-system.ts'
import type { HistoryPlace } from './graph-log.ts'
import { LateWrites } from './late-writes.ts'
import type { Refusal } from './path-checks.ts'
import { Journal } from './record/journal.ts'
import type { Retention } from './record/journal-rows.ts'
import { contentOf, type Ending, Endings, numbered, recoverChanges } from './recover.ts'
import { type ContentOf, carryOut, settle } from './settle.ts'
import { acquireWriteLock, thisOwner } from './write-lock.ts'

/** The first change creates `stateFolder` with mode 0700. */
export interface ChangesOptions extends HistoryPlace {
  readonly retention?: Retention
  /** Returns why settings or ignore rules forbid a path. The function is not called for `.trash/`. */
  readonly refusal?: Refusal
  /** Milliseconds to wait for another writer. */
  readonly lockTimeout?: number
  readonly fs?: ChangeFiles
  /** Returns the current time in milliseconds since the Unix epoch. */
  readonly now?: () => number
}

export const RETENTION: Retention = { days: 30, bytes: 200_000_000 }
const LOCK_TIMEOUT = 10_000

/** Creates nothing on disk before the first change. */
export function openChanges(options: ChangesOptions): Changes {
  return new Changes(options)
}

export class Changes {
  readonly #options: ChangesOptions
  readonly #root: string
  readonly #fs: ChangeFiles
  readonly #lateWrites: LateWrites
  readonly #journal: Journal
  readonly #endings: Endings
  readonly #lockPath: string

  constructor(options: ChangesOptions) {
    const { root, stateFolder, openDatabase, retention = RETENTION, fs = diskFiles, now = Date.now } = options
    this.#options = options
    // A trailing separator is removed. Windows accepts both kinds.
    this.#root = root.replace(/[\\/]$/, '')
    this.#fs = fs
    this.#lateWrites = new LateWrites(fs)
    this.#journal = new Journal(join(stateFolder, 'state.db'), { openDatabase, retention, now })
    const locks = join(stateFolder, 'locks')
    this.#endings = new Endings(locks)
    this.#lockPath = join(locks, `${createHash('sha256').update(root).digest('hex').slice(0, 32)}.lock`)
  }

  /**
   * Applies all changes or none. Incomplete changes of crashed processes are settled first.
   * @throws RouxError `INVALID_PARAMS` or `PERMISSION_DENIED` for paths that are invalid or not writable, `NODE_EXISTS` for an
   * occupied destination, `CONFLICT` if bytes differ from the expected ones, `TIMEOUT` if another process holds the lock,
   * `PROVIDER_ERROR` if the disk fails. The vault is then unchanged; if the rollback failed, too, the message says so, and
   * recovery is retried later.
   */
  async apply(
    changes: readonly FileChange[],
    { title, onBegun }: { readonly title: string } & ChangeProgress,
  ): Promise<AppliedChange> {
    return await this.#locked(() => this.#apply(changes, { title, undoes: undefined }, onBegun))
  }

  /** Writes nothing. @throws RouxError like `apply` */
  check(changes: readonly FileChange[]): void {
    try {
      this.#examine(changes, false)
    } catch (error) {
      throw writeError(error, this.#root)
    }
  }

  /** Records the undo as a change. @throws RouxError like `apply`, and `CONFLICT` with a diff if a file has been edited since */
  async undo(id: string, { onBegun }: ChangeProgress = {}): Promise<AppliedChange> {
    return await this.#locked(() => {
      const change = this.#journal.find(this.#root, id)
      if (change === undefined) throw this.#unknown(id)
      if (change.state !== 'done') throw notDone(change.id, change.state)
      const origin = { title: `Undo: ${change.title}`, undoes: id }
      return this.#apply(takeBack(change.entries, contentOf(this.#journal)), origin, onBegun)
    })
  }

  /** The most recent changes of this vault, newest first. */
  list(limit: number): readonly ChangeSummary[] {
    return this.#journal.list(this.#root, limit).map(({ id, time, title, state, undoes, entries }) => {
      return { id, time, title, state, undoes, files: entries.map(changedFile) }
    })
  }

  /** Yields the files in the trash that have not been restored, newest first. The journal is read lazily. */
  deletions(): Iterable<Trashed> {
    return this.#journal.deletions(this.#root)
  }

  /** Frees disk space. The method should be called when the process is idle. */
  tidy(): void {
    this.#journal.tidy()
  }

  /** Completes or rolls back changes of crashed processes. The call is cheap if there are none. */
  async recover(): Promise<readonly Recovery[]> {
    // Without changes in progress, startup need not wait for another process's change.
    if (this.#journal.applying(this.#root).length === 0) return []
    return await this.#underLock(() => this.#recover())
  }

  close(): void {
    this.#lateWrites.close()
    this.#journal.close()
  }

  /** Makes a change under the lock, after settling changes of crashed processes. */
  async #locked(makeChange: () => Promise<AppliedChange>): Promise<AppliedChange> {
    return await this.#underLock(async () => {
      const keptFiles = (await this.#recover()).flatMap((recovery) => recovery.kept)
      const applied = await makeChange()
      return keptFiles.length === 0 ? applied : { ...applied, notes: [...applied.notes, leftNote(keptFiles)] }
    })
  }

  async #underLock<T>(action: () => Promise<T>): Promise<T> {
    const { openDatabase, lockTimeout = LOCK_TIMEOUT } = this.#options
    const lock = await acquireWriteLock(this.#lockPath, { openDatabase, timeout: lockTimeout }).catch((error: unknown) => {
      throw lockError(error, this.#lockPath)
    })
    try {
      return await action()
    } catch (error) {
      throw writeError(error, this.#root)
    } finally {
      lock.release()
    }
  }

  async #recover(): Promise<readonly Recovery[]> {
    return await recoverChanges({ root: this.#root, fs: this.#fs, journal: this.#journal, endings: this.#endings })
  }

  async #apply(
    intents: readonly Intent[],
    origin: { readonly title: string; readonly undoes: string | undefined },
    onBegun: ChangeProgress['onBegun'],
  ): Promise<AppliedChange> {
    const examined = this.#examine(intents, origin.undoes !== undefined)
    const rootInode = this.#fs.lstat(this.#root)?.ino
    if (rootInode === undefined) throw missingVault(this.#root)
    const { entries, contents } = examined
    const change = { vault: this.#root, rootInode: String(rootInode), owner: thisOwner, entries, ...origin }
    const id = this.#journal.begin(change, contents)
    onBegun?.(id)
    await this.#carryOut(id, examined)
    const notes = this.#finish(id, 'done')
    return { id, paths: pathsOf(entries), folders: foldersOf(entries), files: entries.map(changedFile), notes }
  }

  /** The files are already in the recorded state. A failure to record that state is retried later. */
  #finish(id: string, ending: Ending): readonly string[] {
    try {
      return this.#journal.finish(id, ending) ? [] : [REMOVED]
    } catch (error) {
      this.#endings.record(id, ending)
      return [notRecorded(error)]
    }
  }

  #examine(intents: readonly Intent[], restores: boolean): Examined {
    return examine(intents, {
      root: this.#root,
      fs: this.#fs,
      refusal: this.#options.refusal ?? (() => undefined),
      restores,
      knownContent: (hash) => this.#journal.content(hash),
    })
  }

  async #carryOut(id: string, { entries, contents, stamps }: Examined): Promise<void> {
    const place = new ChangeDirectory(this.#root, id, { fs: this.#fs, lateWrites: this.#lateWrites })
    const steps = numbered(entries)
    const content = (hash: string) => contents.get(hash) ?? contentOf(this.#journal)(hash)
    try {
      await carryOut(place, steps, { content, stamps })
    } catch (error) {
      const keptFiles = await this.#giveUp(id, place, { steps, content, error })
      throw rolledBackError(namingFiles(error, steps), this.#root, keptFiles)
    }
  }

  async #giveUp(
    id: string,
    place: ChangeDirectory,
    { steps, content, error }: { steps: readonly Numbered[]; content: ContentOf; error: unknown },
  ): Promise<readonly KeptFile[]> {
    try {
      const keptFiles = await settle(place, steps, { side: 'before', content })
      this.#finish(id, 'rolled_back')
      return keptFiles
    } catch (second) {
      throw new RouxError(
        'PROVIDER_ERROR',
        `The change failed (${messageOf(error)}), and rolling it back failed too (${messageOf(second)}).`,
        {
          hint: 'The next write or restart will roll it back.',
          cause: error,
        },
      )
    }
  }

  #unknown(id: string): RouxError {
    const recent = this.#journal.list(this.#root, 5).map((change) => ({ id: change.id, title: change.title }))
    return new RouxError('INVALID_PARAMS', `This vault's history has no change ${JSON.stringify(id.slice(0, 100))}.`, {
      hint: `Changes are kept for a limited time; ${recent.length === 0 ? 'the history is empty.' : 'the candidates are the most recent ones.'}`,
      ...(recent.length === 0 ? {} : { candidates: recent }),
    })
  }
}

const NOT_DONE = {
  applying: { why: 'is still in progress', hint: 'Call undo again when it has finished.' },
  undone: { why: 'has already been undone', hint: 'To redo it, undo the change that undid it.' },
  rolled_back: { why: 'was never applied', hint: 'There is nothing to undo.' },
} as const

function notDone(id: string, state: keyof typeof NOT_DONE): RouxError {
  const { why, hint } = NOT_DONE[state]
  return new RouxError('CONFLICT', `The change ${id} ${why}.`, { hint })
}

function leftNote(keptFiles: readonly KeptFile[]): string {
  return `An earlier change was interrupted and has been undone, except for files edited since: ${listKept(keptFiles)}.`
}

const REMOVED = 'The change was made; do not repeat it. However, its record has been removed, so it cannot be undone.'

function notRecorded(error: unknown): string {
  return `The change was made; do not repeat it. Only its record is incomplete; the next change or start completes it: ${messageOf(error)}`
}
