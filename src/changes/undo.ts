import { type Entry, finalPaths } from './entry.ts'
import type { Intent } from './examine.ts'

/** The changes that undo a recorded one. Each expects its result, so later edits are not overwritten. */
export function takeBack(entries: readonly Entry[], content: (hash: string) => Uint8Array): readonly Intent[] {
  const finalPath = finalPaths(entries)
  const replaced = new Map(entries.flatMap((entry) => (entry.kind === 'replace' ? [[entry.path, entry.after] as const] : [])))
  const inverse = (entry: Entry): Intent => {
    switch (entry.kind) {
      case 'makeFolder':
        return { kind: 'removeFolder', path: entry.path }
      case 'replace':
        return { kind: 'replace', path: finalPath(entry.path), before: entry.after, bytes: content(entry.before) }
      case 'create':
        return { kind: 'remove', path: entry.path, before: entry.after }
      case 'move':
        return { kind: 'move', from: entry.to, to: entry.path, before: replaced.get(entry.path) ?? entry.before }
      case 'remove':
        return { kind: 'create', path: entry.path, bytes: content(entry.before), mode: entry.mode }
      case 'moveFolder':
        return { kind: 'move', from: entry.to, to: entry.path, before: undefined }
      case 'removeFolder':
        return { kind: 'makeFolder', path: entry.path }
    }
  }
  return entries.map(inverse)
}
