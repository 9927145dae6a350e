import type { Mode } from '../core/note.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { decodePercent, foldName, spellName } from '../core/text/fold.ts'
import { twoDigits } from '../core/text/format.ts'

const NOTE_ENDING = /\.md$/i

const DOCS_NOTE_ENDING = /\.(?:md|markdown|mdx)$/i

const YEAR_FIRST = /^\s*(?:\p{L}+, )?(\d{4})([-/_.]?)(\d\d)\2(\d\d)(?: \p{L}+)?\s*$/u

const MONTH_FIRST = /^\s*(?<month>[a-z]{3,9}) (?<day>\d\d?)(?:st|nd|rd|th)?, (?<year>\d{4})\s*$/i

const DAY_FIRST = /^\s*(?<day>\d\d?)(?:st|nd|rd|th) (?<month>[a-z]{3,9}) (?<year>\d{4})\s*$/i

const MONTHS = 'january february march april may june july august september october november december'.split(' ')

export interface NamedFile {
  readonly key: number
  readonly path: string
  readonly aliases: readonly string[]
  /** The frontmatter title or, in Logseq, the page name. */
  readonly title?: string | undefined
}

export interface Names {
  readonly mode: Mode
  /** Returns the path in NFC with plain spaces, or `undefined` for an unknown key. */
  path(key: number): string | undefined
  foldedPath(key: number): string | undefined
  atPath(folded: string): readonly number[]
  /** Finds files by folded base name, with or without a note's extension. A folder's index file is also found as `folder/`. */
  withName(folded: string): readonly number[]
  /** Finds files by alias. Logseq page names count as aliases. */
  withAlias(folded: string): readonly number[]
  isSpelledAlias(key: number, alias: string): boolean
}

interface Entry {
  readonly path: string
  readonly folded: string
  readonly aliases: readonly string[]
  readonly title: string | undefined
}

/** A single key is stored without an array, to save memory. */
type Keys = number | number[]

export class NameIndex implements Names {
  readonly mode: Mode
  readonly #entries = new Map<number, Entry>()
  /** Only paths that differ from their normalized form are stored here. */
  readonly #pathsOnDisk = new Map<number, string>()
  readonly #byPath = new Map<string, Keys>()
  readonly #byName = new Map<string, Keys>()
  readonly #byAlias = new Map<string, Keys>()

  constructor(mode: Mode) {
    this.mode = mode
  }

  add(file: NamedFile): void {
    this.remove(file.key)
    const entry: Entry = {
      path: spellName(file.path),
      folded: foldName(file.path),
      aliases: file.aliases,
      title: file.title,
    }
    this.#entries.set(file.key, entry)
    if (entry.path !== file.path) this.#pathsOnDisk.set(file.key, file.path)
    this.#change(entry, (map, name) => insert(map, name, file.key))
  }

  remove(key: number): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#pathsOnDisk.delete(key)
    this.#change(entry, (map, name) => withdraw(map, name, key))
  }

  #change(entry: Entry, apply: (map: Map<string, Keys>, name: string) => void): void {
    apply(this.#byPath, entry.folded)
    for (const name of fileNames(entry.folded, this.mode)) apply(this.#byName, name)
    for (const name of aliasNames(entry, this.mode)) apply(this.#byAlias, name)
  }

  /** Returns a file with its path as spelled on disk. */
  file(key: number): NamedFile | undefined {
    const entry = this.#entries.get(key)
    return entry && { key, path: this.#pathsOnDisk.get(key) ?? entry.path, aliases: entry.aliases, title: entry.title }
  }

  path(key: number): string | undefined {
    return this.#entries.get(key)?.path
  }

  foldedPath(key: number): string | undefined {
    return this.#entries.get(key)?.folded
  }

  atPath(folded: string): readonly number[] {
    return toList(this.#byPath.get(folded))
  }

  withName(folded: string): readonly number[] {
    return toList(this.#byName.get(folded))
  }

  withAlias(folded: string): readonly number[] {
    return toList(this.#byAlias.get(folded))
  }

  isSpelledAlias(key: number, alias: string): boolean {
    const entry = this.#entries.get(key)
    return entry !== undefined && spelledAliases(entry, this.mode).includes(alias)
  }
}

export type FileNames = Omit<NamedFile, 'key'>

/** Returns a file's folded names. Only links that mention one of them depend on the file. */
export function namesOf(file: FileNames, mode: Mode): readonly string[] {
  return [...fileNames(foldName(file.path), mode), ...aliasNames(file, mode)]
}

/** Returns the names that are added, removed or respelled. For a moved file, these are all its names. */
export function changedNames(before: FileNames | undefined, after: FileNames | undefined, mode: Mode): readonly string[] {
  if (before === undefined || after === undefined || before.path !== after.path) {
    return [before, after].flatMap((file) => (file === undefined ? [] : namesOf(file, mode)))
  }
  const [old, now] = [spelledAliases(before, mode), spelledAliases(after, mode)]
  return [...old.filter((name) => !now.includes(name)), ...now.filter((name) => !old.includes(name))].map(foldName)
}

function fileNames(folded: string, mode: Mode): string[] {
  const base = nameOf(folded)
  const stem = isNotePath(base, mode) ? stemOf(base, mode) : base
  const names = stem === base ? [base] : [base, stem]
  if (hasFolderTargets(mode) && /^(?:_?index|readme)$/.test(stem) && stem !== base) {
    names.push(`${nameOf(folderOf(folded))}/`)
  }
  return names
}

function aliasNames(file: FileNames, mode: Mode): readonly string[] {
  if (file.aliases.length === 0 && mode !== 'logseq') return NO_NAMES
  const names = new Set(spelledAliases(file, mode).map(foldName))
  const journal = isPage(file, mode) ? journalName(pageName(file.path)) : undefined
  if (journal !== undefined) names.add(journal)
  return [...names]
}

const NO_NAMES: readonly string[] = []

/** Returns aliases that are normalized but not folded. Logseq page names count as aliases. */
function spelledAliases(file: FileNames, mode: Mode): readonly string[] {
  const pages = isPage(file, mode) ? namesOfPage(file) : []
  return [...file.aliases.map((alias) => alias.trim()), ...pages].map(spellName)
}

function isPage({ path }: FileNames, mode: Mode): boolean {
  return mode === 'logseq' && isNotePath(path, mode)
}

/** Returns true if links to a folder resolve to its index file. */
export function hasFolderTargets(mode: Mode): boolean {
  return mode === 'docs' || mode === 'foam'
}

function toList(keys: Keys | undefined): readonly number[] {
  if (keys === undefined) return NONE
  return typeof keys === 'number' ? [keys] : keys
}

const NONE: readonly number[] = []

function insert(map: Map<string, Keys>, name: string, key: number): void {
  const keys = map.get(name)
  if (keys === undefined) map.set(name, key)
  else if (typeof keys === 'number') {
    map.set(name, [keys, key])
  } else keys.push(key)
}

function withdraw(map: Map<string, Keys>, name: string, key: number): void {
  const keys = map.get(name)
  if (keys === key) map.delete(name)
  else if (typeof keys === 'object') {
    const at = keys.indexOf(key)
    if (at >= 0) keys.splice(at, 1)
    if (keys.length === 0) map.delete(name)
  }
}

/** Returns true for `.md`, and in `docs` mode also for `.markdown` and `.mdx`. */
export function isNotePath(path: string, mode: Mode): boolean {
  return (mode === 'docs' ? DOCS_NOTE_ENDING : NOTE_ENDING).test(path)
}

/** Removes only a note's extension. */
export function stemOf(path: string, mode: Mode): string {
  return path.replace(mode === 'docs' ? DOCS_NOTE_ENDING : NOTE_ENDING, '')
}

export function missingName(target: string): string {
  return target.replace(NOTE_ENDING, '')
}

/** Returns the page name of a Logseq file. In file names, `___` stands for `/`, and `%XX` is decoded. */
export function pageName(path: string): string {
  const stem = nameOf(path).replace(NOTE_ENDING, '')
  const name = stem.replaceAll('___', '/').replace(/(?:%[0-9a-f]{2})+/gi, decodePercent)
  const segments = name.split('/').filter((segment) => segment !== '')
  return segments.length === 0 ? stem : segments.join('/')
}

/** Logseq's setting `:file/name-format`: namespaces as `a___b.md`, or as `a%2Fb.md` in older graphs. */
export type PageFormat = 'triple-lowbar' | 'legacy'

/** The inverse of `pageName`, without `.md`. `|` and some `#` stay, because links cannot contain them. */
export function pageStem(name: string, format: PageFormat): string {
  const title = name.normalize('NFC')
  // Older graphs read a dot as a slash.
  if (format === 'legacy') return title.replace(/[/.%\\:*?"<>]|#(?=[ /]|$)/g, encodeCharacter)
  const encoded = title.replace(/%(?=[0-9a-f]{2})|[\\:*?"<>]|#(?=[ /]|$)|^\./gi, encodeCharacter).replace(/\.$/, './')
  return encoded.replace(/___|_(?=\/)|(?<=\/)_/g, (lowbars) => '%5F'.repeat(lowbars.length)).replaceAll('/', '___')
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** The names of a Logseq page. Links use the first. */
export function namesOfPage({ path, title }: Pick<NamedFile, 'path' | 'title'>): readonly [string, ...string[]] {
  return title === undefined ? [pageName(path)] : [title, pageName(path)]
}

/**
 * Returns `2025_01_30` for `2025-01-30 Thu`, `Jan 30th, 2025` or `Thursday, 2025/01/30` (Logseq journals), and `undefined` if the
 * name is not a date or the order of month and day is unclear.
 */
export function journalName(page: string): string | undefined {
  const [, year, , month, day] = YEAR_FIRST.exec(page) ?? []
  if (year !== undefined) return `${year}_${month}_${day}`
  const parts = MONTH_FIRST.exec(page)?.groups ?? DAY_FIRST.exec(page)?.groups
  const at = MONTHS.findIndex((name) => name.startsWith((parts?.month ?? '').toLowerCase()))
  if (parts === undefined || at === -1) return undefined
  return `${parts.year}_${twoDigits(at + 1)}_${twoDigits(Number(parts.day))}`
}
