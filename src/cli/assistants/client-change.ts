import { existsSync } from 'node:fs'
import { createTwoFilesPatch } from 'diff'
import { RouxError } from '../../core/errors.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import type { Client, EntryPlace } from '../../install/client.ts'
import { CLIENTS, findClient } from '../../install/clients.ts'
import { readOwnEntry } from '../../install/own-entry.ts'
import { colouredDiff } from '../output/coloured-diff.ts'
import type { Paint } from '../output/printer.ts'
import type { Invocation } from '../session.ts'
import { UsageError } from '../usage-error.ts'
import { type ClientFile, writeClientFile } from './client-file.ts'

/**
 * The client that a command names.
 * @throws UsageError when it names none
 */
export function requireClient({ positionals: [name] }: Invocation, command: 'install' | 'uninstall'): Client {
  const names = CLIENTS.map((client) => client.name)
  if (name === undefined) throw new UsageError('Which program?', `Write: roux ${command} ${names.join('|')}`)
  const client = findClient(name)
  if (client !== undefined) return client
  throw new UsageError(
    `"${name}" is no program that Roux knows.`,
    didYouMean(nearest(name, names)) ?? `Known are ${names.join(', ')}.`,
  )
}

/**
 * The name that the server has there.
 * @throws UsageError for one that not all of them take
 */
export function nameOf({ options }: Invocation): string {
  const name = (options.get('name') as string | undefined) ?? 'roux'
  if (/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return name
  throw new UsageError(`"${name}" is no name for a server.`, 'Use up to 64 letters, digits, "-" and "_", e.g. --name roux-work.')
}

/**
 * Refuses to touch a server that someone else put there, unless that was allowed.
 * @throws RouxError `CONFLICT`
 */
export function requireOurs(entry: unknown, { file, name }: EntryPlace, { options }: Invocation): void {
  if (entry === undefined || options.get('force') === true || readOwnEntry(entry) !== undefined) return
  throw new RouxError('CONFLICT', `${file} has a server "${name}" that is not Roux.`, {
    hint: 'Choose another name with --name <name>, or say that this one is meant with --force.',
  })
}

/**
 * Refuses to write for a program that is not there.
 * @throws RouxError `PROVIDER_ERROR` with the path that was looked at
 */
export function requireInstalled(client: Client, file: ClientFile, { host, options }: Invocation): void {
  const sign = client.sign(host)
  if (file.text !== undefined || options.get('create') === true || existsSync(sign)) return
  throw new RouxError('PROVIDER_ERROR', `${client.title} was not found: there is neither ${file.path} nor ${sign}.`, {
    hint: 'Start it once and run this again, or have the file made with --create.',
  })
}

/** What a command does to a client's file. */
export interface ClientChange {
  readonly client: Client
  readonly file: ClientFile
  readonly name: string
  readonly text: string
  /** What is said of a change that was made, and of none. */
  readonly done: string
  readonly nothing: string
  /** What makes the client see it. */
  readonly afterwards: string
}

/** Writes a change, unless it is only to be shown, and tells it. Resolves with the exit code. */
export async function tellChange({ printer, options }: Invocation, change: ClientChange): Promise<number> {
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
      ? ['This is a dry run, nothing was written.']
      : [done, ...(backup === undefined ? [] : [`The former file is ${backup}.`]), afterwards]
    : [nothing]
  await printer.answer(facts, { render: (_, paint) => render(diff, sentences, paint) })
  return 0
}

function render(diff: string | undefined, sentences: readonly string[], paint: Paint): string {
  const lines = diff === undefined ? [] : [...colouredDiff(diff, paint), '']
  return `${[...lines, ...sentences].join('\n')}\n`
}

// Other servers' keys may stand near: only as much around it is shown as tells where it is.
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

/** Of each token only as much as tells one from another. */
function withoutTokens(text: string): string {
  return text.replace(/\broux_([\w-]{4})[\w-]{16,}/g, 'roux_$1…')
}
