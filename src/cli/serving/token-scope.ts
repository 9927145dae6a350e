import type { Access, Scope } from '../../http/tokens.ts'
import type { OffSwitch, Permission, ToolIdentity } from '../../mcp/definition/define-tool.ts'

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
export function anotherToken(scopes: Iterable<Scope>, vaults: Access['vaults']): string {
  const only = vaults === '*' ? '' : ` --vaults ${vaults.join(',')}`
  return `Where the server runs, "roux token add <name> --scope ${[...scopes].join(',')}${only}" makes one that does.`
}
