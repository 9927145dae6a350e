import type { Call } from '../../app/answer/answer-when-ready.ts'
import { type Budgeted, type Counts, sums, TOKEN_BYTES, tokensFor } from '../../app/answer/budget.ts'
import type { Answer, GraphCore, Warning } from '../../app/graph-core.ts'
import type { Vaults } from '../../app/vaults.ts'
import { RouxError } from '../../core/errors.ts'
import { groupBy } from '../../core/group-by.ts'
import { isRecord } from '../../core/is-record.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import type { SwitchedOffBy, Tool } from '../definition/define-tool.ts'
import { invalidArguments, tooLongLists } from './invalid-arguments.ts'
import { mergeWarnings, type VaultAnswer } from './reach.ts'
import { type Arguments, vaultOf, vaultsNamedIn, withoutVaultName } from './vault-arguments.ts'
import { definitionFor, requireAny } from './vaults.ts'

export interface PrepareOptions {
  readonly vaults: Vaults
  readonly switchedOffBy?: SwitchedOffBy | undefined
}

export type PreparedCall = (call: Call) => Promise<Answer<unknown>>

/**
 * @throws RouxError `INVALID_PARAMS` that lists all violations, or if a vault is unknown or ambiguous; `TOOL_DISABLED` if the
 * arguments name a disabled tool
 */
export function prepareCall(tool: Tool, args: unknown, { vaults, switchedOffBy }: PrepareOptions): PreparedCall {
  const { names } = vaults
  const tooLong = tooLongLists(args)
  if (tooLong.messages.length > 0) throw invalidArguments(tool.definition(), tooLong)
  const givenArgs = isRecord(args) ? args : {}
  if (names.length === 0) {
    const run = tool.prepare(args, switchedOffBy)
    return async (call) => fitAnswer(await run(await vaults.open(), call), tool.budget, { args: givenArgs, call })
  }
  const callArgs = { ...givenArgs }
  delete callArgs.vault
  const vaultName = wantedVault(givenArgs.vault, tool, names)
  const parts = partsOf(tool, callArgs, { names, wanted: vaultName }).map(({ name, args: vaultArgs }) => ({
    name,
    run: tool.prepare(isRecord(args) || args === undefined ? vaultArgs : args, switchedOffBy),
  }))
  const [only, ...more] = parts
  if (only !== undefined && more.length === 0)
    return async (call) => {
      const run = only.run(await vaults.open(only.name), { ...call, vaults })
      const answer = await (isUnnamed(tool, callArgs, { names, wanted: vaultName }) ? withOtherVaults(run, tool, names) : run)
      return fitAnswer(withVaultName(answer, only.name), tool.budget, { args: callArgs, call })
    }
  return async (call) => fitAnswer(await askAll(tool, callArgs, { parts, vaults, call }), tool.budget, { args: callArgs, call })
}

interface Part {
  readonly name: string
  readonly args: Arguments
}

interface Choice {
  readonly names: readonly string[]
  readonly wanted: string | undefined
}

function partsOf(tool: Tool, args: Arguments, { names, wanted }: Choice): readonly Part[] {
  if (tool.reach.kind === 'each') return partsById(tool, args, { names, wanted })
  const inArguments = vaultsNamedIn(tool.names ?? {}, args, names)
  const vaultNames = new Set([...inArguments, ...(wanted === undefined ? [] : [wanted])])
  if (vaultNames.size > 1) throw severalVaults(tool.name, [...vaultNames])
  if (vaultNames.size === 0 && tool.reach.kind === 'one' && tool.reach.mustChoose === true) throw noVaultChosen(tool.name, names)
  const [first = ''] = names
  const all = vaultNames.size > 0 ? [...vaultNames] : tool.reach.kind === 'all' ? names : [first]
  return all.map((name) => ({ name, args: withoutVaultName(tool.names ?? {}, args, name) }))
}

/** Returns true if only the first vault is asked because neither an id nor `vault` names one. */
function isUnnamed(tool: Tool, args: Arguments, { names, wanted }: Choice): boolean {
  if (tool.reach.kind !== 'one' || tool.present !== undefined || names.length < 2) return false
  return wanted === undefined && vaultsNamedIn(tool.names ?? {}, args, names).length === 0
}

async function withOtherVaults(
  run: Promise<Answer<unknown>>,
  { annotations }: Tool,
  [first = '', ...others]: readonly string[],
): Promise<Answer<unknown>> {
  const message = `Only the vault ${first} was asked. To ask ${others.join(' or ')}, pass the name as vault, or an id such as ${others[0]}:….`
  try {
    const answer = await run
    return annotations.readOnlyHint ? { ...answer, warnings: [...answer.warnings, { code: 'NOTICE', message }] } : answer
  } catch (error) {
    if (!(error instanceof RouxError) || error.code !== 'NODE_NOT_FOUND') throw error
    const hint = error.hint === undefined ? message : `${error.hint} ${message}`
    throw new RouxError(error.code, error.message, { hint, candidates: error.candidates, cause: error })
  }
}

function partsById(tool: Tool, args: Arguments, { names, wanted }: Choice): readonly Part[] {
  const [first = ''] = names
  const ids: readonly unknown[] = Array.isArray(args.ids) ? args.ids : []
  const byVault = groupBy(ids, (id) => (typeof id === 'string' ? vaultOf(id, names) : undefined) ?? wanted ?? first)
  if (byVault.size === 0) return [{ name: wanted ?? first, args }]
  return [...byVault].map(([name, vaultIds]) => ({
    name,
    args: withoutVaultName(tool.names ?? {}, { ...args, ids: vaultIds }, name),
  }))
}

interface Asking {
  readonly parts: readonly { readonly name: string; readonly run: (core: GraphCore, call: Call) => Promise<Answer<unknown>> }[]
  readonly vaults: Vaults
  readonly call: Call
}

/** If only some vaults fail, their errors become warnings. */
async function askAll(tool: Tool, args: Arguments, { parts, vaults, call }: Asking): Promise<Answer<unknown>> {
  const outcomes = await Promise.allSettled(
    parts.map(async ({ name, run }) => run(await vaults.open(name), { ...call, isPart: true })),
  )
  requireAny(outcomes)
  const answers: VaultAnswer[] = []
  const missing: Warning[] = []
  for (const [at, { name }] of parts.entries()) {
    const outcome = outcomes[at]
    if (outcome?.status === 'fulfilled') answers.push({ vault: name, answer: outcome.value })
    else if (outcome !== undefined)
      missing.push({ code: 'NOTICE', message: `This answer does not include ${name}: ${(outcome.reason as RouxError).message}` })
  }
  const merged = tool.reach.kind === 'one' ? { value: answers[0]?.answer.value } : tool.reach.merge(answers, args)
  const isWhole = merged.list === undefined || missing.length === 0
  return {
    ...merged,
    ...(isWhole ? {} : { list: { ...merged.list, counted: 'part' } }),
    warnings: [...missing, ...mergeWarnings(answers, tool.reach.kind)],
  }
}

function withVaultName({ value, ...rest }: Answer<unknown>, name: string): Answer<unknown> {
  return { ...rest, value: Array.isArray(value) ? value.map((item) => withNames(item, name)) : withNames(value, name) }
}

const OWN_NAMES = ['change_id', 'plan_id', 'undone', 'undoes'] as const

function withNames(value: unknown, name: string): unknown {
  if (!isRecord(value)) return value
  const renamed = OWN_NAMES.flatMap((key) => (typeof value[key] === 'string' ? [[key, `${name}:${value[key]}`] as const] : []))
  return renamed.length === 0 ? value : { ...value, ...Object.fromEntries(renamed) }
}

function wantedVault(vault: unknown, tool: Tool, names: readonly string[]): string | undefined {
  if (vault === undefined) return undefined
  const name = typeof vault === 'string' ? vault.toLowerCase() : ''
  if (names.includes(name)) return name
  const near = nearest(name, names)
  const hint =
    didYouMean(near) ?? `${tool.name} takes ${Object.keys(definitionFor(tool, names).inputSchema.properties).join(', ')}.`
  throw new RouxError(
    'INVALID_PARAMS',
    `Invalid arguments for ${tool.name}: vault: expected one of ${names.join(', ')}, got ${JSON.stringify(vault)?.slice(0, 60)}.`,
    {
      hint,
      ...(near.length === 0 ? {} : { candidates: near }),
    },
  )
}

function noVaultChosen(tool: string, names: readonly string[]): RouxError {
  return new RouxError('INVALID_PARAMS', `${tool} works on one vault at a time, and there are several: ${names.join(', ')}.`, {
    hint: 'Choose one with `vault`, or call it once per vault.',
    candidates: names,
  })
}

function severalVaults(tool: string, names: readonly string[]): RouxError {
  return new RouxError('INVALID_PARAMS', `The arguments of ${tool} name several vaults: ${names.join(', ')}.`, {
    hint: 'Links, paths and changes belong to one vault; make one call per vault.',
  })
}

function fitAnswer(
  answer: Answer<unknown>,
  budget: Budgeted | undefined,
  { args, call }: { readonly args: Arguments; readonly call: Call },
): Answer<unknown> {
  if (budget === undefined || answer.value === null) return answer
  const requested = typeof args.max_tokens === 'number' ? args.max_tokens : undefined
  const toolBudget = typeof budget.tokens === 'number' ? budget.tokens : budget.tokens(args)
  const maxTokens = tokensFor(requested, toolBudget, call)
  if (maxTokens === undefined) return answer
  const { value, omitted, capped = {} } = budget.fit(answer.value, maxTokens * TOKEN_BYTES, args)
  const { list } = answer
  const { results = 0 } = omitted
  const counts = sums(answer.omitted?.counts ?? {}, omitted)
  return {
    ...answer,
    value,
    ...(list === undefined || results === 0 ? {} : { list: { ...list, shown: list.shown - results } }),
    ...(isEmpty(counts) && isEmpty(capped) ? {} : { omitted: { maxTokens, counts, ...(isEmpty(capped) ? {} : { capped }) } }),
  }
}

function isEmpty(counts: Counts): boolean {
  return Object.keys(counts).length === 0
}
