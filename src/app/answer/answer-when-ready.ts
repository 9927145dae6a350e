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
  readonly signal?: AbortSignal | undefined
  /** The deadline for background work, as a `performance.now()` value. At the deadline, the call answers from the data it has. */
  readonly waitUntil?: number | undefined
  /** True if the answer is not for a model and must not be truncated. */
  readonly isUntruncated?: boolean
  readonly withHighlights?: boolean
  /** The default token budget of lists. If omitted, each tool uses its own default. */
  readonly maxTokens?: number | undefined
  /** True if the answer will be merged with answers of other vaults. Its list then starts at offset 0. */
  readonly isPart?: boolean
  readonly vaults?: Vaults
  readonly report?: ((message: string) => void) | undefined
}

/** Timeout for background work, in milliseconds. */
const CALL_TIMEOUT = 10_000

/** A command waits longer than a tool call, because it has no client that times out. */
const COMMAND_TIMEOUT = 600_000

const CATCH_UP_TIMEOUT = 50

const OPENING_TIMEOUT = 1_000

export function waiting(call: Call): Call & { readonly waitUntil: number } {
  return { ...call, waitUntil: call.waitUntil ?? performance.now() + CALL_TIMEOUT }
}

export function timeLeft(call: Call): number {
  return Math.max(0, Math.ceil(waiting(call).waitUntil - performance.now()))
}

export function patienceOf(call: Call): number {
  return call.isUntruncated ? COMMAND_TIMEOUT : timeLeft(call)
}

export type Read = <R>(use: (snapshot: Snapshot) => Promise<R>) => Promise<R>

type Run<T> = (read: Read, call: Call) => Promise<Answer<T>>

export function answer<T>(core: GraphCore, call: Call, use: (snapshot: Snapshot) => Promise<Answer<T>>): Promise<Answer<T>> {
  return answerInSteps(core, call, (read) => read(use))
}

/**
 * Runs a use case after the initial scan, and retries it if the index is damaged.
 * @throws RouxError `VAULT_NOT_FOUND` if the vault's folder is missing
 */
export function answerInSteps<T>(core: GraphCore, call: Call, run: Run<T>): Promise<Answer<T>> {
  return runUseCase(core, waiting(call), { run })
}

/** Like `answerInSteps`, but also waits for the search indexes. A warning is added if they are incomplete at the deadline. */
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
  // A damaged graph and a damaged search index each allow one retry.
  const maxAttempts = useCase.needs === undefined ? 2 : 3
  for (let tries = 1; ; tries++) {
    try {
      return await runWhenReady(core, call, useCase)
    } catch (error) {
      if (!isBeingRebuilt(core, error) || tries === maxAttempts) throw error
      if (useCase.needs !== undefined) await core.indexing.awaitFindable(useCase.needs, timeLeft(call), call.signal)
    }
  }
}

export function isBeingRebuilt({ store }: Pick<GraphCore, 'store'>, error: unknown): boolean {
  return error instanceof RouxError && error.code === 'STORE_UNAVAILABLE' && store.condition() !== 'unreachable'
}

async function runWhenReady<T>(core: GraphCore, call: Call, { needs, run }: UseCase<T>): Promise<Answer<T>> {
  const { indexing } = core
  await indexing.ready(timeLeft(call), call.signal)
  const isLate = !(await indexing.awaitCaughtUp(CATCH_UP_TIMEOUT, call.signal))
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
  const search = searchBefore.length > 0 ? searchBefore : searchWarnings(core, needs)
  const progress =
    progressWarning(before) ??
    progressWarning(indexing.status()) ??
    warnings[0] ??
    (isLate || indexing.isBehind() ? CHANGES_UNREAD_WARNING : undefined)
  return { ...result, warnings: [...(progress === undefined ? [] : [progress]), ...search, ...result.warnings] }
}

/** Embedding continues in the background, so a server does not wait for it. */
async function awaitFindable(core: GraphCore, call: Call, needs: SearchReadiness): Promise<void> {
  const { search, watch } = core.indexing.status()
  if (!isDone(search?.words)) await core.indexing.awaitFindable('words', timeLeft(call), call.signal)
  if (needs === 'words' || core.embedding === undefined || isDone(search?.vectors)) return
  if (watch === 'off') await core.indexing.awaitFindable('meaning', timeLeft(call), call.signal)
  else if (search?.vectors?.embedder === undefined) {
    await core.indexing.awaitFindable('meaning', Math.min(OPENING_TIMEOUT, timeLeft(call)), call.signal)
  }
}

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
      hint: `Answers will resume once the folder is available again. To use another folder, set ${core.name === undefined ? 'vault.path' : `vaults.${core.name}`}.`,
    })
  }
  if (status.phase !== 'failed' || (await core.store.read(async ({ generation }) => generation)) > 0) return
  throw new RouxError('PROVIDER_ERROR', `The vault could not be indexed: ${status.message ?? 'unknown reason'}.`, {
    hint: 'Restart the server; see its log for details.',
  })
}
