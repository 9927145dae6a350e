import type { GraphCore } from '../../app/graph-core.ts'
import { countForReaders } from '../../app/insight/get-problems.ts'
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
    const [files, generation, notes, { seen, inComments }] = await store.read(async (snapshot) => [
      snapshot.files,
      snapshot.generation,
      await snapshot.select({}, oneItem),
      await countForReaders({ core, snapshot }),
    ])
    await lookAtSearch(core)
    const { phase, mode, cache, file, message, feed } = indexing.status()
    return {
      ...(name === undefined ? {} : { name }),
      vault: stored ?? settings.vault.path,
      mode: mode ?? settings.vault.mode,
      notes: notes.total,
      files,
      problems: seen + inComments,
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
  // The index of this vault is on another computer.
  if (stored !== undefined) return facts
  const { measureIndexes } = await invocation.host.compose()
  return { ...facts, bytes: measureIndexes(settings) }
}

/** This many milliseconds are enough to load a model and measure its speed. */
const LOOK_MS = 3_000

/** Finds out how much work is left without finishing it. */
async function lookAtSearch({ indexing, embedding }: GraphCore): Promise<void> {
  await indexing.awaitFindable('words', LOOK_MS)
  if (embedding !== undefined) await indexing.awaitFindable('meaning', LOOK_MS)
}

/** Indexes the vaults, and fails if vectors are still missing afterwards. */
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
  return await withCore({ ...invocation, alwaysShowsProgress: true, signal }, loaded, async (core) => {
    await core.indexing.awaitFindable('words', NO_TIMEOUT, signal)
    await core.indexing.awaitFindable('meaning', NO_TIMEOUT, signal)
    return await factsOf(core, loaded)
  })
}

/** Returns the settings with downloads allowed, if `--download` is given. */
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
  readonly isPartial: boolean
}

/** Asks each vault. With several vaults, a failure is a warning unless all fail. @throws RouxError the first error */
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

async function answerForVaults(printer: Printer, { all, isSeveral }: VaultResults<Facts>): Promise<void> {
  if (printer.json) return await printer.answer(isSeveral ? all : all[0])
  for (const [at, facts] of all.entries()) {
    if (at > 0) await printer.text('\n')
    await printer.answer(factsForPeople(facts))
  }
}

interface Coverage {
  /** The embedder's kind until it has been opened, and then its id. */
  readonly embedder: string
  readonly words: Progress
  readonly vectors?: Progress & {
    readonly remaining_seconds?: number
    readonly index?: VectorState['index']
    readonly index_reason?: string
  }
  readonly search_message?: string
}

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
