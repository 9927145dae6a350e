import { ambiguousName, meaningsOf } from '../../app/names/known-node.ts'
import { isFolder } from '../../app/scope.ts'
import type { Vaults } from '../../app/vaults.ts'
import { vaultOf } from '../../mcp/calls/vault-arguments.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'

/**
 * Replaces titles and aliases in the arguments with ids. All vaults are searched, unless the name starts with the name of a vault.
 * Unknown names are left unchanged and are reported by the tool.
 * @throws RouxError `AMBIGUOUS_NAME` if several notes have the name and it is not the id of any of them
 */
export async function resolveNames(
  vaults: Vaults,
  { names = {} }: Pick<Tool, 'names'>,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const resolved: Record<string, unknown> = { ...args }
  for (const [name, nameKind] of Object.entries(names)) {
    if (nameKind !== 'note' && nameKind !== 'note or folder') continue
    const value = args[name]
    const where = { orFolder: nameKind === 'note or folder', vault: args.vault }
    const resolve = async (item: unknown): Promise<unknown> =>
      typeof item === 'string' ? await resolveIn(vaults, item, where) : item
    if (value !== undefined) resolved[name] = await (Array.isArray(value) ? Promise.all(value.map(resolve)) : resolve(value))
  }
  return resolved
}

interface NameContext {
  /** True if folders are accepted. A folder takes precedence over a note with the same title. */
  readonly orFolder: boolean
  readonly vault: unknown
}

async function resolveIn(vaults: Vaults, value: string, { orFolder, vault }: NameContext): Promise<string> {
  const vaultOfName = vaultOf(value, vaults.names)
  const inOwn =
    vaultOfName === undefined ? [] : await idsIn(vaults, [vaultOfName], { orFolder, name: value.slice(vaultOfName.length + 1) })
  const all = vaults.names.length === 0 ? [undefined] : vaults.names
  const searched = typeof vault === 'string' && vaults.names.includes(vault) ? [vault] : all
  // A title may start with what looks like a vault name, as in "Work: plan".
  const ids = inOwn.length > 0 ? inOwn : await idsIn(vaults, searched, { orFolder, name: value })
  if (ids.length > 1) throw ambiguousName(value, ids)
  return ids[0] ?? value
}

/** Looks up a name in these vaults. It may be a node id, a folder, or the title or alias of notes. */
async function idsIn(
  vaults: Vaults,
  searched: readonly (string | undefined)[],
  { orFolder, name }: { readonly orFolder: boolean; readonly name: string },
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const vault of searched) {
    const opening = vaults.open(vault)
    // If one of several vaults is missing, the tool reports it.
    const core = await (vault === undefined ? opening : opening.catch(() => undefined))
    const ids = await core?.store.read(async (snapshot) => {
      if (orFolder && (await isFolder(snapshot, name))) return [vault === undefined ? name : `${vault}:${name}`]
      const [meaning] = await meaningsOf(snapshot, core, [name])
      return meaning?.isId === true && vault === undefined ? [name] : (meaning?.ids ?? [])
    })
    for (const id of ids ?? []) found.add(id)
  }
  return [...found]
}
