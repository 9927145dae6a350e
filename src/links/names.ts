import type { Mode } from '../core/note.ts'
import { nameOf as baseName } from '../core/paths.ts'

export { folderOf, nameOf as baseName } from '../core/paths.ts'

const NOTE_ENDING = /\.md$/i
const DOCS_NOTE_ENDING = /\.(?:md|markdown|mdx)$/i

/** Whether a path names a note: `.md`, in `docs` mode `.markdown` and `.mdx` too. */
export function isNotePath(path: string, mode: Mode): boolean {
  return (mode === 'docs' ? DOCS_NOTE_ENDING : NOTE_ENDING).test(path)
}

/** A note's path without its ending; other paths as they are. */
export function stemOf(path: string, mode: Mode): string {
  return path.replace(mode === 'docs' ? DOCS_NOTE_ENDING : NOTE_ENDING, '')
}

/** A target as it is shown when it is missing: without `.md`. */
export function missingName(target: string): string {
  return target.replace(NOTE_ENDING, '')
}

/** The page name of a Logseq file: `___` is `/`, `%XX` is decoded. */
export function pageName(path: string): string {
  const stem = baseName(path).replace(NOTE_ENDING, '').replaceAll('___', '/')
  return decodePercent(stem) ?? stem
}

/** Decodes `%XX`; `undefined` when there is nothing to decode or it is malformed. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return undefined
  try {
    const decoded = decodeURIComponent(text)
    return decoded === text ? undefined : decoded
  } catch {
    return undefined
  }
}
