import { basename } from 'node:path'
import { onlyVaults, type Vaults } from '../../app/vaults.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { Access } from '../../http/tokens.ts'
import type { SeenVaults } from '../../mcp/events/events.ts'
import { anotherToken } from './token-scope.ts'

/** The vaults that a token gives access to. */
export function seenBy(access: Access, vaults: Vaults, loaded: LoadedVaults): Vaults {
  const seen = namesSeen(access, vaults, loaded)
  const refusal = (): RouxError =>
    new RouxError('PERMISSION_DENIED', `The token "${access.name}" has access to none of the vaults served here.`, {
      hint: anotherToken(access.scopes, '*'),
    })
  if (seen !== 'nothing' && vaults.names.length === 0) return vaults
  return onlyVaults(vaults, (name) => seen !== 'nothing' && seen.includes(name), refusal)
}

/** The vaults whose events a token's holder may receive. Without the scope `read` there are none. */
export function toldOf(access: Access, vaults: Vaults, loaded: LoadedVaults): SeenVaults {
  // The names of changed notes reveal something about them, too.
  return access.scopes.has('read') ? namesSeen(access, vaults, loaded) : 'nothing'
}

/** A vault without a name goes by the name of its folder. Case does not matter. */
function namesSeen(access: Access, { names }: Vaults, { vaults: [first] }: LoadedVaults): SeenVaults {
  if (access.vaults === '*') return names
  const allowed = access.vaults.map((name) => name.toLowerCase())
  if (names.length === 0) return allowed.includes(basename(first.settings.vault.path).toLowerCase()) ? names : 'nothing'
  const seen = names.filter((name) => allowed.includes(name))
  return seen.length === 0 ? 'nothing' : seen
}
