import { CONFIG_FILE } from '../config/config-file.ts'
import { shownKey } from '../config/document.ts'
import { variableOf } from '../config/given.ts'
import { SETTINGS } from '../config/settings-schema.ts'
import { describeType } from '../config/values.ts'
import type { Tool } from '../mcp/definition/define-tool.ts'
import { flagOf, GLOBAL_OPTIONS, type Option } from './arguments.ts'
import { COMMANDS, type Command, findCommand, optionsOfCommand } from './commands.ts'
import { wrapWords } from './output/text.ts'
import type { Invocation } from './session.ts'
import { findTool, unknownCommand } from './tools/tool-command.ts'
import { commandName, optionsOf, type Parameter, parametersOf, SHORT_NAMES } from './tools/tool-help.ts'
import { needsWrite } from './tools/tool-switch.ts'

export async function run({ host, printer, positionals }: Invocation): Promise<number> {
  const [name] = positionals
  const text = name === undefined ? overview(await host.tools()) : name === 'settings' ? settingsHelp() : await helpOf(host, name)
  await printer.text(wrapped(text, host.stdout.columns))
  return 0
}

const LEFT_SIDE = /^ +(?:\S+(?: \S+)* {2,})?(?=\S)/
/** If the right column would be narrower than this, it goes below the left one. */
const MIN_WIDTH = 24

function wrapped(text: string, columns: number | undefined): string {
  if (!columns) return text
  const lines = text.split('\n').flatMap((line) => {
    if (line.length <= columns) return [line]
    const leftSide = LEFT_SIDE.exec(line)?.[0] ?? ''
    const text = line.slice(leftSide.length)
    if (columns - leftSide.length >= MIN_WIDTH)
      return wrapWords(text, columns - leftSide.length).map(
        (part, at) => (at === 0 ? leftSide : ' '.repeat(leftSide.length)) + part,
      )
    const below = wrapWords(text, columns - 4).map((part) => `    ${part}`)
    return leftSide.trim() === '' ? below : [leftSide.trimEnd(), ...below]
  })
  return lines.join('\n')
}

export function shortHelp(columns?: number): string {
  const text = `Roux serves a folder of Markdown notes as a link graph: to AI assistants, and here.

${list(COMMANDS.map(({ name, usage, sentence }) => [`roux ${name} ${usage}`, sentence]))}
Every tool is a command, too: roux search "why is my bread dense", roux find '#recipe rye', roux get-hubs.
"roux help" lists all of them, "roux help <command>" shows one, "roux help settings" the settings.
`
  return wrapped(text, columns)
}

async function helpOf(host: Invocation['host'], name: string): Promise<string> {
  const command = findCommand(name)
  if (command) return commandHelp(command)
  const tool = await findTool(host, name)
  if (tool) return toolHelp(tool)
  throw await unknownCommand(host, name)
}

function overview(all: readonly Tool[]): string {
  const rows = (tools: readonly Tool[]) =>
    list(
      tools.map((tool) => {
        const { name, title } = tool.definition()
        return [shortName(name) + positionalsOf(parametersOf(tool.definition())), title]
      }),
    )
  const writing = all.filter(needsWrite)
  return `Commands:
${list(COMMANDS.map(({ name, usage, sentence }) => [`${name} ${usage}`, sentence]))}
Tools (name a note by id, title, alias or path such as ./Note.md):
${rows(all.filter((tool) => !needsWrite(tool) && findCommand(commandName(tool.name)) === undefined))}${writing.length === 0 ? '' : `\nTools that need --write, or the settings tools.write and tools.attach:\n${rows(writing)}`}
Options of every command:
${optionList(GLOBAL_OPTIONS)}
Settings are read from roux.config.yaml and ROUX_* variables: "roux help settings".
`
}

function commandHelp(command: Command): string {
  const { name, usage, sentence } = command
  return `roux ${name} ${usage}

${sentence}

${optionList(optionsOfCommand(command))}`
}

function toolHelp(tool: Tool): string {
  const { description } = tool.definition()
  const parameters = parametersOf(tool.definition())
  return `roux ${commandName(tool.name)}${positionalsOf(parameters)} [options]

${description}
${shortName(tool.name) !== commandName(tool.name) ? `"roux ${shortName(tool.name)}" is its short form.\n` : ''}
${optionList(optionsOf(tool))}`
}

function shortName(tool: string): string {
  const [short] = [...SHORT_NAMES].find(([, name]) => name === tool) ?? [commandName(tool)]
  return short
}

function positionalsOf(parameters: readonly Parameter[]): string {
  return parameters
    .filter(({ required, isWord }) => required || isWord)
    .map(({ name, isRepeatable, required }) => (required ? ` <${name}>${isRepeatable ? '…' : ''}` : ` [${name}]`))
    .join('')
}

function optionList(options: readonly Option[]): string {
  return list(
    options.map((option) => [
      `${option.short ? `-${option.short}, ` : ''}${flagOf(option)}${placeholder(option)}`,
      sentenceOf(option),
    ]),
  )
}

function placeholder({ type, values, isRepeatable, isValueOptional }: Option): string {
  if (type === 'flag') return ''
  if (isValueOptional) return ` [${type}]`
  return ` <${values?.join('|') ?? type}>${isRepeatable ? '…' : ''}`
}

function sentenceOf(option: Option): string {
  const fallback = option.default === undefined || option.default === false ? '' : ` (${String(option.default)})`
  return option.sentence.split('\n', 1)[0] + fallback
}

function settingsHelp(): string {
  const blocks = SETTINGS.map(({ key, type, default: value, sentence }) => {
    const name = shownKey(key)
    // A list can wrap only at spaces, so a space follows each comma.
    return `${name}: ${JSON.stringify(value).replaceAll(',', ', ')}\n  ${sentence}\n  It is ${describeType(type)}; as a variable ${variableOf(name)}.\n`
  })
  return `${blocks.join('\n')}
The first that is set wins: --set key=value, the variable, --config <file>, the user's own file
(${CONFIG_FILE} in the user's configuration folder), the working directory's, the vault's.
`
}

function list(rows: readonly (readonly [string, string])[]): string {
  // A longer entry gets its own line instead of widening the column.
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)))
  return rows
    .map(([left, right]) =>
      left.length > width ? `  ${left}\n  ${' '.repeat(width)}  ${right}\n` : `  ${left.padEnd(width)}  ${right}\n`,
    )
    .join('')
}
