import type { FileChange } from '../../core/changes.ts'
import { RouxError } from '../../core/errors.ts'
import type { WriteResult, WrittenFile } from '../../core/operations.ts'
import { hunksBetween, quotedName } from '../conflict.ts'
import { quote } from '../path-rules.ts'
import { type Draft, decode } from './draft.ts'
import { isTrash } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'

/** The maximum length in characters, including the last line. */
const MAX_LENGTH = 200_000

/** The time limit for all diffs, in milliseconds. A file in which every line differs takes a quarter of a second. */
const TOTAL_TIME_LIMIT = 2000

/** Number of characters reserved for the last line, which counts the omitted files. */
const MAX_LAST_LINE = 100

export interface MovedFolder {
  readonly from: string
  readonly to: string
}

export interface ChangedText {
  readonly from: string | undefined
  readonly to: string | undefined
  /** The contents. `before` and `after` are empty for binary, unchanged and deleted files. */
  readonly before: string
  readonly after: string
  /** True for notes and canvases. */
  readonly isText: boolean
  /** The size after the change, in bytes. */
  readonly size: number
}

export interface Planned extends Pick<WriteResult, 'files' | 'dangling' | 'notes'> {
  readonly changes: readonly FileChange[]
  readonly texts: readonly ChangedText[]
}

export function hasChanged({ original, path, isEdited }: Draft): boolean {
  return original === undefined ? !isTrash(path) : isEdited || original !== path
}

/**
 * Returns the changes. Files that swap names cannot be renamed one after the other. They exchange contents instead, and only the
 * last file of a chain is renamed.
 */
export function changesOf(drafts: readonly Draft[], view: VaultView, folders: readonly MovedFolder[]): readonly FileChange[] {
  const leaving = new Map<string, Draft>()
  for (const draft of drafts) {
    if (draft.original !== undefined && draft.original !== draft.path) leaving.set(draft.original, draft)
  }
  const rows = new Map<Draft, readonly FileChange[]>()
  for (const draft of leaving.values()) {
    if (leaving.has(draft.path) && !rows.has(draft))
      for (const [changedDraft, changes] of exchange(draft, leaving)) rows.set(changedDraft, changes)
  }
  return drafts.flatMap((draft) => rows.get(draft) ?? changesOfOne(draft, view, folders))
}

function exchange(member: Draft, leaving: ReadonlyMap<string, Draft>): ReadonlyMap<Draft, readonly FileChange[]> {
  const chain = renameChain(member, leaving)
  const changes = new Map<Draft, readonly FileChange[]>()
  const last = chain.at(-1) ?? member
  const isCycle = last.path === chain[0]?.original
  // This check prevents the trashed file from being recorded under the wrong original path.
  if (isTrash(last.path)) throw notDeletedError(last.original ?? '')
  for (const [at, draft] of chain.entries()) {
    const { original = '', before = '' } = draft
    // Each file gets its predecessor's content. The first file gets the last one's.
    const content = (chain[at - 1] ?? last).bytes
    const replaced: FileChange = { kind: 'replace', path: original, before, bytes: content }
    changes.set(draft, at > 0 || isCycle ? [replaced] : [replaced, { kind: 'move', from: original, to: last.path, before }])
  }
  return changes
}

function notDeletedError(path: string): RouxError {
  return new RouxError('NODE_EXISTS', `${quote(path)} still exists during this request, so its name cannot be reused yet.`, {
    hint: 'Make two separate requests: first the deletion, then the move.',
  })
}

/** Returns the files of a chain. The first one is a file whose old name stays free, or any file of a cycle. */
function renameChain(member: Draft, leaving: ReadonlyMap<string, Draft>): readonly Draft[] {
  const draftByPath = new Map([...leaving.values()].map((draft) => [draft.path, draft]))
  let first = member
  for (let before = draftByPath.get(first.original ?? ''); before !== undefined; before = draftByPath.get(first.original ?? '')) {
    first = before
    if (first === member) break
  }
  const chain = [first]
  for (let next = leaving.get(first.path); next !== undefined && next !== first; next = leaving.get(next.path)) chain.push(next)
  return chain
}

function changesOfOne(draft: Draft, view: VaultView, folders: readonly MovedFolder[]): readonly FileChange[] {
  const { original, path, isEdited } = draft
  if (original === undefined) return isTrash(path) ? [] : [{ kind: 'create', path, bytes: draft.bytes }]
  const replaced: FileChange[] = isEdited
    ? [{ kind: 'replace', path: original, before: draft.before ?? '', bytes: draft.bytes }]
    : []
  const isCarried = folders.some(({ from, to }) => original.startsWith(`${from}/`) && path === to + original.slice(from.length))
  if (original === path || isCarried) return replaced
  // Attachments can be large, so they are hashed in pieces when the move is applied.
  const before = view.kindOf(original) === 'attachment' ? undefined : draft.before
  return [...replaced, { kind: 'move', from: original, to: path, before }]
}

export function writtenFile({ original, path, relinked }: Draft): WrittenFile {
  const kind = original === undefined ? 'created' : isTrash(path) ? 'deleted' : original === path ? 'changed' : 'moved'
  return {
    kind,
    ...(original === undefined ? undefined : { from: original }),
    ...(isTrash(path) ? undefined : { to: path }),
    relinked,
  }
}

export function changedText(draft: Draft, view: VaultView): ChangedText {
  const { original, path, isEdited } = draft
  const isText = view.kindOf(path) !== 'attachment'
  const isShown = isText && isEdited && !isTrash(path)
  return {
    from: original,
    to: isTrash(path) ? undefined : path,
    before: isShown && original !== undefined ? decode(draft.disk) : '',
    after: isShown ? draft.text : '',
    isText,
    // A file that is only moved has not been read, so its size counts as 0.
    size: isEdited ? draft.bytes.length : 0,
  }
}

/**
 * Returns a text like that of `git diff`, with at most `MAX_LENGTH` characters. Moves, deletions and binary files take one line
 * each. The last line counts files that do not fit or take too long.
 */
export function differenceOf(texts: readonly ChangedText[]): string {
  const deadline = performance.now() + TOTAL_TIME_LIMIT
  const shownTexts: string[] = []
  let room = MAX_LENGTH - MAX_LAST_LINE
  for (const text of texts) {
    if (performance.now() > deadline || room <= 0) break
    const part = partOf(text, room)
    if (part === undefined || part.length > room) continue
    room -= part.length
    shownTexts.push(part)
  }
  const omitted = texts.length - shownTexts.length
  if (omitted > 0)
    shownTexts.push(`… ${omitted} changed ${omitted === 1 ? 'file is' : 'files are'} not shown because the diff is too long.\n`)
  return shownTexts.join('')
}

/** Returns `undefined` if the diff is certain to exceed `room`. */
function partOf({ from, to, before, after, isText, size }: ChangedText, room: number): string | undefined {
  if (to === undefined) return `Deleted: ${quotedName(from ?? '')} is moved to the trash\n`
  if (!isText && from === undefined) return `Binary file ${quotedName(to)} added (${sizeText(size)})\n`
  const renamed = from === undefined || from === to ? '' : `rename from ${quotedName(from)}\nrename to ${quotedName(to)}\n`
  if (before === after && from !== undefined) return renamed
  // A diff is never shorter than the difference between both lengths.
  if (Math.abs(after.length - before.length) > room) return undefined
  const [old, now] = [from === undefined ? '/dev/null' : quotedName(`a/${from}`), quotedName(`b/${to}`)]
  const header = `${renamed}--- ${old}\n+++ ${now}\n`
  // All lines of a new file are added without comparing, because comparing many lines with an empty file would take too long.
  if (from === undefined) return header + allAdded(after)
  return header + (hunksBetween(before, after) ?? 'The versions differ too much to compare\n')
}

function allAdded(text: string): string {
  if (text === '') return ''
  const lines = text.split('\n')
  const isWhole = lines.at(-1) === ''
  if (isWhole) lines.pop()
  const end = isWhole ? '' : '\\ No newline at end of file\n'
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  // Values that round to 1000.0 kB are shown in MB.
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
