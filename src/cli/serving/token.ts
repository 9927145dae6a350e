import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { userFolders } from '../../config/environment.ts'
import { loadSettings } from '../../config/load.ts'
import { invalid } from '../../core/errors.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import {
  addToken,
  changeTokens,
  closeToOthers,
  DEFAULT_NAME,
  firstToken,
  openTokens,
  readTokens,
  removeToken,
  requireToken,
  rotateToken,
  SCOPES,
  type Scope,
  type Token,
  tokenFileIn,
} from '../../http/tokens.ts'
import type { Connection } from '../../oauth/connection.ts'
import { UsageError } from '../host.ts'
import { type Invocation, settingsInput } from '../session.ts'
import { unnamedVault } from './token-rights.ts'

type Act = (invocation: Invocation, path: string, name: string | undefined) => Promise<void>

const ACTIONS: ReadonlyMap<string, Act> = new Map(Object.entries({ show, rotate, add, remove, list }))

export async function run(invocation: Invocation): Promise<number> {
  const { host, printer, positionals } = invocation
  const [word = '', name] = positionals
  const act = ACTIONS.get(word)
  if (act === undefined) throw unknownWord(word)
  const path = tokenFileIn(userFolders(host.env).state)
  const warning = closeToOthers(path)
  if (warning !== undefined) printer.warn(warning)
  await act(invocation, path, name)
  return 0
}

async function show(invocation: Invocation, path: string, name = DEFAULT_NAME): Promise<void> {
  await printSecret(invocation, requireToken(openTokens(path), name))
}

async function rotate(invocation: Invocation, path: string, name = DEFAULT_NAME): Promise<void> {
  const tokens = changeTokens(path, (before) => rotateToken(before ?? [firstToken()], name))
  await printSecret(invocation, requireToken(tokens, name))
  invocation.printer.note('Clients with the old token no longer have access.')
}

async function add(invocation: Invocation, path: string, name: string | undefined): Promise<void> {
  const { options } = invocation
  if (name !== undefined && (await connectionsOf(invocation)).some((connection) => connection.name === name))
    throw invalid(`A connection "${name}" already exists.`, 'Choose another name.')
  const vaults = namesIn(options.get('vaults') ?? '*').map((name) => name.toLowerCase())
  const added = {
    name: requireName(name, 'add'),
    scopes: namesIn(options.get('scope') ?? 'read').map((text) => requireScope(text, SCOPES)),
    vaults: vaults.includes('*') ? ('*' as const) : vaults,
  }
  const tokens = changeTokens(path, (before) => addToken(before ?? [], added))
  if (!vaults.includes('*')) await warnAboutUnknown(invocation, vaults)
  await printSecret(invocation, requireToken(tokens, added.name))
}

/** Warns about unknown vaults. The token is still created, because a vault may be configured later. */
export async function warnAboutUnknown(invocation: Invocation, names: readonly string[]): Promise<void> {
  const { settings } = await loadSettings(settingsInput(invocation))
  const vaultNames = Object.keys(settings.vaults)
  const unnamed = unnamedVault(settings)
  const unknown = names.filter((name) => (vaultNames.length === 0 ? name !== unnamed : !vaultNames.includes(name)))
  if (unknown.length === 0) return
  const quoted = unknown.map((name) => `"${name}"`).join(', ')
  invocation.printer.warn(
    vaultNames.length === 0
      ? `The settings define no vaults: ${quoted} can only mean a folder of that name that is served by its path, as "${unnamed}" is here.`
      : `The settings define no vault ${quoted}, only ${vaultNames.join(', ')}.`,
  )
}

async function remove(invocation: Invocation, path: string, name: string | undefined): Promise<void> {
  const { printer } = invocation
  const removed = requireName(name, 'remove')
  if ((await connectionsOf(invocation)).some((connection) => connection.name === removed)) {
    const { removeConnection } = await import('../../oauth/connections.ts')
    removeConnection(connectionsFolder(invocation), removed)
    return printer.note(`The connection "${name}" has ended.`)
  }
  changeTokens(path, (before) => removeToken(before ?? [], removed))
  printer.note(`Clients with the token "${name}" no longer have access.`)
}

async function list(invocation: Invocation, path: string): Promise<void> {
  const tokens = (readTokens(path) ?? []).map(({ name, scopes, vaults }) => ({ name, scopes, vaults }))
  const connections = (await connectionsOf(invocation)).map(({ name, scopes, vaults, client, created, used }) => ({
    name,
    scopes,
    vaults,
    program: client.name,
    returns_to: client.returnsTo,
    ...(client.knownBy === undefined ? {} : { known_by: client.knownBy }),
    since: new Date(created).toISOString(),
    last_refresh: new Date(used).toISOString(),
  }))
  await invocation.printer.answer([...tokens, ...connections])
}

async function connectionsOf(invocation: Invocation): Promise<readonly Connection[]> {
  const folder = connectionsFolder(invocation)
  if (!existsSync(folder)) return []
  const { listConnections } = await import('../../oauth/connections.ts')
  return listConnections(folder)
}

function connectionsFolder({ host }: Invocation): string {
  return join(userFolders(host.env).state, 'connections')
}

/** Prints only the secret, so other commands can use the output. */
async function printSecret({ printer, options }: Invocation, { name, secret, scopes, vaults }: Token): Promise<void> {
  if (options.get('json') === true) await printer.answer({ name, token: secret, scopes, vaults })
  else await printer.text(`${secret}\n`)
}

export function namesIn(value: unknown): readonly string[] {
  return String(value)
    .split(',')
    .flatMap((name) => name.trim() || [])
}

export function requireScope(text: string, allowed: readonly Scope[]): Scope {
  const scope = allowed.find((candidate) => candidate === text)
  if (scope !== undefined) return scope
  throw new UsageError(`There is no scope "${text}".`, didYouMean(nearest(text, allowed)) ?? `Scopes: ${allowed.join(', ')}.`)
}

function requireName(name: string | undefined, word: string): string {
  if (name !== undefined) return name
  throw new UsageError('The name of the token is missing.', `Run: roux token ${word} <name>`)
}

function unknownWord(word: string): UsageError {
  const words = [...ACTIONS.keys()]
  if (word === '') return new UsageError('Missing subcommand.', `Run: roux token ${words.join('|')}`)
  const hint = didYouMean(nearest(word, words)) ?? `Run: roux token ${words.join('|')}`
  return new UsageError(`"roux token ${word}" is not a command.`, hint)
}
