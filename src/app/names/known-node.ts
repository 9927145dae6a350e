import { foldId, type NodeId, toNodeId } from '../../core/ids.ts'
import type { NodeKind, Scope, Snapshot } from '../../core/store.ts'
import { quoted } from '../answer/truncate.ts'
import type { GraphCore, Warning } from '../graph-core.ts'
import { isFolder, trimFolder } from '../scope.ts'

/** How many near ids a warning names. */
const NEAREST = 3
/** Names that share less are no help. */
const LIKENESS = 0.3

/**
 * The ids that arguments mean, in order: a path spelled exactly so first, then folded, then with `.md` added; then missing targets, whose
 * ids have no ending; last a canvas, with `.canvas` added. The name of the vault may be left out, and is part of the path where a file is
 * called so.
 */
export async function lookUp(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  written: readonly string[],
): Promise<readonly (NodeId | undefined)[]> {
  return (await lookUpKinds(snapshot, core, written)).map((found) => found?.id)
}

/** Likewise; absent for what does not exist, even if it is linked to. */
export async function findIds(
  snapshot: Snapshot,
  core: Pick<GraphCore, 'name'>,
  written: readonly string[],
): Promise<readonly (NodeId | undefined)[]> {
  return (await lookUpKinds(snapshot, core, written)).map((found) => (found?.kind === 'missing' ? undefined : found?.id))
}

interface Meant {
  readonly id: NodeId
  readonly kind: NodeKind
}

/** Likewise, with the kind of each. */
export async function lookUpKinds(
  snapshot: Snapshot,
  { name }: Pick<GraphCore, 'name'>,
  written: readonly string[],
): Promise<readonly (Meant | undefined)[]> {
  const spellings = written.map((argument) => spellingsOf(argument, name))
  const ids = [...new Set(spellings.flatMap(({ likely, last }) => [...likely, ...last]))]
  const kinds = await snapshot.kinds(ids)
  const known = new Map(ids.map((id, at) => [id, kinds[at]]))
  const meant = (id: NodeId): readonly Meant[] => {
    const kind = known.get(id)
    return kind === undefined ? [] : [{ id, kind }]
  }
  return spellings.map(({ likely, last }) => {
    const found = likely.flatMap(meant)
    const others = last.flatMap(meant).filter(({ kind }) => kind !== 'missing')
    return found.find(({ kind }) => kind !== 'missing') ?? found[0] ?? others[0]
  })
}

/** The ids that an argument may mean, the likeliest first. */
function spellingsOf(
  argument: string,
  vault: string | undefined,
): { readonly likely: readonly NodeId[]; readonly last: readonly NodeId[] } {
  const inVault = vault !== undefined && argument.startsWith(`${vault}:`) ? argument.slice(vault.length + 1) : argument
  const paths = [...new Set([argument, inVault])].filter((path) => path !== '')
  const likely = paths.flatMap((path) => [path, foldId(path), `${path}.md`, foldId(`${path}.md`)])
  const last = inVault === '' ? [] : [`${inVault}.canvas`, foldId(`${inVault}.canvas`)]
  return { likely: likely.map((path) => toNodeId(path, vault)), last: last.map((path) => toNodeId(path, vault)) }
}

/** Says that an argument names no node, and that it names a folder, or which nodes of a scope are named alike. */
export async function unknownIdWarning(snapshot: Snapshot, id: string, scope: Scope = {}): Promise<Warning> {
  if (trimFolder(id) !== '' && (await isFolder(snapshot, id))) {
    const message = `There is no node ${quoted(id)}, but a folder: list_nodes and get_tree show its notes, by path.`
    return { code: 'UNKNOWN_ID', message }
  }
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
