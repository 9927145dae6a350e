import type { Printer } from './printer.ts'
import { type Coverage, factsForPeople } from './search-coverage.ts'

/** Prints what is known of each vault: of one its facts, of several a list, for people one below the other. */
export async function answerForVaults(
  printer: Printer,
  all: readonly (Coverage & { readonly bytes?: { readonly index: number; readonly search: number } })[],
): Promise<void> {
  if (printer.json) return await printer.answer(all.length === 1 ? all[0] : all)
  for (const [at, facts] of all.entries()) {
    if (at > 0) await printer.text('\n')
    await printer.answer(factsForPeople(facts))
  }
}
