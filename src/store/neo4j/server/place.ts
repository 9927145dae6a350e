import { quietly } from '../../../core/quietly.ts'

/** A vault in a Neo4j database. Never log it, because it contains the password. */
export interface Neo4jPlace {
  readonly type: 'neo4j'
  /** `bolt://…` or `neo4j://…`. With `+s`, the connection is encrypted. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Empty for the server's default database. */
  readonly database: string
  /** Identifies the vault within the database. */
  readonly vault: string
  /**
   * Identifies the folder, and the settings that affect how notes are read, in order to detect another folder under the same
   * name. If omitted, nothing is checked.
   */
  readonly origin?: { readonly folder: string; readonly reading: string }
  /** Maximum age, in days, and size, in bytes, of the change log. If omitted, there is no log. */
  readonly log?: { readonly days: number; readonly bytes: number }
  /** The index's location for display, without path or password. */
  readonly file: string
  /** Path of the local cache of vault-wide insight. */
  readonly insightFile: string
  /** Path of the local cache of the map's layout. */
  readonly layoutFile: string
}

/** The minimum version of Neo4j. */
export const MIN_VERSION = [5, 26] as const

/** Returns an address without user name and password. */
export function serverOf(url: string): string {
  return quietly(() => new URL(url).host) ?? 'its address'
}
