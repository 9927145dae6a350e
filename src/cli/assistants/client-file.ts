import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
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
import { createTwoFilesPatch } from 'diff'
import { withFileLock } from '../../config/state-file.ts'
import { errorCode, RouxError } from '../../core/errors.ts'
import { makeFolder } from '../../core/make-folder.ts'
import { quietly } from '../../core/quietly.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import { CLIENTS, type Client, type EntryPlace, findClient } from '../../install/clients.ts'
import { readOwnEntry } from '../../install/own-entry.ts'
import { UsageError } from '../host.ts'
import { coloredDiff, PLAIN } from '../output/text.ts'
import type { Invocation } from '../session.ts'

// The maximum size in bytes. Claude Code's settings file also contains its history and can be large.
const MAX_BYTES = 64_000_000

const NEW_MODE = 0o600

const MARK = '.roux-backup-'

export function requireClient({ positionals: [name] }: Invocation, command: 'install' | 'uninstall'): Client {
  const names = CLIENTS.map((client) => client.name)
  if (name === undefined) throw new UsageError('Which program?', `Run: roux ${command} ${names.join('|')}`)
  const client = findClient(name)
  if (client !== undefined) return client
  throw new UsageError(
    `"${name}" is not a program that Roux knows.`,
    didYouMean(nearest(name, names)) ?? `Known programs: ${names.join(', ')}.`,
  )
}

/** Returns the name of the server. @throws UsageError for a name that some clients do not accept */
export function nameOf({ options }: Invocation): string {
  const name = (options.get('name') as string | undefined) ?? 'roux'
  if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return name
  throw new UsageError(
    `"${name}" is not a valid server name.`,
    'Use up to 64 letters, digits, "-" and "_", e.g. --name roux-work.',
  )
}

/** Checks that an entry is Roux's own. @throws RouxError `CONFLICT` if the entry is another server's */
export function requireOurs(entry: unknown, { file, name }: EntryPlace, { options }: Invocation): void {
  if (entry === undefined || options.get('force') === true || readOwnEntry(entry) !== undefined) return
  throw new RouxError('CONFLICT', `${file} has a server "${name}" that is not Roux.`, {
    hint: 'Choose another name with --name <name>, or replace this one with --force.',
  })
}

/** Checks that a client is installed. @throws RouxError `PROVIDER_ERROR` with the expected path */
export function requireInstalled(client: Client, file: ClientFile, { host, options }: Invocation): void {
  const evidence = client.sign(host)
  if (file.text !== undefined || options.get('create') === true || existsSync(evidence)) return
  throw new RouxError('PROVIDER_ERROR', `${client.title} was not found: there is neither ${file.path} nor ${evidence}.`, {
    hint: 'Start it once and run this again, or create the file with --create.',
  })
}

export interface ClientChange {
  readonly client: Client
  readonly file: ClientFile
  readonly name: string
  readonly text: string
  /** The messages for the user. `done` is printed after a change, `nothing` if the file was already correct. */
  readonly done: string
  readonly nothing: string
  readonly afterwards: string
}

export async function reportChange({ printer, options }: Invocation, change: ClientChange): Promise<number> {
  const { client, file, name, text, done, nothing, afterwards } = change
  const changed = text !== (file.text ?? '')
  const isDry = options.get('dry-run') === true
  const backup = changed && !isDry ? writeClientFile(file, text) : undefined
  const diff = changed ? differenceOf(change) : undefined
  const facts = {
    client: client.name,
    name,
    file: file.path,
    changed: changed && !isDry,
    dry_run: isDry || undefined,
    backup,
    diff,
  }
  const sentences = changed
    ? isDry
      ? ['This is a dry run; nothing was written.']
      : [done, ...(backup === undefined ? [] : [`The previous file is ${backup}.`]), afterwards]
    : [nothing]
  await printer.answer(facts, {
    render: (_, { paint = PLAIN }) => {
      const lines = diff === undefined ? [] : [...coloredDiff(diff, paint), '']
      return `${[...lines, ...sentences].join('\n')}\n`
    },
  })
  return 0
}

// Number of context lines in a diff. Nearby lines may contain other servers' keys.
const CONTEXT = 1

const MAX_LINE = 300

function differenceOf({ file, text }: ClientChange): string {
  const [before, after] = [file.text ?? '', text].map(withoutTokens)
  const patch = createTwoFilesPatch(file.path, file.path, before ?? '', after ?? '', 'now', 'then', { context: CONTEXT })
  return patch
    .replace(/^Index: [^\n]*\n/, '')
    .replace(/^=+\n/, '')
    .split('\n')
    .map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line))
    .join('\n')
}

/** Truncates tokens, so the diff does not reveal them. */
function withoutTokens(text: string): string {
  return text.replace(/\broux_([\w-]{4})[\w-]{16,}/g, 'roux_$1…')
}

export interface ClientFile {
  readonly path: string
  readonly realPath: string
  readonly text: string | undefined
  /** A new file gets 0600 because it may contain keys. */
  readonly mode: number
}

/** Reads a settings file. @throws RouxError `INVALID_SETTINGS` if the file exists but is not readable text */
export function readClientFile(path: string): ClientFile {
  const refuse = (why: string, cause?: unknown): RouxError =>
    new RouxError('INVALID_SETTINGS', `${path} cannot be read: ${why}.`, { hint: 'Nothing was written.', cause })
  try {
    const realPath = realpathSync.native(path)
    const stat = statSync(realPath)
    if (!stat.isFile()) throw refuse('it is not a file')
    if (stat.size > MAX_BYTES) throw refuse(`it has more than ${MAX_BYTES} bytes`)
    const text = decode(readFileSync(realPath))
    if (text === undefined) throw refuse('it is not UTF-8')
    return { path, realPath, text, mode: stat.mode & 0o777 }
  } catch (error) {
    if (error instanceof RouxError) throw error
    if (errorCode(error) !== 'ENOENT') throw refuse(reasonOf(error), error)
    if (isDangling(path)) throw refuse('it is a broken symbolic link')
    return { path, realPath: path, text: undefined, mode: NEW_MODE }
  }
}

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
    // Ignore the error, because backups are optional.
    return []
  }
}

/**
 * Replaces a settings file atomically and keeps a backup next to it.
 * @returns the path of the backup, or `undefined` if the file is new
 * @throws RouxError `CONFLICT` if the file has changed since it was read, `PERMISSION_DENIED` if it cannot be written
 */
export function writeClientFile(file: ClientFile, text: string, now = new Date()): string | undefined {
  const { realPath, mode } = file
  const temporary = `${realPath}.${process.pid}.tmp`
  let backup: string | undefined
  try {
    makeFolder(dirname(realPath), { mkdirSync, dirname }, 0o777)
    // Check write access first, because `rename` would replace even a read-only file.
    if (file.text !== undefined) accessSync(realPath, constants.W_OK)
    if (file.text !== undefined) backup = writeBackup(realPath, { text: file.text, mode }, now)
    writeFileSync(temporary, text, { mode, flag: 'wx', flush: true })
    // The mode is set explicitly, because `writeFile` applies the umask.
    chmodSync(temporary, mode)
    // The lock prevents two Roux processes from overwriting each other's changes.
    withFileLock(`${realPath}.roux-lock`, () => {
      requireUnchanged(file)
      renameSync(temporary, realPath)
    })
    return backup
  } catch (error) {
    for (const leftover of [temporary, backup]) if (leftover !== undefined) rmSync(leftover, { force: true })
    if (error instanceof RouxError) throw error
    throw new RouxError('PERMISSION_DENIED', `${file.path} cannot be written: ${reasonOf(error)}.`, {
      hint: 'Make the file and its folder writable; nothing was changed.',
      cause: error,
    })
  }
}

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

function requireUnchanged(file: ClientFile): void {
  if (readClientFile(file.path).text === file.text) return
  throw new RouxError('CONFLICT', `${file.path} was changed by another program in the meantime.`, {
    hint: 'Run the command again; nothing was changed.',
  })
}

function decode(bytes: Uint8Array): string | undefined {
  return quietly(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
}

function isDangling(path: string): boolean {
  return quietly(() => readdirSync(dirname(path)).includes(basename(path))) ?? false
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split(',', 1)[0] ?? '') : String(error)
}
