import { basename } from 'node:path'
import { onlyVaults, type Vaults } from '../../app/vaults.ts'
import type { LoadedVaults } from '../../config/load-vaults.ts'
import type { Settings } from '../../config/settings.ts'
import { RouxError } from '../../core/errors.ts'
import type { Access, Scope } from '../../http/tokens.ts'
import type { OffSwitch, Permission, ToolIdentity } from '../../mcp/definition/define-tool.ts'
import type { VisibleVaults } from '../../mcp/events/events.ts'

export function visibleVaults(access: Access, vaults: Vaults, loaded: LoadedVaults): Vaults {
  const visible = visibleNames(access, vaults, loaded)
  const refusal = (): RouxError =>
    new RouxError('PERMISSION_DENIED', `${nameOf(access)} does not have access to any vault on this server.`, {
      hint: permissionHint(access, access.scopes, '*'),
    })
  if (visible !== 'nothing' && vaults.names.length === 0) return vaults
  return onlyVaults(vaults, (name) => visible !== 'nothing' && visible.includes(name), refusal)
}

export function vaultsAnnouncedTo(access: Access, vaults: Vaults, loaded: LoadedVaults): VisibleVaults {
  // Events reveal the names of changed notes, so they require the scope `read`.
  return access.scopes.has('read') ? visibleNames(access, vaults, loaded) : 'nothing'
}

function visibleNames(access: Access, { names }: Vaults, { vaults: [first] }: LoadedVaults): VisibleVaults {
  if (access.vaults === '*') return names
  const allowedNames = access.vaults.map((name) => name.toLowerCase())
  if (names.length === 0) return allowedNames.includes(unnamedVault(first.settings)) ? names : 'nothing'
  const visible = names.filter((name) => allowedNames.includes(name))
  return visible.length === 0 ? 'nothing' : visible
}

export function unnamedVault({ vault }: Pick<Settings, 'vault'>): string {
  return basename(vault.path).toLowerCase()
}

const SCOPE_OF: Readonly<Record<Permission, Scope>> = { 'tools.write': 'write', 'tools.attach': 'attach' }

export function refusedTo(access: Access, tool: ToolIdentity): OffSwitch | undefined {
  const { scopes, vaults } = access
  const missing = scopesFor(tool).filter((scope) => !scopes.has(scope))
  if (missing.length === 0) return undefined
  const lacks = missing.map((scope) => `"${scope}"`).join(' and ')
  return { hint: `${nameOf(access)} has no scope ${lacks}. ${permissionHint(access, [...scopes, ...missing], vaults)}` }
}

/** Tools that call a model also require `read`, because answers reveal the content of notes. */
function scopesFor({ needs, needsChatModel }: ToolIdentity): readonly Scope[] {
  if (needsChatModel === true) return ['read', 'ai']
  return [needs === undefined ? 'read' : SCOPE_OF[needs]]
}

function nameOf({ name, isConnection }: Access): string {
  return `The ${isConnection ? 'connection' : 'token'} "${name}"`
}

function permissionHint({ isConnection }: Access, scopes: Iterable<Scope>, vaults: Access['vaults']): string {
  const only = vaults === '*' ? '' : ` --vaults ${vaults.join(',')}`
  if (isConnection && [...scopes].includes('ai')) return 'A program that signed in cannot use the chat model of this server.'
  if (isConnection)
    return `Where the notes are, run "roux connect --scope ${[...scopes].join(',')}${only}", then connect this program again.`
  return `Where the server runs, "roux token add <name> --scope ${[...scopes].join(',')}${only}" makes one that does.`
}
