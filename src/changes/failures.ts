import type { KeptFile } from '../core/changes.ts'
import { errorCode, messageOf, RouxError } from '../core/errors.ts'
import { nameOf } from '../core/paths.ts'
import { listSome } from '../core/text/format.ts'
import { conflict, FilesChanged } from './conflict.ts'
import { type Entry, namedByAside } from './entry.ts'
import { quote } from './path-rules.ts'
import { ForeignDatabase } from './record/state-database.ts'

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS'])

/** The codes of errors caused by other programs that create, delete or replace a file between two calls. */
export const RACES: ReadonlySet<string> = new Set(['EEXIST', 'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'])

export const CHANGED = 'it has been changed since and is left as it is'

const MAX_NAMED = 5

export function listKept(kept: readonly KeptFile[]): string {
  return listSome(
    kept.map(({ path, reason }) => `${quote(path)} (${reason})`),
    MAX_NAMED,
  )
}

/** @param kept files that could not be rolled back */
export function rolledBackError(error: unknown, root: string, kept: readonly KeptFile[]): Error {
  const outcome = `The vault is unchanged, except for files that another program has changed in the meantime: ${listKept(kept)}.`
  if (!(error instanceof FilesChanged)) return kept.length === 0 ? writeError(error, root) : writeError(error, root, outcome)
  const { files } = error
  const isExpected = kept.every(({ path, reason }) => reason === CHANGED && files.some((file) => file.path === path))
  return conflict(files, isExpected ? error.outcome : outcome)
}

/** @param outcome a sentence on the state of the vault */
export function writeError(error: unknown, root: string, outcome = 'The vault is unchanged.'): Error {
  if (error instanceof RouxError) return error
  const code = errorCode(error)
  if (code === undefined) return error instanceof Error ? error : new Error(String(error))
  const [meaning, message, hint] = meaningOf(code)
  const reason = messageOf(error).replaceAll(`${root}/`, '')
  return new RouxError(meaning, `${message}: ${reason}. ${outcome}`, { hint, cause: error })
}

type Meaning = readonly [code: RouxError['code'], message: string, hint: string]

function meaningOf(code: string): Meaning {
  if (DENIED.has(code)) {
    const hint = 'Check the permissions of the file and its folder, and that the drive is not read-only.'
    return ['PERMISSION_DENIED', 'The file system does not permit it', hint]
  }
  if (RACES.has(code))
    return ['CONFLICT', 'Another program changed the same files at the same time', 'Read the files, then decide.']
  if (code === 'ENAMETOOLONG') return ['INVALID_PARAMS', 'The path is too long for the file system', 'Shorten it.']
  const isFull = code === 'ENOSPC' || code === 'EDQUOT'
  return ['PROVIDER_ERROR', 'The disk failed', `${isFull ? 'Free some space' : 'Check the drive'}, then call again.`]
}

export function namingFiles(error: unknown, entries: readonly Entry[]): unknown {
  if (error instanceof RouxError || !(error instanceof Error)) return error
  const message = error.message.replace(/\.roux-[\w.-]+/g, (name) => {
    const path = namedByAside(name, entries)
    return path === undefined ? name : nameOf(path)
  })
  return message === error.message ? error : Object.assign(new Error(message, { cause: error }), { code: errorCode(error) })
}

export function missingVault(root: string): RouxError {
  return new RouxError('VAULT_NOT_FOUND', `The folder ${quote(root)} does not exist.`, {
    hint: 'Check that its drive is connected.',
  })
}

export function isNotJournal(error: unknown): boolean {
  return /malformed|not a database|corrupt/i.test(String(error))
}

export function lockError(error: unknown, path: string): unknown {
  if (!isNotJournal(error)) return journalError(error, path)
  return new RouxError('PROVIDER_ERROR', `The vault's lock file is damaged (${path}). Nothing was written.`, {
    hint: 'Delete it: it contains no data, and the next call creates a new one.',
    cause: error,
  })
}

export function journalError(error: unknown, path: string): unknown {
  const meaning = error instanceof RouxError ? undefined : journalMeaning(error, path)
  return meaning === undefined ? error : new RouxError(meaning[0], meaning[1], { hint: meaning[2], cause: error })
}

const LOST = 'its changes can then no longer be undone.'

function journalMeaning(error: unknown, path: string): Meaning | undefined {
  const text = String(error)
  if (error instanceof ForeignDatabase) {
    const message = `The change history (${path}) was created by another version or program.`
    return ['PROVIDER_ERROR', message, `Use the latest version, or move the file away; ${LOST}`]
  }
  if (isNotJournal(error)) {
    const message = `The change history is damaged (${path}). Nothing was written.`
    return ['PROVIDER_ERROR', message, `Move the file away to continue; ${LOST}`]
  }
  if (/disk is full|ENOSPC/i.test(text)) {
    return ['PROVIDER_ERROR', `There is no space for the change history (${path}).`, 'Free some space, then call again.']
  }
  if (/readonly|read-only|unable to open|EACCES|EPERM|EROFS|ENOTDIR/i.test(text)) {
    const hint = 'Make its folder writable, or set XDG_STATE_HOME to a writable folder.'
    return ['PERMISSION_DENIED', `Changes cannot be recorded in ${path}, so nothing is written.`, hint]
  }
  if (/database is locked|disk I\/O/i.test(text)) {
    return ['PROVIDER_ERROR', `The change history cannot be used at the moment (${path}): ${text}.`, 'Call again.']
  }
  return undefined
}
