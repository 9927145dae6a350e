import { foldId } from '../../core/ids.ts'
import type { Folder, NodeSummary, TreeOptions } from '../../core/store.ts'
import type { Graph } from '../../graph/graph.ts'

interface Branch {
  readonly path: string
  readonly folders: Map<string, Branch>
  readonly notes: number[]
  noteCount: number
}

/** The folders below `path` with their notes; `undefined` when nothing is there. */
export function folderTree(graph: Graph, path: string, options: TreeOptions): Folder | undefined {
  const start = foldId(path).replace(/^\/+|\/+$/g, '')
  const prefix = start === '' ? '' : `${start}/`
  let root: Branch | undefined = start === '' ? branch('') : undefined
  for (const key of graph.order()) {
    const row = graph.row(key)
    if (row?.path === undefined || row.kind !== 'note' || row.excluded) continue
    if (row.archived && !options.includeArchived) continue
    if (!graph.folded(key).startsWith(prefix)) continue
    const segments = row.path.split('/')
    const folded = graph.folded(key).split('/')
    const depth = start === '' ? 0 : start.split('/').length
    root ??= branch(segments.slice(0, depth).join('/'))
    place(root, { segments, folded, depth }, key)
  }
  if (root === undefined) return undefined
  const left = { notes: options.limit }
  return toFolder(graph, root, options.depth + 1, left)
}

function branch(path: string): Branch {
  return { path, folders: new Map(), notes: [], noteCount: 0 }
}

interface Place {
  readonly segments: readonly string[]
  /** The same, folded: folders that differ only in case are one on the file systems where they can be. */
  readonly folded: readonly string[]
  /** How many of them lead to the root of the tree. */
  readonly depth: number
}

function place(root: Branch, { segments, folded, depth }: Place, key: number): void {
  let at = root
  at.noteCount++
  for (let level = depth; level < segments.length - 1; level++) {
    const name = folded[level] as string
    let next = at.folders.get(name)
    if (next === undefined) {
      next = branch(segments.slice(0, level + 1).join('/'))
      at.folders.set(name, next)
    }
    next.noteCount++
    at = next
  }
  at.notes.push(key)
}

/** Notes of a folder before its sub-folders, so that the limit shows what is near first. */
function toFolder(graph: Graph, { path, folders, notes, noteCount }: Branch, depth: number, left: { notes: number }): Folder {
  const shown = notes.slice(0, Math.max(0, left.notes))
  left.notes -= shown.length
  const summaries: NodeSummary[] = shown.map((key) => ({ id: graph.id(key), title: graph.title(key) }))
  const below = depth > 1 ? [...folders.entries()].sort(([a], [b]) => (a < b ? -1 : 1)) : []
  return {
    path,
    noteCount,
    folders: below.map(([, folder]) => toFolder(graph, folder, depth - 1, left)),
    notes: summaries,
    omittedNotes: notes.length - shown.length,
    omittedFolders: folders.size - below.length,
  }
}
