import { type Invocation, requireSettings, withCore } from './session.ts'

/** Prints what is known of the vault and its index. */
export async function run(invocation: Invocation): Promise<number> {
  const loaded = await requireSettings(invocation, invocation.positionals[0])
  const facts = await withCore(invocation, loaded, async ({ store, indexing }) => {
    const one = { offset: 0, limit: 1 }
    const [state, notes, problems] = [await store.state(), await store.select({}, one), await store.problems({}, one)]
    const { phase, mode, cache, file, message } = indexing.status()
    return {
      vault: loaded.settings.vault.path,
      mode: mode ?? loaded.settings.vault.mode,
      notes: notes.total,
      files: state.files,
      problems: problems.total,
      generation: state.generation,
      phase,
      cache,
      index: file ?? null,
      settings: loaded.files,
      ...(message === undefined ? {} : { message }),
    }
  })
  await invocation.printer.answer(facts)
  return 0
}
