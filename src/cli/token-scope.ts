import type { Access, Scope } from '../http/access.ts'
import type { OffSwitch, Permission, ToolIdentity } from '../mcp/define-tool.ts'

const SCOPE_OF: Readonly<Record<Permission, Scope>> = { 'tools.write': 'write', 'tools.attach': 'attach' }

/** Why the holder of a token may not use a tool on a vault, and what to do about it; `undefined` when it is allowed. */
export function refusedTo({ name, scopes, vaults }: Access, tool: ToolIdentity, vault: string): OffSwitch | undefined {
  if (vaults !== '*' && !vaults.includes(vault))
    return { hint: `The token "${name}" is not for the vault "${vault}" but for ${vaults.join(', ')}. ${another('read', vault)}` }
  const scope = scopeOf(tool)
  if (scopes.has(scope)) return undefined
  return { hint: `The token "${name}" has no scope "${scope}". ${another([...scopes, scope].join(','), vaults)}` }
}

function scopeOf({ needs }: ToolIdentity): Scope {
  return needs === undefined ? 'read' : SCOPE_OF[needs]
}

function another(scopes: string, vaults: string | readonly string[]): string {
  const only = vaults === '*' ? '' : ` --vaults ${typeof vaults === 'string' ? vaults : vaults.join(',')}`
  return `Where the server runs, "roux token add <name> --scope ${scopes}${only}" makes one that does.`
}
