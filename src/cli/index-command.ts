import { type Invocation, requireSettings, withCore } from './session.ts'

/** Brings the index up to date, with progress on stderr. */
export async function run(invocation: Invocation): Promise<number> {
  const began = performance.now()
  const loaded = await requireSettings(invocation, invocation.positionals[0])
  const facts = await withCore({ ...invocation, loud: true }, loaded, async ({ store, indexing }) => {
    const { files, generation } = await store.state()
    const { mode, cache, file, message } = indexing.status()
    return {
      vault: loaded.settings.vault.path,
      mode: mode ?? loaded.settings.vault.mode,
      files,
      generation,
      cache,
      index: file ?? null,
      seconds: Math.round(performance.now() - began) / 1000,
      ...(message === undefined ? {} : { message }),
    }
  })
  await invocation.printer.answer(facts)
  return 0
}
