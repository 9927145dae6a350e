import { posix } from 'node:path'
import { invalid, RouxError } from '../../core/errors.ts'
import { endingOf, mediaTypeOf } from '../../core/media-types.ts'
import type { Mode } from '../../core/note.ts'
import type { AddAttachment } from '../../core/operations.ts'
import { folderOf, inFolder, nameOf } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import { encodeDestination } from '../../markdown/retarget/destination-slots.ts'
import { nameProblem, quote, requireInside } from '../path-rules.ts'
import { requireContent, requireType } from './attachment-type.ts'
import type { Draft } from './draft.ts'
import { freePath, requirePath } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'
import type { Workspace } from './workspace.ts'

/**
 * Adds an attachment under an unused name. No note is edited; `workspace.notes` says how to embed the attachment.
 * @throws RouxError `INVALID_PARAMS` for invalid base64, and for names, titles and media types that are invalid or do not match;
 * `TOO_LARGE` above 5 MB; `NODE_NOT_FOUND` or `PERMISSION_DENIED` for the location
 */
export async function addAttachment(workspace: Workspace, operation: AddAttachment): Promise<Draft> {
  const { view, notes } = workspace
  const filename = requireFilename(view, operation.filename)
  const title = operation.title === undefined ? undefined : requireEmbedTitle(operation.title)
  const { folder, note } = attachmentPlace(workspace, operation.id)
  const bytes = requireContent(operation.content)
  await requireType(bytes, { filename, mimeType: operation.mimeType })
  const path = requirePath(freePath(inFolder(folder, filename), (candidate) => isFree(workspace, candidate)))
  const draft = workspace.create(path, bytes)
  if (nameOf(path) !== filename)
    notes.push(`The name ${quote(filename)} is taken, so the new file is called ${quote(nameOf(path))}.`)
  const embed = await embedText(path, { mode: view.flavor.mode, title, note: note?.path })
  notes.push(`No note was edited; write ${embed} in a note to show the attachment.`)
  return draft
}

function isFree(workspace: Workspace, path: string): boolean {
  const { names, flavor } = workspace.view
  if (workspace.isTaken(path)) return false
  // If another file had this name, an embed by name could resolve to that file.
  return !linksByName(flavor.mode) || names.withName(foldName(nameOf(path))).length === 0
}

/** Returns the file name, which must have an extension and be valid on every system and in links. */
function requireFilename(view: VaultView, filename: string): string {
  if (/[/\\]/.test(filename)) throw unusable(filename, 'it is a path', filename.split(/[/\\]/).at(-1))
  const problem = filename === '' ? undefined : nameProblem(filename)
  if (problem !== undefined) throw unusable(filename, problem.reason, problem.suggestion)
  if (filename.startsWith('.')) throw unusable(filename, 'names that start with a dot are hidden', filename.replace(/^\.+/, ''))
  if (endingOf(filename) === '') throw unusable(filename, 'it has no extension such as ".png"')
  const unlinkable = /[#^[\]]/.exec(filename)?.[0]
  if (unlinkable !== undefined)
    throw unusable(filename, `links cannot contain "${unlinkable}"`, filename.replace(/[#^[\]]/g, '-'))
  if (view.kindOf(filename) === 'attachment') return filename
  throw invalid(
    `${quote(filename)} is the name of a ${view.kindOf(filename)}, not of an attachment.`,
    'create_node creates notes.',
  )
}

function unusable(filename: string, reason: string, suggestion = ''): RouxError {
  return new RouxError('INVALID_PARAMS', `The filename ${quote(filename)} cannot be used: ${reason}.`, {
    hint: endingOf(suggestion) === '' ? 'Use a name such as "diagram.png".' : `Use ${quote(suggestion)}.`,
  })
}

export interface AttachmentPlace {
  /** The folder as spelled on disk, or an empty string for the root. */
  readonly folder: string
  readonly note: Draft | undefined
}

/**
 * Returns the folder for a new attachment. For a note or canvas, the vault's settings decide. A folder that ends with `/` may be
 * new; `/` alone is the root.
 * @throws RouxError `NODE_NOT_FOUND`; `INVALID_PARAMS` for the id of an attachment; `PERMISSION_DENIED` for a folder that is
 * outside or hidden
 */
function attachmentPlace(workspace: Workspace, id: string): AttachmentPlace {
  const { view } = workspace
  if (id === '/') return { folder: '', note: undefined }
  if (id.endsWith('/')) return { folder: requireFolder(workspace, id.slice(0, -1)), note: undefined }
  const draft = workspace.tryFind(id)
  if (draft !== undefined) {
    if (view.kindOf(draft.path) !== 'attachment') return { folder: folderForNote(workspace, draft), note: draft }
    throw invalid(`${quote(draft.path)} is an attachment, not a note or folder.`, 'Specify the note it belongs to, or a folder.')
  }
  requireInside(id)
  if (view.look(view.withSpelling(id)) !== 'folder') {
    throw new RouxError('NODE_NOT_FOUND', `There is no note or folder ${quote(id)}.`, {
      hint: 'find_nodes finds ids by title, for example title:"Rye". To create a folder, end its path with "/".',
    })
  }
  return { folder: requireFolder(workspace, id), note: undefined }
}

/**
 * Returns the folder that Obsidian's setting gives: empty or `/` is the root, `./` the note's folder, `./x` a subfolder of it,
 * and `x` the folder `x`.
 */
function folderForNote(workspace: Workspace, note: Draft): string {
  const { attachmentFolder, flavor } = workspace.view
  // Logseq always keeps attachments in this folder.
  const setting = attachmentFolder ?? (flavor.mode === 'logseq' ? 'assets' : '')
  const subfolder = /^\.(?:\/|$)(.*)$/s.exec(setting)?.[1]
  const folder = subfolder === undefined ? setting : inFolder(folderOf(note.path), subfolder)
  try {
    return requireFolder(workspace, folder.replace(/^\/|\/$/g, ''))
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    throw new RouxError(error.code, `The vault's attachment folder, ${quote(folder)}, cannot be used: ${error.message}`, {
      hint: "Specify a folder as id, or change attachmentFolderPath in Obsidian's settings.",
      cause: error,
    })
  }
}

function requireFolder({ view }: Workspace, path: string): string {
  return path === '' ? '' : requirePath(view.withSpelling(path))
}

const MAX_TITLE = 200

/**
 * Returns the title of an embed.
 * @throws RouxError `INVALID_PARAMS` for a title that an embed cannot show, `TOO_LARGE` above 200 characters
 */
function requireEmbedTitle(title: string): string {
  const text = title.trim()
  if (text === '') throw invalid('title is empty.', 'Specify a title, or omit it.')
  if (text.length > MAX_TITLE) {
    throw new RouxError('TOO_LARGE', `The title has ${text.length} characters, but at most ${MAX_TITLE} are allowed.`, {
      hint: 'Make it shorter.',
    })
  }
  const stray = /[[\]|\\\p{Cc}]/u.exec(text)?.[0]
  if (stray !== undefined) throw invalid(`The title has ${JSON.stringify(stray)}, which embeds do not support.`, 'Remove it.')
  if (/^\d+(?:x\d+)?$/.test(text)) throw invalid(`The title ${quote(text)} would be read as an image size.`, 'Use words.')
  return text
}

/** A link contains only the file name, so it can resolve to another file of the same name. */
function linksByName(mode: Mode): boolean {
  return mode === 'obsidian' || mode === 'foam'
}

export interface EmbedContext {
  readonly mode: Mode
  readonly title: string | undefined
  readonly note: string | undefined
}

/** Returns `![[a.png]]` or `![[a.png|Title]]`, and in other kinds of vaults `![Title](../assets/a.png)`. */
async function embedText(path: string, { mode, title, note = '' }: EmbedContext): Promise<string> {
  if (linksByName(mode)) return `![[${nameOf(path)}${title === undefined ? '' : `|${title}`}]]`
  const relative = posix.relative(`/${folderOf(note)}`, `/${path}`)
  const destination = encodeDestination(relative, { spaces: false, ascii: false, enders: '' })
  const isShown = /^(?:image|audio|video)\//.test((await mediaTypeOf(path)) ?? '')
  return isShown ? `![${title ?? ''}](${destination})` : `[${title ?? nameOf(path)}](${destination})`
}
