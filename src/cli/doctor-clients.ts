import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { shellWord } from '../config/shell-word.ts'
import { RouxError } from '../core/errors.ts'
import type { Client } from '../install/client.ts'
import { CLIENTS } from '../install/clients.ts'
import { listEntries } from '../install/entries.ts'
import { type OwnEntry, readOwnEntry } from '../install/own-entry.ts'
import { readClientFile } from './client-file.ts'
import type { Finding } from './doctor-checks.ts'
import type { Host } from './host.ts'

/** Whether the entries of Roux in the settings of other programs still lead somewhere. Nothing is said of programs that have none. */
export function checkClients(host: Host): readonly Finding[] {
  return CLIENTS.flatMap((client) => checkClient(client, host))
}

function checkClient(client: Client, host: Host): readonly Finding[] {
  const path = client.file(host)
  try {
    const { text } = readClientFile(path)
    if (text === undefined) return []
    return [...listEntries(text, { file: path, key: client.key })].flatMap(([name, entry]) => {
      const own = readOwnEntry(entry)
      return own === undefined ? [] : [checkEntry(client, name, own)]
    })
  } catch (error) {
    if (!(error instanceof RouxError)) throw error
    return [{ check: 'clients', state: 'warn', message: `${client.title}: ${error.message}`, hint: 'Mend the file by hand.' }]
  }
}

function checkEntry(client: Client, name: string, entry: OwnEntry): Finding {
  const ok: Finding = { check: 'clients', state: 'ok', message: `${client.title} has "${name}": ${aimOf(entry)}` }
  if (entry.kind === 'http') return ok
  const { node, program, vault } = entry
  const [missing] = [node, program, vault].filter((path) => path !== undefined && isAbsolute(path) && !existsSync(path))
  if (missing === undefined) return ok
  const words = [client.name, ...(name === 'roux' ? [] : ['--name', name])].join(' ')
  const install = `roux install ${words} --vault ${missing === vault ? '<folder>' : shellWord(vault ?? '<folder>')}`
  return {
    check: 'clients',
    state: 'warn',
    message: `${client.title} has "${name}", which needs ${missing}: that is not there any more`,
    hint: `"${install}" mends it, "roux uninstall ${words}" takes it away.`,
  }
}

function aimOf(entry: OwnEntry): string {
  return entry.kind === 'http' ? entry.url : (entry.vault ?? 'the vault of its settings')
}
