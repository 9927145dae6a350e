import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { entryOf } from './entries.ts'
import { endIndexer } from './indexer-channel.ts'

/** Two semi-spaces of 4 MB, as in the workers. */
const ENOUGH = 8 << 20

/** How often the heap size is checked while it grows, in milliseconds. */
const LOOK_EVERY = 20

let spare: Worker | undefined

/**
 * Starts the indexing worker in advance. It boots while the main thread loads the protocol, and touches nothing until it opens a
 * vault. Only for server processes; it also bounds their memory.
 */
export function bootIndexer(): void {
  boundYoungSpace()
  spare ??= startWorker('indexer')
}

/** Returns the worker started in advance, or a new one. */
export function takeIndexer(): Worker {
  const worker = spare ?? startWorker('indexer')
  spare = undefined
  return worker
}

/** Ends the worker started in advance if nothing used it. */
export async function endSpare(): Promise<void> {
  if (spare !== undefined) await endIndexer(takeIndexer())
}

/**
 * V8 lets a heap grow more freely the larger its limit is, by default a sixth of the machine's memory. With three semi-spaces of 4 MB
 * and this limit, indexing and embedding obsidian-hub peaks at 248 instead of 300 MB without taking longer; 100,000 notes stay below
 * half of the limit.
 */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 2_000 }

/** Starts a worker that does not keep the process alive by itself. */
export function startWorker(name: 'indexer' | 'compute' | 'reader'): Worker {
  // stdout belongs to the protocol, so libraries in a worker must not print there either.
  const worker = new Worker(entryOf(name), { stdout: true, resourceLimits: HEAP })
  worker.unref()
  return worker
}

/**
 * Bounds the main thread's young generation, for which V8 would take 32 MB and never return it. Only for Roux's own processes,
 * because the flag applies to all threads.
 */
export function boundYoungSpace(): void {
  let isBound = false
  const bound = (): void => {
    // This cannot be set before the process starts. V8 reads the limit whenever the heap grows.
    if (isBound) setFlagsFromString('--semi-space-growth-factor=1')
  }
  // V8 resets a factor below two whenever it creates a heap for another thread.
  process.on('worker', (worker) => void worker.once('online', bound))
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? ENOUGH
    if (size < ENOUGH) return
    clearInterval(timer)
    isBound = true
    bound()
  }, LOOK_EVERY)
  timer.unref()
}
