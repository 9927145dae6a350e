import type { GraphCore } from '../../app/graph-core.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import { NO_TIMEOUT } from '../../core/waiting/aborting.ts'
import { interruptible } from '../host.ts'
import { type Invocation, requireFolders, requireVaults, withCore } from '../session.ts'
import { answerForVaults, askEachVault } from './each-vault.ts'
import { type Coverage, coverageOf } from './search-coverage.ts'

/** Updates links, words and vectors, showing progress on stderr. The command fails if vectors are still missing afterwards. */
export async function run(invocation: Invocation): Promise<number> {
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
