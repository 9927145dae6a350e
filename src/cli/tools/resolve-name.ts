import type { GraphCore } from '../../app/graph-core.ts'
import { ambiguousName, findIds, nodesNamed } from '../../app/names/known-node.ts'
import { isFolder } from '../../app/scope.ts'
import type { Vaults } from '../../app/vaults.ts'
import { vaultOf } from '../../mcp/calls/vault-arguments.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'

/**
 * Replaces titles and aliases in the arguments by ids. Searches all vaults, unless the name starts with a vault's. An
 * unknown name stays, and the tool reports it.
 * @throws RouxError `AMBIGUOUS_NAME` when several notes have the name and none has it as its id
 */
export async function resolveNames(
  vaults: Vaults,
  { names = {} }: Pick<Tool, 'names'>,
  args: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const resolved: Record<string, unknown> = { ...args }
  for (const [name, named] of Object.entries(names)) {
    if (named !== 'note' && named !== 'note or folder') continue
    const value = args[name]
    const where = { orFolder: named === 'note or folder', vault: args.vault }
    const resolve = async (one: unknown): Promise<unknown> =>
      typeof one === 'string' ? await resolveIn(vaults, one, where) : one
    if (value !== undefined) resolved[name] = await (Array.isArray(value) ? Promise.all(value.map(resolve)) : resolve(value))
  }
  return resolved
}

interface Where {
  /** True if a folder is allowed; a folder takes precedence over a note's title. */
  readonly orFolder: boolean
  /** The only vault to search. */
  readonly vault: unknown
}

interface Asked extends Pick<Where, 'orFolder'> {
  readonly name: string
}

async function resolveIn(vaults: Vaults, value: string, { orFolder, vault }: Where): Promise<string> {
  const own = vaultOf(value, vaults.names)
  const inOwn = own === undefined ? [] : await idsIn(vaults, [own], { orFolder, name: value.slice(own.length + 1) })
  const asked = typeof vault === 'string' && vaults.names.includes(vault) ? [vault] : namesOf(vaults)
  // A title may start like a vault's name: "Work: plan".
  const ids = inOwn.length > 0 ? inOwn : await idsIn(vaults, asked, { orFolder, name: value })
  const [id] = ids
  if (id === undefined) return value
  if (ids.length > 1)
    throw ambiguousName(
      value,
      ids.map((one) => ({ id: one })),
    )
  return id
}

async function idsIn(
  vaults: Vaults,
  asked: readonly (string | undefined)[],
  { orFolder, name }: Asked,
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for (const one of asked) for (const id of await idsOf(vaults, one, { orFolder, name })) ids.add(id)
  return [...ids]
}

/** Names of the vaults to open; `undefined` for the only, unnamed vault. */
function namesOf({ names }: Vaults): readonly (string | undefined)[] {
  return names.length === 0 ? [undefined] : names
}

/** Looks up a name in one vault: a node's id, a folder, or the notes with that title or alias. */
async function idsOf(vaults: Vaults, vault: string | undefined, { orFolder, name }: Asked): Promise<readonly string[]> {
  const core = await coreOf(vaults, vault)
  if (core === undefined) return []
  return await core.store.read(async (snapshot) => {
    const [id] = await findIds(snapshot, core, [name])
    const inVault = vault === undefined ? name : `${vault}:${name}`
    if (orFolder && (await isFolder(snapshot, name))) return [inVault]
    if (id !== undefined) return [vault === undefined ? name : id]
    const [hits = []] = await nodesNamed(snapshot, [name])
    return hits.map((hit) => hit.id)
  })
}

/** The tool itself reports a missing vault. */
async function coreOf(vaults: Vaults, vault: string | undefined): Promise<GraphCore | undefined> {
  try {
    return await vaults.open(vault)
  } catch (error) {
    if (vault === undefined) throw error
    return undefined
  }
}
