import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Heading, Link, LinkForm, Mode } from '../../core/note.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { anchorOf, headingLinkText, subpathParts } from '../../core/text/link-text.ts'
import { hasFolderTargets } from '../names.ts'
import { isMarkdownPath } from '../resolve.ts'
import { type NamedHeadings, namedHeadings } from '../subpath.ts'
import { type Choose, editLinks } from './edit-links.ts'
import type { LostLink, RelinkedFile, RelinkPlan, RelinkSource, SourceTexts } from './relink-plan.ts'

export interface HeadingChange {
  readonly key: number
  readonly before: readonly Heading[]
  readonly after: readonly Heading[]
  readonly mode: Mode
  /** The ranges to be replaced, in which links are not rewritten. */
  readonly replaced?: readonly TextRange[]
}

/**
 * Plans edits that keep links pointing to the same headings when heading text changes. Edits to the headings themselves are not
 * included.
 * @param sources the note itself and the notes that link to it
 */
export function planHeadingLinks(
  sources: Iterable<RelinkSource>,
  change: HeadingChange,
  texts: SourceTexts,
): Pick<RelinkPlan, 'files' | 'lost'> {
  const { key, before, after, replaced = [] } = change
  const files: RelinkedFile[] = []
  const lostLinks: LostLink[] = []
  const leadsTo = (subpath: string, headings: readonly Heading[]) => namedHeadings(subpath, headings)?.at.at(-1)
  const isLedAstray = ({ to, subpath }: ResolvedLink): boolean => {
    if (to !== key || subpath === undefined) return false
    const index = leadsTo(subpath, before)
    return index !== undefined && leadsTo(subpath, after) !== index
  }
  const isReplaced = (link: ResolvedLink, source: RelinkSource): boolean =>
    source.key === key && replaced.some(({ start, end }) => link.start < end && link.end > start)
  const choose: Choose = ({ subpath = '', form }, { subpath: slot }) => {
    const namedBefore = namedHeadings(subpath, before)
    if (namedBefore === undefined || slot === undefined) return undefined
    for (const candidate of subpathCandidates({ subpath, form, named: namedBefore }, change)) {
      if (leadsTo(candidate, after) !== namedBefore.at.at(-1)) continue
      const newSubpath = slot.write(candidate)
      if (newSubpath !== undefined) return { start: slot.start, end: slot.end, text: newSubpath }
    }
    return undefined
  }
  const isUnchanged = (is: Link, was: ResolvedLink): boolean =>
    is.target === was.target && leadsTo(is.subpath ?? '', after) === leadsTo(was.subpath ?? '', before)
  for (const source of sources) {
    const affected = source.links.filter((link) => isLedAstray(link) && !isReplaced(link, source))
    if (affected.length === 0) continue
    const result = editLinks({ source, pathAfter: source.path, needed: affected, choose, isKept: isUnchanged }, texts)
    if (result.file !== undefined) files.push(result.file)
    lostLinks.push(...result.lost)
  }
  return { files, lost: lostLinks }
}

export interface WrittenSubpath {
  readonly subpath: string
  readonly form: LinkForm
  readonly named: NamedHeadings
}

export interface Outlines {
  readonly before: readonly Heading[]
  readonly after: readonly Heading[]
  readonly mode: Mode
}

/** Returns subpaths for the same heading, those most similar to the old text first. */
function subpathCandidates(was: WrittenSubpath, { before, after, mode }: Outlines): readonly string[] {
  const index = was.named.at.at(-1) ?? 0
  const anchor = isAnchor(was, before[index]?.text ?? '', mode) ? [numberedAnchor(was.subpath, index, { before, after })] : []
  const parts = subpathParts(was.subpath)
  const renamed = was.named.at.map((at, part) => {
    const text = after[at]?.text ?? ''
    return text === before[at]?.text && was.named.by === 'text' ? (parts[part] ?? '') : headingLinkText(text)
  })
  const path = [...ancestors(after, index), index].map((at) => headingLinkText(after[at]?.text ?? ''))
  const longer = path.map((_, from) => path.slice(-1 - from).join('#'))
  return [...new Set([...anchor, renamed.join('#'), ...longer])].filter((subpath) => subpath !== '')
}

function isAnchor({ subpath, form, named }: WrittenSubpath, text: string, mode: Mode): boolean {
  if (!isMarkdownPath({ form })) return false
  if (named.by === 'anchor') return true
  return named.at.length === 1 && subpath === anchorOf(text) && (subpath !== text || hasFolderTargets(mode))
}

function numberedAnchor(written: string, index: number, { before, after }: Omit<Outlines, 'mode'>): string {
  const text = after[index]?.text ?? ''
  const isCollapsed = !written.startsWith(dashedAnchor(before[index]?.text ?? ''))
  const anchor = isCollapsed ? anchorOf(text) : dashedAnchor(text)
  const earlier = after.slice(0, index).filter((each) => anchorOf(each.text) === anchorOf(text)).length
  const separator = /_\d+$/.test(written) ? '_' : '-'
  return earlier === 0 ? anchor : `${anchor}${separator}${earlier}`
}

/** Returns an anchor in GitHub's format (github-slugger), with one dash per space. */
function dashedAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/\s/g, '-')
}

function ancestors(headings: readonly Heading[], index: number): readonly number[] {
  const indexes: number[] = []
  let level = headings[index]?.level ?? 0
  for (let at = index - 1; at >= 0; at--) {
    const above = headings[at]?.level ?? 0
    if (above >= level) continue
    indexes.unshift(at)
    level = above
  }
  return indexes
}
