import type { Flavour, Link } from '../../core/note.ts'
import { fileStemOf, folderOf, nameOf } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import { scanBlocks } from '../../markdown/blocks.ts'
import { bodyStartOf } from '../../markdown/frontmatter/frontmatter.ts'
import { LineIndex } from '../../markdown/line-index.ts'
import { parseNote } from '../../markdown/parse-note.ts'
import { encodeDestination } from '../../markdown/retarget/encode-destination.ts'

/** How the links of a vault, or of a note, are written. */
export interface LinkStyle {
  readonly form: 'wikilink' | 'markdown'
  /** By the bare name, by the path from the vault's root, by the path from the note's folder, or as a site serves it: `/folder/page/`. */
  readonly path: 'name' | 'full' | 'relative' | 'site'
}

/** A note whose links are looked at. */
export interface StyleSource {
  readonly path: string
  readonly text: string
}

/** A link that is to be put where a text stands. */
export interface WantedLink {
  readonly text: string
  /** UTF-16 offsets of what becomes the link. */
  readonly start: number
  readonly end: number
  readonly from: string
  readonly to: string
  /** No other file is called so. */
  readonly isNameUnique: boolean
  /** What Logseq calls the page: its name first, then what else leads to it; absent in other vaults, where files' names do. */
  readonly pageNames?: readonly string[] | undefined
}

const FLAVOUR: Flavour = { profile: 'lenient', mode: 'obsidian', comments: true }
/** What every reader of a folder of documentation follows. */
export const DOCS_STYLE: LinkStyle = { form: 'markdown', path: 'relative' }
const DEFAULT: LinkStyle = { form: 'wikilink', path: 'name' }
/** So many links tell how a note writes them. */
const MOST_LOOKED_AT = 50

/** What a style is told from. */
export interface StyleReading {
  readonly isNote: (path: string) => boolean
  /** A folder of documentation has no wikilinks: what looks so is code. */
  readonly isDocs: boolean
}

/** How most links of these notes are written; `undefined` where there are none. */
export function linkStyleOf(sources: readonly StyleSource[], { isNote, isDocs }: StyleReading): LinkStyle | undefined {
  const counts = new Map<string, { readonly style: LinkStyle; count: number }>()
  for (const { path, text } of sources) {
    for (const link of parseNote(text, FLAVOUR).links.slice(0, MOST_LOOKED_AT)) {
      const found = styleOf(link, path, isNote)
      if (found === undefined || (isDocs && found.form === 'wikilink')) continue
      const style = isDocs && found.path !== 'site' ? DOCS_STYLE : found
      const key = `${style.form} ${style.path}`
      const counted = counts.get(key) ?? { style, count: 0 }
      counted.count++
      counts.set(key, counted)
    }
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.style
}

function styleOf(link: Link, from: string, isNote: (path: string) => boolean): LinkStyle | undefined {
  const { target, kind } = link
  const form = link.form === 'reference' ? 'markdown' : link.form
  if (kind !== 'link' || target === '' || (form !== 'wikilink' && form !== 'markdown')) return undefined
  if (form === 'markdown' && target.startsWith('/')) {
    return target.endsWith('/') && isNote(`${target.slice(1, -1)}.md`) ? { form, path: 'site' } : undefined
  }
  const path = withEnding(target)
  if (/^\.\.?\//.test(target)) return { form, path: 'relative' }
  if (form === 'markdown' && isNote(joined(folderOf(from), path)))
    return { form, path: folderOf(from) === '' && target.includes('/') ? 'full' : 'relative' }
  if (!target.includes('/')) return { form, path: 'name' }
  return isNote(path) ? { form, path: 'full' } : undefined
}

/**
 * What must stand there instead, in a style; it is read back: it is one link more, to just what was wanted, and nothing else is read in another way.
 * `undefined` where no link can be put there.
 */
export function writeLink(wanted: WantedLink, style: LinkStyle = DEFAULT): string | undefined {
  const { text, start, end } = wanted
  const before = parseNote(text, FLAVOUR).links.length
  for (const { written, target } of candidates(wanted, style)) {
    const { links } = parseNote(`${text.slice(0, start)}${written}${text.slice(end)}`, FLAVOUR)
    if (
      links.length === before + 1 &&
      links.some(
        (link) =>
          link.start === start && link.end === start + written.length && link.target === target && link.subpath === undefined,
      )
    )
      return written
  }
  return undefined
}

interface Candidate {
  readonly written: string
  /** As a reader decodes it. */
  readonly target: string
}

function candidates(wanted: WantedLink, style: LinkStyle): readonly Candidate[] {
  const { text, start, end, to, isNameUnique, pageNames } = wanted
  const shown = text.slice(start, end)
  const full = to.replace(/\.md$/i, '')
  const isShort = style.path === 'name' && isNameUnique
  const page = pageNames?.find((name) => foldName(name) === foldName(shown)) ?? pageNames?.[0]
  const wikilinks = wikilinksTo(page ?? (isShort ? fileStemOfNote(to) : full), {
    shown,
    bar: isInTable(text, start) ? '\\|' : '|',
  })
  const path = destinationOf(wanted, style)
  const label = shown.replace(/[\\[\]]/g, '\\$&')
  const destination = encodeDestination(path, { spaces: false, ascii: false, enders: '#' })
  const markdown = [{ written: `[${label}](${destination})`, target: path }]
  return style.form === 'wikilink' ? [...wikilinks, ...markdown] : [...markdown, ...wikilinks]
}

function destinationOf({ from, to, isNameUnique }: WantedLink, { form, path }: LinkStyle): string {
  if (path === 'site') return `/${to.replace(/(?:(?:^|(?<=\/))(?:_?index|readme))?\.md$/i, '').replace(/\/$/, '')}/`
  if (path === 'relative' || form === 'wikilink') return relativePath(from, to)
  return path === 'name' && isNameUnique ? nameOf(to) : to
}

function fileStemOfNote(path: string): string {
  return /\.md$/i.test(path) ? nameOf(path).replace(/\.md$/i, '') : fileStemOf(path)
}

function wikilinksTo(target: string, { shown, bar }: { readonly shown: string; readonly bar: string }): readonly Candidate[] {
  // What a wikilink cannot say.
  if (/[#^|[\]\\]/.test(target) || /[|[\]\n]/.test(shown)) return []
  if (foldName(target) === foldName(shown)) return [{ written: `[[${shown}]]`, target: shown }]
  return [{ written: `[[${target}${bar}${shown}]]`, target }]
}

/** In a table a bar would end the cell. */
function isInTable(text: string, at: number): boolean {
  const { runs } = scanBlocks(text, bodyStartOf(text), new LineIndex())
  return runs.some(({ kind, start, end }) => kind === 'row' && start <= at && at < end)
}

function withEnding(path: string): string {
  return /\.[a-z]{2,8}$/i.test(path) ? path : `${path}.md`
}

function joined(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`
}

/** The path from a note's folder to another note. */
function relativePath(from: string, to: string): string {
  const own = folderOf(from) === '' ? [] : folderOf(from).split('/')
  const parts = to.split('/')
  let shared = 0
  while (shared < own.length && shared < parts.length - 1 && own[shared] === parts[shared]) shared++
  return [...own.slice(shared).map(() => '..'), ...parts.slice(shared)].join('/')
}

/** A text to replace that stands once on its line, and what takes its place. */
export interface LineReplacement {
  readonly find: string
  readonly replace: string
}

/** Widens what is replaced until it stands on its line once. */
export function uniqueOnLine(
  { text, start, end }: Pick<WantedLink, 'text' | 'start' | 'end'>,
  written: string,
): LineReplacement | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', end)
  const line = text.slice(from, newline === -1 ? text.length : newline).replace(/\r$/, '')
  let left = start - from
  let right = end - from
  for (;;) {
    const find = line.slice(left, right)
    if (line.indexOf(find) === left && line.indexOf(find, left + 1) === -1) {
      return { find, replace: `${line.slice(left, start - from)}${written}${line.slice(end - from, right)}` }
    }
    if (left === 0 && right === line.length) return undefined
    // Half of a character that takes two units is no text.
    left = Math.max(0, left - (isLow(line.charCodeAt(left - 1)) ? 2 : 1))
    right = Math.min(line.length, right + (isHigh(line.charCodeAt(right)) ? 2 : 1))
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
