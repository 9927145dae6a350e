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

/** How long no one must have asked anything, and how often that is looked at. Milliseconds. */
const IDLE = { after: 30_000, look: 15_000 }

/** Does something once each time no one has asked for a while. */
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

/** What is kept at hand for the next call is not worth its memory while none comes. */
export function giveUpMemory(engine: OpenEngine, files: FileThreads): void {
  engine.rest()
  files.rest()
  collectGarbage()
}

/** Takes vectors in as they are made: the next search shall not wait for thousands of them. */
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
 * How long the first question is prepared for at once, and how long others have their turn then; how long no one must have asked before what
 * cannot be done in parts; and after how long comes what the first answer need not wait for. Milliseconds.
 */
const PREPARING = { slice: 2, pause: 8, quiet: 100, answered: 2_000 }

/**
 * Once a server is asked anything, makes ready what the first question would wait for: the thread that reads files, the names of all notes,
 * and the built-in model, which takes less than a model that someone chose may. Last what only names that are similar are found by.
 * @returns what ends it.
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
  // Search is told of only after the first real request, and after the graph.
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

/** Reads before anybody asks; what fails is said to the first who does, and damage was reported to the worker already. */
export function tryEagerly(read: () => void): void {
  try {
    read()
  } catch {
    // The next answer tries again.
  }
}
