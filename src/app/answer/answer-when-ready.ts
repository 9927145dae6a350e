import { RouxError } from '../../core/errors.ts'
import type { IndexStatus, SearchReadiness } from '../../core/indexing.ts'
import type { Page, Snapshot } from '../../core/store.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import type { Vaults } from '../vaults.ts'
import {
  CHANGES_UNREAD_WARNING,
  INDEX_BUILDING_WARNING,
  isDone,
  MIXED_STATES_WARNING,
  progressWarning,
  searchWarnings,
} from './readiness-warnings.ts'

export interface Call {
  /** Aborted when the caller no longer waits for the answer. */
  readonly signal?: AbortSignal | undefined
  /**
   * When the call stops waiting for background work, such as reading the vault, indexing notes or opening a model, as a
   * `performance.now()` time. The call then answers from the data available. All waits of a call share this deadline.
   */
  readonly waitUntil?: number | undefined
  /** True if the answer is for a person or a program, not for a model's context. Such answers are never truncated. */
  readonly whole?: boolean
  /** True to mark matching words in the strings of the answer, for display to a person. */
  readonly marked?: boolean
  /** Token budget for lists that do not specify one. If omitted, each tool uses its own default. */
  readonly maxTokens?: number | undefined
  /**
   * True if the answer will be merged with those of other vaults. The list then starts at offset 0 and ends at the end of the
   * page.
   */
  readonly isPart?: boolean
  /** The vaults that are visible to the caller, if there are several. */
  readonly vaults?: Vaults
  /** Called with the current step, if the caller shows it. */
  readonly report?: ((message: string) => void) | undefined
}

/** Milliseconds that a call waits for background work before it answers from the data available. */
const CALL_TIMEOUT = 10_000

/** Maximum number of milliseconds that a command waits. Unlike a client's request, a command does not time out. */
const COMMAND_TIMEOUT = 600_000

/** Milliseconds that an answer waits for changed files to be read. */
const CATCH_UP_TIMEOUT = 50

/** Milliseconds that a server waits to find out which notes are embedded. */
const OPENING_TIMEOUT = 1_000

/** Sets the deadline of a call. A call that is already waiting keeps its deadline. */
export function waiting(call: Call): Call & { readonly waitUntil: number } {
  return { ...call, waitUntil: call.waitUntil ?? performance.now() + CALL_TIMEOUT }
}

/** Returns the remaining waiting time of a call, in milliseconds. */
export function timeLeft(call: Call): number {
  return Math.max(0, Math.ceil(waiting(call).waitUntil - performance.now()))
}

/** Returns how many milliseconds a call waits for the first result of an analysis of the whole vault. */
export function patienceOf(call: Call): number {
  return call.whole ? COMMAND_TIMEOUT : timeLeft(call)
}

/** Reads one generation of the vault. See `Store.read`. */
export type Read = <R>(use: (snapshot: Snapshot) => Promise<R>) => Promise<R>

type Run<T> = (read: Read, call: Call) => Promise<Answer<T>>

/** Runs a use case that reads one snapshot. Use `answerInSteps` if it waits for anything else. */
export function answer<T>(core: GraphCore, call: Call, use: (snapshot: Snapshot) => Promise<Answer<T>>): Promise<Answer<T>> {
  return answerInSteps(core, call, (read) => read(use))
}

/**
 * Runs a use case once all files have been read for the first time. Warns if work is still in progress. The first call also
 * starts writing the index to disk. If an index turns out to be damaged, waits until it is rebuilt and runs the use case again.
 * @throws RouxError `VAULT_NOT_FOUND` while the vault's folder is missing
 */
export function answerInSteps<T>(core: GraphCore, call: Call, run: Run<T>): Promise<Answer<T>> {
  return runUseCase(core, waiting(call), { run })
}

/**
 * Runs a use case that also needs the search indexes. Waits for unindexed notes as long as the call allows, then warns if any are
 * still missing.
 */
export function answerFindable<T>(core: GraphCore, call: Call, needs: SearchReadiness, run: Run<T>): Promise<Answer<T>> {
  core.loadSearchEarly?.()
  return runUseCase(core, waiting(call), { needs, run })
}

interface UseCase<T> {
  readonly needs?: SearchReadiness
  readonly run: Run<T>
}

async function runUseCase<T>(core: GraphCore, call: Call, useCase: UseCase<T>): Promise<Answer<T>> {
  core.indexing.begin()
  // Allow one retry for a damaged graph, and another for a damaged search index.
  const maxAttempts = useCase.needs === undefined ? 2 : 3
  for (let tries = 1; ; tries++) {
    try {
      return await runWhenReady(core, call, useCase)
    } catch (error) {
      if (!isBeingRebuilt(core, error) || tries === maxAttempts) throw error
      if (useCase.needs !== undefined) await core.indexing.findable(useCase.needs, timeLeft(call), call.signal)
    }
  }
}

/** Checks whether an error means that the store is being rebuilt and will be available again later. */
export function isBeingRebuilt({ store }: Pick<GraphCore, 'store'>, error: unknown): boolean {
  return error instanceof RouxError && error.code === 'STORE_UNAVAILABLE' && store.condition() !== 'unreachable'
}

async function runWhenReady<T>(core: GraphCore, call: Call, { needs, run }: UseCase<T>): Promise<Answer<T>> {
  const { indexing } = core
  await indexing.ready(timeLeft(call), call.signal)
  const isLate = !(await indexing.caughtUp(CATCH_UP_TIMEOUT, call.signal))
  call.signal?.throwIfAborted()
  const before = indexing.status()
  await requireServable(core, before)
  if (needs !== undefined) await awaitFindable(core, call, needs)
  const searchBefore = searchWarnings(core, needs)
  const warnings: Warning[] = []
  const read: Read = (use) =>
    core.store.read(async (snapshot) => {
      const value = await use(snapshot)
      if (!snapshot.complete) warnings.push(INDEX_BUILDING_WARNING)
      if (snapshot.isMixed) warnings.push(MIXED_STATES_WARNING)
      return value
    }, call.signal)
  const result = await run(read, call)
  // Warn in both cases: the snapshot lacks the work that was in progress before the read, and work that started during the read
  // may still change the answer.
  const search = searchBefore.length > 0 ? searchBefore : searchWarnings(core, needs)
  const progress =
    progressWarning(before) ??
    progressWarning(indexing.status()) ??
    warnings[0] ??
    (isLate || indexing.isBehind() ? CHANGES_UNREAD_WARNING : undefined)
  return { ...result, warnings: [...(progress === undefined ? [] : [progress]), ...search, ...result.warnings] }
}

/**
 * Waits until notes can be found. A server waits for the word index only, because embedding continues in the background. A
 * command also waits for embeddings, because its process ends with the answer.
 */
async function awaitFindable(core: GraphCore, call: Call, needs: SearchReadiness): Promise<void> {
  const { search, watch } = core.indexing.status()
  if (!isDone(search?.words)) await core.indexing.findable('words', timeLeft(call), call.signal)
  if (needs === 'words' || core.embedding === undefined || isDone(search?.vectors)) return
  if (watch === 'off') await core.indexing.findable('meaning', timeLeft(call), call.signal)
  // The number of embedded notes is unknown until the embedder has read the store.
  else if (search?.vectors?.embedder === undefined) {
    await core.indexing.findable('meaning', Math.min(OPENING_TIMEOUT, timeLeft(call)), call.signal)
  }
}

/** Creates an answer without warnings. */
export function plain<T>(value: T): Answer<T> {
  return { value, warnings: [] }
}

export interface PageArguments {
  readonly limit: number
  readonly offset?: number | undefined
}

export function pageFor({ limit, offset = 0 }: PageArguments, { isPart = false }: Call): Page {
  return isPart ? { offset: 0, limit: offset + limit } : { offset, limit }
}

export function listResult<T>(
  value: T,
  page: { readonly offset: number; readonly shown: number; readonly total: number },
): Answer<T> {
  const { offset, shown, total } = page
  return { value, warnings: [], list: { offset, shown, count: total, counted: 'all' } }
}

async function requireServable(core: GraphCore, status: IndexStatus): Promise<void> {
  if (status.phase === 'missing') {
    throw new RouxError('VAULT_NOT_FOUND', `The vault "${core.root}" is missing or cannot be read.`, {
      hint: 'Answers will resume once the folder is available again. To use another folder, set vault.path.',
    })
  }
  if (status.phase !== 'failed' || (await core.store.read(async ({ generation }) => generation)) > 0) return
  throw new RouxError('PROVIDER_ERROR', `The vault could not be indexed: ${status.message ?? 'unknown reason'}.`, {
    hint: 'Restart the server; see its log for details.',
  })
}
