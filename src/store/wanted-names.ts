import { endingOf } from '../core/media-types.ts'
import { plainName } from '../search/plain-name.ts'

/**
 * The common key of missing targets that mean the same note; `undefined` for an attachment. Case, accents and
 * separators do not matter; another letter or digit is another note.
 */
export function wantedKey(name: string): string | undefined {
  if (ATTACHMENTS.has(endingOf(name))) return undefined
  const plain = plainName(name.replace(/[\s_-]+/g, ' '))
  return plain === '' ? name : plain
}

/** Endings of files that are embedded, not written as notes; elsewhere a dot may well stand in a name (`Node.js`). */
const ATTACHMENTS: ReadonlySet<string> = new Set([
  ...['avif', 'bmp', 'gif', 'jpeg', 'jpg', 'png', 'svg', 'tif', 'tiff', 'webp', 'heic', 'pdf'],
  ...['3gp', 'flac', 'm4a', 'mkv', 'mov', 'mp3', 'mp4', 'ogg', 'ogv', 'opus', 'wav', 'webm'],
  ...['csv', 'doc', 'docx', 'odt', 'ppt', 'pptx', 'xls', 'xlsx', 'zip'],
])
