import { RouxError } from '../core/errors.ts'
import { GLOBAL_OPTIONS, type Parsed, parseArguments, splitCommand } from './arguments.ts'
import { type CommandName, findCommand, type KnownCommand, optionsOfCommand } from './commands.ts'
import { type Host, UsageError, VERSION } from './host.ts'
import { Printer } from './output/printer.ts'
import type { Invocation } from './session.ts'

type Run = (invocation: Invocation) => Promise<number>

/** The code of each command is imported on demand to keep startup fast. */
const CODE: Readonly<Record<CommandName, () => Promise<Run>>> = {
  serve: async () => (await import('./serving/serve.ts')).run,
  stop: async () => (await import('./shared/background.ts')).stop,
  open: async () => (await import('./serving/open.ts')).run,
  init: async () => (await import('./vaults/upkeep.ts')).init,
  install: async () => (await import('./assistants/install.ts')).install,
  uninstall: async () => (await import('./assistants/install.ts')).uninstall,
  status: async () => (await import('./vaults/status.ts')).status,
  doctor: async () => (await import('./doctor/doctor.ts')).run,
  index: async () => (await import('./vaults/status.ts')).index,
  feed: async () => (await import('./vaults/feed.ts')).run,
  eval: async () => (await import('./eval/eval.ts')).run,
  export: async () => (await import('./vaults/export.ts')).run,
  trust: async () => (await import('./vaults/upkeep.ts')).trust,
  forget: async () => (await import('./vaults/upkeep.ts')).forget,
  token: async () => (await import('./serving/token.ts')).run,
  connect: async () => (await import('./serving/connect.ts')).run,
  ask: async () => (await import('./ai/ai.ts')).ask,
  ai: async () => (await import('./ai/ai.ts')).ai,
  usage: async () => (await import('./ai/ai.ts')).usage,
  call: async () => (await import('./tools/tool-command.ts')).call,
  completion: async () => (await import('./completion/completion.ts')).run,
  help: async () => (await import('./help.ts')).run,
}

export async function run(argv: readonly string[], host: Host): Promise<number> {
  try {
    const { command, rest } = splitCommand(argv)
    if (command === undefined) return await runNothing(rest, host)
    const knownCommand = findCommand(command)
    return knownCommand ? await runCommand(knownCommand, rest, host) : await runToolCommand(command, rest, host)
  } catch (error) {
    new Printer(host, false).error(error)
    return exitCode(error)
  }
}

async function runNothing(rest: readonly string[], host: Host): Promise<number> {
  const invocation = invocationOf(parseArguments(rest, GLOBAL_OPTIONS), host)
  if (invocation.options.get('version')) return printVersion(invocation)
  const { shortHelp, run: help } = await import('./help.ts')
  if (invocation.options.get('help')) return help(invocation)
  await invocation.printer.text(shortHelp(host.stdout.columns))
  return 0
}

async function runCommand(command: KnownCommand, rest: readonly string[], host: Host): Promise<number> {
  const invocation = invocationOf(parseArguments(rest, optionsOfCommand(command)), host)
  if (invocation.options.get('version')) return printVersion(invocation)
  if (asksForHelp(invocation, command.takesText)) return showHelp(invocation, command.name)
  const extra = invocation.positionals[command.words]
  if (extra !== undefined)
    throw new UsageError(`Unexpected argument "${extra}".`, `Run: roux ${command.name} ${command.usage}`.trimEnd())
  const code = await CODE[command.name]()
  return code(invocation)
}

async function runToolCommand(name: string, rest: readonly string[], host: Host): Promise<number> {
  const { findTool, runTool, unknownCommand } = await import('./tools/tool-command.ts')
  const { argumentsOf, optionsOf, parametersOf } = await import('./tools/tool-help.ts')
  const { runDecision } = await import('./tools/decide.ts')
  const tool = await findTool(host, name)
  if (tool === undefined) throw await unknownCommand(host, name)
  const parameters = parametersOf(tool.definition())
  const parsed = parseArguments(rest, optionsOf(tool))
  const invocation = invocationOf(parsed, host)
  if (invocation.options.get('version')) return printVersion(invocation)
  const takesText = parameters.some(({ required, isWord }) => required || isWord)
  if (asksForHelp(invocation, takesText)) return showHelp(invocation, name)
  const args = () => argumentsOf(parameters, parsed)
  return runDecision(tool, invocation, args) ?? runTool(invocation, tool, args())
}

function invocationOf({ options, positionals }: Parsed, host: Host): Invocation {
  return { host, options, positionals, printer: new Printer(host, options.get('json') === true) }
}

/** `help` requests help only as the sole argument. */
function asksForHelp({ options, positionals }: Invocation, takesText = false): boolean {
  return options.get('help') === true || (!takesText && positionals.length === 1 && positionals[0] === 'help')
}

async function showHelp(invocation: Invocation, name: string): Promise<number> {
  const { run: help } = await import('./help.ts')
  return help({ ...invocation, positionals: [name] })
}

async function printVersion({ printer }: Invocation): Promise<number> {
  await printer.text(`${VERSION}\n`)
  return 0
}

function exitCode(error: unknown): number {
  return error instanceof UsageError || (error instanceof RouxError && error.code === 'INVALID_PARAMS') ? 2 : 1
}
