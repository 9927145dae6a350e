import type { Folder, NodeSummary, TreeOptions } from '../../core/store.ts'
import { type FolderEntry, spelledPath } from '../../graph/folder-index.ts'
import type { Graph } from '../../graph/graph.ts'
import { selectTop } from '../../graph/select-top.ts'
import type { Projection } from './projection.ts'

/** The folders below `path` with their notes; `undefined` when nothing is there. */
export function folderTree(projection: Projection, path: string, options: TreeOptions): Folder | undefined {
  const root = projection.folders().find(path)
  if (root === undefined) return undefined
  const { includeArchived, limit } = options
  const tree: Tree = { graph: projection.graph, includeArchived, counts: new Map(), left: limit }
  const notes = countNotes(tree, root)
  if (notes === 0 && path !== '') return undefined
  return toFolder(tree, root, options.depth + 1)
}

interface Tree {
  readonly graph: Graph
  readonly includeArchived: boolean
  /** Notes at any depth. */
  readonly counts: Map<FolderEntry, number>
  /** How many notes may still be shown. */
  left: number
}

function countNotes(tree: Tree, folder: FolderEntry): number {
  let count = ownNotes(tree, folder)
  for (const below of folder.folders.values()) count += countNotes(tree, below)
  tree.counts.set(folder, count)
  return count
}

function ownNotes({ includeArchived }: Tree, { notes, archived }: FolderEntry): number {
  return includeArchived ? notes.length : notes.length - archived
}

/** Notes of a folder come before its sub-folders, so the limit keeps what is near. */
function toFolder(tree: Tree, folder: FolderEntry, depth: number): Folder {
  const notes = firstNotes(tree, folder)
  tree.left -= notes.length
  const filled = [...folder.folders].filter(([, below]) => tree.counts.get(below) !== 0)
  const shown = depth > 1 ? filled.sort(([a], [b]) => (a < b ? -1 : 1)) : []
  return {
    path: spelledPath(folder),
    noteCount: tree.counts.get(folder) ?? 0,
    folders: shown.map(([, below]) => toFolder(tree, below, depth - 1)),
    notes,
    omittedNotes: ownNotes(tree, folder) - notes.length,
    omittedFolders: filled.length - shown.length,
  }
}

/** The first notes by id that may still be shown. */
function firstNotes({ graph, includeArchived, left }: Tree, { notes, archived }: FolderEntry): readonly NodeSummary[] {
  if (left <= 0) return []
  const isHidden = (key: number): boolean => graph.row(key)?.archived === true
  const candidates = includeArchived || archived === 0 ? notes : notes.filter((key) => !isHidden(key))
  const first = selectTop(candidates, left, (a, b) => graph.id(a) < graph.id(b))
  return first.map((key) => ({ id: graph.id(key), title: graph.title(key) }))
}
