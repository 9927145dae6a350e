import { foldId } from '../../core/ids.ts'
import type { NodeKind, Scope } from '../../core/store.ts'
import type { NodeIndex } from '../../graph/graph.ts'
import { foldTag } from '../../graph/tag-index.ts'
import type { Projection } from './projection.ts'

/** The nodes of a scope, by id: files first, then missing targets; excluded ones left out. */
export function* inScope(projection: Projection, scope: Scope): IterableIterator<NodeIndex> {
  const { graph } = projection
  const kinds = scope.kinds ?? NOTES
  const hasTags = tagFilter(projection, scope.tags)
  const start = pathStart(scope)
  for (const key of graph.order()) {
    const row = graph.row(key)
    if (row === undefined || row.excluded || !kinds.includes(row.kind)) continue
    if (hasTags !== undefined && !hasTags(key)) continue
    if (start !== '' && !graph.folded(key).startsWith(start)) continue
    yield key
  }
  if (!kinds.includes('missing') || hasTags !== undefined) return
  for (const node of graph.missing()) if (graph.id(node).startsWith(start)) yield node
}

const NOTES: readonly NodeKind[] = ['note']

/** A folded path prefix: `folder` ends at a folder's boundary, `path` wherever it ends. */
function pathStart({ path, folder }: Scope): string {
  if (path !== undefined && path !== '') return foldId(path)
  return folder === undefined ? '' : folderStart(folder)
}

/** What the folded paths in a folder begin with; empty for the vault itself. */
export function folderStart(folder: string): string {
  const trimmed = foldId(folder).replace(/^\/+|\/+$/g, '')
  return trimmed === '' ? '' : `${trimmed}/`
}

function tagFilter(projection: Projection, tags: Scope['tags']): ((key: number) => boolean) | undefined {
  if (tags === undefined || tags.names.length === 0) return undefined
  const index = projection.tags()
  const sets = tags.names.map((name) => index.keys(foldTag(name)))
  return tags.mode === 'all' ? (key) => sets.every((set) => set.has(key)) : (key) => sets.some((set) => set.has(key))
}
