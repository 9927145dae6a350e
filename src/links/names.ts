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

/**
 * The default file name of the Logseq journal that a page name dates: `2025_01_30` for `2025-01-30 Thu`, `Jan 30th, 2025` or `Thursday, 2025/01/30`.
 * `undefined` for what is no date, or does not tell the month from the day.
 */
export function journalName(page: string): string | undefined {
  const [, year, , month, day] = YEAR_FIRST.exec(page) ?? []
  if (year !== undefined) return `${year}_${month}_${day}`
  const named = MONTH_FIRST.exec(page)?.groups ?? DAY_FIRST.exec(page)?.groups
  const at = MONTHS.findIndex((name) => name.startsWith((named?.month ?? '').toLowerCase()))
  if (named === undefined || at === -1) return undefined
  return `${named.year}_${twoDigits(at + 1)}_${twoDigits(Number(named.day))}`
}

const YEAR_FIRST = /^\s*(?:\p{L}+, )?(\d{4})([-/_.]?)(\d\d)\2(\d\d)(?: \p{L}+)?\s*$/u
const MONTH_FIRST = /^\s*(?<month>[a-z]{3,9}) (?<day>\d\d?)(?:st|nd|rd|th)?, (?<year>\d{4})\s*$/i
const DAY_FIRST = /^\s*(?<day>\d\d?)(?:st|nd|rd|th) (?<month>[a-z]{3,9}) (?<year>\d{4})\s*$/i
const MONTHS = 'january february march april may june july august september october november december'.split(' ')

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
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
