import type { Heading, LinkForm, Mode } from '../../core/note.ts'
import { anchorOf, headingLinkText } from '../../core/text/heading-text.ts'
import { hasFolderTargets } from '../name-index.ts'
import { type NamedHeadings, partsOf } from '../subpath.ts'

/** A subpath that needs another text. */
export interface WrittenSubpath {
  readonly subpath: string
  readonly form: LinkForm
  /** The headings that it names, in the outline as it was. */
  readonly named: NamedHeadings
}

export interface Outlines {
  readonly before: readonly Heading[]
  readonly after: readonly Heading[]
  readonly mode: Mode
}

/** Subpaths that may lead to the same heading in the new outline, the one most like what was written first. */
export function subpathCandidates(was: WrittenSubpath, { before, after, mode }: Outlines): readonly string[] {
  const index = was.named.at.at(-1) ?? 0
  const anchor = isAnchor(was, before[index]?.text ?? '', mode) ? [numberedAnchor(was.subpath, index, { before, after })] : []
  const parts = partsOf(was.subpath)
  const renamed = was.named.at.map((at, part) => {
    const text = after[at]?.text ?? ''
    return text === before[at]?.text && was.named.by === 'text' ? (parts[part] ?? '') : headingLinkText(text)
  })
  const path = [...ancestors(after, index), index].map((at) => headingLinkText(after[at]?.text ?? ''))
  const longer = path.map((_, from) => path.slice(-1 - from).join('#'))
  return [...new Set([...anchor, renamed.join('#'), ...longer])].filter((subpath) => subpath !== '')
}

/** Whether a subpath is written as an anchor of the web rather than as the heading's text. */
function isAnchor({ subpath, form, named }: WrittenSubpath, text: string, mode: Mode): boolean {
  if (form === 'wikilink' || form === 'page' || form === 'canvas') return false
  if (named.by === 'anchor') return true
  return named.at.length === 1 && subpath === anchorOf(text) && (subpath !== text || hasFolderTargets(mode))
}

/** The anchor of a heading, numbered where others before it are called alike. */
function numberedAnchor(written: string, index: number, { before, after }: Omit<Outlines, 'mode'>): string {
  const text = after[index]?.text ?? ''
  const isCollapsed = !written.startsWith(dashedAnchor(before[index]?.text ?? ''))
  const anchor = isCollapsed ? anchorOf(text) : dashedAnchor(text)
  const earlier = after.slice(0, index).filter((each) => anchorOf(each.text) === anchorOf(text)).length
  const separator = /_\d+$/.test(written) ? '_' : '-'
  return earlier === 0 ? anchor : `${anchor}${separator}${earlier}`
}

/** GitHub's anchors keep one dash for each space (github-slugger). */
function dashedAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\s-]/gu, '')
    .replace(/\s/g, '-')
}

/** The headings above one, from the top down. */
function ancestors(headings: readonly Heading[], index: number): readonly number[] {
  const found: number[] = []
  let level = headings[index]?.level ?? 0
  for (let at = index - 1; at >= 0; at--) {
    const above = headings[at]?.level ?? 0
    if (above >= level) continue
    found.unshift(at)
    level = above
  }
  return found
}
