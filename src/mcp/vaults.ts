import { basename } from 'node:path'
import type { Answer, GraphCore } from '../app/graph-core.ts'
import { vaultOf } from '../app/vault-arguments.ts'

/** A vault, and an id as the vault itself knows it. */
export interface IdInVault {
  readonly core: GraphCore
  readonly id: string
}

/** The vault that an id is of: the one whose name it begins with, in any case, else the first, as for tools. */
export function coreOf(vaults: readonly GraphCore[], id: string): IdInVault | undefined {
  const name = vaultOf(
    id,
    vaults.flatMap((core) => core.name ?? []),
  )
  const core = name === undefined ? vaults[0] : vaults.find((one) => one.name === name)
  return core === undefined ? undefined : { core, id: name === undefined ? id : id.slice(name.length + 1) }
}

/** What is said of the only vault, or of each of several under `vaults`; what should be known of it stands beside it. */
export async function ofEveryVault(
  vaults: readonly GraphCore[],
  say: (core: GraphCore) => Promise<Answer<object>>,
): Promise<object> {
  const said = await Promise.all(vaults.map(async (core) => withWarnings(await say(core))))
  if (said.length === 1) return { ...said[0] }
  return { vaults: vaults.map((core, at) => ({ vault: core.name ?? basename(core.root), ...said[at] })) }
}

function withWarnings({ value, warnings }: Answer<object>): object {
  return warnings.length === 0 ? value : { ...value, _warnings: warnings }
}
