import type { GraphCore } from '../app/graph-core.ts'
import { coverageOf, factsForPeople } from './search-coverage.ts'
import { type Invocation, requireSettings, withCore } from './session.ts'

/** Prints what is known of the vault and its index, and how much of it can be searched. */
export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const loaded = await requireSettings(invocation, positionals[0])
  const { settings } = loaded
  const facts = await withCore(invocation, loaded, async (core) => {
    const { store, indexing } = core
    const one = { offset: 0, limit: 1 }
    const [state, notes, problems] = [await store.state(), await store.select({}, one), await store.problems({}, one)]
    await lookAtSearch(core)
    const { phase, mode, cache, file, message } = indexing.status()
    return {
      vault: settings.vault.path,
      mode: mode ?? settings.vault.mode,
      notes: notes.total,
      files: state.files,
      problems: problems.total,
      generation: state.generation,
      phase,
      cache,
      index: file ?? null,
      settings: loaded.files,
      ...coverageOf(indexing.status(), settings, await store.vectorStates()),
      ...(message === undefined ? {} : { message }),
    }
  })
  const { measureIndexes } = await host.compose()
  const all = { ...facts, bytes: measureIndexes(settings) }
  await printer.answer(printer.json ? all : factsForPeople(all))
  return 0
}

/** Long enough to open a model and to see how fast it is; what is embedded meanwhile is kept. */
const LOOK_MS = 3_000

/** How much there is to do shows when it is begun: so a little is done, never all of what may take hours. */
async function lookAtSearch({ indexing, embedding }: GraphCore): Promise<void> {
  await indexing.findable('words', LOOK_MS)
  if (embedding !== undefined) await indexing.findable('meaning', LOOK_MS)
}
