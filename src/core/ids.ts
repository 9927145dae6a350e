/** A vault-relative POSIX path exactly as spelled on disk, e.g. `Ideas/Graph theory.md`. */
export type VaultPath = string & { readonly __brand: 'VaultPath' }

/**
 * The public name of a node: the folded vault-relative path (`ideas/graph theory.md`), the exact path
 * for all but one of several paths that fold alike, or a missing target's folded name. In a vault that
 * has a name, `name:` stands before it.
 */
export type NodeId = string & { readonly __brand: 'NodeId' }

/** Marks a string that is known to be a vault-relative POSIX path. */
export function toVaultPath(path: string): VaultPath {
  return path as VaultPath
}

/** Folds a path the way ids are folded: lower case, NFC. */
export function foldId(path: string): string {
  return path.toLowerCase().normalize('NFC')
}

/** The id of a path in a vault; `vault` is its name, `undefined` for the only vault of a server. */
export function toNodeId(path: string, vault?: string): NodeId {
  return (vault === undefined ? path : `${vault}:${path}`) as NodeId
}

/** An id as it is in the vault alone. */
export function withoutVault(id: string, vault: string | undefined): string {
  return vault !== undefined && id.startsWith(`${vault}:`) ? id.slice(vault.length + 1) : id
}
