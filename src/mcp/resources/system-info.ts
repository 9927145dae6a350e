import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { plain } from '../../app/answer/answer-when-ready.ts'
import { vaultFacts } from '../../app/system-info.ts'
import { MODERN_VERSION } from '../protocol-versions.ts'
import type { FixedResource } from './define-resource.ts'

export const systemInfoResource: FixedResource = {
  name: 'system-info',
  // No tool says this; a client that may read may know it.
  source: { name: 'system-info' },
  title: 'State of the server',
  description: 'Version, protocol versions, what the vault holds, how its index is, what is switched on.',
  about: async ({ server: { version, settings, embedder, tokens } }) => ({
    name: 'roux',
    version,
    protocol_versions: [MODERN_VERSION, ...SUPPORTED_PROTOCOL_VERSIONS],
    embedder: embedder ?? null,
    settings,
    tokens: (await tokens?.()) ?? {},
  }),
  read: async (core, { server: { verbose = false }, signal }) => plain({ vault: await vaultFacts(core, verbose, { signal }) }),
}
