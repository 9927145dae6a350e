import { foldId } from '../core/ids.ts'
import { folderOf, nameOf, withParents } from '../core/paths.ts'
import { type GraphRow, isListedRow } from './graph.ts'
import { mostCommonSpelling } from './tag-index.ts'

/** A folder. Folders that differ only in case share an entry. */
export interface FolderEntry {
  readonly folders: ReadonlyMap<string, FolderEntry>
  readonly notes: readonly number[]
  readonly archived: number
  readonly spellings: ReadonlyMap<string, number>
}

interface Entry extends FolderEntry {
  readonly folders: Map<string, Entry>
  readonly notes: number[]
  archived: number
  readonly spellings: Map<string, number>
}

/** An index of the folders that contain a listed note at any depth. The root always exists. */
export class FolderIndex {
  readonly #folders = new Map<string, Entry>([['', openEntry()]])

  find(folded: string): FolderEntry | undefined {
    return this.#folders.get(folded)
  }

  add(row: GraphRow): void {
    if (!isListedRow(row)) return
    const path = folderOf(row.path ?? '')
    const entry = this.#open(foldId(path))
    entry.notes.push(row.key)
    if (row.archived) entry.archived++
    entry.spellings.set(path, (entry.spellings.get(path) ?? 0) + 1)
  }

  /** Removes a row, which must equal the one that was added. */
  remove(row: GraphRow): void {
    if (!isListedRow(row)) return
    const path = folderOf(row.path ?? '')
    const folded = foldId(path)
    const entry = this.#folders.get(folded)
    const at = entry?.notes.indexOf(row.key) ?? -1
    if (entry === undefined || at < 0) return
    const last = entry.notes.pop()
    if (at < entry.notes.length && last !== undefined) entry.notes[at] = last
    if (row.archived) entry.archived--
    const remaining = (entry.spellings.get(path) ?? 0) - 1
    if (remaining > 0) entry.spellings.set(path, remaining)
    else entry.spellings.delete(path)
    this.#closeEmpty(folded)
  }

  #open(folded: string): Entry {
    const existing = this.#folders.get(folded)
    if (existing !== undefined) return existing
    const entry = openEntry()
    this.#folders.set(folded, entry)
    this.#open(folderOf(folded)).folders.set(nameOf(folded), entry)
    return entry
  }

  #closeEmpty(folded: string): void {
    for (const path of withParents(folded)) {
      const entry = this.#folders.get(path)
      if (entry === undefined || entry.notes.length > 0 || entry.folders.size > 0) return
      this.#folders.delete(path)
      this.#folders.get(folderOf(path))?.folders.delete(nameOf(path))
    }
  }
}

interface SpelledFolder {
  readonly spellings: ReadonlyMap<string, number>
  readonly folders: ReadonlyMap<string, SpelledFolder>
}

/** Returns the most common spelling among the folder's own notes, or else that of its first subfolder. */
export function spelledPath({ spellings, folders }: SpelledFolder): string {
  if (spellings.size > 0) return mostCommonSpelling(spellings)
  const [first] = [...folders].sort(([a], [b]) => (a < b ? -1 : 1))
  return first === undefined ? '' : folderOf(spelledPath(first[1]))
}

function openEntry(): Entry {
  return { folders: new Map(), notes: [], archived: 0, spellings: new Map() }
}
