import { hash as digest } from 'node:crypto'
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { HistoryPlace } from '../changes/graph-log.ts'
import * as history from '../changes/vault-history.ts'
import { userFolders } from '../config/environment.ts'
import { languagesOf, type Settings } from '../config/settings.ts'
import { quietly } from '../core/quietly.ts'
import { INSIGHT } from '../store/embedded/insight-cache.ts'
import { FORMAT } from '../store/embedded/rows.ts'
import { SEARCH } from '../store/embedded/search/search-rows.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'

/** Returns the folder's real path, so all paths to a vault have the same root. The folder need not exist. */
export function realRoot(path: string): string {
  const absolute = resolve(path)
  return quietly(() => realpathSync.native(absolute)) ?? absolute
}

/** Returns the path of the index, which depends on the index format and on the settings that affect parsing. */
export function indexFile(settings: Settings, root = realRoot(settings.vault.path)): string {
  const { mode, ignore, gitignore, link_roots: linkRoots } = settings.vault
  const { profile, comments } = settings.links
  const { link_text: linkText, colors } = settings.tags
  const languages = languagesOf(settings.search)
  const added = languages.length === 0 ? [] : [[...languages].sort()]
  const facts = JSON.stringify([root, FORMAT, mode, ignore, gitignore, linkRoots, profile, comments, linkText, colors, ...added])
  const folder = settings.cache.path === '' ? userFolders().cache : resolve(settings.cache.path)
  return join(folder, `index-${digest('sha256', facts, 'hex').slice(0, 24)}.db`)
}

export function layoutFile(indexPath: string): string {
  return mapFile(indexPath, 'layout')
}

export function pictureFile(indexPath: string): string {
  return mapFile(indexPath, 'picture')
}

function mapFile(indexPath: string, kind: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-(.*)\.db$/, `${kind}-$1.json`))
}

export function searchIndexFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-/, `search-${SEARCH.format}-`))
}

export function insightFile(indexPath: string): string {
  return join(dirname(indexPath), basename(indexPath).replace(/^index-/, `insight-${INSIGHT.format}-`))
}

/** Returns sizes in bytes, including SQLite's write-ahead logs. A missing index has size 0. */
export function measureIndexes(settings: Settings): { readonly index: number; readonly search: number } {
  const file = indexFile(settings)
  const bytes = (path: string): number => sizeOf(path) + sizeOf(`${path}-wal`)
  return { index: bytes(file), search: bytes(searchIndexFile(file)) }
}

function sizeOf(file: string): number {
  return quietly(() => statSync(file).size) ?? 0
}

export type History = history.History

export function readHistory(settings: Settings): History {
  return history.readHistory(historyOf(settings))
}

/** @returns the deleted history @throws RouxError if the history cannot be written */
export function forgetHistory(settings: Settings): History {
  return history.forgetHistory(historyOf(settings))
}

function historyOf(settings: Settings): HistoryPlace {
  return {
    stateFolder: userFolders().state,
    root: realRoot(settings.vault.path),
    openDatabase: (path) => openSqlite(path),
  }
}
