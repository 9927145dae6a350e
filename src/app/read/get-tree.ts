import { foldId } from '../../core/ids.ts'
import type { Folder, NodeSummary, TreeOptions } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { Budget, countInTurn, type Fitted, jsonBytes, nonZero, SEPARATOR } from '../answer/budget.ts'
import { inMatchingFolder, scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { trimFolder } from '../scope.ts'

/** The sizes of `"omitted_notes":1000000,` and `"omitted_folders":1000000,`. */
const OMITTED_NOTES = 26

const OMITTED_FOLDERS = 28

export interface TreeArguments extends TreeOptions {
  readonly path?: string | undefined
}

export interface FolderResponse {
  readonly path: string
  readonly note_count: number
  readonly folders: readonly FolderResponse[]
  readonly notes: readonly NodeSummary[]
  readonly omitted_notes?: number
  readonly omitted_folders?: number
}

export function getTree(core: GraphCore, args: TreeArguments, call: Call = {}): Promise<Answer<FolderResponse | null>> {
  return answer(core, call, async (snapshot) => {
    const { depth, limit, includeArchived } = args
    const isEmpty = (value: FolderResponse | null): boolean => value === null
    return await inMatchingFolder<FolderResponse | null>({ snapshot, call, folder: args.path, isEmpty }, async (given = '') => {
      const path = trimFolder(given)
      const folder = await snapshot.tree(foldId(path), { depth, limit, includeArchived })
      if (folder !== undefined && (folder.noteCount > 0 || path !== '')) return plain(folderResponse(folder))
      const value = folder === undefined ? null : folderResponse(folder)
      return { value, warnings: await scopeWarnings(snapshot, { folder: path }) }
    })
  })
}

function folderResponse(folder: Folder): FolderResponse {
  return {
    path: folder.path,
    note_count: folder.noteCount,
    folders: folder.folders.map(folderResponse),
    notes: folder.notes.map(({ id, title }) => ({ id, title })),
    ...(folder.omittedNotes === 0 ? {} : { omitted_notes: folder.omittedNotes }),
    ...(folder.omittedFolders === 0 ? {} : { omitted_folders: folder.omittedFolders }),
  }
}

/** A folder whose lists are omitted if no entry fits. */
type ShownFolder = Omit<FolderResponse, 'folders' | 'notes'> & {
  readonly folders?: readonly ShownFolder[]
  readonly notes?: readonly NodeSummary[]
}

interface Draft {
  readonly folder: FolderResponse
  readonly folders: Draft[]
  notes: number
}

/** Adds folders level by level, then notes from all folders in turn. Each folder counts its omitted entries. */
export function fitTree(tree: FolderResponse, room: number): Fitted<ShownFolder> {
  const budget = new Budget(room)
  const root = draftOf(tree)
  budget.spend(leastBytes(tree))
  const drafts = [root]
  for (const { folder, folders } of drafts) {
    const [count] = countInTurn([folder.folders], budget, { bytesOf: (subfolder) => leastBytes(subfolder) + SEPARATOR })
    folders.push(...folder.folders.slice(0, count).map(draftOf))
    drafts.push(...folders)
  }
  const counts = countInTurn(
    drafts.map(({ folder }) => folder.notes),
    budget,
  )
  for (const [at, draft] of drafts.entries()) draft.notes = counts[at] ?? 0
  const folders = drafts.reduce((sum, draft) => sum + draft.folder.folders.length - draft.folders.length, 0)
  const notes = drafts.reduce((sum, draft) => sum + draft.folder.notes.length - draft.notes, 0)
  return { value: shownFolder(root), omitted: nonZero({ folders, notes }) }
}

function draftOf(folder: FolderResponse): Draft {
  return { folder, folders: [], notes: 0 }
}

function leastBytes(folder: FolderResponse): number {
  const { folders, notes, omitted_notes = 0, omitted_folders = 0 } = folder
  return (
    jsonBytes({ path: folder.path, note_count: folder.note_count, folders: [], notes: [] }) +
    (notes.length + omitted_notes === 0 ? 0 : OMITTED_NOTES) +
    (folders.length + omitted_folders === 0 ? 0 : OMITTED_FOLDERS)
  )
}

function shownFolder({ folder, folders, notes }: Draft): ShownFolder {
  const { path, note_count, omitted_notes: hiddenNotes = 0, omitted_folders: flatter = 0 } = folder
  const omittedNotes = hiddenNotes + folder.notes.length - notes
  const omittedFolders = flatter + folder.folders.length - folders.length
  return {
    path,
    note_count,
    ...(folders.length === 0 && omittedFolders > 0 ? {} : { folders: folders.map(shownFolder) }),
    ...(notes === 0 && omittedNotes > 0 ? {} : { notes: folder.notes.slice(0, notes) }),
    ...(omittedNotes === 0 ? {} : { omitted_notes: omittedNotes }),
    ...(omittedFolders === 0 ? {} : { omitted_folders: omittedFolders }),
  }
}
