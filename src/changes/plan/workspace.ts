import type { FileChange, TextEdit } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import { foldId } from '../../core/ids.ts'
import type { ResolvedLink } from '../../core/index-writer.ts'
import type { Heading } from '../../core/note.ts'
import { compareTexts } from '../../core/text/compare-texts.ts'
import { editText } from '../../core/text/edit-text.ts'
import { foldName } from '../../core/text/fold.ts'
import { type FileNames, type NameIndex, namesOf, namesOfPage } from '../../links/names.ts'
import type { NameChange } from '../../links/relink/changed-names.ts'
import { type HeadingChange, planHeadingLinks } from '../../links/relink/plan-heading.ts'
import { planRelink } from '../../links/relink/plan-relink.ts'
import type { RelinkPlan, RelinkSource } from '../../links/relink/relink-plan.ts'
import { bodyStartOf } from '../../markdown/frontmatter/frontmatter.ts'
import { indexLines } from '../../markdown/line-index.ts'
import { type OutlineHeading, outlineOf } from '../../markdown/outline.ts'
import {
  isTagName,
  renameTagInCanvas,
  renameTagInNote,
  type TagRenaming,
  type UnfitTag,
} from '../../markdown/retarget/rename-tag.ts'
import { quote, requireInside } from '../path-rules.ts'
import { changedText, changesOf, hasChanged, type MovedFolder, type Planned, writtenFile } from './changed-files.ts'
import { Draft, DraftTable } from './draft.ts'
import { brokenPartNotes, writtenLinkNotes } from './links/link-notes.ts'
import { LinkReports } from './links/link-reports.ts'
import { LinkSources, namedByText, PlannedNames, sameNames } from './links/link-sources.ts'
import { baseNotes, brokenHtmlLinks, type HtmlLinks } from './links/other-mentions.ts'
import { isTrash, pageNamed, requireFreeName } from './note-paths.ts'
import { PlannedPaths } from './planned-paths.ts'
import type { VaultView } from './vault-view.ts'

export interface Move {
  readonly draft: Draft
  readonly to: string
}

/** The number of passes is limited, because headings can link to each other. */
const MAX_VISITS = 10

/** Writes nothing to disk. */
export class Workspace {
  readonly view: VaultView
  readonly notes: string[] = []
  readonly lowercased: string[] = []
  /** The old names of renamed tags, in folded form. */
  readonly renamedTags: string[] = []
  readonly #drafts = new DraftTable()
  readonly #paths: PlannedPaths
  readonly #names: PlannedNames
  readonly #sources: LinkSources
  readonly #reports: LinkReports
  /** The new or edited files whose names may have changed. */
  readonly #renamed = new Set<Draft>()
  /** The headings of each file before `rewrite`. */
  readonly #headingsBefore = new Map<Draft, readonly OutlineHeading[]>()
  #nextKey: number

  constructor(view: VaultView) {
    this.view = view
    this.#nextKey = view.nextKey
    this.#paths = new PlannedPaths(view, this.#drafts)
    this.#names = new PlannedNames(view.names)
    this.#sources = new LinkSources(view, {
      drafts: this.#drafts,
      names: this.#names,
      open: (key, path) => this.#open(key, path),
    })
    this.#reports = new LinkReports(view)
  }

  /** Finds a file by exact path, then by folded path. The extension `.md` is optional. @throws RouxError `NODE_NOT_FOUND` */
  find(id: string): Draft {
    const draft = this.tryFind(id)
    if (draft !== undefined) return draft
    throw new RouxError('NODE_NOT_FOUND', `There is no note ${quote(id)}.`, {
      hint: 'find_nodes finds the ids of notes by title, for example title:"Rye".',
    })
  }

  /** Works like `find`, but returns `undefined` for a missing file. @throws RouxError for an invalid path */
  tryFind(id: string): Draft | undefined {
    requireInside(id)
    for (const name of [id, `${id}.md`]) {
      const exact = this.#at(name)
      if (exact !== undefined) return exact
    }
    for (const name of [foldId(id), foldId(`${id}.md`)]) {
      const paths = this.twins(name)
      // Chooses the file for an id. If names differ only in case, the plain id belongs to the folded path, or else to the first
      // path.
      const path = paths.includes(name) ? name : paths[0]
      if (path !== undefined) return this.#at(path)
    }
    const page = this.view.flavor.mode === 'logseq' ? pageNamed(this.view.names, id) : undefined
    return page === undefined ? undefined : this.#at(page)
  }

  /** Returns `undefined` if the file does not exist or will be removed. */
  byKey(key: number): Draft | undefined {
    const path = this.#drafts.get(key)?.path ?? this.view.pathOf(key)
    return path === undefined || isTrash(path) ? undefined : this.#at(path)
  }

  /** Returns the file at this path that an earlier operation deleted. */
  deleted(path: string): Draft | undefined {
    return this.#drafts
      .all()
      .findLast((draft) => isTrash(draft.path) && draft.original !== undefined && foldId(draft.original) === foldId(path))
  }

  #at(path: string): Draft | undefined {
    const draft = this.#drafts.at(path)
    if (draft !== undefined) return draft
    const key = this.view.keyAt(path)
    if (key === undefined || this.#drafts.has(key)) return undefined
    return this.view.look(path) === 'file' ? this.#open(key, path) : undefined
  }

  #open(key: number, path: string): Draft {
    return this.#drafts.get(key) ?? this.#drafts.add(new Draft({ key, original: path, path, load: () => this.#read(path) }))
  }

  #read(path: string): Uint8Array {
    const bytes = this.view.read(path)
    if (bytes !== undefined) return bytes
    if (this.view.look(path) === undefined) throw new RouxError('CONFLICT', `${quote(path)} has been deleted.`)
    throw new RouxError('PERMISSION_DENIED', `${quote(path)} cannot be read.`, { hint: "Check the file's permissions." })
  }

  twins(path: string): readonly string[] {
    return this.#paths.twins(path)
  }

  /** Returns the id after the change. If paths differ only in case, only one gets the folded path as its id. */
  idOf(path: string): string {
    const folded = foldId(path)
    const samePaths = this.twins(path)
    return samePaths.length < 2 || path === folded || (samePaths[0] === path && !samePaths.includes(folded)) ? folded : path
  }

  isTaken(path: string, but?: Draft): boolean {
    return this.#paths.isTaken(path, but)
  }

  withSpelling(path: string): string {
    return this.#paths.withSpelling(path)
  }

  isFolder(path: string): boolean {
    return this.view.look(path) === 'folder' || this.#paths.willBeFolder(path)
  }

  edit(draft: Draft, edits: readonly TextEdit[]): void {
    const [first] = edits
    if (first === undefined) return
    if (this.#holdsNames(draft, first.start)) this.#renamed.add(draft)
    draft.edit(edits)
  }

  /**
   * Returns true if an edit at the offset may change the names of a note. They are defined in the frontmatter or, in Logseq, in
   * the first block.
   */
  #holdsNames({ path, text }: Draft, at: number): boolean {
    if (this.view.kindOf(path) !== 'note') return false
    return this.view.flavor.mode === 'logseq' || at <= bodyStartOf(text)
  }

  create(path: string, bytes: Uint8Array): Draft {
    return this.#addNew(new Draft({ key: this.#nextKey++, original: undefined, path, load: () => bytes }))
  }

  takeFromTrash(trash: string, path: string): Draft {
    return this.#addNew(new Draft({ key: this.#nextKey++, original: trash, path, load: () => this.#read(trash) }))
  }

  #addNew(draft: Draft): Draft {
    this.#paths.requireNotMoved(draft.path)
    this.#paths.addParents(draft.path)
    this.#renamed.add(this.#drafts.add(draft))
    return draft
  }

  makeFolder(path: string): void {
    this.#paths.requireNotMoved(path)
    this.#paths.makeFolder(path)
  }

  async move(moves: readonly Move[]): Promise<void> {
    for (const { draft, to } of moves) {
      this.#paths.requireNotMoved(draft.path, to)
      if (!isTrash(to)) this.#paths.addParents(to)
    }
    await this.#move(moves)
  }

  async moveFolder(folder: MovedFolder): Promise<void> {
    const { from, to } = folder
    this.#paths.requireUnchangedInside(folder)
    const inside = this.view.filesBelow(from).filter(({ path }) => this.view.look(path) === 'file')
    const drafts = inside.map(({ key, path }) => this.#open(key, path))
    this.#paths.moveFolder(folder)
    await this.#move(drafts.map((draft) => ({ draft, to: to + draft.path.slice(from.length) })))
  }

  async #move(moves: readonly Move[]): Promise<void> {
    const changes = moves.map(({ draft, to }): NameChange => {
      const after = this.#namedAt(draft, to)
      if (after !== undefined) requireFreeName(this, draft, after)
      return { key: draft.key, after }
    })
    await this.#relink(changes)
    for (const { draft, to } of moves) this.#drafts.place(draft, to)
    for (const { key, after } of changes) this.#names.set(key, after)
    await this.followHeadings()
  }

  #namedAt(draft: Draft, to: string): FileNames | undefined {
    if (isTrash(to)) return undefined
    const before = this.view.names.file(draft.key)
    if (before === undefined || this.#renamed.has(draft)) return namedByText(draft, to, this.view)
    return { path: to, aliases: before.aliases, title: before.title }
  }

  /** Updates the name index for new and edited files. Links that would resolve differently are rewritten or reported. */
  async followNames(links: 'rewrite' | 'report'): Promise<void> {
    for (const draft of this.#renamed) {
      this.#renamed.delete(draft)
      const { key, path } = draft
      const before = this.view.names.file(key)
      const after = isTrash(path) ? undefined : namedByText(draft, path, this.view)
      if (before !== undefined && after !== undefined && sameNames(before, after)) continue
      if (before === undefined && after === undefined) continue
      if (after !== undefined) requireFreeName(this, draft, after)
      const changes = [{ key, after }]
      if (links === 'rewrite') await this.#relink(changes)
      else this.#reports.addRedirected(await this.#sources.affectedBy(changes), changes, (each) => this.#livePath(each))
      this.#names.set(key, after)
      await this.followHeadings()
    }
  }

  async #relink(changes: readonly NameChange[]): Promise<void> {
    const { newLinkFormat, flavor, names } = this.view
    const sources = await this.#sources.affectedBy(changes)
    this.#take(planRelink(sources, { names, changes, flavor, newLinkFormat }, this.#sources.texts))
    await this.#renamePageTags(changes.flatMap((change) => pageTags(names, change)))
  }

  async #renamePageTags(renamings: readonly TagRenaming[]): Promise<void> {
    const drafts = new Set<Draft>()
    for (const { from } of renamings) for (const draft of await this.tagged(from)) drafts.add(draft)
    for (const draft of drafts) {
      const before = draft.text
      const lines = indexLines(before)
      const rewrites = this.renameTags(draft, renamings).map(({ start, end, text }) => {
        const from = before[start - 1] === '#' ? start - 1 : start
        return { line: lines.lineAt(start), before: before.slice(from, end), after: before.slice(from, start) + text }
      })
      draft.addRelinked(rewrites)
    }
  }

  /** Renames all tags of a file at once, because tags may swap names. Reports properties that cannot be edited. */
  renameTags(draft: Draft, renamings: readonly TagRenaming[]): readonly TextEdit[] {
    const rename = this.view.kindOf(draft.path) === 'canvas' ? renameTagInCanvas : renameTagInNote
    const renamed = renamings.map((renaming) => rename(draft.text, renaming, this.view.flavor))
    const edits = renamed.flatMap((each) => each.edits).sort((a, b) => a.start - b.start)
    this.rewrite(draft, edits)
    for (const { line, reason } of renamed.flatMap(({ unfit }) => unfit)) {
      this.notes.push(`${draft.path}: the tag on line ${line} was not renamed, because ${UNFIT_TAGS[reason]}.`)
    }
    return edits
  }

  #take({ files, lost }: Pick<RelinkPlan, 'files' | 'lost'>): void {
    for (const { key, path, edits, rewrites } of files) {
      const draft = this.#open(key, path)
      this.rewrite(draft, edits)
      draft.addRelinked(rewrites)
    }
    for (const { source, link, reason } of lost) this.#reports.add(source, link, { target: this.#pathOf(link.to), reason })
  }

  async editHeadings(draft: Draft, edits: readonly TextEdit[]): Promise<void> {
    const { text } = draft
    const before = this.#headingsIn(text)
    const after = this.#headingsIn(editText(text, edits))
    if (hasSameTexts(before, after)) return this.edit(draft, edits)
    const { files, lost } = await this.#planHeadingLinks(draft, { before, after, replaced: edits })
    this.#take({ files: files.filter(({ key }) => key !== draft.key), lost })
    const relinked = files.find(({ key }) => key === draft.key)
    this.edit(
      draft,
      [...edits, ...(relinked?.edits ?? [])].sort((a, b) => a.start - b.start),
    )
    draft.addRelinked(relinked?.rewrites ?? [])
    // Links in headings were rewritten, so the headings have changed, too.
    if (relinked !== undefined) this.#headingsBefore.set(draft, after)
    await this.followHeadings()
  }

  /** Applies edits to a file. Links to changed headings are updated later by `followHeadings`. */
  rewrite(draft: Draft, edits: readonly TextEdit[]): void {
    if (this.view.kindOf(draft.path) === 'note' && !this.#headingsBefore.has(draft)) {
      const headings = this.#headingsIn(draft.text)
      if (edits.some((edit) => headings.some(({ start, end }) => edit.start <= end && edit.end >= start)))
        this.#headingsBefore.set(draft, headings)
    }
    this.edit(draft, edits)
  }

  /** Updates links to changed headings, and starts again if headings contain such links. */
  async followHeadings(): Promise<void> {
    const visits = new Map<Draft, number>()
    for (const [draft, before] of this.#headingsBefore) {
      this.#headingsBefore.delete(draft)
      const count = (visits.get(draft) ?? 0) + 1
      visits.set(draft, count)
      const after = this.#headingsIn(draft.text)
      const isAligned = before.length === after.length && before.every(({ level }, at) => level === after[at]?.level)
      if (isAligned && !hasSameTexts(before, after) && count <= MAX_VISITS)
        this.#take(await this.#planHeadingLinks(draft, { before, after }))
    }
  }

  async #planHeadingLinks(
    draft: Draft,
    change: Pick<HeadingChange, 'before' | 'after' | 'replaced'>,
  ): Promise<Pick<RelinkPlan, 'files' | 'lost'>> {
    const sources = [this.#sources.read(draft), ...(await this.referrers(draft))]
    const { mode } = this.view.flavor
    return planHeadingLinks(sources, { ...change, key: draft.key, mode }, this.#sources.texts)
  }

  #headingsIn(text: string): readonly OutlineHeading[] {
    return outlineOf(text, this.view.flavor).headings
  }

  async referrers(draft: Draft): Promise<readonly RelinkSource[]> {
    const sources = await this.#sources.affectedBy([{ key: draft.key, after: undefined }])
    return sources.filter(({ key, links }) => key !== draft.key && links.some((link) => link.to === draft.key))
  }

  /** Call after planning, because a later operation may restore a heading or block. */
  async noteBrokenParts(): Promise<void> {
    const files = {
      read: (keys: readonly number[]) => this.#sources.at(keys),
      namedBefore: (key: number) => this.#names.before(key),
    }
    this.notes.push(...(await brokenPartNotes(this.#drafts.all(), this.view, files)))
  }

  /** Call after planning, because a later operation may create the targets. */
  noteWrittenLinks(drafts: readonly Draft[]): void {
    const files = {
      read: (draft: Draft) => this.#sources.read(draft),
      byKey: (key: number) => this.byKey(key),
      pathOf: (key: number) => this.#pathOf(key),
    }
    this.notes.push(...writtenLinkNotes([...new Set(drafts)], this.view, files))
  }

  /** Returns notes with the tag or a nested one, and files whose tags may have changed. */
  async tagged(tag: string): Promise<readonly Draft[]> {
    const drafts = (await this.view.taggedWith(tag)).flatMap((key) => this.byKey(key) ?? [])
    const editedDrafts = this.#drafts.all().filter((draft) => draft.isEdited && !isTrash(draft.path))
    return [...new Set([...drafts, ...editedDrafts])].filter(({ path }) => this.view.kindOf(path) !== 'attachment')
  }

  /** Restores the names. Callers must close the workspace even if planning failed. */
  close(): void {
    this.#names.restore()
  }

  async finish(): Promise<Planned> {
    // The files are sorted, so the same change always has the same diff.
    const drafts = this.#drafts.all().filter(hasChanged).sort(byImportance)
    const { createdFolders, movedFolders } = this.#paths
    const html = await brokenHtmlLinks(this.view, drafts)
    const livePath = (key: number) => this.#livePath(key)
    const bases = baseNotes(this.view, { drafts, folders: movedFolders, tags: this.renamedTags, livePath })
    const reported = this.#reports.list(livePath, (key) => this.#linksOf(key))
    return {
      changes: [
        ...createdFolders.map((path): FileChange => ({ kind: 'makeFolder', path })),
        ...movedFolders.map(({ from, to }): FileChange => ({ kind: 'move', from, to, before: undefined })),
        ...changesOf(drafts, this.view, movedFolders),
      ],
      files: drafts.map(writtenFile),
      dangling: [...reported, ...html.broken].sort((a, b) => compareTexts(a.path, b.path) || a.line - b.line),
      texts: drafts.map((draft) => changedText(draft, this.view)),
      notes: [...this.notes, ...htmlNotes(html), ...bases],
    }
  }

  #linksOf(key: number): readonly ResolvedLink[] | undefined {
    const draft = this.#drafts.get(key)
    return draft?.isEdited === true ? this.#sources.read(draft).links : undefined
  }

  #livePath(key: number): string | undefined {
    const path = this.#drafts.get(key)?.path ?? this.view.pathOf(key)
    return path === undefined || isTrash(path) ? undefined : path
  }

  #pathOf(key: number | string): string {
    return typeof key === 'string' ? key : (this.#livePath(key) ?? '')
  }
}

/** A tag in Logseq is a link to the page of that name, so renaming a page renames the tag. */
function pageTags(names: NameIndex, { key, after }: NameChange): readonly TagRenaming[] {
  const before = names.file(key)
  if (names.mode !== 'logseq' || before === undefined || after === undefined) return []
  const keptNames = new Set(namesOf(after, names.mode))
  const [name] = namesOfPage(after)
  if (/[[\]]/.test(name)) return []
  return namesOfPage(before)
    .filter((old) => isTagName(old) && !keptNames.has(foldName(old)) && names.withAlias(foldName(old)).length === 1)
    .map((from) => ({ from, to: isTagName(name) ? name : `[[${name}]]`, isPage: true }))
}

const UNFIT_TAGS: Readonly<Record<UnfitTag['reason'], string>> = {
  escaped: 'it is written with escapes',
  'in a link': 'it is a word of a link',
  'not a tag': 'the new name is not a tag',
}

function hasSameTexts(before: readonly Heading[], after: readonly Heading[]): boolean {
  return before.length === after.length && before.every(({ text }, at) => text === after[at]?.text)
}

/** Files named by an operation come before files whose links are rewritten. */
function byImportance(a: Draft, b: Draft): number {
  const isRelinkedOnly = ({ original, path, relinked }: Draft) => original === path && relinked.length > 0
  return Number(isRelinkedOnly(a)) - Number(isRelinkedOnly(b)) || compareTexts(a.original ?? a.path, b.original ?? b.path)
}

function htmlNotes({ broken, unread }: HtmlLinks): readonly string[] {
  const links = broken.length === 1 ? '1 link in HTML leads' : `${broken.length} links in HTML lead`
  return [
    ...(broken.length === 0 ? [] : [`${links} to the old location and cannot be rewritten; see dangling_links.`]),
    ...(unread === 0 ? [] : [`Links in HTML were not checked in ${unread} notes, because it would take too long.`]),
  ]
}
