import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { entryOf } from './entries.ts'
import { heapLimit } from './heap.ts'
import { endIndexer } from './indexer-channel.ts'
import { startGuarded } from './thread-guard.ts'

/** The young generation must not grow further once it has two semi-spaces of 4 MB, as in the workers. */
const ENOUGH = 8 << 20

/** How often the heap size is checked while it grows, in milliseconds. */
const CHECK_INTERVAL = 20

let spare: Worker | undefined

/**
 * Starts the indexing worker early, so that it boots while the main thread loads the protocol. It touches no file before it opens
 * a vault. For server processes only, because this also limits the memory of the process.
 */
export function bootIndexer(): void {
  boundYoungSpace()
  spare ??= startWorker('indexer')
}

/**
 * Returns the worker that was started early, or a new one if there is none or it has another heap limit than `heap` megabytes.
 */
export function takeIndexer(heap = heapLimit()): Worker {
  const worker = heap === heapLimit() ? spare : undefined
  if (worker === undefined) return startWorker('indexer', heap)
  spare = undefined
  return worker
}

/** Ends the worker that was started early if nobody has taken it. */
export async function endSpare(): Promise<void> {
  if (spare !== undefined) await endIndexer(takeIndexer())
}

/** Size of the young generation in megabytes: three semi-spaces of 4 MB. */
const YOUNG_MB = 12

/**
 * Starts a worker that does not keep the process alive by itself.
 * @param heap heap limit in megabytes
 */
export function startWorker(name: 'indexer' | 'compute' | 'reader', heap = heapLimit()): Worker {
  // Libraries in a worker must not print to stdout, which carries only protocol messages.
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: heap }
  const worker = startGuarded((workerData) => new Worker(entryOf(name), { stdout: true, resourceLimits, workerData }))
  worker.unref()
  return worker
}

/**
 * Limits the main thread's young generation, which would otherwise grow to 32 MB and never shrink. Call it only in Roux's own
 * processes, because the flag affects all threads.
 */
export function boundYoungSpace(): void {
  let isBound = false
  const checkHeap = (): void => {
    // V8 reads this factor whenever the heap grows, whereas the size itself could only be limited before the process starts.
    if (isBound) setFlagsFromString('--semi-space-growth-factor=1')
  }
  // Whenever a thread starts, V8 resets a factor below two, so set it again.
  process.on('worker', (worker) => void worker.once('online', checkHeap))
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? ENOUGH
    if (size < ENOUGH) return
    clearInterval(timer)
    isBound = true
    checkHeap()
  }, CHECK_INTERVAL)
  timer.unref()
}
