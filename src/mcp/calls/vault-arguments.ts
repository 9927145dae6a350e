import { isRecord } from '../../core/is-record.ts'

export type Arguments = Readonly<Record<string, unknown>>

/**
 * What a parameter refers to: an existing note, a note or folder, any other path, change or plan (`place`), or targets of
 * relations. Values may start with a vault's name. On the command line, titles are also accepted.
 */
export type NameKind = 'note' | 'note or folder' | 'place' | 'targets'

export interface Names {
  readonly [parameter: string]: NameKind | ((tool: string) => Names | undefined)
}

export function vaultsNamedIn(names: Names, args: Arguments, vaults: readonly string[]): readonly string[] {
  const vaultNames = new Set<string>()
  replaceNames(names, args, (text) => {
    const name = vaultOf(text, vaults)
    if (name !== undefined) vaultNames.add(name)
    return text
  })
  return [...vaultNames]
}

export function withoutVaultName(names: Names, args: Arguments, vault: string): Arguments {
  return replaceNames(names, args, (text) => (vaultOf(text, [vault]) === undefined ? text : text.slice(vault.length + 1)))
}

export function vaultOf(id: string, vaults: readonly string[]): string | undefined {
  const colon = id.indexOf(':')
  const name = colon < 1 ? undefined : id.slice(0, colon).toLowerCase()
  return name !== undefined && vaults.includes(name) ? name : undefined
}

type Replace = (text: string) => string

function replaceNames(names: Names, args: Arguments, replace: Replace): Arguments {
  return mapEntries(args, (key, value) => {
    const nameKind = Object.hasOwn(names, key) ? names[key] : undefined
    if (nameKind === undefined) return value
    if (typeof nameKind === 'string') return replaceInArgument(nameKind, value, replace)
    // An operation cannot contain operations. The tool rejects deeper nesting.
    return Array.isArray(value) ? value.map((item) => replaceInOperation(item, nameKind, replace)) : value
  })
}

function replaceInOperation(operation: unknown, namesOf: (tool: string) => Names | undefined, replace: Replace): unknown {
  if (!isRecord(operation) || !isRecord(operation.arguments)) return operation
  const names = namesOf(String(operation.tool)) ?? {}
  return { ...operation, arguments: replaceNames(names, operation.arguments, replace) }
}

function replaceInArgument(nameKind: NameKind, value: unknown, replace: Replace): unknown {
  if (nameKind !== 'targets') return replaceTexts(value, replace)
  return isRecord(value) ? mapEntries(value, (_, targets) => replaceTexts(targets, exceptTitles(replace))) : value
}

/** Replaces only ids. A title such as "Work: plan" looks like an id with a vault's name, but stays unchanged. */
function exceptTitles(replace: Replace): Replace {
  return (text) => (/^[^:]*:\s/.test(text) ? text : replace(text))
}

function replaceTexts(value: unknown, replace: Replace): unknown {
  if (typeof value === 'string') return replace(value)
  return Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? replace(item) : item)) : value
}

function mapEntries(object: Arguments, map: (key: string, value: unknown) => unknown): Arguments {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]))
}
