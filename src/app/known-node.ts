import type { NodeId } from '../core/ids.ts'
import type { Scope } from '../core/store.ts'
import type { GraphCore, Warning } from './graph-core.ts'
import { quoted } from './truncate.ts'

/** How many near ids a warning names. */
const NEAREST = 3
/** Names that share less are no help. */
const LIKENESS = 0.3

/** The store's ids for arguments, in order; absent for what does not exist, even if it is linked to. */
export async function findIds(core: GraphCore, ids: readonly string[]): Promise<readonly (NodeId | undefined)[]> {
  const found = await core.store.lookup(ids)
  const known = found.filter((id) => id !== undefined)
  const nodes = await core.store.nodes(known, { links: 0 })
  const missing = new Set(known.filter((_, index) => (nodes[index]?.kind ?? 'missing') === 'missing'))
  return found.map((id) => (id !== undefined && missing.has(id) ? undefined : id))
}

/** Says that an argument names no node, and which ones of a scope are named alike. */
export async function unknownIdWarning(core: GraphCore, id: string, scope: Scope = {}): Promise<Warning> {
  const near = await core.store.similarNames(nameOf(id), scope, { limit: NEAREST, minimum: LIKENESS })
  const ids = near.map((hit) => JSON.stringify(hit.id)).join(', ')
  return { code: 'UNKNOWN_ID', message: `There is no node ${quoted(id)}.${ids ? ` Nearest ids: ${ids}.` : ''}` }
}

/** No name of a file is longer than this (bytes, on every common file system). */
const LONGEST_NAME = 255

function nameOf(id: string): string {
  return id
    .slice(id.lastIndexOf('/') + 1)
    .replace(/\.md$/i, '')
    .slice(0, LONGEST_NAME)
}
