import type { GraphCore } from '../app/graph-core.ts'
import type { LoadedSettings } from '../config/load.ts'
import { PATIENCE } from './findable.ts'
import { type Coverage, coverageOf, factsForPeople } from './search-coverage.ts'
import { type Invocation, requireSettings, withCore } from './session.ts'

/** Brings links, words and vectors up to date, with progress on stderr. Fails where vectors are missing afterwards. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, options, positionals } = invocation
  const began = performance.now()
  const download = options.get('download') === true
  const loaded = withDownload(await requireSettings(invocation, positionals[0]), download)
  const { kind } = loaded.settings.embedder
  if (download && kind !== 'transformers')
    printer.warn(`There is nothing to download: embedder.kind is ${kind}, and only transformers has models on this computer.`)
  const stopped = new AbortController()
  host.onSignal(() => stopped.abort(new Error('stopped')))
  try {
    const facts = await withCore({ ...invocation, loud: true, signal: stopped.signal }, loaded, async (core) => {
      await core.indexing.findable('words', PATIENCE, stopped.signal)
      await core.indexing.findable('meaning', PATIENCE, stopped.signal)
      return { ...(await factsOf(core, loaded)), seconds: Math.round(performance.now() - began) / 1000 }
    })
    await printer.answer(printer.json ? facts : factsForPeople(facts))
    if (isComplete(facts)) return 0
    printer.warn(`Not all notes can be found: ${facts.search_message ?? 'no reason known.'} "roux doctor" tells what to do.`)
    return 1
  } catch (error) {
    if (!stopped.signal.aborted) throw error
    printer.note('Stopped. What was done is kept: "roux index" goes on from there.')
    return INTERRUPTED
  }
}

/** What shells report of a program that Ctrl+C ended. */
const INTERRUPTED = 130

/** Asked for here, a download needs no setting. */
function withDownload(loaded: LoadedSettings, download: boolean): LoadedSettings {
  const { embedder } = loaded.settings
  return download ? { ...loaded, settings: { ...loaded.settings, embedder: { ...embedder, download } } } : loaded
}

async function factsOf({ store, indexing }: GraphCore, { settings }: LoadedSettings) {
  const { files, generation } = await store.state()
  const { mode, cache, file, message } = indexing.status()
  return {
    vault: settings.vault.path,
    mode: mode ?? settings.vault.mode,
    files,
    generation,
    ...coverageOf(indexing.status(), settings, await store.vectorStates()),
    cache,
    index: file ?? null,
    ...(message === undefined ? {} : { message }),
  }
}

function isComplete({ words, vectors }: Coverage): boolean {
  return words.done >= words.total && (vectors === undefined || vectors.done >= vectors.total)
}
