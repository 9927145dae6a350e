import { basename } from 'node:path'
import { onlyVaults, type Vaults } from '../../app/vaults.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { Access } from '../../http/tokens.ts'
import type { SeenVaults } from '../../mcp/events/events.ts'
import { anotherToken } from './token-scope.ts'

/** The vaults that a token is for. */
export function seenBy(access: Access, vaults: Vaults, loaded: LoadedVaults): Vaults {
  const seen = namesSeen(access, vaults, loaded)
  const refusal = (): RouxError =>
    new RouxError('PERMISSION_DENIED', `The token "${access.name}" has access to none of the vaults served here.`, {
      hint: anotherToken(access.scopes, '*'),
    })
  if (seen !== 'nothing' && vaults.names.length === 0) return vaults
  return onlyVaults(vaults, (name) => seen !== 'nothing' && seen.includes(name), refusal)
}

/** The vaults of which the holder of a token is told what happens: those that it is for, if it may read at all. */
export function toldOf(access: Access, vaults: Vaults, loaded: LoadedVaults): SeenVaults {
  // Which notes change is a fact about them, too.
  return access.scopes.has('read') ? namesSeen(access, vaults, loaded) : 'nothing'
}

/** A vault that has no name goes by that of its folder. Names are compared in any case. */
function namesSeen(access: Access, { names }: Vaults, { vaults: [first] }: LoadedVaults): SeenVaults {
  if (access.vaults === '*') return names
  const allowed = access.vaults.map((name) => name.toLowerCase())
  if (names.length === 0) return allowed.includes(basename(first.settings.vault.path).toLowerCase()) ? names : 'nothing'
  const seen = names.filter((name) => allowed.includes(name))
  return seen.length === 0 ? 'nothing' : seen
}
