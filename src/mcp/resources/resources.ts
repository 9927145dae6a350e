import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { type Call, plain } from '../../app/answer/answer-when-ready.ts'
import { DEFAULT_TOKENS, TOKEN_BYTES } from '../../app/answer/budget.ts'
import { recentNotes } from '../../app/find/list-nodes.ts'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import { fitMap, mapVault } from '../../app/insight/map.ts'
import { getHubs } from '../../app/links/get-hubs.ts'
import { getTree } from '../../app/read/get-tree.ts'
import { readAttachmentFile, readNoteFile, type WholeFile } from '../../app/read/read-file.ts'
import { vaultFacts } from '../../app/system-info.ts'
import type { NodeKind } from '../../core/store.ts'
import type { SwitchedOffBy, ToolIdentity } from '../definition/define-tool.ts'
import { MODERN_VERSION } from '../protocol.ts'
import type { ServerFacts } from '../server-options.ts'

export interface ResourceRequest extends Call {
  readonly server: ServerFacts
}

/** The tool that returns the same data. Clients without access to the tool do not see the resource. */
export type Source = ToolIdentity

export interface FixedResource {
  /** The address without `roux://`. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly source: Source
  about?(request: ResourceRequest): Promise<object>
  read(core: GraphCore, request: ResourceRequest): Promise<Answer<object>>
}

export interface TemplateResource {
  readonly kind: 'node' | 'attachment'
  readonly kinds: readonly NodeKind[]
  readonly title: string
  readonly description: string
  readonly variable: string
  readonly mimeType?: string
  readonly source: Source
  /** @returns null if there is no such file */
  read(core: GraphCore, id: string, call: Call): Promise<Answer<WholeFile | null>>
}

const RECENT_NOTES = 20

const recentersource: FixedResource = {
  name: 'recent',
  source: { name: 'find_nodes' },
  title: 'Recently changed notes',
  description: `The ${RECENT_NOTES} most recently changed notes, newest first.`,
  async read(core, call) {
    const { value: notes, warnings } = await recentNotes(core, { limit: RECENT_NOTES }, call)
    return { value: { notes, count: notes.length, timestamp: new Date().toISOString() }, warnings }
  },
}

export const mapResource: FixedResource = {
  name: 'map',
  source: { name: 'map', group: 'tools.insight' },
  title: 'Map of the vault',
  description: 'The communities of notes: what the vault is about.',
  async read(core, call) {
    const { value, warnings } = await mapVault(core, { level: 1 }, call)
    const fitted = fitMap(value, DEFAULT_TOKENS.list * TOKEN_BYTES)
    // Omissions become part of the value here. Tool results list them separately, but resources contain only the value.
    const omitted = Object.keys(fitted.omitted).length === 0 ? {} : { omitted: fitted.omitted }
    return { value: { ...fitted.value, ...omitted }, warnings }
  },
}

const HUBS = 20

const hubsResource: FixedResource = {
  name: 'hubs',
  source: { name: 'get_hubs' },
  title: 'Most central notes',
  description: `The ${HUBS} most-linked notes, with the number of notes linking to each.`,
  async read(core, call) {
    const { value: hubs, warnings } = await getHubs(core, { metric: 'in_degree', limit: HUBS }, call)
    return { value: { metric: 'in_degree', hubs, count: hubs.length }, warnings }
  },
}

const treeResource: FixedResource = {
  name: 'tree',
  source: { name: 'get_tree' },
  title: 'Folders and notes',
  description: 'The folders of the vault, three levels deep, with the number of notes in each and up to 200 notes.',
  async read(core, call) {
    const { value, warnings } = await getTree(core, { depth: 3, limit: 200, includeArchived: false }, call)
    return { value: { ...value }, warnings }
  },
}

const systemInfoResource: FixedResource = {
  name: 'system-info',
  // No tool returns this information, so every client that may read gets it.
  source: { name: 'system-info' },
  title: 'State of the server',
  description: 'Version, protocol versions, contents of the vault, state of its index, and enabled features.',
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

const nodeResource: TemplateResource = {
  kind: 'node',
  kinds: ['note', 'canvas'],
  title: 'A note',
  description: 'The text of a note exactly as in its file, including frontmatter; id is its path in the vault.',
  variable: 'id',
  source: { name: 'get_node' },
  mimeType: 'text/markdown',
  read: readNoteFile,
}

const attachmentResource: TemplateResource = {
  kind: 'attachment',
  kinds: ['attachment', 'canvas'],
  title: 'An attachment',
  description: 'A file in the vault that is not a note (up to 5 MB): text as text, anything else as bytes.',
  variable: 'path',
  source: { name: 'read_attachment', needs: 'tools.attach' },
  read: readAttachmentFile,
}

export function isOffered({ source }: { readonly source: Source }, switchedOffBy: SwitchedOffBy): boolean {
  return switchedOffBy(source) === undefined
}

/** The fixed resources in the order in which they are listed. */
export const RESOURCES: readonly FixedResource[] = [recentersource, mapResource, hubsResource, treeResource, systemInfoResource]

export const TEMPLATES: readonly TemplateResource[] = [nodeResource, attachmentResource]
