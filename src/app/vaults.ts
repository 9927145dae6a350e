import type { GraphCore } from './graph-core.ts'

/** Vaults of a server that are visible to the caller. */
export interface Vaults {
  /** Names in the order of the settings. Empty if there is only one vault, which has no name. */
  readonly names: readonly string[]
  /**
   * Returns a vault by name, opening it if necessary. Retries if an earlier attempt failed. If there are no names, returns the only
   * vault.
   */
  open(name?: string): Promise<GraphCore>
  /** Returns the folder of a named vault without opening it. Omitted if the caller does not need the folder. */
  folderOf?(name: string): string | undefined
}

/** Restricts vaults to those that a caller may see. Opening any other vault is rejected with `refusal`. */
export function onlyVaults(vaults: Vaults, isSeen: (name: string) => boolean, refusal: () => Error): Vaults {
  const names = vaults.names.filter(isSeen)
  return {
    names,
    folderOf: (name) => (names.includes(name) ? vaults.folderOf?.(name) : undefined),
    open: (name) => (name !== undefined && names.includes(name) ? vaults.open(name) : Promise.reject(refusal())),
  }
}

/** Creates vaults that are opened on first use. */
export function vaultsOnDemand(
  names: readonly string[],
  open: (name?: string) => Promise<GraphCore>,
  folderOf?: (name: string) => string | undefined,
): Vaults {
  const cores = new Map<string, Promise<GraphCore>>()
  return {
    names,
    ...(folderOf === undefined ? {} : { folderOf }),
    open(name) {
      const key = name ?? ''
      const known = cores.get(key)
      if (known !== undefined) return known
      const opening = open(name)
      cores.set(key, opening)
      opening.catch(() => cores.delete(key))
      return opening
    },
  }
}

/**
 * Opens all vaults.
 * @throws the error of the first vault that failed, after all attempts have finished
 */
export async function openAll(vaults: Vaults): Promise<readonly GraphCore[]> {
  const names: readonly (string | undefined)[] = vaults.names.length === 0 ? [undefined] : vaults.names
  const outcomes = await Promise.allSettled(names.map((name) => vaults.open(name)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
