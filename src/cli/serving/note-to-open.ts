import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { quoted } from '../../app/answer/truncate.ts'
import { resolveNodes } from '../../app/find/resolve-nodes.ts'
import type { GraphCore } from '../../app/graph-core.ts'
import { lookUp } from '../../app/names/known-node.ts'
import type { Vaults } from '../../app/vaults.ts'
import { type LoadedVaults, readVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import { quietly } from '../../core/quietly.ts'
import { type Invocation, settingsInput, withVaults } from '../session.ts'
import { isShellPath, resolveNames, withoutShellPaths } from '../tools/prepare.ts'

/** Minimum similarity to open a note with a misspelled name, and to suggest a note. */
const MIN_SIMILARITY = { open: 0.7, suggest: 0.3 }
const MAX_SUGGESTED = 3

export interface NamedNoteTarget {
  readonly name: string
  /** True if the name was given as an argument that also accepts a vault. */
  readonly mayBeVault: boolean
}

/**
 * Determines whether an argument refers to a vault or a note. A folder or a vault name refers to a vault, and anything else to a note
 * in the default vaults.
 */
export async function vaultOrNote(invocation: Invocation, name: string): Promise<'vault' | NamedNoteTarget> {
  const { host, options } = invocation
  const path = resolve(host.cwd, name)
  const kind = kindOf(path)
  if (kind === 'file') return { name: path, mayBeVault: true }
  // The path may be in a folder that is not mounted at the moment.
  if (kind === 'folder' || isShellPath(name) || /^~?(?:[\\/]|$)/.test(name)) return 'vault'
  if (options.has('vault')) return { name, mayBeVault: true }
  const { server, vaults } = await readVaults(settingsInput(invocation, name))
  const isName = Object.hasOwn(server.settings.vaults, name) || vaults.some(({ stored }) => stored === name)
  return isName ? 'vault' : { name, mayBeVault: true }
}

function kindOf(path: string): 'folder' | 'file' | undefined {
  return quietly(() => (statSync(path).isDirectory() ? 'folder' : 'file'))
}

/**
 * Returns the id of the start note, which is looked up by id, title or alias and may be misspelled. Missing notes are accepted if
 * other notes link to them.
 * @throws RouxError `NODE_NOT_FOUND` with the nearest names, `AMBIGUOUS_NAME`
 */
export async function noteToOpen(
  invocation: Invocation,
  { vaults: loaded }: LoadedVaults,
  { name, mayBeVault }: NamedNoteTarget,
): Promise<string> {
  const tool = { names: { note: 'note' } } as const
  const args = withoutShellPaths(tool, { note: name }, { cwd: invocation.host.cwd, vaults: loaded })
  return await withVaults(invocation, loaded, async (vaults) => {
    const { note } = await resolveNames(vaults, tool, args)
    const near: string[] = []
    for (const vault of vaults.names.length === 0 ? [undefined] : vaults.names) {
      const core = await openFound(vaults, vault)
      if (core === undefined) continue
      const noteId = await findNote(core, String(note))
      if (noteId !== undefined) return noteId
      near.push(...(await namesLike(core, name)))
    }
    const instead = mayBeVault ? 'Give the folder that contains the notes' : 'Omit --note'
    throw new RouxError('NODE_NOT_FOUND', `There is no ${mayBeVault ? 'folder, vault or note' : 'note'} ${quoted(name)}.`, {
      hint: near.length === 0 ? `${instead}, and search on the page.` : 'Similar names:',
      candidates: near.slice(0, MAX_SUGGESTED),
    })
  })
}

/** Opens a vault. With several vaults, returns `undefined` if this one is missing. */
async function openFound(vaults: Vaults, name: string | undefined): Promise<GraphCore | undefined> {
  try {
    return await vaults.open(name)
  } catch (error) {
    if (name !== undefined && error instanceof RouxError && error.code === 'VAULT_NOT_FOUND') return undefined
    throw error
  }
}

async function findNote(core: GraphCore, name: string): Promise<string | undefined> {
  const id = await core.store.read(async (snapshot) => (await lookUp(snapshot, core, [name]))[0])
  if (id !== undefined) return id
  const { value } = await resolveNodes(core, { names: [name], strategy: 'fuzzy', threshold: MIN_SIMILARITY.open })
  return value[0]?.match ?? undefined
}

async function namesLike(core: GraphCore, name: string): Promise<readonly string[]> {
  const options = { limit: MAX_SUGGESTED, minimum: MIN_SIMILARITY.suggest }
  const [hits = []] = await core.store.read((snapshot) => snapshot.names([name], 'similar', {}, options))
  return hits.map(({ id }) => id)
}
