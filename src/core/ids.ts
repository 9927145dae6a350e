/** A vault-relative path as spelled on disk, e.g. `Ideas/Graph theory.md`. */
export type VaultPath = string & { readonly __brand: 'VaultPath' }

/**
 * The folded path (`ideas/graph theory.md`), or the folded name of a missing target. If several paths fold to the same id, all
 * but one use the exact path. A named vault adds the prefix `name:`.
 */
export type NodeId = string & { readonly __brand: 'NodeId' }

export function toVaultPath(path: string): VaultPath {
  return path as VaultPath
}

/** Converts a path to lower case and NFC. */
export function foldId(path: string): string {
  return path.toLowerCase().normalize('NFC')
}

export function toNodeId(path: string, vault?: string): NodeId {
  return (vault === undefined ? path : `${vault}:${path}`) as NodeId
}

export function withoutVault(id: string, vault: string | undefined): string {
  return vault !== undefined && id.startsWith(`${vault}:`) ? id.slice(vault.length + 1) : id
}
