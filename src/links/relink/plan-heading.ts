import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Heading, Link, Mode } from '../../core/note.ts'
import { namedHeadings } from '../subpath.ts'
import { type Choose, editLinks } from './edit-links.ts'
import { subpathCandidates } from './heading-targets.ts'
import type { LostLink, RelinkedFile, RelinkPlan, RelinkSource, SourceTexts } from './relink-plan.ts'

export interface HeadingRenaming {
  /** The note that has the heading. */
  readonly key: number
  readonly headings: readonly Heading[]
  /** Which of them gets another text. */
  readonly index: number
  readonly text: string
  readonly mode: Mode
}

/**
 * Plans what to write so that every link to a heading of a note leads to the same heading once one of them is called otherwise:
 * links to it, to what is below it by a path through it, and to others that its old or new text hides or numbers.
 * Blocks keep their ids. The heading's own line is not among the edits.
 * @param sources the note and those that link to it
 */
export function planHeadingRename(
  sources: Iterable<RelinkSource>,
  renaming: HeadingRenaming,
  texts: SourceTexts,
): Pick<RelinkPlan, 'files' | 'lost'> {
  const { key, headings, index, text, mode } = renaming
  const outlines = { before: headings, after: headings.map((each, at) => (at === index ? { ...each, text } : each)), mode }
  const files: RelinkedFile[] = []
  const lost: LostLink[] = []
  const leadsTo = (subpath: string, outline: readonly Heading[]) => namedHeadings(subpath, outline)?.at.at(-1)
  const isLedAstray = ({ to, subpath }: ResolvedLink): boolean => {
    if (to !== key || subpath === undefined) return false
    const before = leadsTo(subpath, outlines.before)
    return before !== undefined && leadsTo(subpath, outlines.after) !== before
  }
  const choose: Choose = ({ subpath = '', form }, { subpath: slot }) => {
    const named = namedHeadings(subpath, outlines.before)
    if (named === undefined || slot === undefined) return undefined
    for (const candidate of subpathCandidates({ subpath, form, named }, outlines)) {
      if (leadsTo(candidate, outlines.after) !== named.at.at(-1)) continue
      const written = slot.write(candidate)
      if (written !== undefined) return { start: slot.start, end: slot.end, text: written }
    }
    return undefined
  }
  const isKept = (is: Link, was: ResolvedLink): boolean =>
    is.target === was.target && leadsTo(is.subpath ?? '', outlines.after) === leadsTo(was.subpath ?? '', outlines.before)
  for (const source of sources) {
    const needed = source.links.filter(isLedAstray)
    if (needed.length === 0) continue
    const edited = editLinks({ source, pathAfter: source.path, needed, choose, isKept }, texts)
    if (edited.file !== undefined) files.push(edited.file)
    lost.push(...edited.lost)
  }
  return { files, lost }
}
