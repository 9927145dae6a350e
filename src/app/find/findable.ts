import type { SearchReadiness } from '../../core/indexing.ts'
import type { Progress, SearchProgress } from '../../core/search.ts'
import { answerInSteps, type Call, isBeingRebuilt, type Read, timeLeft, waiting } from '../answer/answer-when-ready.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'

/** How long a server waits to learn what is embedded, ms. */
const OPENING_TIMEOUT = 1_000

/**
 * Runs a use case that needs search indexes (`by`): waits for missing notes within the call's time, then warns about
 * the rest. A damaged index is awaited once more. `run` gets the call with its remaining time.
 */
export function answerFindable<T>(
  core: GraphCore,
  given: Call,
  by: SearchReadiness,
  run: (read: Read, call: Call) => Promise<Answer<T>>,
): Promise<Answer<T>> {
  core.loadSearchEarly?.()
  const call = waiting(given)
  return answerInSteps(core, call, async (read) => {
    await awaitFindable(core, call, by)
    const before = warningsOf(core, by)
    const answered = await attempt(core, call, { by, run: () => run(read, call) })
    // Work that finished meanwhile is missing from the snapshot.
    const own = before.length > 0 ? before : warningsOf(core, by)
    return { ...answered, warnings: [...own, ...answered.warnings] }
  })
}

async function attempt<T>(
  core: GraphCore,
  call: Call,
  { by, run }: { readonly by: SearchReadiness; readonly run: () => Promise<Answer<T>> },
): Promise<Answer<T>> {
  try {
    return await run()
  } catch (error) {
    if (!isBeingRebuilt(core, error)) throw error
    await core.indexing.findable(by, timeLeft(call), call.signal)
    return await run()
  }
}

/** A server waits for words only: meaning follows while it answers. A command has nothing to follow it. */
async function awaitFindable(core: GraphCore, call: Call, by: SearchReadiness): Promise<void> {
  const { search, watch } = core.indexing.status()
  if (!isDone(search?.words)) await core.indexing.findable('words', timeLeft(call), call.signal)
  if (by === 'words' || core.embedding === undefined || isDone(search?.vectors)) return
  if (watch === 'off') await core.indexing.findable('meaning', timeLeft(call), call.signal)
  // The number of embedded notes is unknown until the embedder has read the store.
  else if (search?.vectors?.embedder === undefined) {
    await core.indexing.findable('meaning', Math.min(OPENING_TIMEOUT, timeLeft(call)), call.signal)
  }
}

function warningsOf(core: GraphCore, by: SearchReadiness): readonly Warning[] {
  const search: SearchProgress | undefined = core.indexing.status().search
  if (search?.isStopped === true) return [{ code: 'STALE', message: search.message ?? 'Search is not up to date.' }]
  const warnings: Warning[] = []
  if (!isDone(search?.words)) {
    const message = `Words of notes are still being indexed${amount(search?.words)}: some notes may not be found yet.`
    warnings.push({ code: 'INDEX_BUILDING', message })
  }
  if (by === 'words') return warnings
  if (search?.message !== undefined) {
    warnings.push({ code: 'FALLBACK', message: `Not all notes can be found by meaning: ${search.message}` })
  } else if (core.embedding !== undefined && !isDone(search?.vectors)) {
    const message = `Notes are still being embedded${amount(search?.vectors)}: some are found by their words only.`
    warnings.push({ code: 'EMBEDDING', message })
  }
  return warnings
}

function amount(progress: Progress | undefined): string {
  return progress === undefined || progress.total === 0 ? '' : ` (${progress.done} of ${progress.total})`
}

function isDone(progress: Progress | undefined): boolean {
  return progress !== undefined && progress.done >= progress.total
}
