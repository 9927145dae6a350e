import { RouxError } from '../../../core/errors.ts'
import { endingOf } from '../../../core/media-types.ts'
import type { AddAttachment } from '../../../core/operations.ts'
import { nameOf } from '../../../core/paths.ts'
import { foldName } from '../../../core/text/fold.ts'
import { nameProblem, quote } from '../../path-rules.ts'
import { requireContent } from '../attachment-content.ts'
import { embedText, linksByName, requireEmbedTitle } from '../attachment-embed.ts'
import { attachmentPlace } from '../attachment-place.ts'
import { freePath, inFolder, requirePath } from '../note-paths.ts'
import type { VaultView } from '../vault-view.ts'
import type { Draft, Workspace } from '../workspace.ts'
import { requireType } from './attachment-type.ts'

/**
 * Puts a file into the vault, beside the notes; no note is edited, and how one shows it is among `workspace.notes`. Nothing is written over:
 * a name that is taken is numbered.
 * @throws RouxError `INVALID_PARAMS` for content that is no base64, and for names, titles and media types that cannot be or do not fit;
 * `TOO_LARGE` above 5 MB; `NODE_NOT_FOUND`, `PERMISSION_DENIED` for the place
 */
export async function addAttachment(workspace: Workspace, operation: AddAttachment): Promise<Draft> {
  const { view, notes } = workspace
  const filename = requireFilename(view, operation.filename)
  const title = operation.title === undefined ? undefined : requireEmbedTitle(operation.title)
  const { folder, note } = attachmentPlace(workspace, operation.id)
  const bytes = requireContent(operation.content)
  await requireType(bytes, { filename, mimeType: operation.mimeType })
  const path = requirePath(freePath(inFolder(folder, filename), (one) => isFree(workspace, one)))
  const draft = workspace.create(path, bytes)
  if (nameOf(path) !== filename) notes.push(`Another file is called ${quote(filename)}: this one is ${quote(nameOf(path))}.`)
  const embed = await embedText(path, { mode: view.flavour.mode, title, note: note?.path })
  notes.push(`No note was edited; ${embed} shows the attachment in one.`)
  return draft
}

function isFree(workspace: Workspace, path: string): boolean {
  const { names, flavour } = workspace.view
  if (workspace.isTaken(path)) return false
  // Links that name the other file must not lead to this one from now on.
  return !linksByName(flavour.mode) || names.withName(foldName(nameOf(path))).length === 0
}

/** A plain name with an ending, which every system can hold and a link can say. */
function requireFilename(view: VaultView, filename: string): string {
  if (/[/\\]/.test(filename)) throw unusable(filename, 'it is a path', filename.split(/[/\\]/).at(-1))
  const problem = filename === '' ? undefined : nameProblem(filename)
  if (problem !== undefined) throw unusable(filename, problem.reason, problem.suggestion)
  if (filename.startsWith('.')) throw unusable(filename, 'names that start with a dot are hidden', filename.replace(/^\.+/, ''))
  if (endingOf(filename) === '') throw unusable(filename, 'it has no ending like ".png"')
  const unlinkable = /[#^[\]]/.exec(filename)?.[0]
  if (unlinkable !== undefined) throw unusable(filename, `links cannot say "${unlinkable}"`, filename.replace(/[#^[\]]/g, '-'))
  if (view.kindOf(filename) === 'attachment') return filename
  throw new RouxError('INVALID_PARAMS', `${quote(filename)} is no attachment by its name, but a ${view.kindOf(filename)}.`, {
    hint: 'create_node makes notes.',
  })
}

function unusable(filename: string, reason: string, suggestion = ''): RouxError {
  return new RouxError('INVALID_PARAMS', `The filename ${quote(filename)} cannot be used: ${reason}.`, {
    hint: endingOf(suggestion) === '' ? 'Give a name like "diagram.png".' : `Use ${quote(suggestion)}.`,
  })
}
