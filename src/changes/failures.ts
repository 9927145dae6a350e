import type { KeptFile } from '../core/changes.ts'
import { errorCode } from '../core/error-code.ts'
import { RouxError } from '../core/errors.ts'
import { nameOf } from '../core/paths.ts'
import { listSome } from '../core/text/list-some.ts'
import { conflict, FilesChanged } from './conflict.ts'
import { type Entry, namedByAside } from './entry.ts'
import { quote } from './path-rules.ts'
import { ForeignDatabase } from './record/state-database.ts'

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS'])

/** A name came or went between two calls: made, deleted or replaced by someone else. */
export const RACES: ReadonlySet<string> = new Set(['EEXIST', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'])

/** Why most files are left as they are. */
export const CHANGED = 'it was changed since, and is left as it is'

/** How many files a message names. */
const NAMED = 5

/** Files that were left as they are, with the reasons, for a sentence. */
export function listKept(kept: readonly KeptFile[]): string {
  return listSome(
    kept.map(({ path, reason }) => `${quote(path)} (${reason})`),
    NAMED,
  )
}

/** The error of a change that failed and was rolled back, but for the files that were left as they are. */
export function rolledBackError(error: unknown, root: string, kept: readonly KeptFile[]): Error {
  const outcome = `The vault is as before, except for files that another program changed meanwhile: ${listKept(kept)}.`
  if (!(error instanceof FilesChanged)) return kept.length === 0 ? writeError(error, root) : writeError(error, root, outcome)
  const { files } = error
  const isExpected = kept.every(({ path, reason }) => reason === CHANGED && files.some((file) => file.path === path))
  return conflict(files, isExpected ? error.outcome : outcome)
}

/** Translates a failed call while writing into a vault. @param outcome the vault's state, as a sentence */
export function writeError(error: unknown, root: string, outcome = 'The vault is as before.'): Error {
  if (error instanceof RouxError) return error
  const code = errorCode(error)
  if (code === undefined) return error instanceof Error ? error : new Error(String(error))
  const where = withoutRoot(error, root)
  if (DENIED.has(code)) {
    return new RouxError('PERMISSION_DENIED', `The file system does not permit it: ${where}. ${outcome}`, {
      hint: 'Check the permissions of the file and its folder, and that the drive is not read-only.',
      cause: error,
    })
  }
  if (RACES.has(code)) {
    return new RouxError('CONFLICT', `Another program changed the same files at this moment: ${where}. ${outcome}`, {
      hint: 'Read the files, then decide.',
      cause: error,
    })
  }
  if (code === 'ENAMETOOLONG') {
    return new RouxError('INVALID_PARAMS', `The path is too long for the file system: ${where}. ${outcome}`, {
      hint: 'Shorten it.',
      cause: error,
    })
  }
  const hint = code === 'ENOSPC' || code === 'EDQUOT' ? 'Free some space, then call again.' : 'Check the drive, then call again.'
  return new RouxError('PROVIDER_ERROR', `The disk failed: ${where}. ${outcome}`, { hint, cause: error })
}

function withoutRoot(error: unknown, root: string): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replaceAll(`${root}/`, '')
}

/** The error of a failed call, with the files of a change in the place of the temporary names beside them. */
export function namingFiles(error: unknown, entries: readonly Entry[]): unknown {
  if (error instanceof RouxError || !(error instanceof Error)) return error
  const message = error.message.replace(/\.roux-[\w.-]+/g, (name) => {
    const path = namedByAside(name, entries)
    return path === undefined ? name : nameOf(path)
  })
  return message === error.message ? error : Object.assign(new Error(message, { cause: error }), { code: errorCode(error) })
}

/** The vault's folder is missing, so nothing is known about its files. */
export function missingVault(root: string): RouxError {
  return new RouxError('VAULT_NOT_FOUND', `There is no folder ${quote(root)}.`, {
    hint: 'Check that the drive it is on is connected.',
  })
}

/** True if a file turned out not to be a database. */
export function isNotJournal(error: unknown): boolean {
  return /malformed|not a database|corrupt/i.test(String(error))
}

/** Translates a failure of the vault's lock. */
export function lockError(error: unknown, path: string): unknown {
  if (!isNotJournal(error)) return journalError(error, path)
  return new RouxError('PROVIDER_ERROR', `The vault's lock file is damaged (${path}). Nothing was written.`, {
    hint: 'Delete it: it holds no data, and the next call creates a new one.',
    cause: error,
  })
}

/** Translates a failure of the journal. */
export function journalError(error: unknown, path: string): unknown {
  const text = String(error)
  if (error instanceof RouxError) return error
  if (error instanceof ForeignDatabase) {
    return new RouxError('PROVIDER_ERROR', `The change history (${path}) was made by another version or program.`, {
      hint: 'Use the newest version, or move the file away; its changes can then no longer be undone.',
      cause: error,
    })
  }
  if (isNotJournal(error)) {
    return new RouxError('PROVIDER_ERROR', `The change history is damaged (${path}). Nothing was written.`, {
      hint: 'Move the file away to continue; its changes can then no longer be undone.',
      cause: error,
    })
  }
  if (/disk is full|ENOSPC/i.test(text)) {
    return new RouxError('PROVIDER_ERROR', `There is no space for the change history (${path}).`, {
      hint: 'Free some space, then call again.',
      cause: error,
    })
  }
  if (/readonly|read-only|unable to open|EACCES|EPERM|EROFS|ENOTDIR/i.test(text)) {
    return new RouxError('PERMISSION_DENIED', `Changes cannot be recorded in ${path}, so nothing is written.`, {
      hint: 'Make that folder writable, or set XDG_STATE_HOME to one that is.',
      cause: error,
    })
  }
  if (/database is locked|disk I\/O/i.test(text)) {
    return new RouxError('PROVIDER_ERROR', `The change history cannot be used now (${path}): ${text}.`, {
      hint: 'Call again.',
      cause: error,
    })
  }
  return error
}
