import { RouxError } from '../../../core/errors.ts'
import type { FileRecord, ResolvedLink } from '../../../core/index-writer.ts'
import type { Link } from '../../../core/note.ts'
import type { FileNames, NamedFile, NameIndex } from '../../../links/names.ts'
import { affectedSources, type NameChange } from '../../../links/relink/changed-names.ts'
import type { RelinkSource, SourceTexts } from '../../../links/relink/relink-plan.ts'
import { type Source, withTarget } from '../../../links/resolve.ts'
import { parseCanvas } from '../../../markdown/json-canvas/parse-canvas.ts'
import { parseNote } from '../../../markdown/parse-note.ts'
import { slotsOfCanvas, slotsOfNote } from '../../../markdown/retarget/link-slots.ts'
import type { Draft, DraftTable } from '../draft.ts'
import { isTrash } from '../note-paths.ts'
import type { VaultView } from '../vault-view.ts'

export interface LinkSourceParts {
  readonly drafts: DraftTable
  readonly names: PlannedNames
  open(key: number, path: string): Draft
}

/**
 * The sources of links, resolved against current names. Their links come from the index if it is up to date, and otherwise from
 * the text.
 */
export class LinkSources {
  readonly #view: VaultView
  readonly #parts: LinkSourceParts

  constructor(view: VaultView, parts: LinkSourceParts) {
    this.#view = view
    this.#parts = parts
  }

  async affectedBy(changes: readonly NameChange[]): Promise<readonly RelinkSource[]> {
    // The index may lack names in edited files. There are few of them, so check all.
    const editedDrafts = this.#parts.drafts.all().filter(({ isEdited, path }) => isEdited && !isTrash(path))
    const keys = affectedSources(this.#view.names, changes, (name) => this.#view.sourcesOf(name))
    return await this.at([...new Set([...keys, ...editedDrafts.map(({ key }) => key)])])
  }

  get texts(): SourceTexts {
    return {
      read: ({ key, path }) => textOf(this.#parts.open(key, path)),
      slots: (path, text) => (this.#view.kindOf(path) === 'canvas' ? slotsOfCanvas : slotsOfNote)(text, this.#view.flavor),
      links: (path, text) => this.#linksIn(path, text),
    }
  }

  read({ key, path, text }: Draft): RelinkSource {
    return { key, path, links: this.#resolve({ key, path }, this.#linksIn(path, text)) }
  }

  /** Returns the sources for keys. Missing files are left out. */
  async at(keys: readonly number[]): Promise<readonly RelinkSource[]> {
    const records = new Map((await this.#view.records(keys)).map((record) => [record.key, record]))
    return keys.flatMap((key) => {
      const draft = this.#parts.drafts.get(key)
      const record = records.get(key)
      if (draft === undefined) return record === undefined ? [] : this.#fromRecord(record)
      if (isTrash(draft.path) || this.#view.kindOf(draft.path) === 'attachment') return []
      if (draft.isEdited || record === undefined || !this.#view.isCurrent(record)) return this.read(draft)
      return { key, path: draft.path, links: this.#resolve(draft, record.links) }
    })
  }

  #fromRecord(record: FileRecord): RelinkSource | readonly [] {
    if (this.#view.isCurrent(record)) {
      // The links may have been redirected by earlier operations.
      return this.#parts.names.differ ? { ...record, links: this.#resolve(record, record.links) } : record
    }
    // The file may have been deleted since it was listed.
    if (this.#view.look(record.path) === undefined) return []
    const draft = this.#parts.open(record.key, record.path)
    return textOf(draft) === undefined ? [] : this.read(draft)
  }

  #resolve({ key, path }: Source, links: readonly (Link | ResolvedLink)[]): readonly ResolvedLink[] {
    const { names, flavor } = this.#view
    return links.map((link) => withTarget(names, { key, path }, link, flavor))
  }

  #linksIn(path: string, text: string): readonly Link[] {
    const parse = this.#view.kindOf(path) === 'canvas' ? parseCanvas : parseNote
    return parse(text, this.#view.flavor).links
  }
}

function textOf(draft: Draft): string | undefined {
  try {
    return draft.text
  } catch (error) {
    if (error instanceof RouxError) return undefined
    throw error
  }
}

/** Adds planned names to the name index until `restore` is called. */
export class PlannedNames {
  readonly #names: NameIndex
  readonly #before = new Map<number, NamedFile | undefined>()

  constructor(names: NameIndex) {
    this.#names = names
  }

  get differ(): boolean {
    return this.#before.size > 0
  }

  before(key: number): NamedFile | undefined {
    return this.#before.has(key) ? this.#before.get(key) : this.#names.file(key)
  }

  set(key: number, names: FileNames | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, this.before(key))
    this.#names.remove(key)
    if (names !== undefined) this.#names.add({ ...names, key })
  }

  restore(): void {
    for (const [key, before] of this.#before) {
      this.#names.remove(key)
      if (before !== undefined) this.#names.add(before)
    }
    this.#before.clear()
  }
}

/** Returns the file's names. Title and aliases come from the current text. */
export function namedByText(draft: Draft, to: string, { kindOf, flavor }: VaultView): FileNames {
  if (kindOf(draft.path) !== 'note') return { path: to, aliases: [], title: undefined }
  const { aliases, title } = parseNote(draft.text, flavor)
  return { path: to, aliases, title }
}

export function sameNames(a: FileNames, b: FileNames): boolean {
  return a.title === b.title && a.aliases.length === b.aliases.length && a.aliases.every((alias, at) => alias === b.aliases[at])
}
