import type { ResolvedLink } from '../core/index-writer.ts'
import type { Flavor, Link, Mode } from '../core/note.ts'
import { folderOf, nameOf } from '../core/paths.ts'
import { decodePercent, foldName, spellName } from '../core/text/fold.ts'
import { trimBothOf, trimEndOf } from '../core/text/trim-characters.ts'
import { hasFolderTargets, journalName, missingName, type Names, stemOf } from './names.ts'

export type Resolution =
  | {
      readonly kind: 'file'
      readonly key: number
      readonly via: 'self' | 'path' | 'name' | 'folder' | 'alias'
      /** Other matching files, if a heuristic chose the target. */
      readonly rivals?: readonly number[]
    }
  /** No file matches. `name` is the target as written, without subpath and `.md`. */
  | { readonly kind: 'missing'; readonly name: string }

export type LinkTarget = Pick<Link, 'target' | 'form'> & { readonly subpath?: string | undefined }

export interface Source {
  readonly key: number
  readonly path: string
}

/** Resolves a link by Obsidian's rules in order (R1–R20), then by the flavor's own. */
export function resolveLink(names: Names, source: Source, link: LinkTarget, flavor: Flavor): Resolution {
  if (link.target === '') return { kind: 'file', key: source.key, via: 'self' }
  for (const target of readingsOf(link, flavor.mode)) {
    const resolution = findFile(names, source, { ...link, target }, flavor)
    if (resolution !== undefined) return resolution
  }
  return { kind: 'missing', name: missingName(withoutQuery(link, flavor.mode)) }
}

export function withTarget(names: Names, source: Source, link: Link | ResolvedLink, flavor: Flavor): ResolvedLink {
  const resolution = resolveLink(names, source, link, flavor)
  const isFile = resolution.kind === 'file'
  return {
    kind: link.kind,
    form: link.form,
    target: link.target,
    line: link.line,
    column: link.column,
    start: link.start,
    end: link.end,
    to: isFile ? resolution.key : resolution.name,
    subpath: link.subpath,
    property: link.property,
    inComment: link.inComment,
    rivals: isFile ? resolution.rivals : undefined,
    byAlias: isFile && resolution.via === 'alias' ? true : undefined,
    brokenSubpath: undefined,
  }
}

function findFile(names: Names, source: Source, link: LinkTarget, flavor: Flavor): Resolution | undefined {
  const lenient = flavor.profile === 'lenient'
  const folder = spellName(folderOf(source.path))
  const target = spellName(link.target)
  if (link.form === 'canvas') return single(names.atPath(foldName(target)), target, names, 'path')
  if (flavor.mode === 'logseq' && isWiki(link)) {
    const journal = journalName(target)
    const page = byAlias(names, target, folder) ?? (journal === undefined ? undefined : byAlias(names, journal, folder))
    if (page !== undefined) return page
  }
  const resolution = byFile(names, target, folder, link, lenient)
  if (resolution !== undefined || !lenient) return resolution
  const decoded = isWiki(link) ? decodePercent(target) : target
  const decodedFound = decoded === target ? undefined : byFile(names, decoded, folder, link, lenient)
  return decodedFound ?? (isRooted(target) ? undefined : byAlias(names, target, folder))
}

function byFile(names: Names, target: string, folder: string, link: LinkTarget, lenient: boolean): Resolution | undefined {
  if (isRelative(target)) return atRelative(names, folder, target)
  if (target.startsWith('/')) {
    return atPath(names, target.slice(1)) ?? (names.mode === 'docs' && !isWiki(link) ? atSite(names, folder, target) : undefined)
  }
  const folders = hasFolderTargets(names.mode)
  if (folders && !isWiki(link)) {
    const sibling = atRelative(names, folder, target)
    if (sibling !== undefined) return sibling
  }
  return atPath(names, target) ?? bySuffix(names, target, folder, lenient) ?? (folders ? byFolder(names, target) : undefined)
}

/** Resolves a relative path. A folder path (`f/`, `..`) never resolves to a note of the same name. */
export function atRelative(names: Names, folder: string, relative: string): Resolution | undefined {
  const path = joinPath(folder, relative)
  if (path === undefined) return undefined
  return namesFolder(relative) ? atFolder(names, foldName(path)) : atPath(names, path)
}

/** Tries the path as written, a note's extension, and in some modes a folder's index file. */
function atPath(names: Names, path: string): Resolution | undefined {
  const folded = foldName(path)
  for (const ending of ['', ...noteEndings(names)]) {
    const resolution = single(names.atPath(folded + ending), path, names, 'path')
    if (resolution !== undefined) return resolution
  }
  return atFolder(names, folded)
}

function atFolder(names: Names, folded: string): Resolution | undefined {
  return hasFolderTargets(names.mode) ? indexFile(names, folded) : undefined
}

/**
 * Sites serve `a/b.md` or the index file of `a/b` at `/a/b/`. The root is often a subfolder such as `docs`, so the source's
 * parent folders are tried, outermost first.
 */
function atSite(names: Names, folder: string, target: string): Resolution | undefined {
  const path = trimBothOf(target, '/')
  if (path === '') return undefined
  const above = folder === '' ? [] : folder.split('/')
  for (let depth = 0; depth <= above.length; depth++) {
    const served = [...above.slice(0, depth), path].join('/')
    const resolution = (target.endsWith('/') ? atFolder(names, foldName(served)) : undefined) ?? atPath(names, served)
    if (resolution !== undefined) return resolution
  }
  return undefined
}

/**
 * Finds a path that ends in `/target`. The exact spelling comes first (R9), then the source's folder, then the shortest path
 * (R5).
 */
function bySuffix(names: Names, target: string, folder: string, lenient: boolean): Resolution | undefined {
  const folded = foldName(target)
  const sameName = names.withName(nameOf(folded))
  if (sameName.length === 0) return undefined
  const asWritten = sameName.filter((key) => endsInPath(names.foldedPath(key), folded))
  const matching =
    asWritten.length > 0
      ? asWritten
      : sameName.filter((key) => {
          const path = names.foldedPath(key)
          return noteEndings(names).some((ending) => endsInPath(path, folded + ending))
        })
  return choose(lenient ? spelledSo(names, matching, target) : matching, names, folder, 'name')
}

/** Returns the files whose case matches, or all files if none does. */
function spelledSo(names: Names, keys: readonly number[], target: string): readonly number[] {
  if (keys.length < 2) return keys
  const stem = stemOf(target, names.mode)
  const matching = keys.filter((key) => {
    const path = names.path(key)
    return path !== undefined && (endsInPath(path, target) || endsInPath(stemOf(path, names.mode), stem))
  })
  return matching.length > 0 ? matching : keys
}

function byAlias(names: Names, target: string, folder: string): Resolution | undefined {
  const alias = spellName(target.trim())
  const keys = names.withAlias(foldName(alias))
  const spelled = keys.length < 2 ? keys : keys.filter((key) => names.isSpelledAlias(key, alias))
  return choose(spelled.length > 0 ? spelled : keys, names, folder, 'alias')
}

function byFolder(names: Names, target: string): Resolution | undefined {
  const folded = trimEndOf(foldName(target), '/')
  const inside = names.withName(`${nameOf(folded)}/`).filter((key) => endsInPath(folderOf(names.foldedPath(key) ?? ''), folded))
  const indexes = inside.filter((key) => nameOf(names.foldedPath(key) ?? '').startsWith('index.'))
  return choose(indexes.length > 0 ? indexes : inside, names, '', 'folder')
}

function indexFile(names: Names, foldedFolder: string): Resolution | undefined {
  const folder = trimEndOf(foldedFolder, '/')
  for (const stem of INDEX_STEMS) {
    for (const ending of noteEndings(names)) {
      const path = `${folder === '' ? '' : `${folder}/`}${stem}${ending}`
      const resolution = single(names.atPath(path), path, names, 'folder')
      if (resolution !== undefined) return resolution
    }
  }
  return undefined
}

const INDEX_STEMS = ['index', 'readme', '_index']

/** Chooses the exact spelling, or else the first file in `byPathOrder`. */
function single(keys: readonly number[], path: string, names: Names, via: 'path' | 'folder'): Resolution | undefined {
  const [first] = keys
  if (first === undefined) return undefined
  if (keys.length === 1) return { kind: 'file', key: first, via }
  const spelled = keys.find((key) => {
    const exact = names.path(key)
    return exact === path || (exact !== undefined && stemOf(exact, names.mode) === stemOf(path, names.mode))
  })
  return { kind: 'file', key: spelled ?? byPathOrder(keys, names)[0] ?? first, via }
}

/**
 * Chooses the source's folder, then the shortest path, then alphabetical order. If the choice is only a heuristic, the other
 * files are returned as rivals.
 */
function choose(keys: readonly number[], names: Names, folder: string, via: 'name' | 'alias' | 'folder'): Resolution | undefined {
  const [first] = keys
  if (first === undefined) return undefined
  if (keys.length === 1) return { kind: 'file', key: first, via }
  const inFolder = keys.filter((key) => folderOf(names.path(key) ?? '') === folder)
  const [winner = first, ...rivals] = byPathOrder(inFolder.length > 0 ? inFolder : keys, names)
  return rivals.length > 0 ? { kind: 'file', key: winner, via, rivals } : { kind: 'file', key: winner, via }
}

function byPathOrder(keys: readonly number[], names: Names): number[] {
  return [...keys].sort((a, b) => {
    const pathA = names.path(a) ?? ''
    const right = names.path(b) ?? ''
    return pathA.length - right.length || (pathA < right ? -1 : pathA > right ? 1 : a - b)
  })
}

/**
 * Lists the folded names that a link depends on. The link must be resolved again when a file with such a name (`namesOf`) changes
 * its names. A subpath also depends on outlines (`outlineName`).
 */
export function addMentions(link: LinkTarget, sourcePath: string, flavor: Flavor, add: (name: string) => void): void {
  addNames(link, sourcePath, flavor, add)
  if (link.subpath !== undefined) addNames(link, sourcePath, flavor, (name) => add(outlineName(name)))
}

/** Returns the name under which links to a note's headings and blocks are recorded. */
export function outlineName(name: string): string {
  return `#${name}`
}

function addNames(link: LinkTarget, sourcePath: string, flavor: Flavor, add: (name: string) => void): void {
  if (link.target === '') return
  for (const target of readingsOf(link, flavor.mode)) addReading(spellName(target), link, sourcePath, flavor, add)
}

function addReading(target: string, link: LinkTarget, sourcePath: string, flavor: Flavor, add: (name: string) => void): void {
  const lenient = flavor.profile === 'lenient'
  const folded = foldName(target)
  addSpelling(target, folded, sourcePath, flavor.mode, add)
  const decoded = lenient && isWiki(link) ? decodePercent(target) : target
  if (decoded !== target) addSpelling(decoded, foldName(decoded), sourcePath, flavor.mode, add)
  // An alias matches the whole target, not only its last segment.
  if (lenient || flavor.mode === 'logseq') add(folded.trim())
  const journal = flavor.mode === 'logseq' ? journalName(target) : undefined
  if (journal !== undefined) add(journal)
}

export function mentionsAny(link: LinkTarget, sourcePath: string, flavor: Flavor, names: ReadonlySet<string>): boolean {
  let isMentioned = false
  addMentions(link, sourcePath, flavor, (name) => {
    isMentioned ||= names.has(name)
  })
  return isMentioned
}

function addSpelling(spelling: string, folded: string, sourcePath: string, mode: Mode, add: (name: string) => void): void {
  if (!namesFolder(spelling)) {
    const base = nameOf(folded)
    add(base)
    if (hasFolderTargets(mode)) add(`${base}/`)
  } else if (hasFolderTargets(mode)) {
    // A path that starts with `.` or `..` is relative to the source's folder.
    const isRooted = spelling.startsWith('/')
    const path = joinPath(isRooted ? '' : folderOf(sourcePath), spelling)
    if (path === undefined) return
    const base = nameOf(foldName(path))
    add(`${base}/`)
    if (isRooted) add(base)
  }
}

/** A query (`?…`) occurs only in links between pages of a site. */
export function withoutQuery(link: LinkTarget, mode: Mode): string {
  return readingsOf(link, mode).at(-1) ?? ''
}

/** Returns the target with and without its query, because file names may contain `?` (written `%3F`). */
export function readingsOf(link: LinkTarget, mode: Mode): readonly string[] {
  const { target } = link
  const at = mode === 'docs' && isMarkdownPath(link) ? target.indexOf('?') : -1
  if (at <= 0) return [target]
  const page = target.slice(0, at)
  // A path with `..` would lead to another page.
  return /\/\.\.(?:\/|$)/.test(target.slice(at)) ? [page] : [target, page]
}

export function isWiki({ form }: Pick<LinkTarget, 'form'>): boolean {
  return form === 'wikilink' || form === 'page'
}

export function isMarkdownPath({ form }: Pick<LinkTarget, 'form'>): boolean {
  return form !== 'canvas' && !isWiki({ form })
}

export function isRelative(target: string): boolean {
  return /^\.\.?(?:\/|$)/.test(target)
}

function namesFolder(target: string): boolean {
  const last = target.charCodeAt(target.length - 1)
  return (last === SLASH || last === DOT) && /(?:^|\/)\.{0,2}$/.test(target)
}

const DOT = 46
const SLASH = 47

function isRooted(target: string): boolean {
  return isRelative(target) || target.startsWith('/')
}

function endsInPath(path: string | undefined, end: string): boolean {
  if (path === undefined || !path.endsWith(end)) return false
  return path.length === end.length || path[path.length - end.length - 1] === '/'
}

function noteEndings(names: Names): readonly string[] {
  return names.mode === 'docs' ? DOCS_ENDINGS : MD_ENDING
}

const MD_ENDING = ['.md']
const DOCS_ENDINGS = ['.md', '.markdown', '.mdx']

/** Returns `undefined` outside the vault. */
export function joinPath(folder: string, relative: string): string | undefined {
  const segments = folder === '' ? [] : folder.split('/')
  for (const segment of relative.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.join('/')
}
