import { invalid, RouxError } from '../../core/errors.ts'
import { foldId } from '../../core/ids.ts'
import type { CreateNote, OperationOf, RelationTargets, UpdateNote } from '../../core/operations.ts'
import { folderOf, inFolder, nameOf } from '../../core/paths.ts'
import { foldName } from '../../core/text/fold.ts'
import { amount, listSome } from '../../core/text/format.ts'
import { partialHash, readHash } from '../../core/text/partial-reading.ts'
import { namesOfPage, pageName } from '../../links/names.ts'
import { resolveLink, type Source } from '../../links/resolve.ts'
import { appendToBody, prependToBody, replaceBody } from '../../markdown/edit/body.ts'
import { createText, overriddenIn } from '../../markdown/edit/create-text.ts'
import { setNoteProperties } from '../../markdown/edit/page-properties.ts'
import { replaceText } from '../../markdown/edit/replace-text.ts'
import { editSection, setTitle } from '../../markdown/edit/section.ts'
import { relationProperties } from '../../markdown/edit/set-properties.ts'
import { bodyTags, changeTags, setTags } from '../../markdown/edit/tags.ts'
import { endsInOpenBlock } from '../../markdown/outline.ts'
import { propertyTag } from '../../markdown/tags.ts'
import { subpathAt } from '../../markdown/wikilinks.ts'
import { quote, requireInside } from '../path-rules.ts'
import type { Draft } from './draft.ts'
import { clonePath, newNotePath, requireFree, requireFreeName, requirePageStem, requirePath } from './note-paths.ts'
import { countLostLines, knowsAll, losesHeadings, requireUncut, requireWhole } from './whole-text.ts'
import type { Workspace } from './workspace.ts'

const encoder = new TextEncoder()

const NEW = -1

const MAX_TITLE = 200

/** Maximum number of pages named in a note about a namespace. */
const MAX_NAMED = 5

const MAX_CONTENT = 1 << 20

export async function createNote(workspace: Workspace, operation: CreateNote): Promise<Draft> {
  const { content, title, tags = [], properties = {}, relations = {} } = operation
  requireSizes({ content, ...(title === undefined ? undefined : { title }) })
  requireOneMeaning(operation)
  requireUncut(operation)
  const path = newNotePath(workspace, operation.id)
  requireFree(workspace, path)
  const text = createText({
    content,
    fileName: workspace.view.flavor.mode === 'logseq' ? pageName(path) : nameOf(path).replace(/\.md$/i, ''),
    tags,
    properties,
    relations: relationLinks(workspace, relations, { key: NEW, path }),
    ...(title === undefined ? undefined : { title }),
  })
  noteOverridden(workspace, content, text)
  workspace.notes.push(...repeatedTagNotes(tags))
  return workspace.create(path, encoder.encode(text))
}

/** Reports arguments that override the frontmatter in `content`. */
function noteOverridden({ notes }: Workspace, content: string, text: string): void {
  const { tags, properties } = overriddenIn(content, text)
  const losses = [
    ...(tags.length === 0 ? [] : [`left out ${withHashes(tags)}`]),
    ...(properties.length === 0 ? [] : [`another value for ${properties.join(', ')}`]),
  ]
  if (losses.length > 0) notes.push(`The arguments override the frontmatter in content: ${losses.join('; ')}.`)
}

/** Rejects a property that is given twice, such as `title` and `properties.title`, because one value would be lost. */
function requireOneMeaning(operation: CreateNote | UpdateNote): void {
  const { kind, title, tags, properties = {}, relations = {} } = operation
  // An empty list in `create` means that the note has no tags.
  const hasTags = kind === 'create' ? (tags?.length ?? 0) > 0 : tags !== undefined
  const related = new Set(Object.keys(relations).map((key) => key.toLowerCase()))
  for (const key of Object.keys(properties)) {
    const isTwice = (title !== undefined && /^title$/i.test(key)) || (hasTags && /^tags?$/i.test(key))
    if (isTwice) throw invalid(`${JSON.stringify(key)} is set twice, as an argument and in properties.`, 'Remove one of them.')
    if (related.has(key.toLowerCase()))
      throw invalid(`${JSON.stringify(key)} is set twice, in properties and in relations.`, 'Remove one of them.')
  }
}

export async function updateNote(workspace: Workspace, operation: UpdateNote): Promise<Draft> {
  const { id, title, tags, properties, relations, expectedHash, updateLinks } = operation
  requireSizes(operation)
  requireSomething(operation)
  requireOneMeaning(operation)
  requireWholeReplaced(operation)
  requireUncut(operation)
  const draft = requireNote(workspace, id)
  requireHash(draft, expectedHash, workspace)
  requireWhole(draft, operation)
  editBody(workspace, draft, operation)
  const edit = editor(workspace, draft)
  const { mode } = workspace.view.flavor
  if (tags !== undefined) edit((text) => setTags(text, tags, mode))
  workspace.notes.push(...repeatedTagNotes(tags ?? []))
  if (properties !== undefined) edit((text) => setNoteProperties(text, properties, mode))
  if (relations !== undefined)
    edit((text) => setNoteProperties(text, relationProperties(relationLinks(workspace, relations, draft)), mode))
  if (title !== undefined) await retitle(workspace, draft, { title, updateLinks })
  return draft
}

function requireWholeReplaced({ content, section, replaceAll }: UpdateNote): void {
  if (replaceAll !== true || (content !== undefined && section === undefined)) return
  throw invalid(
    'replace_all requires content and cannot be used with section.',
    'Omit it: the rest of the note is not replaced anyway.',
  )
}

function editBody(workspace: Workspace, draft: Draft, operation: UpdateNote): void {
  const { content, append, prepend, replaceText: replacement, section, mode = 'replace' } = operation
  const edit = editor(workspace, draft)
  if (section !== undefined) {
    if (content === undefined) throw invalid('section requires content, the new text of the section.')
    const before = draft.text
    const { flavor } = workspace.view
    edit((text) => editSection(text, { section, mode, content, flavor }))
    if (mode === 'replace' && !knowsAll(operation) && losesHeadings([before, draft.text], flavor))
      noteLostLines(workspace, draft, before)
  } else if (content !== undefined) {
    const before = draft.text
    edit((text) => replaceBody(text, content))
    if (!knowsAll(operation)) noteLostLines(workspace, draft, before)
  }
  if (replacement !== undefined) edit((text) => replaceText(text, replacement))
  if (prepend !== undefined) edit((text) => prependToBody(text, prepend))
  if (append === undefined) return
  const isOpen = () => endsInOpenBlock(draft.text, workspace.view.flavor)
  const wasOpen = isOpen()
  edit((text) => appendToBody(text, append))
  if (!wasOpen || !isOpen()) return
  workspace.notes.push(
    `${quote(draft.path)} ends in unclosed code or an unclosed comment, so the appended text is part of it. undo removes it.`,
  )
}

/** A caller that passes no hash may not have read the lost lines. */
function noteLostLines({ notes }: Workspace, draft: Draft, before: string): void {
  const lostLines = countLostLines(before, draft.text)
  if (lostLines === 0) return
  const lines = lostLines === 1 ? '1 line' : `${lostLines} lines`
  notes.push(
    `The new text of ${quote(draft.path)} replaces ${lines} that may not have been read, because expected_hash is missing. undo restores them.`,
  )
}

/** Renames the file, and updates `title:` or the first heading if the title came from there. */
async function retitle(
  workspace: Workspace,
  draft: Draft,
  { title, updateLinks }: { readonly title: string; readonly updateLinks: boolean },
): Promise<void> {
  const to = titledPath(workspace, draft, title.trim())
  const { flavor } = workspace.view
  const edits = setTitle(draft.text, title.trim(), flavor)
  if (to !== draft.path) requireFree(workspace, to, draft)
  requireFreeName(workspace, draft, { path: to, title: title.trim() })
  // Links in Logseq refer to pages by title, so a new title counts as a new name.
  const isRenamed = to !== draft.path || (flavor.mode === 'logseq' && edits.length > 0)
  if (isRenamed && !updateLinks) await requireNoReferrers(workspace, draft)
  if (isRenamed && flavor.mode === 'logseq') notePagesBelow(workspace, draft, title.trim())
  if (updateLinks) await workspace.editHeadings(draft, edits)
  else workspace.edit(draft, edits)
  if (to !== draft.path) await workspace.move([{ draft, to }])
}

/** Logseq itself would also rename the pages of the namespace. */
function notePagesBelow({ view, notes }: Workspace, { key, path }: Draft, title: string): void {
  const [old] = namesOfPage(view.names.file(key) ?? { path })
  if (foldName(old) === foldName(title)) return
  const prefix = foldName(`${old}/`)
  const pageFiles = view.filesBelow('').filter((file) => view.kindOf(file.path) === 'note')
  const names = pageFiles.map((file) => namesOfPage(view.names.file(file.key) ?? file)[0])
  const below = names.filter((name) => foldName(name).startsWith(prefix)).sort()
  if (below.length === 0) return
  const keep = below.length === 1 ? 'keeps its name' : 'keep their names'
  notes.push(`${amount(below.length, 'page')} below ${quote(old)} ${keep}: ${listSome(below.map(quote), MAX_NAMED)}.`)
}

function titledPath({ view }: Workspace, draft: Draft, name: string): string {
  if (name === '') throw invalid('title is empty.')
  const isPage = view.flavor.mode === 'logseq'
  if (isPage) requireInside(name)
  else if (name.includes('/')) throw invalid('A title cannot contain "/".', 'Use move_node to move a note to another folder.')
  const stem = isPage ? requirePageStem(name, view.pageFormat) : name
  return requirePath(inFolder(folderOf(draft.path), stem + (/\.[^.]*$/.exec(draft.path)?.[0] ?? '')), view)
}

async function requireNoReferrers(workspace: Workspace, draft: Draft): Promise<void> {
  const referrers = await workspace.referrers(draft)
  if (referrers.length === 0) return
  const paths = referrers.map(({ path }) => workspace.idOf(path)).sort()
  const count = paths.length === 1 ? '1 file links' : `${paths.length} files link`
  throw new RouxError(
    'LINK_INTEGRITY',
    `${count} to ${quote(workspace.idOf(draft.path))}; changing the title would break these links.`,
    {
      hint: 'Set update_links to rewrite the links, or keep the title.',
      candidates: paths.slice(0, 20),
    },
  )
}

export async function manageTags(workspace: Workspace, { id, add, remove }: OperationOf<'manageTags'>): Promise<Draft> {
  const draft = requireNote(workspace, id)
  if (add.length + remove.length === 0) throw invalid('There is no tag to add or remove.')
  editor(workspace, draft)((text) => changeTags(text, { add, remove }, workspace.view.flavor.mode))
  workspace.notes.push(...repeatedTagNotes(add))
  const both = commonTags(add, remove)
  if (both.length > 0) workspace.notes.push(`Tags in both add and remove are kept: ${withHashes(both)}.`)
  const removed = remove.filter((tag) => commonTags([tag], both).length === 0)
  const remaining = commonTags(bodyTags(draft.text, workspace.view.flavor), removed)
  if (remaining.length > 0) {
    workspace.notes.push(`The text still has ${withHashes(remaining)}: only the list of tags was changed.`)
  }
  return draft
}

export async function cloneNote(workspace: Workspace, { id, folder }: OperationOf<'clone'>): Promise<Draft> {
  const original = requireNote(workspace, id)
  const inside = folder === '/' ? '' : folder.replace(/\/$/, '')
  if (inside !== '') requireInside(inside)
  const inFolderPath = inFolder(inside === '' ? '' : workspace.withSpelling(inside), nameOf(original.path))
  const path = clonePath(workspace, requirePath(inFolderPath, workspace.view))
  requireFree(workspace, path, undefined, 'Choose another folder.')
  const target = linkTo(workspace, original, { key: NEW, path })
  const content = workspace.view.flavor.mode === 'logseq' ? `- {{embed [[${target}]]}}\n` : `![[${target}]]\n`
  const text = createText({ content, fileName: nameOf(path), relations: { cloneOf: [target] } })
  return workspace.create(path, encoder.encode(text))
}

/** Returns the note with an id. @throws RouxError `NODE_NOT_FOUND`, or `INVALID_PARAMS` if the node is not a note */
export function requireNote(workspace: Workspace, id: string): Draft {
  const draft = workspace.find(id)
  if (workspace.view.kindOf(draft.path) === 'note') return draft
  throw invalid(`${quote(id)} is not a note.`, 'For other files, use the attachment tools.')
}

/**
 * Checks the expected hash of a file.
 * @throws RouxError `CONFLICT` if the file has changed, `INVALID_PARAMS` if the id is ambiguous because names differ only in case
 */
export function requireHash(draft: Draft, expected: string | undefined, workspace: Workspace): void {
  if (expected === undefined) {
    if (workspace.twins(draft.path).length < 2) return
    throw invalid(
      `Several files are called ${quote(foldId(draft.path))}, ignoring case and Unicode normalization.`,
      'To choose one, pass its hash from get_node as expected_hash.',
    )
  }
  if (draft.before === undefined || draft.before === readHash(expected).sha) return
  // The hash is partial, because the caller has not read this version.
  const now = partialHash(draft.before)
  throw new RouxError(
    'CONFLICT',
    `${quote(workspace.idOf(draft.path))} has changed: its hash is now ${now}, not ${quote(expected)}.`,
    {
      hint: 'Read it again with get_node, then decide how to proceed.',
      candidates: [now, expected],
    },
  )
}

function editor(workspace: Workspace, draft: Draft): (edit: (text: string) => Parameters<Workspace['edit']>[1]) => void {
  return (edit) => workspace.edit(draft, edit(draft.text))
}

function requireSomething({ title, content, append, prepend, replaceText, tags, properties, relations }: UpdateNote): void {
  const requested = [title, content, append, prepend, replaceText, tags, properties, relations]
  if (requested.some((value) => value !== undefined)) return
  throw invalid(
    'There is nothing to change.',
    'Specify at least one of title, content, append, prepend, replace_text, tags, properties, relations.',
  )
}

function requireSizes({ title, content, append, prepend }: Partial<UpdateNote>): void {
  if (title !== undefined && title.length > MAX_TITLE)
    throw tooLarge(`The title has ${title.length} characters, but at most ${MAX_TITLE} are allowed.`)
  const isTooLarge = [content, append, prepend].some((text) => text !== undefined && Buffer.byteLength(text) > MAX_CONTENT)
  if (isTooLarge) throw tooLarge('The content is larger than 1 MB.')
}

function tooLarge(message: string): RouxError {
  return new RouxError('TOO_LARGE', message, { hint: 'Split it into several notes.' })
}

function repeatedTagNotes(tags: readonly string[]): readonly string[] {
  const first = new Map<string, string>()
  const repeated = new Set<string>()
  for (const tag of tags.map(tagName)) {
    const spelling = first.get(foldName(tag))
    if (spelling === undefined) first.set(foldName(tag), tag)
    else repeated.add(spelling)
  }
  return repeated.size === 0 ? [] : [`Duplicate tags are written once: ${withHashes([...repeated])}.`]
}

/** Returns the tags that occur in both lists, ignoring their spelling. */
function commonTags(tags: readonly string[], others: readonly string[]): readonly string[] {
  const folded = new Set(others.map((tag) => foldName(tagName(tag))))
  return [...new Set(tags.map(tagName).filter((tag) => folded.has(foldName(tag))))]
}

export function withHashes(tags: readonly string[]): string {
  return tags.map((tag) => `#${tag}`).join(', ')
}

function tagName(tag: string): string {
  return propertyTag(tag) ?? tag
}

/**
 * Returns the links of relations. Targets are ids, names, aliases or titles. Unknown names become links to missing notes.
 * @throws RouxError `AMBIGUOUS_NAME` if a name matches several notes
 */
function relationLinks(
  workspace: Workspace,
  relations: RelationTargets,
  source: Source,
): Readonly<Record<string, string | readonly string[] | null>> {
  return Object.fromEntries(
    Object.entries(relations).map(([name, targets]) => {
      if (typeof targets === 'string') return [name, relationLink(workspace, targets, source)]
      return [name, targets === null ? null : targets.map((target) => relationLink(workspace, target, source))]
    }),
  )
}

function relationLink(workspace: Workspace, relation: string, source: Source): string {
  const target = relation.trim().replace(/^\[\[(.*)\]\]$/s, '$1')
  // A target with a heading or display text is already a link.
  if (/[#|]/.test(target)) return target
  const draft = findById(workspace, target) ?? findByName(workspace, target, source)
  // A missing target is reported later, together with other new links.
  return draft === undefined ? target : linkTo(workspace, draft, source)
}

function findById(workspace: Workspace, id: string): Draft | undefined {
  try {
    requireInside(id)
  } catch {
    return undefined
  }
  return workspace.tryFind(id)
}

function findByName(workspace: Workspace, name: string, source: Source): Draft | undefined {
  const { names, flavor } = workspace.view
  const resolution = resolveLink(names, source, { form: 'wikilink', target: name }, flavor)
  const keys = resolution.kind === 'file' ? [resolution.key, ...(resolution.rivals ?? [])] : workspace.view.keysTitled(name)
  const drafts = keys.flatMap((key) => workspace.byKey(key) ?? [])
  if (drafts.length < 2) return drafts[0]
  const candidates = drafts.map(({ path }) => workspace.idOf(path)).sort()
  throw new RouxError('AMBIGUOUS_NAME', `${drafts.length} notes are called ${quote(name)}.`, {
    hint: 'Specify the id of one of them.',
    candidates: candidates.slice(0, 20),
  })
}

/**
 * Returns a link that follows Obsidian's setting for new links.
 * @throws RouxError `INVALID_PARAMS` if a wikilink cannot contain the file's name
 */
function linkTo({ view }: Workspace, { key, path }: Pick<Draft, 'key' | 'path'>, source: Source): string {
  const isNote = view.kindOf(path) === 'note'
  const full = isNote ? path.replace(/\.md$/i, '') : path
  // The source may be missing from the index. If it has the target's name, a link by name would lead to the source itself.
  const isOwn = foldName(nameOf(source.path)) === foldName(nameOf(path))
  const short = view.newLinkFormat === 'shortest' && !isOwn ? [nameOf(full)] : []
  const page = isNote && view.flavor.mode === 'logseq' ? [namesOfPage(view.names.file(key) ?? { path })[0]] : []
  for (const target of [...page, ...short, full, path, `/${full}`, `/${path}`]) {
    if (/[|[\]\n^]/.test(target) || subpathAt(target, view.flavor.mode) !== -1) continue
    const resolution = resolveLink(view.names, source, { form: 'wikilink', target }, view.flavor)
    if (resolution.kind === 'file' && resolution.key === key && resolution.rivals === undefined) return target
  }
  throw invalid(`A wikilink cannot refer to ${quote(path)}.`, 'Rename it to a unique name without #, |, ^, [ and ].')
}
