import { foldId, type NodeId, toNodeId } from '../core/ids.ts'
import type { Scope, Snapshot } from '../core/store.ts'
import type { GraphCore, Warning } from './graph-core.ts'
import { quoted } from './truncate.ts'

/** How many near ids a warning names. */
const NEAREST = 3
/** Names that share less are no help. */
const LIKENESS = 0.3

/**
 * The ids that arguments mean, in order: a path spelled exactly so first, then folded, then with `.md` added; missing targets last. The
 * name of the vault may be left out, and is part of the path where a file is called so.
 */
export async function lookUp(
  snapshot: Snapshot,
  { name }: Pick<GraphCore, 'name'>,
  written: readonly string[],
): Promise<readonly (NodeId | undefined)[]> {
  const candidates = written.map((argument) => spellingsOf(argument, name))
  const known = await snapshot.known(candidates.flat())
  const found = new Set(known.filter((id) => id !== undefined))
  return candidates.map((spellings) => spellings.find((id): id is NodeId => found.has(id as NodeId)))
}

/** The ids that an argument may mean, the likeliest first. */
function spellingsOf(argument: string, vault: string | undefined): readonly string[] {
  if (argument === '') return []
  const inVault = vault !== undefined && argument.startsWith(`${vault}:`) ? argument.slice(vault.length + 1) : argument
  const paths = new Set(
    [argument, inVault].filter((path) => path !== '').flatMap((path) => [path, foldId(path), `${path}.md`, foldId(`${path}.md`)]),
  )
  return [...paths].map((path) => toNodeId(path, vault))
}

/** Likewise; absent for what does not exist, even if it is linked to. */
export async function findIds(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  ids: readonly string[],
): Promise<readonly (NodeId | undefined)[]> {
  const found = await lookUp(snapshot, core, ids)
  const known = found.filter((id) => id !== undefined)
  const files = await snapshot.versions(known)
  const missing = new Set(known.filter((_, index) => files[index] === undefined))
  return found.map((id) => (id !== undefined && missing.has(id) ? undefined : id))
}

/** Says that an argument names no node, and which ones of a scope are named alike. */
export async function unknownIdWarning(snapshot: Snapshot, id: string, scope: Scope = {}): Promise<Warning> {
  const [near = []] = await snapshot.names([nameOf(id)], 'similar', scope, { limit: NEAREST, minimum: LIKENESS })
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
