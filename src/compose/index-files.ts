import { hash as digest } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import * as history from '../changes/vault-history.ts'
import { userFolders } from '../config/folders.ts'
import type { Settings } from '../config/settings.ts'
import { INSIGHT } from '../store/embedded/insight-cache.ts'
import { FORMAT } from '../store/embedded/rows.ts'
import { SEARCH } from '../store/embedded/search/search-rows.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'

/** A vault given through a symbolic link is the vault itself; one that is missing may still come. */
export function realRoot(path: string): string {
  const absolute = resolve(path)
  try {
    return realpathSync.native(absolute)
  } catch {
    return absolute
  }
}

/** Where a vault's index is: another version, or a setting that changes what notes say, makes another file. */
export function indexFile(settings: Settings, root = realRoot(settings.vault.path)): string {
  const { mode, ignore, gitignore, link_roots: linkRoots } = settings.vault
  const { profile, comments } = settings.links
  const { link_text: linkText, colors } = settings.tags
  const facts = JSON.stringify([root, FORMAT, mode, ignore, gitignore, linkRoots, profile, comments, linkText, colors])
  const folder = settings.cache.path === '' ? userFolders().cache : resolve(settings.cache.path)
  return join(folder, `index-${digest('sha256', facts, 'hex').slice(0, 24)}.db`)
}

/** Where notes lie on the map is kept beside the index. */
export function layoutFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-(.*)\.db$/, 'layout-$1.json'))
}

/** The search indexes lie beside the index that they belong to. */
export function searchIndexFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-/, `search-${SEARCH.format}-`))
}

/** So does what the vault says as a whole. */
export function insightFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-/, `insight-${INSIGHT.format}-`))
}

/** Where a vault's indexes are kept, and how many bytes each has on disk, with what SQLite keeps beside it; 0 where there is none. */
export function measureIndexes(settings: Settings): { readonly index: number; readonly search: number } {
  const file = indexFile(settings)
  const bytes = (path: string): number => sizeOf(path) + sizeOf(`${path}-wal`)
  return { index: bytes(file), search: bytes(searchIndexFile(file)) }
}

/** A file in a folder that cannot be looked into has no size that matters. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

export type History = history.History

/** The size of a vault's history. @throws RouxError when it cannot be read */
export function readHistory(settings: Settings): History {
  return history.readHistory(historyOf(settings))
}

/** Forgets what is remembered of a vault's past. @returns what was forgotten @throws RouxError where that cannot be written */
export function forgetHistory(settings: Settings): History {
  return history.forgetHistory(historyOf(settings))
}

function historyOf(settings: Settings): history.HistoryOptions {
  return {
    stateFolder: userFolders().state,
    root: realRoot(settings.vault.path),
    openDatabase: (path) => openSqlite(path),
  }
}
