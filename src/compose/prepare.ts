import type { FileThreads } from '../workers/files/file-threads.ts'
import { collectGarbage } from '../workers/heap.ts'
import type { IndexingClient } from '../workers/indexing-client.ts'
import type { OpenEmbedding } from '../workers/open-embedding.ts'
import type { OpenEngine } from './engine.ts'

/** Loads the stored search data in slices of a few milliseconds, so the first question does not have to load it. */
export async function loadSearch({ store, refreshSearch }: OpenEngine): Promise<void> {
  try {
    // Load the graph first, because every call needs it.
    await new Promise((resolve) => setImmediate(resolve))
    const [newest] = await store.read((snapshot) => snapshot.vectorStates())
    await refreshSearch(newest?.embedder)
  } catch {
    // Ignored here because the next question reports the error.
  }
}

/** Milliseconds without activity after which memory is released, and between checks for it. */
const IDLE = { after: 30_000, look: 15_000 }

/** Calls `action` once per idle period. */
export function whenIdle(indexing: IndexingClient, action: () => void): NodeJS.Timeout {
  let doneFor = 0
  const timer = setInterval(() => {
    const { quietSince } = indexing
    if (quietSince === doneFor || performance.now() - quietSince < IDLE.after) return
    doneFor = quietSince
    action()
  }, IDLE.look)
  return timer.unref()
}

/** Releases caches that are not worth their memory during idle periods. */
export function releaseMemory(...caches: readonly { rest(): void }[]): void {
  for (const cache of caches) cache.rest()
  collectGarbage()
}

/** Loads vectors as they are created, so the next search does not have to load thousands of them. */
export function followVectors(indexing: IndexingClient, engine: OpenEngine): void {
  let isLoading = false
  indexing.onStatus(({ search }) => {
    const embedder = search?.vectors?.embedder
    if (isLoading || embedder === undefined) return
    isLoading = true
    engine
      .refreshSearch(embedder)
      .catch(() => {
        // The next answer retries the load and reports the error.
      })
      .finally(() => {
        isLoading = false
      })
  })
}

/**
 * Milliseconds: length of a slice, pause after it, idle time before indivisible work, and delay of work that the first answer does
 * not need.
 */
const PREPARING = { slice: 2, pause: 8, quiet: 100, answered: 2_000 }

/**
 * Prepares for the first question after a server receives its first request. Loads the reader thread, the names of all notes and the
 * built-in model, and finally the lookup of similar names.
 * @returns a function that stops the preparation
 */
export function prepareForQuestions(
  indexing: IndexingClient,
  { engine, files, embedding }: { readonly engine: OpenEngine; readonly files: FileThreads; readonly embedding?: OpenEmbedding },
): () => void {
  let isOver = false
  const later = (action: () => void, pause: number): void => {
    setTimeout(() => isOver || action(), pause).unref()
  }
  const prepare = (part: Parameters<OpenEngine['prepare']>[0], next: () => void): void => {
    let isDone = true
    tryEagerly(() => {
      isDone = engine.prepare(part, performance.now() + PREPARING.slice)
    })
    if (isDone) next()
    else later(() => prepare(part, next), PREPARING.pause)
  }
  const openWhenQuiet = (): void => {
    const wait = indexing.quietSince + PREPARING.quiet - performance.now()
    if (wait > 0) later(openWhenQuiet, wait)
    else embedding?.open().catch(() => {})
  }
  // Search progress is only reported after the first real request and after the graph is ready.
  const stop = indexing.onStatus(({ search }) => {
    if (search === undefined) return
    stop()
    files.boot()
    later(() => prepare('names', openWhenQuiet), PREPARING.pause)
    later(() => prepare('similar names', () => {}), PREPARING.answered)
  })
  return () => {
    isOver = true
  }
}

/**
 * Runs a read ahead of time. Ignores errors, because the next caller gets them too, and damage has already been reported to the
 * worker.
 */
export function tryEagerly(read: () => void): void {
  try {
    read()
  } catch {
    // The next answer retries the read.
  }
}
