import { quietly } from '../../../core/quietly.ts'

/** The connection settings. Never log this object, because it contains the password. */
export interface Neo4jPlace {
  readonly type: 'neo4j'
  /** An address `bolt://…` or `neo4j://…`. `+s` enables TLS. */
  readonly url: string
  readonly user: string
  readonly password: string
  /** The name of the database, or an empty string for the server's default. */
  readonly database: string
  readonly vault: string
  /** The folder, and the settings that affect how notes are read. If omitted, neither is checked. */
  readonly origin?: { readonly folder: string; readonly reading: string }
  /** The limits of the change log: age in days, size in bytes. If omitted, there is no log. */
  readonly log?: { readonly days: number; readonly bytes: number }
  /** The place as shown to users, without path and password. */
  readonly file: string
  readonly insightFile: string
  readonly layoutFile: string
  readonly pictureFile: string
}

/** Minimum version of Neo4j. */
export const MIN_VERSION = [5, 26] as const

export function serverOf(url: string): string {
  return quietly(() => new URL(url).host) ?? 'its address'
}
