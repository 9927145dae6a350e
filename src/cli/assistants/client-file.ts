import {
  accessSync,
  chmodSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../../core/error-code.ts'
import { RouxError } from '../../core/errors.ts'
import { makeFolder } from '../../core/make-folder.ts'

/** The settings file of another program as it is now. */
export interface ClientFile {
  /** Where the program looks for it. */
  readonly path: string
  /** The file itself, where that is a symbolic link. */
  readonly realPath: string
  /** `undefined` when there is none. */
  readonly text: string | undefined
  /** Permission bits; 0600 for a file that is to be made, since such files hold keys. */
  readonly mode: number
}

// Claude Code keeps its history in the same file; no one's settings are larger than this.
const MAX_BYTES = 64_000_000
const NEW_MODE = 0o600

/**
 * Reads a settings file.
 * @throws RouxError when it is there and cannot be read as text.
 */
export function readClientFile(path: string): ClientFile {
  const refuse = (why: string, cause?: unknown): RouxError =>
    new RouxError('INVALID_SETTINGS', `${path} cannot be read: ${why}.`, { hint: 'Nothing was written.', cause })
  try {
    const realPath = realpathSync.native(path)
    const stat = statSync(realPath)
    if (!stat.isFile()) throw refuse('it is not a file')
    if (stat.size > MAX_BYTES) throw refuse(`it has more than ${MAX_BYTES} bytes`)
    return { path, realPath, text: decode(readFileSync(realPath)) ?? raise(refuse('it is not UTF-8')), mode: stat.mode & 0o777 }
  } catch (error) {
    if (error instanceof RouxError) throw error
    if (!isAbsent(error)) throw refuse(reasonOf(error), error)
    if (isDangling(path)) throw refuse('it is a symbolic link that leads nowhere')
    return { path, realPath: path, text: undefined, mode: NEW_MODE }
  }
}

/** The texts of the copies that were kept of a file, newest first, at most twenty. */
export function readBackups({ realPath }: ClientFile): readonly string[] {
  const beginning = `${basename(realPath)}${MARK}`
  try {
    const names = readdirSync(dirname(realPath)).filter((name) => name.startsWith(beginning))
    return names
      .sort()
      .reverse()
      .slice(0, 20)
      .flatMap((name) => decode(readFileSync(join(dirname(realPath), name))) ?? [])
  } catch {
    // They only make it better.
    return []
  }
}

/**
 * Puts a text in the place of a settings file, all of it or nothing, and keeps the former file beside it.
 * @returns where that copy is; `undefined` when there was no file
 * @throws RouxError `CONFLICT` when the file is not any more what was read, `PERMISSION_DENIED` when it cannot be written
 */
export function writeClientFile(file: ClientFile, text: string, now = new Date()): string | undefined {
  const { realPath, mode } = file
  const temporary = `${realPath}.${process.pid}.tmp`
  let backup: string | undefined
  try {
    makeFolder(dirname(realPath), { mkdirSync, dirname }, 0o777)
    // A rename would also replace a file that may not be written.
    if (file.text !== undefined) accessSync(realPath, constants.W_OK)
    if (file.text !== undefined) backup = writeBackup(realPath, { text: file.text, mode }, now)
    writeFileSync(temporary, text, { mode, flag: 'wx', flush: true })
    // The mode of `writeFile` is masked.
    chmodSync(temporary, mode)
    requireUnchanged(file)
    renameSync(temporary, realPath)
    return backup
  } catch (error) {
    for (const left of [temporary, backup]) if (left !== undefined) rmSync(left, { force: true })
    if (error instanceof RouxError) throw error
    throw new RouxError('PERMISSION_DENIED', `${file.path} cannot be written: ${reasonOf(error)}.`, {
      hint: 'Make the file and its folder writable; nothing was changed.',
      cause: error,
    })
  }
}

const MARK = '.roux-backup-'

function writeBackup(path: string, { text, mode }: { readonly text: string; readonly mode: number }, now: Date): string {
  const time = now.toISOString().replace(/[-:.]/g, '')
  for (let turn = 1; ; turn++) {
    const backup = `${path}${MARK}${time}${turn === 1 ? '' : `-${turn}`}`
    try {
      writeFileSync(backup, text, { mode, flag: 'wx', flush: true })
      return backup
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    }
  }
}

/** The program may run, and write its settings at any moment. */
function requireUnchanged(file: ClientFile): void {
  if (readClientFile(file.path).text === file.text) return
  throw new RouxError('CONFLICT', `${file.path} was changed by another program meanwhile.`, {
    hint: 'Run the command again; nothing was changed.',
  })
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function isAbsent(error: unknown): boolean {
  return errorCode(error) === 'ENOENT'
}

function isDangling(path: string): boolean {
  try {
    return readdirSync(dirname(path)).includes(basename(path))
  } catch {
    return false
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split(',', 1)[0] ?? '') : String(error)
}

function raise(error: RouxError): never {
  throw error
}
