import { basename } from 'node:path'
import type { NodeId } from '../../core/ids.ts'
import type { Mode } from '../../core/note.ts'
import { foldName } from '../../core/text/fold.ts'
import { vaultLinksOf } from '../../markdown/vault-links.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import type { GraphCore } from '../graph-core.ts'
import { meaningsOf } from '../names/known-node.ts'
import type { Vaults } from '../vaults.ts'

export interface VaultLinkResponse {
  readonly vault: string
  readonly file: string
  readonly line: number
  readonly id: NodeId | null
}

const MAX_LINKS = 100

export async function vaultLinks(core: GraphCore, text: string, call: Call): Promise<readonly VaultLinkResponse[]> {
  const mode = (core.indexing.status().mode ?? 'obsidian') as Mode
  const links = vaultLinksOf(text, { profile: 'lenient', mode, comments: true }).slice(0, MAX_LINKS)
  const resolved = links.map(async (link) => ({ ...link, id: await resolve(core, link, call) }))
  return await Promise.all(resolved)
}

async function resolve(
  core: GraphCore,
  { vault, file }: { readonly vault: string; readonly file: string },
  { vaults, signal }: Call,
): Promise<NodeId | null> {
  const target = isCalled(core, vault) ? core : await openCalled(vaults, vault)
  if (target === undefined) return null
  return await target.store.read(async (snapshot) => {
    const [meaning] = await meaningsOf(snapshot, target, [file])
    return meaning?.ids.length === 1 ? (meaning.ids[0] ?? null) : null
  }, signal)
}

async function openCalled(vaults: Vaults | undefined, vaultName: string): Promise<GraphCore | undefined> {
  const all = vaults?.names.map((name) => ({ name, root: vaults.folderOf?.(name) ?? '' })) ?? []
  const match = all.find(({ name }) => foldName(name) === foldName(vaultName)) ?? all.find((vault) => isCalled(vault, vaultName))
  return match === undefined ? undefined : await vaults?.open(match.name).catch(() => undefined)
}

function isCalled({ name, root }: Pick<GraphCore, 'name' | 'root'>, vaultName: string): boolean {
  return [name, basename(root)].some((candidate) => candidate !== undefined && foldName(candidate) === foldName(vaultName))
}
