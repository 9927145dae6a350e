import type { Dirty } from '../core/vault.ts'

export interface BatchTimes {
  /** The quiet time before a batch is reported, in ms. */
  readonly quiet: number
  /** The longest that a batch waits while more keeps happening, in ms. */
  readonly maxWait: number
}

/** Collects what changed and tells it in batches: a single edit at once, a burst together. */
export interface DirtyBatch {
  file(path: string): void
  /** A folder and all below it. */
  folder(path: string): void
  all(): void
  /** Drops what was collected and tells nothing more. */
  close(): void
}

// Beyond these, asking for each path costs the receiver more than listing everything.
const MAX_FILES = 5000
const MAX_FOLDERS = 500

/** Opens an empty batch that tells `onDirty`. */
export function openDirtyBatch({ quiet, maxWait }: BatchTimes, onDirty: (dirty: Dirty) => void): DirtyBatch {
  const files = new Set<string>()
  const folders = new Set<string>()
  let all = false
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let first = 0
  let last = 0

  const tell = () => {
    timer = undefined
    const dirty = all || files.size > MAX_FILES || folders.size > MAX_FOLDERS ? EVERYTHING : prune(files, folders)
    files.clear()
    folders.clear()
    all = false
    onDirty(dirty)
  }
  // One timer that looks again, instead of one that is moved by each of thousands of events.
  const wake = () => {
    const now = performance.now()
    const due = Math.min(last + quiet, first + maxWait)
    if (now >= due - 0.5) tell()
    else timer = setTimeout(wake, due - now)
  }
  const touch = () => {
    if (closed) return
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
      closed = true
      clearTimeout(timer)
    },
  }
}

const EVERYTHING: Dirty = { folders: [], files: [], all: true }

/** Drops paths below a folder that is reported anyway. */
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
