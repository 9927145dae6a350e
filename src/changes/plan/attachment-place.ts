import { RouxError } from '../../core/errors.ts'
import { folderOf } from '../../core/paths.ts'
import { quote, requireInside } from '../path-rules.ts'
import { inFolder, requirePath } from './note-paths.ts'
import type { Draft, Workspace } from './workspace.ts'

/** Where a new attachment goes. */
export interface AttachmentPlace {
  /** As spelled; empty for the vault's root. */
  readonly folder: string
  /** The note that it is for. */
  readonly note: Draft | undefined
}

/**
 * The attachment folder of a note or canvas, by the vault's settings; or the given folder, which may be new if it ends
 * with `/` (`/` alone is the vault's root).
 * @throws RouxError `NODE_NOT_FOUND`, `INVALID_PARAMS` for another attachment, `PERMISSION_DENIED` for a folder outside
 * or hidden
 */
export function attachmentPlace(workspace: Workspace, id: string): AttachmentPlace {
  const { view } = workspace
  if (id === '/') return { folder: '', note: undefined }
  if (id.endsWith('/')) return { folder: requireFolder(workspace, id.slice(0, -1)), note: undefined }
  const draft = workspace.tryFind(id)
  if (draft !== undefined) {
    if (view.kindOf(draft.path) !== 'attachment') return { folder: folderForNote(workspace, draft), note: draft }
    throw new RouxError('INVALID_PARAMS', `${quote(draft.path)} is an attachment itself.`, {
      hint: 'Give the note that it is for, or a folder.',
    })
  }
  requireInside(id)
  if (view.look(view.spelled(id)) !== 'folder') {
    throw new RouxError('NODE_NOT_FOUND', `There is no note or folder ${quote(id)}.`, {
      hint: 'resolve_nodes finds the ids of notes by their titles; a folder that is to be made ends in "/".',
    })
  }
  return { folder: requireFolder(workspace, id), note: undefined }
}

/** Obsidian's setting: absent, empty or `/` the vault's root, `./` beside the note, `./x` below the note's folder, `x` that folder. */
function folderForNote(workspace: Workspace, note: Draft): string {
  const { attachmentFolder, flavour } = workspace.view
  // Logseq knows no other place.
  const setting = attachmentFolder ?? (flavour.mode === 'logseq' ? 'assets' : '')
  const own = /^\.(?:\/|$)(.*)$/s.exec(setting)?.[1]
  const folder = own === undefined ? setting : inFolder(folderOf(note.path), own)
  try {
    return requireFolder(workspace, folder.replace(/^\/|\/$/g, ''))
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    throw new RouxError(error.code, `The vault's folder for attachments, ${quote(folder)}, cannot be used: ${error.message}`, {
      hint: "Give a folder as id, or change attachmentFolderPath in Obsidian's settings.",
      cause: error,
    })
  }
}

function requireFolder({ view }: Workspace, path: string): string {
  return path === '' ? '' : requirePath(view.spelled(path))
}
