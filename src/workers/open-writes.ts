import { openChanges } from '../changes/open-changes.ts'
import { CONFIG_FILE } from '../config/config-file.ts'
import { retentionOf } from '../config/settings.ts'
import type { IndexingService } from '../indexing/service.ts'
import { openSqlite } from '../store/embedded/sqlite.ts'
import { openExclusionFilters } from '../vault/exclusion-filters.ts'
import { diskFileSystem } from '../vault/file-system.ts'
import { matchAny, openIgnoreRules } from '../vault/ignore-rules.ts'
import { openVaultView } from './files/vault-view.ts'
import type { IndexerData } from './messages.ts'
import { WriteService } from './write-service.ts'

/** Creates nothing on disk until needed. */
export function openWrites({ root, settings, stateFolder }: IndexerData, service: IndexingService): WriteService {
  const { write, files } = settings
  const changes = openChanges({
    root,
    stateFolder,
    openDatabase: (path) => openSqlite(path),
    retention: retentionOf(write),
    refusal: refusalOf(root, settings),
  })
  return new WriteService({
    service,
    changes,
    openView: (access) => openVaultView(access, files.case),
  })
}

/** @returns the reason, or `undefined` if writing is allowed */
function refusalOf(root: string, { vault, write }: IndexerData['settings']): (path: string) => string | undefined {
  const rules = openIgnoreRules(root, vault, diskFileSystem)
  const filters = openExclusionFilters(root, diskFileSystem)
  const { folds } = diskFileSystem.rules
  const isAllowed = write.allow.length === 0 ? () => true : anyMatches(write.allow, folds)
  const isDenied = anyMatches(write.deny, folds)
  return (path) => {
    // This file must not be written, because it contains the write rules.
    if (path.toLowerCase() === CONFIG_FILE) return "it holds this vault's settings"
    if (rules.hides(path, false)) return 'the vault ignores it (because of vault.ignore, .gitignore or its name)'
    if (filters.excludes([path])[0] === true) return "it is among the vault's excluded files"
    if (!isAllowed(path)) return 'the setting write.allow does not include it'
    return isDenied(path) ? 'the setting write.deny excludes it' : undefined
  }
}

/** Returns a test for globs. A glob with `!` matches everything else. */
export function anyMatches(globs: readonly string[], nocase: boolean): (path: string) => boolean {
  const tests = globs.map((glob) => ({ isNegated: glob.startsWith('!'), matches: matchAny([glob.replace(/^!/, '')], nocase) }))
  return (path) => tests.some(({ isNegated, matches }) => matches(path, false) !== isNegated)
}
