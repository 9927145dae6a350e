import { foldId } from '../../core/ids.ts'
import type { Folder, NodeSummary } from '../../core/store.ts'
import { answer, type Call, plain } from '../answer/answer-when-ready.ts'
import { scopeWarnings } from '../answer/scope-warnings.ts'
import type { Answer, GraphCore } from '../graph-core.ts'
import { trimFolder } from '../scope.ts'

export interface TreeArguments {
  /** Where to begin; the vault itself when empty. */
  readonly path?: string | undefined
  readonly depth: number
  readonly limit: number
  readonly includeArchived: boolean
}

export interface FolderResponse {
  readonly path: string
  /** Notes at any depth. */
  readonly note_count: number
  readonly folders: readonly FolderResponse[]
  readonly notes: readonly NodeSummary[]
  /** Notes of this folder that `limit` left out; absent if none. */
  readonly omitted_notes?: number
  /** Folders of this folder that `depth` left out; absent if none. */
  readonly omitted_folders?: number
}

/** The folders of the vault with their notes, `null` where there is no such folder. */
export function getTree(core: GraphCore, args: TreeArguments, call: Call = {}): Promise<Answer<FolderResponse | null>> {
  return answer(core, call, async (snapshot) => {
    const { depth, limit, includeArchived } = args
    const path = trimFolder(args.path ?? '')
    const folder = await snapshot.tree(foldId(path), { depth, limit, includeArchived })
    if (folder !== undefined) return plain(folderResponse(folder))
    return { value: null, warnings: await scopeWarnings(snapshot, { folder: path }) }
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
