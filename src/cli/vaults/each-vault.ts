import type { LoadedVault } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { Printer } from '../output/printer.ts'
import { factsForPeople } from './search-coverage.ts'

type Facts = Parameters<typeof factsForPeople>[0]

export interface VaultResults<T> {
  readonly all: readonly T[]
  readonly isSeveral: boolean
  /** True if some vaults returned no result. A warning has been printed for them. */
  readonly isPartial: boolean
}

/**
 * Queries the vaults one after another. If there are several, a failure is only a warning as long as another vault succeeds.
 * @throws RouxError the first error if all vaults fail
 */
export async function askEachVault<T>(
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
export async function answerForVaults(printer: Printer, { all, isSeveral }: VaultResults<Facts>): Promise<void> {
  if (printer.json) return await printer.answer(isSeveral ? all : all[0])
  for (const [at, facts] of all.entries()) {
    if (at > 0) await printer.text('\n')
    await printer.answer(factsForPeople(facts))
  }
}
