import type { Access, Scope } from '../../http/access.ts'
import type { OffSwitch, Permission, ToolIdentity } from '../../mcp/definition/define-tool.ts'

const SCOPE_OF: Readonly<Record<Permission, Scope>> = { 'tools.write': 'write', 'tools.attach': 'attach' }

/** Why the holder of a token may not use a tool, and what to do about it; `undefined` when it is allowed. */
export function refusedTo(access: Access, { needs }: ToolIdentity): OffSwitch | undefined {
  const { name, scopes, vaults } = access
  const scope = needs === undefined ? 'read' : SCOPE_OF[needs]
  if (scopes.has(scope)) return undefined
  return { hint: `The token "${name}" has no scope "${scope}". ${anotherToken([...scopes, scope], vaults)}` }
}

/** How to make a token with these scopes, for these vaults. */
export function anotherToken(scopes: Iterable<Scope>, vaults: Access['vaults']): string {
  const only = vaults === '*' ? '' : ` --vaults ${vaults.join(',')}`
  return `Where the server runs, "roux token add <name> --scope ${[...scopes].join(',')}${only}" makes one that does.`
}
