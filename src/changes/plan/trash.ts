import type { Trashed } from '../../core/changes.ts'
import { foldId } from '../../core/ids.ts'
import { folderOf, nameOf } from '../../core/paths.ts'
import { TRASH } from '../path-rules.ts'
import { inFolder } from './note-paths.ts'
import type { VaultView } from './vault-view.ts'

/**
 * The file that was deleted last under one of these paths. The record of changes knows where files in the trash came from; of those that it knows
 * nothing of the name decides: as it is, or with the highest number.
 * @param deletions newest first
 */
export function findTrashed(view: VaultView, wanted: readonly string[], deletions: Iterable<Trashed>): Trashed | undefined {
  const folded = new Set(wanted.map(foldId))
  const known = new Set<string>()
  for (const { trash, path } of deletions) {
    if (known.has(trash)) continue
    known.add(trash)
    if (folded.has(foldId(path)) && view.look(trash) === 'file') return { trash, path }
  }
  const named = wanted.map((path) => byName(view, path).findLast(({ trash }) => !known.has(trash)))
  return named.find((found) => found !== undefined)
}

/** Files in the trash with a path's name, the highest number last. */
function byName(view: VaultView, wanted: string): readonly Trashed[] {
  const folder = findFolder(view, folderOf(wanted))
  if (folder === undefined) return []
  const { stem, ending } = partsOf(foldId(nameOf(wanted)))
  const found = view.list(folder).flatMap((entry) => {
    const own = partsOf(entry)
    const number = foldId(entry) === stem + ending ? 0 : Number(/ ([1-9]\d*)$/.exec(own.stem)?.[1] ?? Number.NaN)
    const base = number === 0 ? own.stem : own.stem.replace(/ \d+$/, '')
    if (Number.isNaN(number) || foldId(base + own.ending) !== stem + ending) return []
    return { trash: `${folder}/${entry}`, path: inFolder(folder.slice(TRASH.length + 1), base + own.ending), number }
  })
  // Numbers only occur beside the name they were added to: `a 1.md` alone is a note of that name.
  if (!found.some(({ number }) => number === 0)) return []
  return found.sort((a, b) => a.number - b.number)
}

function partsOf(path: string): { readonly stem: string; readonly ending: string } {
  const dot = /(?<=[^/])\.[^./]*$/.exec(path)?.index ?? path.length
  return { stem: path.slice(0, dot), ending: path.slice(dot) }
}

/** A folder of the trash as spelled on disk; not through a symbolic link. */
function findFolder(view: VaultView, folder: string): string | undefined {
  let at = TRASH
  for (const name of folder === '' ? [] : folder.split('/')) {
    if (view.look(at) !== 'folder') return undefined
    const entries = view.list(at)
    const entry = entries.includes(name) ? name : entries.find((one) => foldId(one) === foldId(name))
    if (entry === undefined) return undefined
    at = `${at}/${entry}`
  }
  return view.look(at) === 'folder' ? at : undefined
}
