import type { TextEdit } from '../../core/changes.ts'
import { groupBy } from '../../core/group-by.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Link } from '../../core/note.ts'
import type { RewrittenLine } from '../../core/operations.ts'
import { editText } from '../../core/text/edit-text.ts'
import type { LinkSlots, TextRange, UnquotedValue } from '../../core/text/link-slots.ts'
import type { LostLink, LostReason, RelinkedFile, RelinkSource, SourceTexts } from './relink-plan.ts'

export type Choose = (link: ResolvedLink, slots: LinkSlots) => (TextRange & { readonly text: string }) | undefined

export interface LinkEditing {
  readonly source: RelinkSource
  readonly pathAfter: string
  readonly needed: readonly ResolvedLink[]
  readonly choose: Choose
  readonly isKept: (is: Link, was: ResolvedLink) => boolean
}

export interface EditedLinks {
  readonly file: RelinkedFile | undefined
  readonly lost: readonly LostLink[]
}

interface Change {
  readonly edit: TextEdit
  readonly unquoted: UnquotedValue | undefined
  readonly rewrite: RewrittenLine
  readonly links: ResolvedLink[]
}

/** Parses the edited text again and drops edits that would be misread. */
export function editLinks(editing: LinkEditing, texts: SourceTexts): EditedLinks {
  const { source, needed } = editing
  const text = texts.read(source)
  const lose = (links: readonly ResolvedLink[], reason: LostReason) => links.map((link) => ({ source, link, reason }))
  if (text === undefined) return { file: undefined, lost: lose(needed, 'unreadable') }
  const { changes, unfit } = findChanges(text, editing, texts)
  const keptChanges = keepReadable(changes, (subset) => isReadable(text, subset, { editing, texts }))
  const keptSet = new Set(keptChanges)
  const unreadable = changes.filter((change) => !keptSet.has(change)).flatMap(({ links }) => links)
  const lostLinks = [...lose(unfit, 'unwritable'), ...lose(unreadable, 'misread')]
  if (keptChanges.length === 0) return { file: undefined, lost: lostLinks }
  const file = {
    key: source.key,
    path: source.path,
    edits: keptChanges.map(({ edit }) => edit),
    rewrites: keptChanges.map(({ rewrite }) => rewrite),
  }
  return { file, lost: lostLinks }
}

function findChanges(text: string, { source, needed, choose }: LinkEditing, texts: SourceTexts) {
  const findSlots = texts.slots(source.path, text)
  const changes = new Map<number, Change>()
  const unfit: ResolvedLink[] = []
  for (const link of needed) {
    const slots = findSlots(link)
    const edit = slots && choose(link, slots)
    const change = edit && changes.get(edit.start)
    if (slots === undefined || edit === undefined || (change !== undefined && change.edit.text !== edit.text)) unfit.push(link)
    else if (change !== undefined) change.links.push(link)
    else {
      const rewrite = rewriteOf(text, edit, { link, shown: slots.shown })
      changes.set(edit.start, { edit, unquoted: slots.unquoted, rewrite, links: [link] })
    }
  }
  const quoted = quoteValues(text, [...changes.values()])
  return { changes: [...quoted].sort((a, b) => a.edit.start - b.edit.start), unfit }
}

/** Merges changes to a YAML value if new links need quotes. */
function quoteValues(text: string, changes: readonly Change[]): readonly Change[] {
  const byValue = groupBy(changes, ({ unquoted }) => unquoted?.start)
  return [...byValue.values()].flatMap((inside) => quoteValue(text, inside))
}

function quoteValue(text: string, inside: readonly Change[]): readonly Change[] {
  const [first] = inside
  const source = first?.unquoted?.quotedWith(inside.map(({ edit }) => edit))
  if (first?.unquoted === undefined || source === undefined) return inside
  const { start, end } = first.unquoted
  const rewrite = { line: first.rewrite.line, before: text.slice(start, end), after: source }
  const links = inside.flatMap((change) => change.links)
  return [{ edit: { start, end, text: source }, unquoted: undefined, rewrite, links }]
}

function rewriteOf(text: string, edit: TextEdit, { link, shown }: { link: ResolvedLink; shown: TextRange }): RewrittenLine {
  const start = Math.min(shown.start, edit.start)
  const end = Math.max(shown.end, edit.end)
  const after = text.slice(start, edit.start) + edit.text + text.slice(edit.end, end)
  return { line: link.line, before: text.slice(start, end), after }
}

/** Matches text without a special meaning in Markdown and YAML. */
const HARMLESS = /^[\p{L}\p{M}\p{N}\p{Emoji_Presentation} ._/+-]*$/u

/** The number of trials is limited, because each one parses the whole text again. */
const MAX_TRIALS = 32

/** If not all changes can be made, keeps the harmless ones and tries the others one by one. */
function keepReadable(changes: readonly Change[], isRight: (some: readonly Change[]) => boolean): readonly Change[] {
  if (isRight(changes)) return changes
  const harmless = changes.filter(({ edit }) => HARMLESS.test(edit.text))
  let keptChanges = isRight(harmless) ? harmless : []
  const candidates = keptChanges.length > 0 ? changes.filter(({ edit }) => !HARMLESS.test(edit.text)) : changes
  for (const change of candidates.slice(0, MAX_TRIALS)) {
    const more = [...keptChanges, change].sort((a, b) => a.edit.start - b.edit.start)
    if (isRight(more)) keptChanges = more
  }
  return keptChanges
}

function isReadable(
  text: string,
  changes: readonly Change[],
  { editing, texts }: { readonly editing: LinkEditing; readonly texts: SourceTexts },
): boolean {
  const { source, pathAfter, isKept } = editing
  const changed = new Set(changes.flatMap(({ links }) => links))
  const edits = changes.map(({ edit }) => edit)
  const links = texts.links(pathAfter, editText(text, edits))
  if (links.length !== source.links.length) return false
  return links.every((is, at) => {
    const linkBefore = source.links[at]
    if (linkBefore === undefined || is.form !== linkBefore.form || is.kind !== linkBefore.kind) return false
    return changed.has(linkBefore) ? isKept(is, linkBefore) : is.target === linkBefore.target && is.subpath === linkBefore.subpath
  })
}
