import { Client as ModernClient } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { StdioPair, Wire } from './stdio-client.ts'

/** The client's end of the streams, as a transport for both SDKs. */
export function clientTransport({ stdin, stdout }: Pick<StdioPair, 'stdin' | 'stdout'>) {
  let partial = ''
  const transport = {
    onmessage: undefined as ((message: Wire) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined,
    async start() {
      stdout.removeAllListeners('data')
      stdout.on('data', (chunk: Buffer) => {
        const lines = (partial + chunk.toString()).split('\n')
        partial = lines.pop() ?? ''
        for (const line of lines) transport.onmessage?.(JSON.parse(line))
      })
    },
    async send(message: unknown) {
      stdin.write(`${JSON.stringify(message)}\n`)
    },
    async close() {
      stdin.end()
      transport.onclose?.()
    },
  }
  return transport
}

/** Every SDK in every era it supports. */
export const SDK_CLIENTS: readonly (readonly [name: string, make: () => Wire])[] = [
  ['the older SDK', () => new OldClient({ name: 'old', version: '1' })],
  [
    'the newer SDK in the legacy era',
    () => new ModernClient({ name: 'new', version: '1' }, { versionNegotiation: { mode: 'legacy' } }),
  ],
  ['the newer SDK in auto mode', () => new ModernClient({ name: 'new', version: '1' }, { versionNegotiation: { mode: 'auto' } })],
  [
    'the newer SDK in the era of 2026-07-28',
    () => new ModernClient({ name: 'new', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  ],
]
