import { isRecord } from '../core/is-record.ts'
export type Arguments = Readonly<Record<string, unknown>>

/** Arguments that name nodes, folders, changes or plans: of several vaults, they may begin with the name of one. */
const NAMING: ReadonlySet<string> = new Set(['id', 'ids', 'source', 'target', 'note', 'folder', 'path', 'change_id', 'plan_id'])

/** The tool whose `to` is a path; elsewhere it is a heading or a tag. */
const MOVES = 'move_node'

/** The vaults that a tool's arguments name, in the order in which they do. */
export function vaultsNamedIn(tool: string, args: Arguments, names: readonly string[]): readonly string[] {
  const found = new Set<string>()
  replaceNames(tool, args, (text) => {
    const name = vaultOf(text, names)
    if (name !== undefined) found.add(name)
    return text
  })
  return [...found]
}

/** The same arguments as the vault itself knows them, without its name. */
export function withoutVaultName(tool: string, args: Arguments, name: string): Arguments {
  return replaceNames(tool, args, (text) => (vaultOf(text, [name]) === undefined ? text : text.slice(name.length + 1)))
}

/** The vault whose name an id begins with. */
export function vaultOf(id: string, names: readonly string[]): string | undefined {
  const colon = id.indexOf(':')
  const name = colon < 1 ? undefined : id.slice(0, colon).toLowerCase()
  return name !== undefined && names.includes(name) ? name : undefined
}

type Replace = (text: string) => string

function replaceNames(tool: string, args: Arguments, replace: Replace): Arguments {
  return mapEntries(args, (key, value) => {
    if (key === 'operations' && Array.isArray(value)) return value.map((one) => replaceInOperation(one, replace))
    return replaceInArgument({ tool, key }, value, replace)
  })
}

// Operations hold no operations, and lists no lists: what is nested deeper is for the tool to refuse, however deep it is.
function replaceInOperation(operation: unknown, replace: Replace): unknown {
  if (!isRecord(operation) || !isRecord(operation.arguments)) return operation
  const tool = String(operation.tool)
  return {
    ...operation,
    arguments: mapEntries(operation.arguments, (key, value) => replaceInArgument({ tool, key }, value, replace)),
  }
}

function replaceInArgument(
  { tool, key }: { readonly tool: string; readonly key: string },
  value: unknown,
  replace: Replace,
): unknown {
  if (NAMING.has(key) || (key === 'to' && tool === MOVES)) return replaceTexts(value, replace)
  if (key === 'relations' && isRecord(value))
    return mapEntries(value, (_, targets) => replaceTexts(targets, unlessTitle(replace)))
  return value
}

/** Targets of relations may be titles, too, and titles such as "Work: plan" begin like an id. */
function unlessTitle(replace: Replace): Replace {
  return (text) => (/^[^:]*:\s/.test(text) ? text : replace(text))
}

function replaceTexts(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string') return replace(value)
  return Array.isArray(value) ? value.map((one) => (typeof one === 'string' ? replace(one) : one)) : value
}

function mapEntries(object: Arguments, map: (key: string, value: unknown) => unknown): Arguments {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]))
}
