import { opendirSync, statfsSync } from 'node:fs'
import { folderOf, withParents } from '../core/paths.ts'
import { quietly } from '../core/quietly.ts'
import type { Dirty, Watcher } from '../core/vault.ts'
import { errorReason, realPathOf } from './file-system.ts'
import type { VaultOptions } from './open-vault.ts'
import { watchByChokidar } from './watch-by-chokidar.ts'
import { type PollingTimes, type WatchEngine, type WatchSink, watchByPolling } from './watch-engine.ts'
import { FolderWatches } from './watch-folders.ts'

export interface WatchOptions extends VaultOptions, BatchTimes {
  /** The way to watch. `auto` polls file systems that other computers may change. */
  readonly watch: 'auto' | 'polling'
  /** A callback that runs immediately, before `onDirty`. `file` is `undefined` if unknown. */
  readonly onNoticed?: (file: string | undefined) => void
  /** A callback that runs if the vault must be polled. */
  readonly onProblem?: (message: string) => void
  readonly engine?: 'inotify' | 'chokidar'
  readonly polling?: PollingTimes
}

/**
 * Reports files that may have changed and folders whose contents may have changed. Paths may be ignored or deleted. If the root
 * disappears or returns, everything is reported.
 */
export function watchVault(root: string, options: WatchOptions, onDirty: (dirty: Dirty) => void): Watcher {
  const batch = openDirtyBatch(options, onDirty)
  const { onNoticed } = options
  return new VaultWatcher(realPathOf(root) ?? root, options, onNoticed === undefined ? batch : noticing(batch, onNoticed))
}

function noticing(batch: DirtyBatch, onNoticed: (file: string | undefined) => void): DirtyBatch {
  return {
    file(path) {
      batch.file(path)
      onNoticed(path)
    },
    folder(path) {
      batch.folder(path)
      onNoticed(undefined)
    },
    all() {
      batch.all()
      onNoticed(undefined)
    },
    close: () => batch.close(),
  }
}

const POLLING: PollingTimes = { shortest: 2000, longest: 60_000 }
const RETURN_CHECK = 250
// The delay in milliseconds. Rule files often change together, as in a checkout.
const RESTART_DELAY = 30

class VaultWatcher implements Watcher {
  readonly ready: Promise<void>
  readonly #root: string
  readonly #options: WatchOptions
  readonly #batch: DirtyBatch
  #engines: readonly WatchEngine[] = []
  #isPolling: boolean
  #isClosed = false
  #restart: NodeJS.Timeout | undefined

  constructor(root: string, options: WatchOptions, batch: DirtyBatch) {
    this.#root = root
    this.#options = options
    this.#batch = batch
    this.#isPolling = options.watch === 'polling'
    this.ready = this.#start()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#restart)
    this.#batch.close()
    await this.#stop()
  }

  async settle(): Promise<boolean> {
    const engines = this.#engines
    const results = await Promise.all(engines.map((engine) => engine.settle?.() ?? false))
    return results.length > 0 && !results.includes(false) && engines === this.#engines && this.#restart === undefined
  }

  async #start(): Promise<void> {
    if (!isReadable(this.#root)) return this.#restartIn(RETURN_CHECK)
    const engines: WatchEngine[] = []
    const sink = this.#sinkOf(() => this.#engines === engines)
    this.#engines = engines
    if (!this.#isPolling) engines.push(this.#openEngine(sink))
    if (this.#isPolling || isRemote(this.#root)) engines.push(watchByPolling(this.#root, sink, this.#options.polling ?? POLLING))
    await Promise.all(engines.map((engine) => engine.ready))
  }

  #openEngine(sink: WatchSink): WatchEngine {
    const engine = this.#options.engine ?? (process.platform === 'linux' ? 'inotify' : 'chokidar')
    return engine === 'inotify'
      ? new FolderWatches(this.#root, this.#options, sink)
      : watchByChokidar(this.#root, this.#options, sink)
  }

  async #stop(): Promise<void> {
    const engines = this.#engines
    this.#engines = []
    await Promise.all(engines.map((engine) => engine.close()))
  }

  /** Restarts the watcher after a delay. Changes before the restart are reported as `all`. */
  #restartIn(delay: number): void {
    if (this.#isClosed || this.#restart) return
    this.#restart = setTimeout(() => {
      this.#restart = undefined
      void this.#startAnew()
    }, delay)
  }

  async #startAnew(): Promise<void> {
    await this.#stop()
    if (this.#isClosed) return
    await this.#start()
    if (this.#isClosed) return this.#stop()
    if (this.#engines.length > 0) this.#batch.all()
  }

  #sinkOf(isCurrent: () => boolean): WatchSink {
    const batch = this.#batch
    const when = (act: () => void) => (isCurrent() ? act() : undefined)
    return {
      file: (path) => when(() => batch.file(path)),
      folder: (path) => when(() => batch.folder(path)),
      all: () => when(() => batch.all()),
      stale: () => when(() => this.#restartIn(RESTART_DELAY)),
      lost: () => when(() => this.#lose()),
      exhausted: (error) => when(() => this.#fallBack(error)),
    }
  }

  #lose(): void {
    this.#batch.all()
    void this.#stop()
    this.#restartIn(RESTART_DELAY)
  }

  #fallBack(error: unknown): void {
    // Many folders can report the same problem, but one report is enough.
    if (this.#isPolling) return
    const reason = errorReason(error)
    const hint = reason.startsWith('ENOSPC') ? ' Raise fs.inotify.max_user_watches to notice changes immediately.' : ''
    this.#options.onProblem?.(`The folder cannot be watched (${reason}); it is scanned every few seconds instead.${hint}`)
    this.#isPolling = true
    this.#restartIn(0)
  }
}

function isReadable(folder: string): boolean {
  try {
    opendirSync(folder).closeSync()
    return true
  } catch {
    return false
  }
}

// The types of NFS, SMB (three values), FUSE (including sshfs, virtiofs and shared folders of desktops), 9p (including WSL's
// `/mnt/c`), VirtualBox, Ceph and AFS.
const REMOTE = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x786f4256, 0x00c36400, 0x5346414f])

/** Returns true for file systems that other computers can change without local events. */
function isRemote(root: string): boolean {
  if (process.platform !== 'linux') return false
  return quietly(() => REMOTE.has(statfsSync(root).type)) ?? false
}

export interface BatchTimes {
  /** The quiet time before a batch is reported, in milliseconds. */
  readonly quiet?: number
  /** Maximum time that a batch waits while changes continue, in milliseconds. */
  readonly maxWait?: number
}

/** A batch of changes. A single edit is reported almost immediately, and bursts together. */
export interface DirtyBatch extends Pick<WatchSink, 'file' | 'folder' | 'all'> {
  close(): void
}

// If there are more changes than these limits, listing everything is cheaper.
const MAX_FILES = 5000
const MAX_FOLDERS = 500

export function openDirtyBatch({ quiet = 15, maxWait = 120 }: BatchTimes, onDirty: (dirty: Dirty) => void): DirtyBatch {
  const files = new Set<string>()
  const folders = new Set<string>()
  let all = false
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let first = 0
  let last = 0

  const flush = () => {
    timer = undefined
    const dirty = all || files.size > MAX_FILES || folders.size > MAX_FOLDERS ? EVERYTHING : prune(files, folders)
    files.clear()
    folders.clear()
    all = false
    onDirty(dirty)
  }
  // The time is checked when the timer fires, which is cheaper than rescheduling it for each event.
  const wake = () => {
    const now = performance.now()
    const dueAt = Math.min(last + quiet, first + maxWait)
    if (now >= dueAt - 0.5) flush()
    else timer = setTimeout(wake, dueAt - now)
  }
  const touch = () => {
    if (isClosed) return
    last = performance.now()
    if (timer) return
    first = last
    timer = setTimeout(wake, quiet)
  }

  return {
    file(path) {
      files.add(path)
      touch()
    },
    folder(path) {
      folders.add(path)
      touch()
    },
    all() {
      all = true
      touch()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

const EVERYTHING: Dirty = { folders: [], files: [], all: true }

function prune(files: ReadonlySet<string>, folders: ReadonlySet<string>): Dirty {
  const isCovered = (path: string) =>
    withParents(folderOf(path)).some((folder) => folders.has(folder)) || (folders.has('') && path !== '')
  const bare = (path: string) => !isCovered(path)
  return { folders: [...folders].filter(bare), files: [...files].filter(bare), all: false }
}
