import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { shellWord } from '../../config/values.ts'
import { RouxError } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import { isLoopbackName } from '../../http/host-and-origin.ts'
import { readTokens } from '../../http/tokens.ts'
import { CLIENTS, type Client } from '../../install/clients.ts'
import { listEntries } from '../../install/entries.ts'
import { type OwnEntry, readOwnEntry } from '../../install/own-entry.ts'
import { readClientFile } from '../assistants/client-file.ts'
import type { Host } from '../host.ts'
import { type Finding, ok, warn } from './checks.ts'

/** Local HTTP server settings that client entries are compared with. */
export interface ServedOverHttp {
  readonly port: number
  readonly tokenFile: string
}

/** Checks the Roux entries in other programs' settings, skipping programs without an entry. */
export function checkClients(host: Host, served: ServedOverHttp): readonly Finding[] {
  return CLIENTS.flatMap((client) => checkClient(client, host, served))
}

function checkClient(client: Client, host: Host, served: ServedOverHttp): readonly Finding[] {
  const path = client.file(host)
  try {
    const { text } = readClientFile(path)
    if (text === undefined) return []
    return [...listEntries(text, { file: path, key: client.key })].flatMap(([name, entry]): readonly Finding[] => {
      const ownEntry = readOwnEntry(entry)
      if (ownEntry === undefined) return []
      const reason = ownEntry.kind === 'http' ? connectionProblem(ownEntry, served) : startProblem(ownEntry)
      const entryOf = `${client.title} has "${name}"`
      if (reason === undefined) return [ok('clients', `${entryOf}: ${targetOf(ownEntry)}`)]
      return [warn('clients', `${entryOf}, ${reason}`, hintFor(client, name, ownEntry))]
    })
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return [warn('clients', `${client.title}: ${error.message}`, 'Correct the file by hand.')]
  }
}

type StdioEntry = Extract<OwnEntry, { readonly kind: 'stdio' }>
type HttpEntry = Extract<OwnEntry, { readonly kind: 'http' }>

function startProblem({ node, program, vault, config }: StdioEntry): string | undefined {
  const missing = [node, program, vault, config].find(isGone)
  return missing === undefined ? undefined : `but ${missing}, which it needs, no longer exists`
}

function isGone(path: string | undefined): boolean {
  return path !== undefined && isAbsolute(path) && !existsSync(path)
}

/**
 * Explains why a local server would not respond. Returns `undefined` for remote servers, which cannot be checked from this
 * computer.
 */
function connectionProblem({ url, token }: HttpEntry, { port, tokenFile }: ServedOverHttp): string | undefined {
  const entryUrl = URL.canParse(url) ? new URL(url) : undefined
  if (entryUrl === undefined || !isLoopbackName(entryUrl.hostname)) return undefined
  if (port !== 0 && Number(entryUrl.port || 80) !== port) return `which uses ${entryUrl.host}, but http.port is ${port}`
  return isInvalidToken(token, tokenFile) ? 'with an invalid token' : undefined
}

function isInvalidToken(token: string, tokenFile: string): boolean {
  // The check of the tokens already reports a damaged file.
  return quietly(() => readTokens(tokenFile)?.every(({ secret }) => secret !== token) ?? true) ?? false
}

/** Returns a hint with the commands that correct and remove the entry. Missing folders and files appear as placeholders. */
function hintFor({ name: client }: Client, name: string, entry: OwnEntry): string {
  const words = [client, ...(name === 'roux' ? [] : ['--name', shellWord(name)])].join(' ')
  const options = entry.kind === 'http' ? ['--http'] : optionsOf(entry)
  return `"roux install ${[words, ...options].join(' ')}" corrects it, "roux uninstall ${words}" removes it.`
}

function optionsOf({ vault, config, settings = [], write }: StdioEntry): readonly string[] {
  return [
    ...(vault === undefined ? [] : ['--vault', isGone(vault) ? '<folder>' : shellWord(vault)]),
    ...(config === undefined ? [] : ['--config', isGone(config) ? '<file>' : shellWord(config)]),
    ...settings.flatMap((setting) => ['--set', shellWord(setting)]),
    ...(write === true ? ['--write'] : []),
  ]
}

function targetOf(entry: OwnEntry): string {
  return entry.kind === 'http' ? entry.url : (entry.vault ?? `the vaults of ${entry.config ?? 'its settings'}`)
}
