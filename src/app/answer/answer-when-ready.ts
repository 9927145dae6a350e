import { RouxError } from '../../core/errors.ts'
import type { IndexStatus, SearchReadiness } from '../../core/indexing.ts'
import type { Page, Snapshot } from '../../core/store.ts'
import type { Answer, GraphCore, Warning } from '../graph-core.ts'
import type { Vaults } from '../vaults.ts'
import { BEHIND, INCOMPLETE, isDone, MIXED, progressWarning, searchWarnings } from './readiness-warnings.ts'

/** Options that every call of a use case has. */
export interface Call {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined
  /**
   * Deadline, on the clock of `performance.now()`, for waiting on background work: reading the vault, indexing notes,
   * opening a model. Then the call answers from what is there. All waits of a call share it.
   */
  readonly waitUntil?: number | undefined
  /** The answer is for a person or a program, not for a model's context: nothing of it is cut. */
  readonly whole?: boolean
  /** True if the answer marks the words in its texts, for showing them to a person. */
  readonly marked?: boolean
  /** The budget of a list that names none, tokens; absent: each tool's own. */
  readonly maxTokens?: number | undefined
  /** The list is merged with those of other vaults: it begins at the beginning and ends where the page does. */
  readonly isPart?: boolean
  /** Where there are several: those that the caller may see. */
  readonly vaults?: Vaults
  /** Called with the current step, if the caller shows it. */
  readonly report?: ((message: string) => void) | undefined
}

/** How long a call waits for work that goes on behind it before it answers from what is there, ms. */
const WAITING = 10_000

/** How long an answer waits for a change that the watcher told and that is not read yet, ms. */
const CATCHING_UP = 50

/** How long a server waits to learn what is embedded, ms. */
const OPENING_TIMEOUT = 1_000

/** A call that begins now; of one that waits already, the rest of its time. */
export function waiting(call: Call): Call & { readonly waitUntil: number } {
  return { ...call, waitUntil: call.waitUntil ?? performance.now() + WAITING }
}

/** How long a call may still wait, ms. */
export function timeLeft(call: Call): number {
  return Math.max(0, Math.ceil(waiting(call).waitUntil - performance.now()))
}

/** Reads one generation of the vault; see `Store.read`. */
export type Read = <R>(use: (snapshot: Snapshot) => Promise<R>) => Promise<R>

/** A step of a use case, with the call's remaining time. */
type Run<T> = (read: Read, call: Call) => Promise<Answer<T>>

/** Runs a use case that reads one snapshot and waits for nothing else: see `answerInSteps`. */
export function answer<T>(core: GraphCore, call: Call, use: (snapshot: Snapshot) => Promise<Answer<T>>): Promise<Answer<T>> {
  return answerInSteps(core, call, (read) => read(use))
}

/**
 * Runs a use case: allows writing the index from now on, waits for a first complete state, and warns about unfinished
 * work. If an index turns out to be damaged, waits and runs again.
 * @throws RouxError `VAULT_NOT_FOUND` while the vault's folder is missing
 */
export function answerInSteps<T>(core: GraphCore, call: Call, run: Run<T>): Promise<Answer<T>> {
  return runUseCase(core, waiting(call), { run })
}

/** Runs a use case that needs search indexes, too: waits for missing notes within the call's time, then warns about the rest. */
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
  // The graph may be damaged, and the search index.
  const most = useCase.needs === undefined ? 2 : 3
  for (let tries = 1; ; tries++) {
    try {
      return await runWhenReady(core, call, useCase)
    } catch (error) {
      if (!isBeingRebuilt(core, error) || tries === most) throw error
      if (useCase.needs !== undefined) await core.indexing.findable(useCase.needs, timeLeft(call), call.signal)
    }
  }
}

/** True if an error means that the store is being rebuilt and will answer later. */
export function isBeingRebuilt({ store }: Pick<GraphCore, 'store'>, error: unknown): boolean {
  return error instanceof RouxError && error.code === 'STORE_UNAVAILABLE' && store.condition() !== 'unreachable'
}

async function runWhenReady<T>(core: GraphCore, call: Call, { needs, run }: UseCase<T>): Promise<Answer<T>> {
  const { indexing } = core
  await indexing.ready(timeLeft(call), call.signal)
  const isLate = !(await indexing.caughtUp(CATCHING_UP, call.signal))
  call.signal?.throwIfAborted()
  const before = indexing.status()
  await requireServable(core, before)
  if (needs !== undefined) await awaitFindable(core, call, needs)
  const searchBefore = searchWarnings(core, needs)
  const said: Warning[] = []
  const read: Read = (use) =>
    core.store.read(async (snapshot) => {
      const value = await use(snapshot)
      if (!snapshot.complete) said.push(INCOMPLETE)
      if (snapshot.isMixed) said.push(MIXED)
      return value
    }, call.signal)
  const answered = await run(read, call)
  // Finished work was not in what was read, and newly started work may change it; report both.
  const search = searchBefore.length > 0 ? searchBefore : searchWarnings(core, needs)
  const progress =
    progressWarning(before) ??
    progressWarning(indexing.status()) ??
    said[0] ??
    (isLate || indexing.isBehind() ? BEHIND : undefined)
  return { ...answered, warnings: [...(progress === undefined ? [] : [progress]), ...search, ...answered.warnings] }
}

/** A server waits for words only: meaning follows while it answers. A command has nothing to follow it. */
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

/** An answer that needs no warning. */
export function plain<T>(value: T): Answer<T> {
  return { value, warnings: [] }
}

/** Which stretch of a list is asked for; the first items unless said. */
export interface PageArguments {
  readonly limit: number
  readonly offset?: number | undefined
}

/** The stretch of a list that a vault answers a call with. */
export function pageFor({ limit, offset = 0 }: PageArguments, { isPart = false }: Call): Page {
  return isPart ? { offset: 0, limit: offset + limit } : { offset, limit }
}

/** A page of a list with a known total. */
export function listed<T>(
  value: T,
  page: { readonly offset: number; readonly shown: number; readonly total: number },
): Answer<T> {
  const { offset, shown, total } = page
  return { value, warnings: [], list: { offset, shown, count: total, counted: 'all' } }
}

async function requireServable(core: GraphCore, status: IndexStatus): Promise<void> {
  if (status.phase === 'missing') {
    throw new RouxError('VAULT_NOT_FOUND', `The vault "${core.root}" is missing or cannot be read.`, {
      hint: 'Answers resume when the folder is back. To use another folder, set vault.path.',
    })
  }
  if (status.phase !== 'failed' || (await core.store.read(async ({ generation }) => generation)) > 0) return
  throw new RouxError('PROVIDER_ERROR', `The vault could not be indexed: ${status.message ?? 'unknown reason'}.`, {
    hint: 'Restart the server; its log says more.',
  })
}
