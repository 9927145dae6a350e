import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isHiddenName } from './ignore-rules.ts'

// Pause between comparisons, relative to the time for reading all folders. A comparison takes five times as long, so polling uses
// about 2 % of the time.
const COST = 250

export interface WatchSink {
  file(path: string): void
  folder(path: string): void
  /** Reports that the exclusion filters or marker folders changed. */
  all(): void
  /** Reports that a `.gitignore` file changed or events were lost. The folders to watch may differ. */
  stale(): void
  lost(): void
  exhausted(error: unknown): void
}

export interface WatchEngine {
  /** Resolves once the engine reports all further changes, and never rejects. */
  readonly ready: Promise<void>
  /** Waits for pending events. The promise resolves to false if some may be missing. */
  settle?(): Promise<boolean>
  close(): Promise<void>
}

export const CONFIG_FOLDER = '.obsidian'

const FILTER_FILE = 'app.json'

// The folders that select the mode in `auto`.
const MARKERS = new Set([CONFIG_FOLDER, '.foam', '.vscode', 'logseq'])

/** @returns true if the event is handled */
export function reportRuleChange(folder: string, name: string, sink: WatchSink, gitignore: boolean): boolean {
  if (folder === CONFIG_FOLDER) {
    // Changes to other files are ignored, because Obsidian frequently writes its workspace file.
    if (name === FILTER_FILE) sink.all()
    return true
  }
  if (folder === '' && MARKERS.has(name)) sink.all()
  if (gitignore && name === '.gitignore') sink.stale()
  return false
}

export function isExhaustion(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE'
}

export interface PollingTimes {
  /** Milliseconds between comparisons. */
  readonly shortest: number
  readonly longest: number
}

/**
 * Reports periodically that everything may have changed. The receiver compares all files anyway (35 ms for 6,600 files).
 * chokidar's polling would add ten `stat` calls per file and second.
 */
export function watchByPolling(root: string, sink: WatchSink, times: PollingTimes): WatchEngine {
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const next = (delay: number) => {
    if (!isClosed) timer = setTimeout(() => void checkFolders(), delay)
  }
  const checkFolders = async () => {
    const start = performance.now()
    const exists = await readFolders(root)
    if (isClosed) return
    if (exists) sink.all()
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

/** Measures the time for reading all folders. @returns false if the root is gone */
async function readFolders(root: string): Promise<boolean> {
  const pending = [root]
  let exists = true
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined)
    if (!entries && folder === root) exists = false
    for (const entry of entries ?? []) {
      if (entry.isDirectory() && !isHiddenName(entry.name)) pending.push(join(folder, entry.name))
    }
  }
  return exists
}
