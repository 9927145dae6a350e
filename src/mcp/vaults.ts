import { basename } from 'node:path'
import type { GraphCore } from '../app/graph-core.ts'

/** The vault that an id belongs to: ids of a vault that has a name begin with `name:`. */
export function vaultOf(vaults: readonly GraphCore[], id: string): GraphCore | undefined {
  return (
    vaults.find(({ name }) => name !== undefined && id.startsWith(`${name}:`)) ?? vaults.find(({ name }) => name === undefined)
  )
}

/** What is said of the only vault, or of each of several under `vaults`. */
export async function ofEveryVault(vaults: readonly GraphCore[], say: (core: GraphCore) => Promise<object>): Promise<object> {
  const [only, ...others] = vaults
  if (only !== undefined && others.length === 0) return await say(only)
  return {
    vaults: await Promise.all(vaults.map(async (core) => ({ vault: core.name ?? basename(core.root), ...(await say(core)) }))),
  }
}
