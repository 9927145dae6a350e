import type { Dirty } from '../core/vault.ts'

export interface BatchTimes {
  /** Quiet time before a batch is reported, in milliseconds. */
  readonly quiet: number
  /** Maximum time that a batch waits while changes continue, in milliseconds. */
  readonly maxWait: number
}

/** Collects changes and reports them in batches: a single edit almost immediately, a burst of edits together. */
export interface DirtyBatch {
  file(path: string): void
  /** Adds a folder and its contents. */
  folder(path: string): void
  all(): void
  /** Discards collected changes and reports nothing more. */
  close(): void
}

// Above these limits, checking each path costs the receiver more than listing everything.
const MAX_FILES = 5000
const MAX_FOLDERS = 500

/** Creates an empty batch that reports to `onDirty`. */
export function openDirtyBatch({ quiet, maxWait }: BatchTimes, onDirty: (dirty: Dirty) => void): DirtyBatch {
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
  // Do not reschedule the timer for each of thousands of events. Instead, it checks the time when it fires.
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

/** Removes paths that are inside a reported folder. */
function prune(files: ReadonlySet<string>, folders: ReadonlySet<string>): Dirty {
  const covered = (path: string) => {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (folders.has(path.slice(0, end))) return true
    }
    return folders.has('') && path !== ''
  }
  const bare = (path: string) => !covered(path)
  return { folders: [...folders].filter(bare), files: [...files].filter(bare), all: false }
}
