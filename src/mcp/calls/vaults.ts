import { basename } from 'node:path'
import type { Answer, GraphCore } from '../../app/graph-core.ts'
import { RouxError } from '../../core/errors.ts'
import type { Tool, ToolDefinition } from '../definition/define-tool.ts'
import type { PropertySchema } from '../definition/schemas.ts'
import { vaultOf } from './vault-arguments.ts'

const DESCRIPTIONS: Readonly<Record<Tool['reach']['kind'], string>> = {
  all: 'Only this vault; default: all.',
  each: 'Vault for ids that do not name one; default: the first.',
  one: 'Vault to use if no id names one; default: the first.',
}

export interface IdInVault {
  readonly core: GraphCore
  readonly id: string
}

/** Finds the vault of an id by its name, ignoring case. Without a name, the first vault is returned. */
export function coreOf(vaults: readonly GraphCore[], id: string): IdInVault | undefined {
  const name = vaultOf(
    id,
    vaults.flatMap((core) => core.name ?? []),
  )
  const core = name === undefined ? vaults[0] : vaults.find((vault) => vault.name === name)
  return core === undefined ? undefined : { core, id: name === undefined ? id : id.slice(name.length + 1) }
}

/**
 * Returns data about the only vault, or about each vault under `vaults`.
 * @throws the first vault's error if all fail; any error that is not a RouxError
 */
export async function readEveryVault(
  vaults: readonly GraphCore[],
  read: (core: GraphCore) => Promise<Answer<object>>,
): Promise<object> {
  const outcomes = await Promise.allSettled(vaults.map(read))
  requireAny(outcomes)
  const facts = outcomes.map((outcome): object => {
    if (outcome.status === 'rejected') return { _warnings: [{ code: 'NOTICE', message: (outcome.reason as RouxError).message }] }
    const { value, warnings } = outcome.value
    return warnings.length === 0 ? value : { ...value, _warnings: warnings }
  })
  if (facts.length === 1) return { ...facts[0] }
  return { vaults: vaults.map((core, at) => ({ vault: core.name ?? basename(core.root), ...facts[at] })) }
}

/**
 * Reads all vaults, and leaves out those that fail.
 * @throws the first vault's error if all fail; any error that is not a RouxError
 */
export async function readAvailableVaults<T>(
  vaults: readonly GraphCore[],
  read: (core: GraphCore) => Promise<T>,
): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(vaults.map(read))
  requireAny(outcomes)
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
}

/** Checks that at least one outcome is a success. @throws the first error if all failed; any error that is not a RouxError */
export function requireAny(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected')
  const mistake = failures.find(({ reason }) => !(reason instanceof RouxError))
  const failure = mistake ?? (failures.length === outcomes.length ? failures[0] : undefined)
  if (failure !== undefined) throw failure.reason
}

export function definitionFor(tool: Tool, names: readonly string[]): ToolDefinition {
  const definition = tool.definition()
  if (names.length === 0 || tool.present !== undefined) return definition
  const vault: PropertySchema = { type: 'string', enum: names, description: DESCRIPTIONS[tool.reach.kind] }
  const { inputSchema } = definition
  return { ...definition, inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, vault } } }
}
