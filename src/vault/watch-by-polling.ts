import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isHiddenName } from './ignore-rules.ts'
import type { WatchEngine, WatchSink } from './watch-engine.ts'

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

// Reading the folders is a fifth of a listing's cost: 5 × 50 is 2 %.
const COST = 250

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
