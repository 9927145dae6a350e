import type { GraphCore } from '../../app/graph-core.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { RouxError } from '../../core/errors.ts'
import type { IndexStatus } from '../../core/indexing.ts'
import type { Progress, VectorState } from '../../core/search.ts'
import { NO_TIMEOUT } from '../../core/waiting.ts'
import { interruptible } from '../host.ts'
import type { Printer } from '../output/printer.ts'
import { bytesText, durationText } from '../output/text.ts'
import { type Invocation, requireFolders, requireVaults, withCore } from '../session.ts'
import { describeState, type SharedState, sharedState } from '../shared/background.ts'

/** Prints the status of the vault, including its index and search coverage. */
export async function status(invocation: Invocation): Promise<number> {
  const loaded = await requireVaults(invocation, invocation.positionals[0])
  const shared_server = await sharedState(invocation, loaded)
  const statuses = await askEachVault(invocation.printer, loaded.vaults, async (vault) => ({
    ...(await statusOf(invocation, vault)),
    ...(shared_server === undefined ? {} : { shared_server }),
  }))
  await answerForVaults(invocation.printer, statuses)
  return statuses.isPartial ? 1 : 0
}

async function statusOf(invocation: Invocation, loaded: LoadedVault) {
  const { name, settings, stored } = loaded
  const facts = await withCore(invocation, loaded, async (core) => {
    const { store, indexing } = core
    const oneItem = { offset: 0, limit: 1 }
    const [files, generation, notes, problems] = await store.read(async (snapshot) => [
      snapshot.files,
      snapshot.generation,
      await snapshot.select({}, oneItem),
      await snapshot.problems({}, oneItem),
    ])
    await lookAtSearch(core)
    const { phase, mode, cache, file, message, feed } = indexing.status()
    return {
      ...(name === undefined ? {} : { name }),
      vault: stored ?? settings.vault.path,
      mode: mode ?? settings.vault.mode,
      notes: notes.total,
      files,
      problems: problems.total,
      generation,
      phase,
      cache,
      index: file ?? null,
      settings: loaded.files,
      ...coverageOf(indexing.status(), settings, await store.read((snapshot) => snapshot.vectorStates())),
      ...(feed === undefined ? {} : { feed }),
      ...(message === undefined ? {} : { message }),
    }
  })
  // The index is stored on another computer.
  if (stored !== undefined) return facts
  const { measureIndexes } = await invocation.host.compose()
  return { ...facts, bytes: measureIndexes(settings) }
}

/** Time in milliseconds for opening a model and measuring its speed. Embeddings computed during this time are kept. */
const LOOK_MS = 3_000

/** Runs indexing briefly to find out how much work is left. Finishing it might take hours. */
async function lookAtSearch({ indexing, embedding }: GraphCore): Promise<void> {
  await indexing.findable('words', LOOK_MS)
  if (embedding !== undefined) await indexing.findable('meaning', LOOK_MS)
}

/** Updates links, words and vectors, showing progress on stderr. The command fails if vectors are still missing afterwards. */
export async function index(invocation: Invocation): Promise<number> {
  const { host, printer, options, positionals } = invocation
  const startedAt = performance.now()
  const download = options.get('download') === true
  const { vaults } = await requireVaults(invocation, positionals[0])
  requireFolders(vaults, 'index')
  const kinds = new Set(vaults.map(({ settings }) => settings.embedder.kind))
  if (download && !kinds.has('transformers'))
    printer.warn(
      `There is nothing to download: embedder.kind is ${[...kinds].join(', ')}, and only transformers has models on this computer.`,
    )
  const indexed = async (signal: AbortSignal): Promise<number> => {
    const rows = await askEachVault(printer, vaults, (vault) => bringUpToDate(invocation, withDownload(vault, download), signal))
    const seconds = Math.round(performance.now() - startedAt) / 1000
    await answerForVaults(printer, { ...rows, all: rows.all.map((facts) => ({ ...facts, seconds })) })
    const incomplete = rows.all.find((facts) => !isComplete(facts))
    if (incomplete === undefined) return rows.isPartial ? 1 : 0
    printer.warn(
      `Not all notes can be found: ${incomplete.search_message ?? 'unknown reason.'} "roux doctor" explains what to do.`,
    )
    return 1
  }
  return await interruptible(host, indexed, () => printer.note('Stopped. Finished work is kept; "roux index" does the rest.'))
}

async function bringUpToDate(invocation: Invocation, loaded: LoadedVault, signal: AbortSignal) {
  return await withCore({ ...invocation, loud: true, signal }, loaded, async (core) => {
    await core.indexing.findable('words', NO_TIMEOUT, signal)
    await core.indexing.findable('meaning', NO_TIMEOUT, signal)
    return await factsOf(core, loaded)
  })
}

/** An explicit `--download` overrides the setting. */
function withDownload(loaded: LoadedVault, download: boolean): LoadedVault {
  const { embedder } = loaded.settings
  return download ? { ...loaded, settings: { ...loaded.settings, embedder: { ...embedder, download } } } : loaded
}

async function factsOf({ store, indexing }: GraphCore, { name, settings }: LoadedVault) {
  const [files, generation, vectors] = await store.read(async (snapshot) => [
    snapshot.files,
    snapshot.generation,
    await snapshot.vectorStates(),
  ])
  const { mode, cache, file, message } = indexing.status()
  return {
    ...(name === undefined ? {} : { name }),
    vault: settings.vault.path,
    mode: mode ?? settings.vault.mode,
    files,
    generation,
    ...coverageOf(indexing.status(), settings, vectors),
    cache,
    index: file ?? null,
    ...(message === undefined ? {} : { message }),
  }
}

function isComplete({ words, vectors, search_message: problem }: Coverage): boolean {
  return problem === undefined && words.done >= words.total && (vectors === undefined || vectors.done >= vectors.total)
}

type Facts = Parameters<typeof factsForPeople>[0]

interface VaultResults<T> {
  readonly all: readonly T[]
  readonly isSeveral: boolean
  /** True if some vaults returned no result. A warning has been printed for them. */
  readonly isPartial: boolean
}

/**
 * Queries the vaults one after another. If there are several, a failure is only a warning as long as another vault succeeds.
 * @throws RouxError the first error if all vaults fail
 */
async function askEachVault<T>(
  printer: Printer,
  vaults: readonly LoadedVault[],
  read: (vault: LoadedVault) => Promise<T>,
): Promise<VaultResults<T>> {
  const all: T[] = []
  const failures: { readonly vault: LoadedVault; readonly error: RouxError }[] = []
  for (const vault of vaults) {
    try {
      all.push(await read(vault))
    } catch (error) {
      if (!(error instanceof RouxError)) throw error
      failures.push({ vault, error })
    }
  }
  const [first] = failures
  if (first !== undefined && all.length === 0) throw first.error
  for (const { vault, error } of failures) printer.warn(`${vault.name}: ${error.message}`)
  return { all, isSeveral: vaults.length > 1, isPartial: failures.length > 0 }
}

/** Prints the status of one vault, or a list if there are several. */
async function answerForVaults(printer: Printer, { all, isSeveral }: VaultResults<Facts>): Promise<void> {
  if (printer.json) return await printer.answer(isSeveral ? all : all[0])
  for (const [at, facts] of all.entries()) {
    if (at > 0) await printer.text('\n')
    await printer.answer(factsForPeople(facts))
  }
}

interface Coverage {
  /** Id of the embedder, or its kind if it has not been opened. */
  readonly embedder: string
  /** Progress of the word index, in notes. */
  readonly words: Progress
  /** Progress of the vector index, in notes. Omitted without an embedder. */
  readonly vectors?: Progress & {
    readonly remaining_seconds?: number
    /** Search method used for vectors. `index_reason` explains the choice. */
    readonly index?: VectorState['index']
    readonly index_reason?: string
  }
  /** Reason that indexing has stopped, if any. */
  readonly search_message?: string
}

/** Returns the progress reported by indexing. If the embedder could not be opened, counts the stored vectors instead. */
function coverageOf(
  { search }: Pick<IndexStatus, 'search'>,
  { embedder }: Pick<Settings, 'embedder'>,
  stored: readonly VectorState[],
): Coverage {
  const { words = { done: 0, total: 0 }, vectors, message } = search ?? {}
  const own = stored.find((row) => (vectors?.embedder === undefined ? isOf(row, embedder) : row.embedder === vectors.embedder))
  const facts = {
    embedder: vectors?.embedder ?? own?.embedder ?? embedder.kind,
    words,
    ...(message === undefined ? {} : { search_message: message }),
  }
  if (vectors === undefined) return facts
  const { total, remaining } = vectors
  const doneCount = vectors.embedder === undefined ? Math.min(total, own?.notes ?? 0) : vectors.done
  const time = remaining === undefined || doneCount >= total ? {} : { remaining_seconds: Math.ceil(remaining / 1_000) }
  const comparedMember =
    own === undefined ? {} : { index: own.index, ...(own.reason === undefined ? {} : { index_reason: own.reason }) }
  return { ...facts, vectors: { done: doneCount, total, ...time, ...comparedMember } }
}

/**
 * Checks whether vectors probably come from the configured embedder. This is the case if the embedder's id starts with the kind and contains
 * the model name.
 */
function isOf({ embedder: id }: VectorState, { kind, model }: Settings['embedder']): boolean {
  const name = model.split(/[\\/]/).at(-1) ?? ''
  return id.startsWith(`${kind}:`) && id.toLowerCase().includes(name.toLowerCase())
}

function factsForPeople(
  facts: Coverage & {
    readonly bytes?: { readonly index: number; readonly search: number }
    readonly shared_server?: SharedState
  },
) {
  const { words, vectors, bytes, shared_server, ...rest } = facts
  const remaining = (vectors?.total ?? 0) - (vectors?.done ?? 0)
  const time = vectors?.remaining_seconds === undefined ? '' : `, ${durationText(1_000 * vectors.remaining_seconds)}`
  return {
    ...rest,
    'by words': amount(words),
    ...(vectors === undefined ? {} : { 'by meaning': amount(vectors) + (remaining > 0 ? `; ${remaining} to embed${time}` : '') }),
    ...(vectors?.index_reason === undefined ? {} : { 'vector index': `${vectors.index}: ${vectors.index_reason}` }),
    ...(bytes === undefined ? {} : { 'on disk': `${bytesText(bytes.index)} links, ${bytesText(bytes.search)} search` }),
    ...(shared_server === undefined ? {} : { 'shared server': describeState(shared_server) }),
  }
}

function amount({ done, total }: Progress): string {
  return `${done} of ${total} notes`
}
