import { parentPort } from 'node:worker_threads'
import { quietly } from '../core/quietly.ts'
import { noteTextOf } from '../markdown/prose/excerpt.ts'
import { readIfChanged, readStretch } from '../vault/file-system.ts'
import { openVault } from '../vault/open-vault.ts'
import type { FromReader, ReadJob, ReadResult, ReadVault, ToReader } from './messages.ts'

const port = parentPort
if (port === null) throw new Error('This file can only run as a worker.')

const vaults = new Map<number, { readonly at: ReadVault; vault?: ReturnType<typeof openVault> }>()

port.on('message', (messages: readonly ToReader[]) => {
  for (const message of messages) {
    if (message.type === 'vault') vaults.set(message.vault, { at: message.at })
    else if (message.type === 'forget') vaults.delete(message.vault)
    else send({ type: 'read', id: message.id, result: read(message.vault, message.job) })
  }
})

send({ type: 'up' })

function send(message: FromReader): void {
  const hasBytes = message.type === 'read' && typeof message.result === 'object' && 'bytes' in message.result
  port?.postMessage(message, hasBytes ? [(message.result as { bytes: Uint8Array }).bytes.buffer as ArrayBuffer] : [])
}

/** If the vault is missing, every call tries again. */
function read(number: number, job: ReadJob): ReadResult {
  return quietly(() => {
    const entry = vaults.get(number)
    if (entry === undefined) return undefined
    entry.vault ??= openVault(entry.at.root, entry.at)
    if (job.kind === 'bytes') return readStretch(entry.vault, job.path, job)
    const read = readIfChanged(entry.vault, job.path, job.known)
    if (read === undefined || read === 'same') return read
    return { text: noteTextOf(read.bytes), ...(read.stat === undefined ? undefined : { stat: read.stat }) }
  })
}
