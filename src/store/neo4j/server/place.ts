import { quietly } from '../../../core/quietly.ts'

/** Where a vault is in a Neo4j database. Never log it, because it contains the password. */
export interface Neo4jPlace {
  readonly type: 'neo4j'
  /** `bolt://…` or `neo4j://…`. With `+s`, the connection is encrypted. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** Empty for the server's default database. */
  readonly database: string
  /** Identifies the vault in the database. */
  readonly vault: string
  /**
   * The folder, and the settings that affect how notes are read. They reveal if the name belongs to another folder. If omitted,
   * they are not checked.
   */
  readonly origin?: { readonly folder: string; readonly reading: string }
  /** Limits of the change log: age in days, and size in bytes. If omitted, there is no log. */
  readonly log?: { readonly days: number; readonly bytes: number }
  /** The location of the index for display, without path and password. */
  readonly file: string
  /** Path of the local cache of the insight. */
  readonly insightFile: string
  /** Path of the local cache of the map's layout. */
  readonly layoutFile: string
}

/** The minimum version of Neo4j. */
export const MIN_VERSION = [5, 26] as const

/** Removes user name and password from an address. */
export function serverOf(url: string): string {
  return quietly(() => new URL(url).host) ?? 'its address'
}
