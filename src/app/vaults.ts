import type { GraphCore } from './graph-core.ts'

/** The vaults of a server that a caller may see. */
export interface Vaults {
  /** In the order of the settings; empty where there is one vault, without a name. */
  readonly names: readonly string[]
  /** Opens a vault by its name, or gives the one that is open; one that failed to open is tried again. Without names, the only one. */
  open(name?: string): Promise<GraphCore>
  /** The path of the folder of a named vault, known without opening it; absent where the caller need not know. */
  folderOf?(name: string): string | undefined
}

/** The same vaults without those that a caller may not see; a caller who may see none is refused. */
export function onlyVaults(vaults: Vaults, isSeen: (name: string) => boolean, refusal: () => Error): Vaults {
  const names = vaults.names.filter(isSeen)
  return {
    names,
    folderOf: (name) => (names.includes(name) ? vaults.folderOf?.(name) : undefined),
    open: (name) => (name !== undefined && names.includes(name) ? vaults.open(name) : Promise.reject(refusal())),
  }
}

/** Vaults that are opened when first asked for. */
export function vaultsOnDemand(
  names: readonly string[],
  open: (name?: string) => Promise<GraphCore>,
  folderOf?: (name: string) => string | undefined,
): Vaults {
  const opened = new Map<string, Promise<GraphCore>>()
  return {
    names,
    ...(folderOf === undefined ? {} : { folderOf }),
    open(name) {
      const key = name ?? ''
      const known = opened.get(key)
      if (known !== undefined) return known
      const opening = open(name)
      opened.set(key, opening)
      opening.catch(() => opened.delete(key))
      return opening
    },
  }
}

/** Opens all of them. @throws what the first that failed throws, when all are done */
export async function openAll(vaults: Vaults): Promise<readonly GraphCore[]> {
  const names: readonly (string | undefined)[] = vaults.names.length === 0 ? [undefined] : vaults.names
  const outcomes = await Promise.allSettled(names.map((name) => vaults.open(name)))
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason
    return outcome.value
  })
}
