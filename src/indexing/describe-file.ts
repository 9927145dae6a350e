import type { FileInfo, FileRecord } from '../core/index-writer.ts'
import type { Link, Mode, Note } from '../core/note.ts'
import { nameOf } from '../core/paths.ts'
import { EXCERPT_LENGTH } from '../core/store.ts'
import { cutData } from '../core/text/inline-data.ts'
import type { FileKind, ListedFile } from '../core/vault.ts'
import { pageName, stemOf } from '../links/names.ts'
import { excerptOf } from '../markdown/prose/excerpt.ts'

export interface FileFacts extends Omit<FileRecord, 'key' | 'links' | 'mentions'> {
  readonly links: readonly Link[]
}

export interface Described {
  readonly kind: FileKind
  readonly conflict: boolean
  readonly mode: Mode
}

export function describeUnread(file: ListedFile, { kind, conflict, mode }: Described): FileFacts {
  return {
    path: file.path,
    kind,
    stat: file.stat,
    hash: '',
    excluded: file.excluded,
    archived: false,
    conflict,
    title: titleFromPath(file.path, { kind, conflict, mode }),
    aliases: [],
    tags: [],
    links: [],
    style: NO_STYLE,
    malformed: 0,
  }
}

export function describeFailed(file: ListedFile, options: Described, message: string): FileFacts {
  const malformed = [{ line: 0, message }]
  return { ...describeUnread(file, options), malformed: 1, info: { ...EMPTY_INFO, malformed } }
}

const EMPTY_INFO = {
  properties: {},
  headings: [],
  blocks: [],
  tasks: [],
  excerpt: '',
  excerptCut: false,
  bodyStart: 0,
}

export function describeNote(
  file: ListedFile,
  options: Described,
  { note, text, hash }: { readonly note: Note; readonly text: string; readonly hash: string },
): FileFacts {
  const isNote = options.kind === 'note'
  const facts: FileFacts = {
    path: file.path,
    kind: options.kind,
    stat: file.stat,
    hash,
    excluded: file.excluded,
    archived: isArchived(note),
    conflict: options.conflict,
    title: titleOf(note, options.mode) ?? titleFromPath(file.path, options),
    aliases: note.aliases,
    tags: note.tags.map((tag) => tag.name),
    links: note.links,
    // The mode is detected from `.md` files only.
    style: isNote && /\.md$/i.test(file.path) ? note.style : NO_STYLE,
    malformed: note.malformed.length,
    info: infoOf(note, text, isNote),
  }
  return note.title === undefined ? facts : { ...facts, pageTitle: note.title }
}

const NO_STYLE = { wikilinks: 0, relativeLinks: 0 }

function titleFromPath(path: string, { kind, mode }: Described): string {
  if (kind !== 'note') return nameOf(path)
  return mode === 'logseq' ? pageName(path) : stemOf(nameOf(path), mode)
}

function infoOf(note: Note, text: string, isNote: boolean): FileInfo {
  const short = isNote ? cutData(text.slice(note.bodyStart))?.text : undefined
  const { excerpt, cut } = isNote
    ? excerptOf(short ?? text, short === undefined ? note.bodyStart : 0, EXCERPT_LENGTH)
    : { excerpt: '', cut: false }
  return {
    properties: note.properties,
    headings: note.headings,
    blocks: note.blocks,
    tasks: note.tasks,
    excerpt,
    excerptCut: cut,
    bodyStart: note.bodyStart,
    malformed: note.malformed,
  }
}

function titleOf(note: Note, mode: Mode): string | undefined {
  return note.title ?? (mode === 'docs' || mode === 'foam' ? note.h1 : undefined)
}

function isArchived(note: Note): boolean {
  for (const key in note.properties)
    if (key.length === 8 && key.toLowerCase() === 'archived' && note.properties[key] === true) return true
  return note.tags.some(({ name }) => name.length === 8 && name.toLowerCase() === 'archived')
}
