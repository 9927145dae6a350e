import { invalid, RouxError } from '../../core/errors.ts'
import type { Flavor } from '../../core/note.ts'
import type { OperationOf } from '../../core/operations.ts'
import { isWithin } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import { trimEndOf } from '../../core/text/trim-characters.ts'
import { renameHeading } from '../../markdown/edit/section.ts'
import { changeTags } from '../../markdown/edit/tags.ts'
import { parseNote } from '../../markdown/parse-note.ts'
import { isTagName, type TagRenaming } from '../../markdown/retarget/rename-tag.ts'
import { quote } from '../path-rules.ts'
import type { Draft } from './draft.ts'
import { requireNote, withHashes } from './note-operations.ts'
import type { Workspace } from './workspace.ts'

export async function renameOneHeading(workspace: Workspace, { id, heading, to }: OperationOf<'renameHeading'>): Promise<Draft> {
  const draft = requireNote(workspace, id)
  const { flavor } = workspace.view
  const before = draft.text
  await workspace.editHeadings(draft, renameHeading(before, { path: heading, to, flavor }))
  noteNewTags(workspace, draft, before)
  return draft
}

function noteNewTags({ view, notes }: Workspace, draft: Draft, before: string): void {
  const tagsIn = (text: string) => parseNote(text, view.flavor).tags.map(({ name }) => name)
  const had = new Set(tagsIn(before).map(foldName))
  const added = tagsIn(draft.text).filter((name) => !had.has(foldName(name)))
  if (added.length === 0) return
  const pronoun = added.length === 1 ? 'it' : 'them'
  notes.push(`The note now has ${withHashes(added)}, because the new heading contains ${pronoun}. To write # as text, use \\#.`)
}

export async function renameOneTag(workspace: Workspace, { tag, to }: OperationOf<'renameTag'>): Promise<undefined> {
  const renaming = { from: requireTag(tag), to: requireTag(to) }
  if (renaming.from === renaming.to) throw invalid(`The tag is already called #${renaming.to}.`)
  let count = 0
  for (const draft of await workspace.tagged(renaming.from)) count += renameIn(workspace, draft, renaming)
  await workspace.followHeadings()
  workspace.renamedTags.push(foldName(renaming.from))
  if (count > 0) return undefined
  throw new RouxError('NODE_NOT_FOUND', `No note has the tag #${renaming.from}.`, {
    hint: 'find_nodes with group_by "tag" lists the existing tags.',
  })
}

function requireTag(tag: string): string {
  const name = trimEndOf(tag.trim().replace(/^#/, ''), '/')
  if (isTagName(name)) return name
  throw new RouxError('INVALID_PARAMS', `${quote(tag)} is not a valid tag.`, {
    hint: 'A tag consists of letters, digits, _, - and /. It has no spaces, and at least one character is not a digit.',
  })
}

function renameIn(workspace: Workspace, draft: Draft, renaming: TagRenaming): number {
  const { kindOf, flavor } = workspace.view
  const isCanvas = kindOf(draft.path) === 'canvas'
  const doubles = isCanvas ? [] : doublesIn(draft.text, renaming, flavor)
  if (doubles.length > 0) workspace.edit(draft, changeTags(draft.text, { remove: doubles }, flavor.mode))
  return doubles.length + workspace.renameTags(draft, [renaming]).length
}

/** Returns tags in the frontmatter that the renaming would duplicate. */
function doublesIn(text: string, { from, to }: TagRenaming, flavor: Flavor): readonly string[] {
  const propertyTags = parseNote(text, flavor).tags.flatMap(({ name, inBody }) => (inBody ? [] : [name]))
  const isRenamed = (name: string) => isWithin(foldName(name), foldName(from))
  const others = new Set(propertyTags.filter((name) => !isRenamed(name)).map(foldName))
  return propertyTags.filter((name) => isRenamed(name) && others.has(foldName(to + name.slice(from.length))))
}
