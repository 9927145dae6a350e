import type { GraphCore } from './graph-core.ts'

/** The vaults of a server that the caller may see. */
export interface Vaults {
  /** Names in the order of the settings. Empty if there is only one vault, which has no name. */
  readonly names: readonly string[]
  /**
   * Returns the vault with this name, and opens it first if necessary, even if that failed before. Without a name, returns the
   * only vault.
   */
  open(name?: string): Promise<GraphCore>
  /** Returns the folder of a vault without opening it. Omitted where no caller needs the folder. */
  folderOf?(name: string): string | undefined
}

/** Limits vaults to those that a caller may see. Opening another one fails with `refusal`. */
export function onlyVaults(vaults: Vaults, isSeen: (name: string) => boolean, refusal: () => Error): Vaults {
  const names = vaults.names.filter(isSeen)
  return {
    names,
    folderOf: (name) => (names.includes(name) ? vaults.folderOf?.(name) : undefined),
    open: (name) => (name !== undefined && names.includes(name) ? vaults.open(name) : Promise.reject(refusal())),
  }
}

/** Creates vaults that open on first use. */
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
 * @throws the error of the first one that failed, after all have been tried
 */
export async function openAll(vaults: Vaults): Promise<readonly GraphCore[]> {
  const names: readonly (string | undefined)[] = vaults.names.length === 0 ? [undefined] : vaults.names
  const outcomes = await Promise.allSettled(names.map((name) => vaults.open(name)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
