import type { EntryPlace } from '../../install/client.ts'
import { listEntries, removeEntry } from '../../install/entries.ts'
import type { Invocation } from '../session.ts'
import { nameOf, requireClient, requireOurs, tellChange } from './client-change.ts'
import { readBackups, readClientFile } from './client-file.ts'

/** Takes our entry out of the settings of a client; shows the difference and keeps the former file. */
export async function run(invocation: Invocation): Promise<number> {
  const client = requireClient(invocation, 'uninstall')
  const name = nameOf(invocation)
  const file = readClientFile(client.file(invocation.host))
  const place: EntryPlace = { file: file.path, key: client.key, name }
  const { text = '' } = file
  const entry = listEntries(text, place).get(name)
  requireOurs(entry, place, invocation)
  return tellChange(invocation, {
    client,
    file,
    name,
    text: removeEntry(text, place, readBackups(file)),
    done: `${client.title} has no "${name}" any more.`,
    nothing: `${file.path} has no server "${name}": nothing was written.`,
    afterwards: client.afterUninstall,
  })
}
