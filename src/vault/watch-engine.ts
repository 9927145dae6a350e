import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isHiddenName } from './ignore-rules.ts'

// Reading the folders takes a fifth as long as a comparison. With a pause of 250 times that duration, comparisons use 2 % of the
// time.
const COST = 250

/** Receives events from a watch engine. Paths are vault-relative. */
export interface WatchSink {
  file(path: string): void
  /** A folder was created, removed or replaced. */
  folder(path: string): void
  /** The vault's exclusion filters or marker folders changed, so every file may be affected. */
  all(): void
  /** A `.gitignore` file changed or events were lost, so the watched folders must be determined again. */
  stale(): void
  /** The root has disappeared. */
  lost(): void
  /** The system's limit for watches has been reached. */
  exhausted(error: unknown): void
}

export interface WatchEngine {
  /** Resolves once every later change will be reported. Never rejects. */
  readonly ready: Promise<void>
  /**
   * Waits until every change made before this call has been reported. Returns false if some may be missing. Omitted by engines that
   * can never be certain.
   */
  settle?(): Promise<boolean>
  close(): Promise<void>
}

export const CONFIG_FOLDER = '.obsidian'

const FILTER_FILE = 'app.json'

// Folders that decide which mode `auto` selects. Changes to them affect every note.
const MARKERS = new Set([CONFIG_FOLDER, '.foam', '.vscode', 'logseq'])

/** Reports changes to the vault's rules. Returns `true` if the event needs no further handling. */
export function reportRuleChange(folder: string, name: string, sink: WatchSink, gitignore: boolean): boolean {
  if (folder === CONFIG_FOLDER) {
    // Ignore all other files here. Obsidian frequently writes its workspace file.
    if (name === FILTER_FILE) sink.all()
    return true
  }
  if (folder === '' && MARKERS.has(name)) sink.all()
  if (gitignore && name === '.gitignore') sink.stale()
  return false
}

/** Checks whether an error means that the system's limit for watches or open files has been reached. */
export function isExhaustion(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOSPC' || code === 'EMFILE' || code === 'ENFILE'
}

export interface PollingTimes {
  /** Minimum and maximum interval between comparisons, in milliseconds. */
  readonly shortest: number
  readonly longest: number
}

/**
 * Periodically reports that everything may have changed. The receiver compares all times and sizes anyway (35 ms for 6,600 files).
 * chokidar's own polling would repeat this work with a timer and ten `stat` calls per second for every file. The interval grows with
 * the duration of a comparison, so polling takes about 2 % of the time.
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

/** Reads all folders to measure how long it takes. Returns `false` if the root is gone. */
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
