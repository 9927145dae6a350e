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
 * cannot be done in parts. Milliseconds.
 */
const PREPARING = { slice: 2, pause: 8, quiet: 100 }

/**
 * Once a server is asked anything, makes ready what the first question would wait for: the thread that reads files, the names of all notes,
 * and the built-in model, which takes less than a model that someone chose may.
 */
export function prepareForQuestions(
  indexing: IndexingClient,
  { engine, files, embedding }: { readonly engine: OpenEngine; readonly files: FileThreads; readonly embedding?: OpenEmbedding },
): void {
  const prepare = (): void => {
    let isDone = true
    tryEagerly(() => {
      isDone = engine.prepare(performance.now() + PREPARING.slice)
    })
    if (!isDone) setTimeout(prepare, PREPARING.pause).unref()
    else if (embedding !== undefined) openWhenQuiet(embedding)
  }
  const openWhenQuiet = (model: OpenEmbedding): void => {
    const wait = indexing.quietSince + PREPARING.quiet - performance.now()
    if (wait > 0) setTimeout(() => openWhenQuiet(model), wait).unref()
    else model.open().catch(() => {})
  }
  // Search is told of only after the first real request, and after the graph.
  const stop = indexing.onStatus(({ search }) => {
    if (search === undefined) return
    stop()
    files.boot()
    setTimeout(prepare, PREPARING.pause).unref()
  })
}

/** Reads before anybody asks; what fails is said to the first who does, and damage was reported to the worker already. */
export function tryEagerly(read: () => void): void {
  try {
    read()
  } catch {
    // The next answer tries again.
  }
}
