/** A vault in a Neo4j database: which server, and under which name the vault lies there. Never logged: it holds the password. */
export interface Neo4jPlace {
  readonly type: 'neo4j'
  /** `bolt://…` or `neo4j://…`, encrypted with `+s`. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Empty for the server's default one. */
  readonly database: string
  /** What tells the vault from others of the database. */
  readonly vault: string
  /** What tells the folder from others that might come under the same name, and what decides how its notes are read; absent: no one asks. */
  readonly origin?: { readonly folder: string; readonly reading: string }
  /** For how long, and up to how many bytes, the log of changes is kept; absent: none is. */
  readonly log?: { readonly days: number; readonly bytes: number }
  /** Where the index is, in words for people: no path, and no password. */
  readonly file: string
  /** Path of the cache of vault-wide insight on this computer. */
  readonly insightFile: string
  /** Path of the cache of the map's layout on this computer. */
  readonly layoutFile: string
}

/** The version of Neo4j whose Cypher is spoken here. */
export const LEAST_VERSION = [5, 26] as const

/** Without a name and password that were written into the address. */
export function serverOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return 'its address'
  }
}
