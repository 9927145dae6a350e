import type { Settings } from '../config/settings.ts'
import { RouxError } from '../core/errors.ts'
import { didYouMean, nearest } from '../core/nearest.ts'
import type { Tool } from '../mcp/define-tool.ts'
import { COMMANDS } from './commands.ts'
import { awaitFindable, neededBy, remainderOf } from './findable.ts'
import type { Host } from './host.ts'
import { resolveNames } from './resolve-name.ts'
import { type Invocation, requireSettings, withCore } from './session.ts'
import { switchOff } from './tool-switch.ts'
import { commandName, SHORT_NAMES } from './tools.ts'
import { UsageError } from './usage-error.ts'

/** The tool of a name, written with `-` or `_`, or short; `undefined` when there is none. */
export async function findTool(host: Host, name: string): Promise<Tool | undefined> {
  const wanted = SHORT_NAMES.get(name) ?? name.replaceAll('-', '_')
  return (await host.tools()).find((tool) => tool.name === wanted)
}

/**
 * The tool of a name.
 * @throws UsageError with the nearest names when there is none.
 */
export async function requireTool(host: Host, name: string): Promise<Tool> {
  const tool = await findTool(host, name)
  if (tool) return tool
  const names = (await host.tools()).map((known) => commandName(known.name))
  throw new UsageError(
    `There is no tool "${name}".`,
    didYouMean(nearest(name, names, 2)) ?? 'See "roux help" for the tools there are.',
  )
}

/** What is said of a word that is neither a command nor a tool. */
export async function unknownCommand(host: Host, name: string): Promise<UsageError> {
  const tools = (await host.tools()).map((known) => commandName(known.name))
  const names = [...COMMANDS.map((known) => known.name), ...SHORT_NAMES.keys(), ...tools]
  return new UsageError(`There is no command "${name}".`, didYouMean(nearest(name, names, 2)) ?? '"roux help" lists all of them.')
}

/** Calls a tool on the vault and prints its answer. */
export async function runTool(invocation: Invocation, tool: Tool, args: Readonly<Record<string, unknown>>): Promise<number> {
  // Wrong arguments are told before a vault is read for them.
  tool.prepare(args)
  const loaded = await requireSettings(invocation)
  requireOn(tool, loaded.settings)
  const by = neededBy(tool.name, args)
  const { value, warnings, remainder } = await withCore(invocation, loaded, async (core) => {
    if (by !== undefined) await awaitFindable(core, by, loaded.settings)
    const answer = await tool.prepare(await resolveNames(core.store, args))(core, {})
    return { ...answer, remainder: by === undefined ? undefined : remainderOf(core, by) }
  })
  const question = typeof args.query === 'string' ? args.query : undefined
  await invocation.printer.answer(value, { warnings, question })
  if (remainder !== undefined) invocation.printer.note(remainder)
  return 0
}

function requireOn({ name }: Tool, settings: Settings): void {
  const off = switchOff(name, settings)
  if (off === undefined) return
  throw new RouxError('TOOL_DISABLED', `The tool ${name} is switched off.`, {
    hint: `The setting ${off.setting}: ${off.on} turns it on.`,
  })
}
