/** A vault-relative POSIX path, spelled exactly as on disk, e.g. `Ideas/Graph theory.md`. */
export type VaultPath = string & { readonly __brand: 'VaultPath' }

/**
 * Public identifier of a node: the folded vault-relative path (`ideas/graph theory.md`), or the folded name of a missing target. If
 * several paths fold to the same id, all but one use their exact path as the id. In a named vault, the id is prefixed with `name:`.
 */
export type NodeId = string & { readonly __brand: 'NodeId' }

/** Casts a string that is known to be a vault-relative POSIX path. */
export function toVaultPath(path: string): VaultPath {
  return path as VaultPath
}

/** Folds a path to an id: lower case, NFC. */
export function foldId(path: string): string {
  return path.toLowerCase().normalize('NFC')
}

/** Returns the id of a path. `vault` is the vault's name, or `undefined` if it has none. */
export function toNodeId(path: string, vault?: string): NodeId {
  return (vault === undefined ? path : `${vault}:${path}`) as NodeId
}

export function withoutVault(id: string, vault: string | undefined): string {
  return vault !== undefined && id.startsWith(`${vault}:`) ? id.slice(vault.length + 1) : id
}
