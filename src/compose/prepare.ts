import { collectGarbage } from '../workers/collect-garbage.ts'
import type { FileThreads } from '../workers/files/file-threads.ts'
import type { IndexingClient } from '../workers/indexing-client.ts'
import type { OpenEmbedding } from '../workers/open-embedding.ts'
import type { OpenEngine } from './engine.ts'

/** Loads what is stored for search, a few milliseconds at a time: the first question would do it only after the files were compared. */
export async function loadSearch({ store, refreshSearch }: OpenEngine): Promise<void> {
  try {
    // After the graph, which every call waits for.
    await new Promise((resolve) => setImmediate(resolve))
    const [newest] = await store.read((snapshot) => snapshot.vectorStates())
    await refreshSearch(newest?.embedder)
  } catch {
    // The question that follows says what is wrong.
  }
}

/** Idle time before memory is given back, and how often it is checked, in ms. */
const IDLE = { after: 30_000, look: 15_000 }

/** Calls the function once whenever nothing was asked for a while. */
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

/** Gives back caches that are not worth their memory while nothing is asked. */
export function giveUpMemory(engine: OpenEngine, files: FileThreads): void {
  engine.rest()
  files.rest()
  collectGarbage()
}

/** Loads vectors as they are made, because the next search must not wait for thousands of them. */
export function followVectors(indexing: IndexingClient, engine: OpenEngine): void {
  let isLoading = false
  indexing.onStatus(({ search }) => {
    const embedder = search?.vectors?.embedder
    if (isLoading || embedder === undefined) return
    isLoading = true
    engine
      .refreshSearch(embedder)
      .catch(() => {
        // The next answer tries again, and says what is wrong.
      })
      .finally(() => {
        isLoading = false
      })
  })
}

/**
 * Timing of preparation in ms: the length of a slice, the pause after it, the idle time before work that cannot be
 * split, and the delay of work that the first answer does not need.
 */
const PREPARING = { slice: 2, pause: 8, quiet: 100, answered: 2_000 }

/**
 * After a server's first request, prepares what the first question needs: the reader thread, the names of all notes,
 * and the built-in model. The lookup of similar names comes last.
 * @returns a function that stops it
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
  // Progress of search arrives only after the first real request, and after the graph.
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

/** Reads ahead. The first caller gets the error; damage was already reported to the worker. */
export function tryEagerly(read: () => void): void {
  try {
    read()
  } catch {
    // The next answer tries again.
  }
}
