import { text } from 'node:stream/consumers'
import type { GraphCore, Warning } from '../../app/graph-core.ts'
import type { ChangesAnswer } from '../../app/insight/changes-since.ts'
import type { GapList } from '../../app/insight/gaps.ts'
import type { VaultMap } from '../../app/insight/map.ts'
import type { SuggestionList } from '../../app/insight/suggest-links.ts'
import type { Vaults } from '../../app/vaults.ts'
import type { LoadedVault, LoadedVaults } from '../../config/load-vaults.ts'
import { isRecord } from '../../core/is-record.ts'
import { didYouMean, nearest } from '../../core/text/nearest.ts'
import { prepareCall } from '../../mcp/calls/prepare-call.ts'
import { listSentences } from '../../mcp/calls/tool-result.ts'
import type { Tool } from '../../mcp/definition/define-tool.ts'
import type { Option } from '../arguments.ts'
import { COMMANDS, findCommand, type KnownCommand, optionsOfCommand } from '../commands.ts'
import { type Host, UsageError } from '../host.ts'
import type { RenderAnswer } from '../output/printer.ts'
import { renderChanges, renderGaps, renderMap, renderSuggestions } from '../output/render-insight.ts'
import { renderWritten } from '../output/render-written.ts'
import { type Invocation, requireVaults, withVaults } from '../session.ts'
import { awaitFindable, remainderOf, resolveNames, withoutShellPaths } from './prepare.ts'
import { commandName, optionsOf, SHORT_NAMES } from './tool-help.ts'
import { requireOn, settingsFor, switchedOffIn } from './tool-switch.ts'

export async function findTool(host: Host, name: string): Promise<Tool | undefined> {
  const toolName = SHORT_NAMES.get(name) ?? name.replaceAll('-', '_')
  return (await host.tools()).find((tool) => tool.name === toolName)
}

export interface CommandOrTool {
  readonly known?: KnownCommand
  readonly tool?: Tool
  readonly options: readonly Option[]
}

export async function findCommandOrTool(host: Host, word: string): Promise<CommandOrTool | undefined> {
  const command = findCommand(word)
  if (command !== undefined) return { known: command, options: optionsOfCommand(command) }
  const tool = await findTool(host, word)
  return tool && { tool, options: optionsOf(tool) }
}

/** Finds a tool by name. @throws UsageError with the nearest names */
export async function requireTool(host: Host, name: string): Promise<Tool> {
  const tool = await findTool(host, name)
  if (tool) return tool
  const names = (await host.tools()).map((tool) => commandName(tool.name))
  throw new UsageError(`There is no tool "${name}".`, didYouMean(nearest(name, names, 2)) ?? '"roux help" lists the tools.')
}

export async function unknownCommand(host: Host, name: string): Promise<UsageError> {
  const tools = (await host.tools()).map((tool) => commandName(tool.name))
  const names = [...COMMANDS.map((command) => command.name), ...SHORT_NAMES.keys(), ...tools]
  return new UsageError(`There is no command "${name}".`, didYouMean(nearest(name, names, 2)) ?? '"roux help" lists all of them.')
}

export async function runTool(invocation: Invocation, tool: Tool, givenArgs: Readonly<Record<string, unknown>>): Promise<number> {
  // Invalid arguments are reported before a vault is read.
  tool.prepare(withoutVault(givenArgs))
  requireNoPlan(givenArgs)
  const loaded = settingsOfAll(tool, await requireVaults(invocation))
  const { vaults } = loaded
  requireOn(tool, loaded)
  const args = withoutShellPaths(tool, givenArgs, { cwd: invocation.host.cwd, vaults })
  const switchedOffBy = switchedOffIn(loaded)
  prepareCall(tool, args, { vaults: unopened(vaults), switchedOffBy })
  const by = tool.searchReadiness?.(args)
  const ask = async (all: Vaults) => {
    const answeringVaults = new Set<GraphCore>()
    const findable: Vaults = {
      ...all,
      async open(name) {
        const core = await all.open(name)
        if (by !== undefined) await awaitFindable(core, by, (vaults.find((vault) => vault.name === name) ?? vaults[0]).settings)
        answeringVaults.add(core)
        return core
      },
    }
    const run = prepareCall(tool, await resolveNames(all, tool, args), { vaults: findable, switchedOffBy })
    const answer = await run({ isUntruncated: true, withHighlights: !invocation.printer.json })
    const remainders = by === undefined ? [] : [...answeringVaults].flatMap((core) => remainderOf(core, by) ?? [])
    return { ...answer, remainder: remainders[0] }
  }
  const cautious = { ...invocation, runsOnce: !tool.annotations.readOnlyHint }
  const { value, warnings, remainder, list } = await withVaults(cautious, vaults, ask)
  const question = typeof args.query === 'string' ? args.query : undefined
  await invocation.printer.answer(withoutPlan(value), { warnings, question, render: renderFor(invocation, tool, args) })
  const isPaged = tool.definition().inputSchema.properties.offset !== undefined && !invocation.printer.json
  for (const sentence of list === undefined || !isPaged ? [] : listSentences(list, '--offset ')) invocation.printer.note(sentence)
  if (remainder !== undefined) invocation.printer.note(remainder)
  return isMissing(tool, args, warnings) || (isRecord(value) && value.found === false) ? 1 : 0
}

/** Returns true if the arguments name a note, folder, tag or property that does not exist. */
function isMissing({ names = {} }: Tool, args: Readonly<Record<string, unknown>>, warnings: readonly Warning[]): boolean {
  const areNamed = [...Object.keys(names), 'tag', 'tags', 'key'].some((name) => args[name] !== undefined)
  return areNamed && warnings.some(({ code }) => code === 'UNKNOWN_ID')
}

function renderFor({ options }: Invocation, tool: Tool, args: Readonly<Record<string, unknown>>): RenderAnswer | undefined {
  const page = PAGES[tool.name]
  if (page !== undefined || tool.needs === undefined) return page
  const option = options.get('write') === true ? ' --write' : ''
  return (value, look) => renderWritten(value, { ...look, commandOptions: option, isDryRun: args.dry_run === true })
}

const PAGES: Readonly<Record<string, RenderAnswer>> = {
  map: (value, look) => renderMap(value as VaultMap, look),
  changes_since: (value, look) => renderChanges(value as ChangesAnswer, look),
  suggest_links: (value, look) => renderSuggestions(value as SuggestionList, look),
  gaps: (value, look) => renderGaps(value as GapList, look),
}

/** Removes the argument `vault`. With one vault, tools do not have it. With several, it is checked after loading. */
export function withoutVault({ vault: _, ...args }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return args
}

/** Allows all reading tools, because reading on the command line needs no permission. */
function settingsOfAll(tool: Tool, { server, vaults: [first, ...more] }: LoadedVaults): LoadedVaults {
  const set = <T extends LoadedVault>(loadedVault: T): T => ({
    ...loadedVault,
    settings: settingsFor(tool, loadedVault.settings),
  })
  return { server: set(server), vaults: [set(first), ...more.map(set)] }
}

function unopened(vaults: readonly LoadedVault[]): Vaults {
  return { names: vaults.flatMap(({ name }) => name ?? []), open: () => Promise.reject(new Error('not opened yet')) }
}

/** Removes the id of a plan, because plans are lost when this process exits. */
export function withoutPlan(value: unknown): unknown {
  if (!isRecord(value) || !('plan_id' in value)) return value
  const { plan_id: _, ...rest } = value
  return rest
}

function requireNoPlan({ plan_id }: Readonly<Record<string, unknown>>): void {
  if (plan_id === undefined) return
  throw new UsageError(
    'Plans are lost when the command that made them ends, so there is no plan to apply.',
    'Pass the operations again without --dry-run.',
  )
}

export async function call(invocation: Invocation): Promise<number> {
  const [name, json = '{}'] = invocation.positionals
  if (name === undefined) throw new UsageError('Which tool?', 'Run: roux call <tool> [json|-]')
  const tool = await requireTool(invocation.host, name)
  return runTool(invocation, tool, parse(json === '-' ? await text(invocation.host.stdin) : json))
}

function parse(json: string): Readonly<Record<string, unknown>> {
  let args: unknown
  try {
    args = JSON.parse(json)
  } catch (error) {
    throw new UsageError(
      `The arguments are not JSON: ${(error as Error).message}.`,
      `For example: roux call get_hubs '{"limit": 5}'`,
    )
  }
  if (isRecord(args)) return args
  throw new UsageError('The arguments are not a JSON object.', `For example: roux call get_hubs '{"limit": 5}'`)
}
