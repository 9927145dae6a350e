import { Worker } from 'node:worker_threads'
import { entryOf } from './entries.ts'

let spare: Worker | undefined

/**
 * Starts the indexing worker before it is known what it will work on: it boots while the main thread loads the protocol. It touches
 * nothing until it is told to open a vault.
 */
export function bootIndexer(): void {
  spare ??= startWorker('indexer')
}

/** The worker that was started ahead, else a new one. */
export function takeIndexer(): Worker {
  const worker = spare ?? startWorker('indexer')
  spare = undefined
  return worker
}

/** Three semi-spaces of 4 MB instead of 16: measured on obsidian-hub 20 MB less at no cost in time. */
const YOUNG_MB = 12

/** Starts a worker that does not keep the process alive by itself. */
export function startWorker(name: 'indexer' | 'compute'): Worker {
  // stdout is the protocol's: whatever a library might print there must not come from a worker either.
  const worker = new Worker(entryOf(name), { stdout: true, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } })
  worker.unref()
  return worker
}
