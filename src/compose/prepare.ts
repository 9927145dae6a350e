import type { FileThreads } from '../workers/files/file-threads.ts'
import { collectGarbage } from '../workers/heap.ts'
import type { IndexingClient } from '../workers/indexing-client.ts'
import type { OpenEmbedding } from '../workers/open-embedding.ts'
import type { OpenEngine } from './engine.ts'

/** Warms up search in short slices before the first question. */
export async function loadSearch({ store, refreshSearch }: OpenEngine): Promise<void> {
  try {
    await new Promise((resolve) => setImmediate(resolve))
    const [newest] = await store.read((snapshot) => snapshot.vectorStates())
    await refreshSearch(newest?.embedder)
  } catch {
    // The error is ignored here, because the next question reports it.
  }
}

const IDLE_MS = { after: 30_000, look: 15_000 }

export function whenIdle(indexing: IndexingClient, action: () => void): NodeJS.Timeout {
  let doneFor = 0
  const timer = setInterval(() => {
    const { quietSince } = indexing
    if (quietSince === doneFor || performance.now() - quietSince < IDLE_MS.after) return
    doneFor = quietSince
    action()
  }, IDLE_MS.look)
  return timer.unref()
}

/** Releases caches while the server is idle. */
export function releaseMemory(...caches: readonly { releaseMemory(): void }[]): void {
  for (const cache of caches) cache.releaseMemory()
  collectGarbage()
}

/** Loads new vectors as soon as they are stored, instead of during the next search. */
export function followVectors(indexing: IndexingClient, engine: OpenEngine): void {
  let isLoading = false
  indexing.onStatus(({ search }) => {
    const embedder = search?.vectors?.embedder
    if (isLoading || embedder === undefined) return
    isLoading = true
    engine
      .refreshSearch(embedder)
      .catch(() => {
        // The error is ignored here, because the next search retries and reports it.
      })
      .finally(() => {
        isLoading = false
      })
  })
}

/** Times in milliseconds. */
const PREPARING = { slice: 2, pause: 8, idleBeforeModel: 100, delayBeforeSimilarNames: 2_000 }

/**
 * Starts the reader thread, and loads note names and the built-in model after the first request.
 * @returns a function that stops loading
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
    const wait = indexing.quietSince + PREPARING.idleBeforeModel - performance.now()
    if (wait > 0) later(openWhenQuiet, wait)
    else embedding?.open().catch(() => {})
  }
  const stop = indexing.onStatus(({ search }) => {
    if (search === undefined) return
    stop()
    files.boot()
    later(() => prepare('names', openWhenQuiet), PREPARING.pause)
    later(() => prepare('similar names', () => {}), PREPARING.delayBeforeSimilarNames)
  })
  return () => {
    isOver = true
  }
}

/** Errors are ignored, because the next read reports them. */
export function tryEagerly(read: () => void): void {
  try {
    read()
  } catch {
    // The error is ignored here, because the next read reports it.
  }
}
