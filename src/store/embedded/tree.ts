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
  const folders = new Map<string, Branch>()
  for (const key of graph.order()) {
    const row = graph.row(key)
    if (row?.path === undefined || row.kind !== 'note' || row.excluded) continue
    if (row.archived && !options.includeArchived) continue
    const folded = graph.folded(key)
    const folder = folderOf(folded)
    const known = folders.get(folder) ?? openBranch(folders, folder, folderOf(row.path))
    known.notes.push(key)
  }
  const root = start === '' ? (folders.get('') ?? branch('')) : folders.get(start)
  if (root === undefined) return undefined
  countNotes(root)
  return toFolder(graph, root, options.depth + 1, { notes: options.limit })
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function branch(path: string): Branch {
  return { path, folders: new Map(), notes: [], noteCount: 0 }
}

/**
 * Makes a folder and those above it that are not there yet. Folders that differ only in case are one, as they are on the file systems
 * where they can be.
 */
function openBranch(folders: Map<string, Branch>, folded: string, path: string): Branch {
  const opened = branch(path)
  folders.set(folded, opened)
  if (folded === '') return opened
  const above = folderOf(folded)
  const parent = folders.get(above) ?? openBranch(folders, above, folderOf(path))
  parent.folders.set(folded.slice(folded.lastIndexOf('/') + 1), opened)
  return opened
}

function countNotes(root: Branch): number {
  root.noteCount = root.notes.length
  for (const folder of root.folders.values()) root.noteCount += countNotes(folder)
  return root.noteCount
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
