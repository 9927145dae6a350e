import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { entryOf } from './entries.ts'
import { heapLimit } from './heap.ts'
import { endIndexer } from './indexer-channel.ts'
import { startGuarded } from './thread-guard.ts'

/** The size of two semi-spaces of 4 MB, as in the workers. */
const ENOUGH = 8 << 20

/** Milliseconds between checks of a growing heap. */
const CHECK_INTERVAL = 20

let spare: Worker | undefined

/**
 * Starts the indexing worker while the main thread loads the protocol. Only server processes may call this, because it limits the
 * memory of the process.
 */
export function bootIndexer(): void {
  boundYoungSpace()
  spare ??= startWorker('indexer')
}

/** Takes the booted worker. @param heap limit in megabytes; a different limit requires a new worker */
export function takeIndexer(heap = heapLimit()): Worker {
  const worker = heap === heapLimit() ? spare : undefined
  if (worker === undefined) return startWorker('indexer', heap)
  spare = undefined
  return worker
}

export async function endSpare(): Promise<void> {
  if (spare !== undefined) await endIndexer(takeIndexer())
}

/** The size of the young generation in megabytes: three semi-spaces of 4 MB. */
const YOUNG_MB = 12

/** Starts a worker that does not keep the process alive. @param heap heap limit in megabytes */
export function startWorker(name: 'indexer' | 'compute' | 'reader', heap = heapLimit()): Worker {
  // The worker must not write to stdout, which is reserved for protocol messages.
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB, maxOldGenerationSizeMb: heap }
  const worker = startGuarded((workerData) => new Worker(entryOf(name), { stdout: true, resourceLimits, workerData }))
  worker.unref()
  return worker
}

/**
 * Limits the young generation, which would otherwise grow to 32 MB and never shrink. The flag affects all threads of the process.
 */
export function boundYoungSpace(): void {
  let isBound = false
  const checkHeap = (): void => {
    // V8 rereads this factor after startup, but not the size.
    if (isBound) setFlagsFromString('--semi-space-growth-factor=1')
  }
  // V8 resets a factor below two with each new thread.
  process.on('worker', (worker) => void worker.once('online', checkHeap))
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? ENOUGH
    if (size < ENOUGH) return
    clearInterval(timer)
    isBound = true
    checkHeap()
  }, CHECK_INTERVAL).unref()
}
