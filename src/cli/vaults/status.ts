import type { GraphCore } from '../../app/graph-core.ts'
import type { LoadedVault } from '../../config/load-vaults.ts'
import { type Invocation, requireVaults, withCore } from '../session.ts'
import { sharedState } from '../shared/background.ts'
import { answerForVaults, askEachVault } from './each-vault.ts'
import { coverageOf } from './search-coverage.ts'

/** Prints the status of the vault, including its index and search coverage. */
export async function run(invocation: Invocation): Promise<number> {
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
