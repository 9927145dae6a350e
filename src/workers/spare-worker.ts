import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { entryOf } from './entries.ts'
import { endIndexer } from './indexer-channel.ts'

/** Two semi-spaces of 4 MB, as the workers have them. */
const ENOUGH = 8 << 20

/** How often its size is looked at while it grows, ms. */
const LOOK_EVERY = 20

let spare: Worker | undefined

/**
 * Starts the indexing worker early: it boots while the main thread loads the protocol and touches nothing until it
 * opens a vault. For a server process; its memory is bounded, too.
 */
export function bootIndexer(): void {
  boundYoungSpace()
  spare ??= startWorker('indexer')
}

/** The worker that was started ahead, else a new one. */
export function takeIndexer(): Worker {
  const worker = spare ?? startWorker('indexer')
  spare = undefined
  return worker
}

/** Ends the worker that was started ahead where nothing took it. */
export async function endSpare(): Promise<void> {
  if (spare !== undefined) await endIndexer(takeIndexer())
}

/**
 * V8 lets a heap grow the more freely the more it may have, which by default is a sixth of the machine. With three semi-spaces of 4 MB
 * and this limit indexing and embedding obsidian-hub peaks at 248 instead of 300 MB, at no cost in time; 100,000 notes stay below half of it.
 */
const HEAP = { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 2_000 }

/** Starts a worker that does not keep the process alive by itself. */
export function startWorker(name: 'indexer' | 'compute' | 'reader'): Worker {
  // stdout belongs to the protocol, so a library in a worker must not print there either.
  const worker = new Worker(entryOf(name), { stdout: true, resourceLimits: HEAP })
  worker.unref()
  return worker
}

/**
 * Bounds the main thread's young generation: V8 would take 32 MB and never return it. Only for a process of our own,
 * because the flag applies to all its threads.
 */
export function boundYoungSpace(): void {
  let isBound = false
  const bound = (): void => {
    // A process started by others cannot set this before it starts; V8 reads the limit each time it grows.
    if (isBound) setFlagsFromString('--semi-space-growth-factor=1')
  }
  // V8 takes a factor below two back whenever it makes a heap for another thread.
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
