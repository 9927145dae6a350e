import { DEFAULT_FLAVOR, type Link } from '../../core/note.ts'
import { fileStemOf, folderOf, inFolder, nameOf } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import { rowTest } from '../../markdown/blocks.ts'
import { bodyStartOf } from '../../markdown/frontmatter/frontmatter.ts'
import { parseNote } from '../../markdown/parse-note.ts'
import { encodeDestination } from '../../markdown/retarget/destination-slots.ts'

export interface LinkStyle {
  readonly form: 'wikilink' | 'markdown'
  /** A link contains a name, a path from the root, a relative path, or a website's URL path (`/folder/page/`). */
  readonly path: 'name' | 'full' | 'relative' | 'site'
}

export interface LinkedNote {
  readonly path: string
  readonly text: string
  readonly links: readonly Link[]
}

export function readLinks(path: string, text: string): LinkedNote {
  return { path, text, links: parseNote(text, DEFAULT_FLAVOR).links }
}

export interface NewLink {
  /** The UTF-16 offsets of the linked text. */
  readonly start: number
  readonly end: number
  readonly to: string
  /** True if no other file has this name. */
  readonly isNameUnique: boolean
  /** The target's name and aliases, which only Logseq vaults need. */
  readonly pageNames?: readonly string[] | undefined
}

/** The style of documentation, whose viewers all support relative Markdown links. */
export const DOCS_STYLE: LinkStyle = { form: 'markdown', path: 'relative' }
const DEFAULT: LinkStyle = { form: 'wikilink', path: 'name' }
const SAMPLED_LINKS = 50

export interface StyleOptions {
  readonly isNote: (path: string) => boolean
  /** True for documentation, which has no wikilinks, only code that looks like them. */
  readonly isDocs: boolean
}

export function linkStyleOf(notes: readonly LinkedNote[], { isNote, isDocs }: StyleOptions): LinkStyle | undefined {
  const counts = new Map<string, { readonly style: LinkStyle; count: number }>()
  for (const { path, links } of notes) {
    for (const link of links.slice(0, SAMPLED_LINKS)) {
      const linkStyle = styleOf(link, path, isNote)
      if (linkStyle === undefined || (isDocs && linkStyle.form === 'wikilink')) continue
      const style = isDocs && linkStyle.path !== 'site' ? DOCS_STYLE : linkStyle
      const key = `${style.form} ${style.path}`
      const entry = counts.get(key) ?? { style, count: 0 }
      entry.count++
      counts.set(key, entry)
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
  const path = /\.[a-z]{2,8}$/i.test(target) ? target : `${target}.md`
  if (/^\.\.?\//.test(target)) return { form, path: 'relative' }
  if (form === 'markdown' && isNote(inFolder(folderOf(from), path)))
    return { form, path: folderOf(from) === '' && target.includes('/') ? 'full' : 'relative' }
  if (!target.includes('/')) return { form, path: 'name' }
  return isNote(path) ? { form, path: 'full' } : undefined
}

/** Returns the Markdown of each link, or `undefined` if inserting it would change how other text parses. */
export function writeLinks(
  note: LinkedNote,
  newLinks: readonly NewLink[],
  style: LinkStyle = DEFAULT,
): readonly (string | undefined)[] {
  const isInTable = rowTest(note.text, bodyStartOf(note.text))
  const spellings = newLinks.map((link) => spellingsOf(note, link, { style, isInTable: isInTable(link.start) }))
  const texts: (string | undefined)[] = newLinks.map(() => undefined)
  for (let round = 0; spellings.some((all) => round < all.length); round++) {
    const open = newLinks.flatMap(({ start, end }, at): readonly Insertion[] => {
      const spelling = spellings[at]?.[round]
      return texts[at] !== undefined || spelling === undefined ? [] : [{ at, start, end, ...spelling }]
    })
    for (const group of withoutOverlaps(open)) for (const { at, text } of readableIn(note, group)) texts[at] = text
  }
  return texts
}

interface Spelling {
  readonly text: string
  readonly target: string
}

interface Insertion extends Spelling, Pick<NewLink, 'start' | 'end'> {
  readonly at: number
}

function withoutOverlaps(insertions: readonly Insertion[]): readonly (readonly Insertion[])[] {
  const groups: Insertion[][] = []
  for (const insertion of insertions.toSorted((a, b) => a.start - b.start)) {
    const group = groups.find((candidate) => (candidate.at(-1)?.end ?? 0) <= insertion.start)
    if (group === undefined) groups.push([insertion])
    else group.push(insertion)
  }
  return groups
}

/** Returns the insertions that parse as intended. If a group does not, each half is tried. */
function readableIn(note: LinkedNote, group: readonly Insertion[]): readonly Insertion[] {
  if (isReadBackRight(note, group)) return group
  if (group.length === 1) return []
  const middle = group.length >> 1
  return [...readableIn(note, group.slice(0, middle)), ...readableIn(note, group.slice(middle))]
}

function isReadBackRight({ text, links: before }: LinkedNote, group: readonly Insertion[]): boolean {
  let changed = ''
  let from = 0
  const places = group.map((insertion) => {
    changed += text.slice(from, insertion.start)
    const start = changed.length
    changed += insertion.text
    from = insertion.end
    return { start, end: changed.length, target: insertion.target }
  })
  const { links } = parseNote(changed + text.slice(from), DEFAULT_FLAVOR)
  const byStart = new Map(links.map((link) => [link.start, link]))
  const isLink = ({ start, end, target }: (typeof places)[number]): boolean => {
    const link = byStart.get(start)
    return link?.end === end && link.target === target && link.subpath === undefined
  }
  return links.length === before.length + group.length && places.every(isLink)
}

function spellingsOf(
  { path: from, text }: LinkedNote,
  link: NewLink,
  { style, isInTable }: { readonly style: LinkStyle; readonly isInTable: boolean },
): readonly Spelling[] {
  const { start, end, to, isNameUnique, pageNames } = link
  const marked = text.slice(start, end)
  const full = to.replace(/\.md$/i, '')
  const isShort = style.path === 'name' && isNameUnique
  const page = pageNames?.find((name) => foldName(name) === foldName(marked)) ?? pageNames?.[0]
  // A link in a table cell requires a backslash before `|`.
  const bar = isInTable ? '\\|' : '|'
  const wikilinks = wikilinksTo(page ?? (isShort ? fileStemOfNote(to) : full), { shown: marked, bar })
  const path = destinationOf(from, link, style)
  const label = marked.replace(/[\\[\]]/g, '\\$&')
  const destination = encodeDestination(path, { spaces: false, ascii: false, enders: '#' })
  const markdown = [{ text: `[${label}](${destination})`, target: path }]
  return style.form === 'wikilink' ? [...wikilinks, ...markdown] : [...markdown, ...wikilinks]
}

function destinationOf(from: string, { to, isNameUnique }: NewLink, { form, path }: LinkStyle): string {
  if (path === 'site') return `/${to.replace(/(?:(?:^|(?<=\/))(?:_?index|readme))?\.md$/i, '').replace(/\/$/, '')}/`
  if (path === 'relative' || form === 'wikilink') return relativePath(from, to)
  return path === 'name' && isNameUnique ? nameOf(to) : to
}

function fileStemOfNote(path: string): string {
  return /\.md$/i.test(path) ? nameOf(path).replace(/\.md$/i, '') : fileStemOf(path)
}

function wikilinksTo(target: string, { shown, bar }: { readonly shown: string; readonly bar: string }): readonly Spelling[] {
  if (/[#^|[\]\\]/.test(target) || /[|[\]\n]/.test(shown)) return []
  if (foldName(target) === foldName(shown)) return [{ text: `[[${shown}]]`, target: shown }]
  return [{ text: `[[${target}${bar}${shown}]]`, target }]
}

function relativePath(from: string, to: string): string {
  const ownFolders = folderOf(from) === '' ? [] : folderOf(from).split('/')
  const parts = to.split('/')
  let shared = 0
  while (shared < ownFolders.length && shared < parts.length - 1 && ownFolders[shared] === parts[shared]) shared++
  return [...ownFolders.slice(shared).map(() => '..'), ...parts.slice(shared)].join('/')
}

export interface LineReplacement {
  readonly find: string
  readonly replace: string
}

/** Extends the replacement until its text is unique on the line. */
export function uniqueOnLine(
  text: string,
  { start, end }: Pick<NewLink, 'start' | 'end'>,
  linkText: string,
): LineReplacement | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', end)
  const line = text.slice(from, newline === -1 ? text.length : newline).replace(/\r$/, '')
  let remaining = start - from
  let right = end - from
  for (;;) {
    const find = line.slice(remaining, right)
    if (line.indexOf(find) === remaining && line.indexOf(find, remaining + 1) === -1) {
      return { find, replace: `${line.slice(remaining, start - from)}${linkText}${line.slice(end - from, right)}` }
    }
    if (remaining === 0 && right === line.length) return undefined
    remaining = Math.max(0, remaining - (isLow(line.charCodeAt(remaining - 1)) ? 2 : 1))
    right = Math.min(line.length, right + (isHigh(line.charCodeAt(right)) ? 2 : 1))
  }
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
