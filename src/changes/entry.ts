import type { ChangedFile } from '../core/changes.ts'

/**
 * A recorded step of a change. Hashes are SHA-256 in hex, and paths are vault-relative. Steps run in this order: create folders,
 * replace, create, move and remove files, move folders, remove folders.
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

/** Sorts the steps. The deepest folders are removed first. */
export function inOrder(entries: readonly Entry[]): readonly Entry[] {
  const depth = (entry: Entry) => (entry.kind === 'removeFolder' ? -entry.path.split('/').length : 0)
  return entries.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || depth(a) - depth(b))
}

/**
 * The kinds of temporary files, whose names start with a dot so listings hide them. `new`: new content, not yet in place. `old`:
 * the displaced file. `restore`: recorded content that a rollback puts back. `undone`: a file that a rollback removed.
 */
export type Aside = 'new' | 'old' | 'restore' | 'undone'

export function asideName(change: string, index: number, suffix: Aside): string {
  return `.roux-${change}-${index}.${suffix}`
}

export function namedByAside(name: string, entries: readonly Entry[]): string | undefined {
  const [, index = '', suffix] = /^\.roux-.+-(\d+)\.(\w+)$/.exec(name) ?? []
  const entry = suffix === undefined ? undefined : entries[Number(index)]
  // Moves keep the displaced file at the old path, and other temporary files at the new one.
  return entry !== undefined && 'to' in entry && suffix !== 'old' ? entry.to : entry?.path
}

export function finalPaths(entries: readonly Entry[]): (path: string) => string {
  const files = new Map(entries.flatMap((entry) => (entry.kind === 'move' ? [[entry.path, entry.to] as const] : [])))
  const folders = entries.filter((entry) => entry.kind === 'moveFolder')
  return (path) => {
    const movedEntry = files.get(path)
    if (movedEntry !== undefined) return movedEntry
    const folder = folders.find((entry) => path.startsWith(`${entry.path}/`))
    return folder === undefined ? path : folder.to + path.slice(folder.path.length)
  }
}

export function pathsOf(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.flatMap((entry) => ('to' in entry ? [entry.path, entry.to] : [entry.path])))]
}

export function foldersOf(entries: readonly Entry[]): readonly string[] {
  return pathsOf(entries.filter(({ kind }) => kind === 'makeFolder' || kind === 'moveFolder'))
}

export function changedFile(entry: Entry): ChangedFile {
  const kind = entry.kind === 'moveFolder' ? 'move' : entry.kind
  return { kind, path: entry.path, to: 'to' in entry ? entry.to : undefined }
}
