import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isHiddenName } from './ignore-rules.ts'

// Reading the folders is a fifth of a listing's cost: 5 × 50 is 2 %.
const COST = 250

/** Receives events of a watch engine; paths are relative to the vault. */
export interface WatchSink {
  file(path: string): void
  /** A folder came, went or was replaced. */
  folder(path: string): void
  /** The vault's own filters or markers changed. */
  all(): void
  /** A `.gitignore` changed or events were lost: what is watched must be worked out again. */
  stale(): void
  /** The root is not where it was. */
  lost(): void
  /** No more watches can be had. */
  exhausted(error: unknown): void
}

/** Something that watches a vault, from the moment it is made. */
export interface WatchEngine {
  /** Resolves when every later change is reported; never rejects. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

export const CONFIG_FOLDER = '.obsidian'

const FILTER_FILE = 'app.json'

// Folders that decide the mode `auto`; their change affects every note.
const MARKERS = new Set([CONFIG_FOLDER, '.foam', '.vscode', 'logseq'])

/** Tells what concerns the rules of the vault rather than its notes; `true` when the event needs no more attention. */
export function tellRuleChange(folder: string, name: string, sink: WatchSink, gitignore: boolean): boolean {
  if (folder === CONFIG_FOLDER) {
    // The application writes its workspace file there all the time.
    if (name === FILTER_FILE) sink.all()
    return true
  }
  if (folder === '' && MARKERS.has(name)) sink.all()
  if (gitignore && name === '.gitignore') sink.stale()
  return false
}

/** True if an error means that the system's limit of watches is reached. */
export function isExhaustion(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE'
}

export interface PollingTimes {
  /** The shortest and longest time between two looks, in ms. */
  readonly shortest: number
  readonly longest: number
}

/**
 * Reports occasionally that everything may have changed. The receiver compares all times and sizes anyway (35 ms for
 * 6,600 files); chokidar's own polling would do it again, with a timer and a `stat` per file ten times a second. The
 * pause grows with the time a look takes, to some 2 % of the time.
 */
export function watchByPolling(root: string, sink: WatchSink, times: PollingTimes): WatchEngine {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const next = (delay: number) => {
    if (!isClosed) timer = setTimeout(() => void look(), delay)
  }
  const look = async () => {
    const start = performance.now()
    const isThere = await readFolders(root)
    if (isClosed) return
    if (isThere) sink.all()
    else sink.lost()
    next(Math.min(Math.max(times.shortest, (performance.now() - start) * COST), times.longest))
  }
  next(times.shortest)
  return {
    ready: Promise.resolve(),
    close: async () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Reads all folders, only for the time it takes; `false` when the root is gone. */
async function readFolders(root: string): Promise<boolean> {
  const pending = [root]
  let isThere = true
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined)
    if (!entries && folder === root) isThere = false
    for (const entry of entries ?? []) {
      if (entry.isDirectory() && !isHiddenName(entry.name)) pending.push(join(folder, entry.name))
    }
  }
  return isThere
}
