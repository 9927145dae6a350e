import type { GraphCore } from './graph-core.ts'

export interface Vaults {
  /** The names in the order of the settings. The list is empty for a single, unnamed vault. */
  readonly names: readonly string[]
  /** Opens the vault if necessary, even after a failure. Without a name, the only vault is returned. */
  open(name?: string): Promise<GraphCore>
  folderOf?(name: string): string | undefined
}

/** Restricts access to the visible vaults. Opening any other vault throws `refusal()`. */
export function onlyVaults(vaults: Vaults, isSeen: (name: string) => boolean, refusal: () => Error): Vaults {
  const names = vaults.names.filter(isSeen)
  return {
    names,
    folderOf: (name) => (names.includes(name) ? vaults.folderOf?.(name) : undefined),
    open: (name) => (name !== undefined && names.includes(name) ? vaults.open(name) : Promise.reject(refusal())),
  }
}

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

/** Opens all vaults. @throws the first error, after all vaults have been tried */
export async function openAll(vaults: Vaults): Promise<readonly GraphCore[]> {
  const names: readonly (string | undefined)[] = vaults.names.length === 0 ? [undefined] : vaults.names
  const outcomes = await Promise.allSettled(names.map((name) => vaults.open(name)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
