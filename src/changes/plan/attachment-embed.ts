import { posix } from 'node:path'
import { RouxError } from '../../core/errors.ts'
import { mediaTypeOf } from '../../core/media-types.ts'
import type { Mode } from '../../core/note.ts'
import { folderOf, nameOf } from '../../core/paths.ts'
import { encodeDestination } from '../../markdown/retarget/destination-slots.ts'
import { quote } from '../path-rules.ts'

const MAX_TITLE = 200

/** @throws RouxError `INVALID_PARAMS` for a title that an embed cannot show, `TOO_LARGE` above 200 characters */
export function requireEmbedTitle(title: string): string {
  const text = title.trim()
  if (text === '') throw invalid('title is empty.', 'Give one, or leave it out.')
  if (text.length > MAX_TITLE) {
    throw new RouxError('TOO_LARGE', `The title has ${text.length} characters; ${MAX_TITLE} are allowed.`, {
      hint: 'Make it shorter.',
    })
  }
  const stray = /[[\]|\\\p{Cc}]/u.exec(text)?.[0]
  if (stray !== undefined)
    throw invalid(`The title has ${JSON.stringify(stray)} in it, which an embed cannot show.`, 'Leave it out.')
  if (/^\d+(?:x\d+)?$/.test(text))
    throw invalid(`The title ${quote(text)} would be read as the size of a picture.`, 'Give words.')
  return text
}

/** Whether links name files by name only; another file of that name would then match. */
export function linksByName(mode: Mode): boolean {
  return mode === 'obsidian' || mode === 'foam'
}

export interface EmbedContext {
  readonly mode: Mode
  readonly title: string | undefined
  /** The note that it is for; the vault's root else. */
  readonly note: string | undefined
}

/**
 * The text that embeds an attachment: `![[a.png]]`, `![[a.png|Title]]`; in other kinds of vaults
 * `![Title](../assets/a.png)`.
 */
export async function embedText(path: string, { mode, title, note = '' }: EmbedContext): Promise<string> {
  if (linksByName(mode)) return `![[${nameOf(path)}${title === undefined ? '' : `|${title}`}]]`
  const relative = posix.relative(`/${folderOf(note)}`, `/${path}`)
  const destination = encodeDestination(relative, { spaces: false, ascii: false, enders: '' })
  const isShown = /^(?:image|audio|video)\//.test((await mediaTypeOf(path)) ?? '')
  return isShown ? `![${title ?? ''}](${destination})` : `[${title ?? nameOf(path)}](${destination})`
}

function invalid(message: string, hint: string): RouxError {
  return new RouxError('INVALID_PARAMS', message, { hint })
}
