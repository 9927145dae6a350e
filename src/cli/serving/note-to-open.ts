import type { GraphCore } from '../../app/graph-core.ts'
import { lookUp } from '../../app/names/known-node.ts'
import { resolveNodes } from '../../app/names/resolve-nodes.ts'
import type { Vaults } from '../../app/vaults.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import { type Invocation, withVaults } from '../session.ts'
import { resolveNames } from '../tools/resolve-name.ts'
import { withoutShellPaths } from '../tools/shell-path.ts'

/** Least similarity of a name that is taken for another, and of one that is told. */
const LIKENESS = { taken: 0.7, told: 0.3 }
const MOST_TOLD = 3

/**
 * The id of the note that someone wants to begin at, by its id, title or alias, also misspelt; or of one that is only linked to.
 * @throws RouxError `NODE_NOT_FOUND` with the nearest names, `AMBIGUOUS_NAME`
 */
export async function noteToOpen(invocation: Invocation, { vaults: loaded }: LoadedVaults, name: string): Promise<string> {
  const tool = { names: { note: 'note' } } as const
  const named = withoutShellPaths(tool, { note: name }, { cwd: invocation.host.cwd, vaults: loaded })
  return await withVaults(invocation, loaded, async (vaults) => {
    const { note } = await resolveNames(vaults, tool, named)
    const near: string[] = []
    for (const vault of vaults.names.length === 0 ? [undefined] : vaults.names) {
      const core = await openFound(vaults, vault)
      if (core === undefined) continue
      const found = await findNote(core, String(note))
      if (found !== undefined) return found
      near.push(...(await namesLike(core, name)))
    }
    throw new RouxError('NODE_NOT_FOUND', `There is no note "${name}".`, {
      hint: near.length === 0 ? 'Leave out --note: the page has a search.' : 'The names that are most like it:',
      candidates: near.slice(0, MOST_TOLD),
    })
  })
}

/** One of several vaults that is missing keeps no one from the others. */
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
  const { value } = await resolveNodes(core, { names: [name], strategy: 'fuzzy', threshold: LIKENESS.taken })
  return value[0]?.match ?? undefined
}

async function namesLike(core: GraphCore, name: string): Promise<readonly string[]> {
  const options = { limit: MOST_TOLD, minimum: LIKENESS.told }
  const [hits = []] = await core.store.read((snapshot) => snapshot.names([name], 'similar', {}, options))
  return hits.map(({ id }) => id)
}
