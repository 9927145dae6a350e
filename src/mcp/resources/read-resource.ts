import type { Call } from '../../app/answer/answer-when-ready.ts'
import type { GraphCore, Warning } from '../../app/graph-core.ts'
import type { WholeFile } from '../../app/read/read-file.ts'
import { coreOf, readEveryVault } from '../calls/vaults.ts'
import type { SwitchedOffBy } from '../definition/define-tool.ts'
import { MissingResource } from '../protocol.ts'
import type { ServerFacts } from '../server-options.ts'
import { readResourceUri, resourceUri } from './resource-uri.ts'
import { isOffered, RESOURCES, TEMPLATES, type TemplateResource } from './resources.ts'

export interface ResourceContents {
  readonly uri: string
  readonly mimeType: string
  readonly text?: string
  readonly blob?: string
  readonly _meta?: Readonly<Record<string, unknown>>
}

export interface ReadOptions {
  readonly vaults: readonly GraphCore[]
  readonly server: ServerFacts
  readonly switchedOffBy: SwitchedOffBy
  readonly call: Call
}

const NEAREST = { limit: 3, minimum: 0.3 } as const

/**
 * Reads a resource. The result repeats the address as written.
 * @throws MissingResource with similar addresses; errors of the underlying use cases
 */
export async function readResource(uri: string, options: ReadOptions): Promise<ResourceContents> {
  const address = readResourceUri(uri)
  if (address === undefined) throw new MissingResource(uri)
  if (address.kind === 'fixed') return readFixed(uri, address, options)
  const template = TEMPLATES.find(({ kind }) => kind === address.kind)
  const node = coreOf(options.vaults, address.id)
  if (template === undefined || node === undefined || !isOffered(template, options.switchedOffBy)) throw new MissingResource(uri)
  const { core, id } = node
  const { value: file, warnings } = await template.read(core, id, options.call)
  if (file !== null) return contentsOf(uri, file, warnings)
  const messages = warnings.map(({ message }) => message)
  throw new MissingResource(uri, await nearestUris(core, template, id), messages)
}

async function readFixed(
  uri: string,
  { name, query }: { readonly name: string; readonly query: string },
  { vaults, server, switchedOffBy, call }: ReadOptions,
): Promise<ResourceContents> {
  const resource = RESOURCES.find((candidate) => candidate.name === name)
  if (resource === undefined || query !== '' || !isOffered(resource, switchedOffBy)) {
    const available = RESOURCES.filter((candidate) => isOffered(candidate, switchedOffBy))
    throw new MissingResource(
      uri,
      available.map((candidate) => `roux://${candidate.name}`),
    )
  }
  const request = { ...call, server }
  const facts = await readEveryVault(vaults, (core) => resource.read(core, request))
  return { uri, mimeType: 'application/json', text: JSON.stringify({ ...(await resource.about?.(request)), ...facts }) }
}

async function nearestUris({ store }: GraphCore, { kind, kinds }: TemplateResource, id: string): Promise<readonly string[]> {
  const name = id.slice(id.lastIndexOf('/') + 1).replace(/\.md$/i, '')
  const [near = []] = await store.read((snapshot) => snapshot.names([name.slice(0, 255)], 'similar', { kinds }, NEAREST))
  return near.map((hit) => resourceUri(kind, hit.id))
}

function contentsOf(
  uri: string,
  { mimeType, text, blob, hash, modified }: WholeFile,
  warnings: readonly Warning[],
): ResourceContents {
  const meta = {
    ...(modified === undefined ? {} : { 'roux/modified': modified }),
    ...(hash === undefined ? {} : { 'roux/hash': hash }),
    ...(warnings.length === 0 ? {} : { 'roux/warnings': warnings }),
  }
  const content = text === undefined ? { blob: blob ?? '' } : { text }
  return { uri, mimeType, ...content, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) }
}
