import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Heading, Link, Mode } from '../../core/note.ts'
import type { TextRange } from '../../core/text/link-slots.ts'
import { namedHeadings } from '../subpath.ts'
import { type Choose, editLinks } from './edit-links.ts'
import { subpathCandidates } from './heading-targets.ts'
import type { LostLink, RelinkedFile, RelinkPlan, RelinkSource, SourceTexts } from './relink-plan.ts'

/** Headings of a note that get other texts. */
export interface HeadingChange {
  /** The note's. */
  readonly key: number
  readonly before: readonly Heading[]
  /** As many, in the same order. */
  readonly after: readonly Heading[]
  readonly mode: Mode
  /** Parts of the note that are replaced: links in them are not rewritten. */
  readonly replaced?: readonly TextRange[]
}

/**
 * Plans what to write so that every link to a heading of a note leads to the same heading once some are called otherwise:
 * links to them, to what is below them by a path through them, and to others that the old or new texts hide or number.
 * Blocks keep their ids. The headings' own lines are not among the edits.
 * @param sources the note and those that link to it
 */
export function planHeadingLinks(
  sources: Iterable<RelinkSource>,
  change: HeadingChange,
  texts: SourceTexts,
): Pick<RelinkPlan, 'files' | 'lost'> {
  const { key, before, after, replaced = [] } = change
  const files: RelinkedFile[] = []
  const lost: LostLink[] = []
  const leadsTo = (subpath: string, headings: readonly Heading[]) => namedHeadings(subpath, headings)?.at.at(-1)
  const isLedAstray = ({ to, subpath }: ResolvedLink): boolean => {
    if (to !== key || subpath === undefined) return false
    const index = leadsTo(subpath, before)
    return index !== undefined && leadsTo(subpath, after) !== index
  }
  const isReplaced = (link: ResolvedLink, source: RelinkSource): boolean =>
    source.key === key && replaced.some(({ start, end }) => link.start < end && link.end > start)
  const choose: Choose = ({ subpath = '', form }, { subpath: slot }) => {
    const named = namedHeadings(subpath, before)
    if (named === undefined || slot === undefined) return undefined
    for (const candidate of subpathCandidates({ subpath, form, named }, change)) {
      if (leadsTo(candidate, after) !== named.at.at(-1)) continue
      const written = slot.write(candidate)
      if (written !== undefined) return { start: slot.start, end: slot.end, text: written }
    }
    return undefined
  }
  const isKept = (is: Link, was: ResolvedLink): boolean =>
    is.target === was.target && leadsTo(is.subpath ?? '', after) === leadsTo(was.subpath ?? '', before)
  for (const source of sources) {
    const needed = source.links.filter((link) => isLedAstray(link) && !isReplaced(link, source))
    if (needed.length === 0) continue
    const edited = editLinks({ source, pathAfter: source.path, needed, choose, isKept }, texts)
    if (edited.file !== undefined) files.push(edited.file)
    lost.push(...edited.lost)
  }
  return { files, lost }
}
