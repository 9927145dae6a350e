import { Worker } from 'node:worker_threads'
import { entryOf } from './entries.ts'
import { endIndexer } from './indexer-channel.ts'
import { boundYoungSpace } from './young-space.ts'

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
