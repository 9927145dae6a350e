import type { ChangedFile } from '../core/changes.ts'

/**
 * One step of a change as it is recorded, in the order in which steps are taken: folders are made first, then files replaced, created, moved
 * and removed, then folders moved and at last removed. Hashes are SHA-256, hex. Paths are vault-relative.
 */
export type Entry =
  | { readonly kind: 'makeFolder'; readonly path: string }
  | { readonly kind: 'replace'; readonly path: string; readonly before: string; readonly after: string; readonly mode: number }
  | { readonly kind: 'create'; readonly path: string; readonly after: string; readonly mode: number | undefined }
  | { readonly kind: 'move'; readonly path: string; readonly to: string; readonly before: string }
  | { readonly kind: 'remove'; readonly path: string; readonly before: string; readonly mode: number }
  | { readonly kind: 'moveFolder'; readonly path: string; readonly to: string }
  | { readonly kind: 'removeFolder'; readonly path: string }

export type EntryOf<K extends Entry['kind']> = Extract<Entry, { readonly kind: K }>

const ORDER: readonly Entry['kind'][] = ['makeFolder', 'replace', 'create', 'move', 'remove', 'moveFolder', 'removeFolder']

/** Entries in the order in which they are applied; of folders to be removed the deepest first. */
export function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const depth = (entry: Entry) => (entry.kind === 'removeFolder' ? -entry.path.split('/').length : 0)
  return entries.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || depth(a) - depth(b))
}

/** Temporary names of an entry. They start with a dot, so nobody takes them for notes, and derive from the record. */
export type Aside =
  /** Bytes that are to be put in place. */
  | 'new'
  /** The file previously at the name. */
  | 'old'
  /** Bytes from the record, to be put back. */
  | 'restore'
  /** The file removed by a rollback. */
  | 'undone'

export function asideName(change: string, index: number, aside: Aside): string {
  return `.roux-${change}-${index}.${aside}`
}

/** The file beside which a temporary name of one of these entries lies; `undefined` for other names. */
export function namedByAside(name: string, entries: readonly Entry[]): string | undefined {
  const [, index = '', aside] = /^\.roux-.+-(\d+)\.(\w+)$/.exec(name) ?? []
  const entry = aside === undefined ? undefined : entries[Number(index)]
  // A moved file keeps its old name aside; everything else of a move lies at its destination.
  return entry !== undefined && 'to' in entry && aside !== 'old' ? entry.to : entry?.path
}

/** Where each path of a change is once it is done. */
export function finalPaths(entries: readonly Entry[]): (path: string) => string {
  const files = new Map(entries.flatMap((entry) => (entry.kind === 'move' ? [[entry.path, entry.to] as const] : [])))
  const folders = entries.filter((entry) => entry.kind === 'moveFolder')
  return (path) => {
    const moved = files.get(path)
    if (moved !== undefined) return moved
    const folder = folders.find((entry) => path.startsWith(`${entry.path}/`))
    return folder === undefined ? path : folder.to + path.slice(folder.path.length)
  }
}

/** Every path that a change touches, once. */
export function pathsOf(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap((entry) => ('to' in entry ? [entry.path, entry.to] : [entry.path])))]
}

/** The folders that a change creates or moves, without their content. */
export function foldersOf(entries: readonly Entry[]): readonly string[] {
  return pathsOf(entries.filter(({ kind }) => kind === 'makeFolder' || kind === 'moveFolder'))
}

export function changedFile(entry: Entry): ChangedFile {
  const kind = entry.kind === 'moveFolder' ? 'move' : entry.kind
  return { kind, path: entry.path, to: 'to' in entry ? entry.to : undefined }
}
