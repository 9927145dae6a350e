import { basename } from 'node:path'
import { onlyVaults, type Vaults } from '../../app/vaults.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import { RouxError } from '../../core/errors.ts'
import type { Access, Scope } from '../../http/tokens.ts'
import type { OffSwitch, Permission, ToolIdentity } from '../../mcp/definition/define-tool.ts'
import type { SeenVaults } from '../../mcp/events/events.ts'

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

const SCOPE_OF: Readonly<Record<Permission, Scope>> = { 'tools.write': 'write', 'tools.attach': 'attach' }

/** Why a token may not use a tool, and what to do about it; `undefined` if it may. */
export function refusedTo(access: Access, tool: ToolIdentity): OffSwitch | undefined {
  const { name, scopes, vaults } = access
  const missing = scopesFor(tool).filter((scope) => !scopes.has(scope))
  if (missing.length === 0) return undefined
  const lacks = missing.map((scope) => `"${scope}"`).join(' and ')
  return { hint: `The token "${name}" has no scope ${lacks}. ${anotherToken([...scopes, ...missing], vaults)}` }
}

/** A model's answer reveals the content of notes, so it needs `read`, too. */
function scopesFor({ needs, byModel }: ToolIdentity): readonly Scope[] {
  if (byModel === true) return ['read', 'ai']
  return [needs === undefined ? 'read' : SCOPE_OF[needs]]
}

/** How to make a token with these scopes for these vaults. */
function anotherToken(scopes: Iterable<Scope>, vaults: Access['vaults']): string {
  const only = vaults === '*' ? '' : ` --vaults ${vaults.join(',')}`
  return `Where the server runs, "roux token add <name> --scope ${[...scopes].join(',')}${only}" makes one that does.`
}
