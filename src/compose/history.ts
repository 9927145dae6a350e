import * as history from '../changes/vault-history.ts'
import { userFolders } from '../config/folders.ts'
import type { Settings } from '../config/settings.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'
import { realRoot } from './index-files.ts'

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
