import type { Mode } from '../../core/note.ts'
import { folderOf, nameOf } from '../../core/paths.ts'
import { foldName, spellName } from '../../core/text/fold.ts'
import { trimBothOf } from '../../core/text/trim-characters.ts'
import { hasFolderTargets, isNotePath, type NamedFile, type Names, namesOfPage, stemOf } from '../names.ts'
import {
  atRelative,
  isMarkdownPath,
  isRelative,
  isWiki,
  type LinkTarget,
  type Resolution,
  readingsOf,
  type Source,
  withoutQuery,
} from '../resolve.ts'

/** The values of Obsidian's setting "New link format", which applies to links that are bare names. */
export type NewLinkFormat = 'shortest' | 'relative' | 'absolute'

export interface OldLink {
  readonly link: LinkTarget
  readonly style: PathStyle
  readonly via: (Resolution & { readonly kind: 'file' })['via']
  readonly path: string
}

/** The target and the source after the change. Paths are spelled as on disk. */
export interface NewPlace {
  readonly names: Names
  readonly source: Source
  readonly file: NamedFile
  readonly newLinkFormat: NewLinkFormat
}

/** Returns new targets, those most similar to the old text first. The caller must check each of them with `resolveLink`. */
export function candidates(oldLink: OldLink, newPlace: NewPlace): readonly string[] {
  const onDisk = candidatesOnDisk(oldLink, newPlace)
  // A Markdown link needs the exact path for other tools. Other links use NFC.
  return isMarkdownPath(oldLink.link) ? onDisk : onDisk.map(spellName)
}

function candidatesOnDisk(oldLink: OldLink, newPlace: NewPlace): readonly string[] {
  const { path } = newPlace.file
  if (oldLink.link.form === 'canvas') return [path]
  const { mode } = newPlace.names
  const isBare =
    isNotePath(path, mode) &&
    isNotePath(oldLink.path, mode) &&
    !readingsOf(oldLink.link, mode).some((target) => isNotePath(target, mode)) &&
    (!namesFolder(oldLink) || isSitePath(oldLink, mode))
  const full = isBare ? stemOf(path, mode) : path
  const folder = folderOf(newPlace.source.path)
  const preferred = [...pageNames(oldLink, newPlace), ...indexFolders(oldLink, newPlace), ...pathsLike(oldLink, full, newPlace)]
  const fallback = [full, path, `/${full}`, `/${path}`, dotted(relativePath(folder, path))]
  return [...new Set([...preferred, ...fallback])].filter((target) => target !== '')
}

function namesFolder({ link, via }: OldLink): boolean {
  return via === 'folder' && !isWiki(link)
}

function isSitePath({ link, style }: OldLink, mode: Mode): boolean {
  return mode === 'docs' && style === 'rooted' && withoutQuery(link, mode).endsWith('/')
}

function pageNames({ via }: OldLink, { names, file }: NewPlace): readonly string[] {
  if (names.mode !== 'logseq' || via !== 'alias' || !isNotePath(file.path, names.mode)) return []
  return namesOfPage(file)
}

function indexFolders(oldLink: OldLink, newPlace: NewPlace): readonly string[] {
  const { path } = newPlace.file
  const namedFolder = oldLink.via === 'folder' || isSitePath(oldLink, newPlace.names.mode)
  if (!namedFolder || !/^(?:_?index|readme)\.[^./]+$/i.test(nameOf(path))) return []
  const end = oldLink.link.target.endsWith('/') && !isSitePath(oldLink, newPlace.names.mode) ? '/' : ''
  const style = oldLink.style === 'name' ? 'end' : oldLink.style
  return pathsLike({ ...oldLink, style }, folderOf(path), newPlace).map((form) => form + end)
}

function pathsLike(oldLink: OldLink, path: string, { names, source, newLinkFormat }: NewPlace): readonly string[] {
  const { link, style } = oldLink
  const relative = relativePath(folderOf(source.path), path)
  switch (style) {
    case 'rooted':
      return [`/${withoutRoot(path, siteRootOf(oldLink, names.mode))}${isSitePath(oldLink, names.mode) ? '/' : ''}`]
    case 'relative':
      return [dotted(relative)]
    case 'sibling':
      if (newLinkFormat === 'absolute' && !hasFolderTargets(names.mode)) return [path]
      return [relative, dotted(relative)]
    case 'full':
      return [path]
    case 'end':
      return endsOf(path).slice(segmentsOf(link.target.replace(/\/$/, '')).length - 1)
    case 'name':
      if (newLinkFormat === 'absolute') return [path]
      if (newLinkFormat === 'relative') return [relative, dotted(relative)]
      return names.withName(foldName(nameOf(path))).length === 1 ? [nameOf(path)] : []
  }
}

/** Returns `docs/` if `/a` refers to `docs/a.md`. Usually, the result is empty. */
function siteRootOf({ link, via, path }: OldLink, mode: Mode): string {
  const segmentCount = segmentsOf(trimBothOf(withoutQuery(link, mode), '/')).length
  const segments = segmentsOf(via === 'folder' ? folderOf(path) : path)
  return segments
    .slice(0, Math.max(0, segments.length - segmentCount))
    .map((segment) => `${segment}/`)
    .join('')
}

function withoutRoot(path: string, root: string): string {
  return path.startsWith(root) ? path.slice(root.length) : path
}

/** Returns `c`, `b/c` and `a/b/c` for `a/b/c`. */
function endsOf(path: string): readonly string[] {
  const segments = segmentsOf(path)
  return segments.map((_, at) => segments.slice(-1 - at).join('/'))
}

function segmentsOf(path: string): readonly string[] {
  return path === '' ? [] : path.split('/')
}

/** Returns a path without a leading `./`, or an empty string for the folder itself. */
function relativePath(folder: string, path: string): string {
  const from = segmentsOf(folder)
  const to = segmentsOf(path)
  let shared = 0
  while (shared < from.length && shared < to.length && from[shared] === to[shared]) shared++
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/')
}

function dotted(relative: string): string {
  if (isRelative(relative)) return relative
  return relative === '' ? '.' : `./${relative}`
}

/**
 * The styles of paths. `rooted`: `/f/a`. `relative`: `./a`, `../a`. `sibling`: `[a](a.md)`, which any Markdown tool resolves.
 * `full`: `f/a`. `end`: the end of the path. `name`: the base name.
 */
export type PathStyle = 'rooted' | 'relative' | 'sibling' | 'full' | 'end' | 'name'

export function pathStyleOf(
  link: LinkTarget,
  resolution: Resolution & { readonly kind: 'file' },
  source: Source,
  names: Names,
): PathStyle {
  const { target } = link
  if (resolution.via === 'alias') return 'name'
  if (target.startsWith('/')) return 'rooted'
  if (isRelative(target)) return 'relative'
  if (siblingOf(link, source, names) === resolution.key) return 'sibling'
  if (!target.includes('/')) return 'name'
  return resolution.via === 'path' ? 'full' : 'end'
}

/** Resolves a Markdown path relative to the source only, like tools without vaults. */
export function siblingOf(link: LinkTarget, source: Source, names: Names): number | undefined {
  const { target } = link
  if (!isMarkdownPath(link) || target === '' || target.startsWith('/')) return undefined
  for (const reading of readingsOf(link, names.mode)) {
    const resolution = atRelative(names, folderOf(source.path), reading)
    if (resolution?.kind === 'file') return resolution.key
  }
  return undefined
}
