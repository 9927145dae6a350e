import { flagOf, GLOBAL_OPTIONS, type Option, splitCommand } from '../arguments.ts'
import { COMMANDS, type Command, findCommand } from '../commands.ts'
import type { Host } from '../host.ts'
import { findCommandOrTool } from '../tools/tool-command.ts'
import { commandName, type Parameter, parametersOf, SHORT_NAMES } from '../tools/tool-help.ts'

export type Expected =
  | { readonly kind: 'one of'; readonly candidates: readonly Candidate[] }
  | { readonly kind: 'notes' | 'folders' | 'tags' | 'vaults' | 'files' | 'nothing' }

export interface Candidate {
  readonly value: string
  readonly sentence?: string
}

const NOTHING: Expected = { kind: 'nothing' }

export async function expectedAfter(host: Host, words: readonly string[], word: string): Promise<Expected> {
  const { command, rest } = splitCommand(words)
  if (command === undefined) {
    const option = optionAwaitingValue(GLOBAL_OPTIONS, words.at(-1))
    if (option !== undefined) return valuesOf(option)
    return oneOf(word.startsWith('-') ? flagsOf(GLOBAL_OPTIONS) : await allCommands(host))
  }
  const match = await findCommandOrTool(host, command)
  if (match === undefined) return NOTHING
  const { known, tool, options } = match
  const toolArgument = (name: string): string | undefined => {
    const value = tool?.names?.[name]
    return typeof value === 'string' ? value : undefined
  }
  const isClosed = rest.includes('--')
  const before = isClosed ? undefined : optionAwaitingValue(options, rest.at(-1))
  if (before !== undefined) return valuesOf(before, toolArgument(before.name))
  if (word.startsWith('-') && !isClosed) return oneOf(flagsOf(options))
  const place = positionals(options, rest)
  if (tool === undefined) return known === undefined ? NOTHING : await wordOf(host, known, place)
  const parameter = parameterAt(parametersOf(tool.definition()), place)
  return parameter === undefined ? NOTHING : valuesOf(parameter, toolArgument(parameter.name))
}

export async function expectedInside(
  host: Host,
  words: readonly string[],
  word: string,
): Promise<{ readonly wanted: Expected; readonly prefix: string } | undefined> {
  const flag = /^--[\w-]+=/.exec(word)?.[0]
  if (flag === undefined) return undefined
  return { wanted: await expectedAfter(host, [...words, flag.slice(0, -1)], word.slice(flag.length)), prefix: flag }
}

function oneOf(candidates: readonly Candidate[]): Expected {
  return { kind: 'one of', candidates }
}

async function allCommands(host: Host): Promise<readonly Candidate[]> {
  const tools = await host.tools()
  const commands = COMMANDS.map(({ name, sentence }) => ({ value: name as string, sentence }))
  const titles = new Map(tools.map((tool) => [tool.name, tool.definition().title]))
  const rest = [
    ...[...SHORT_NAMES].map(([short, name]) => ({ value: short, sentence: titles.get(name) ?? '' })),
    ...[...titles].map(([name, sentence]) => ({ value: commandName(name), sentence })),
  ]
  return [...commands, ...rest.filter(({ value }) => findCommand(value) === undefined)]
}

function flagsOf(options: readonly Option[]): readonly Candidate[] {
  return options.map((option) => ({ value: flagOf(option), sentence: option.sentence.split('\n', 1)[0] ?? '' }))
}

function optionAwaitingValue(options: readonly Option[], word = ''): Option | undefined {
  const isNamed = (option: Option): boolean =>
    word === flagOf(option) || word === `--${option.name}` || (option.short !== undefined && word === `-${option.short}`)
  const option = options.find(isNamed)
  return option === undefined || option.type === 'flag' || option.isValueOptional === true ? undefined : option
}

function positionals(options: readonly Option[], words: readonly string[]): number {
  let count = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string
    if (word === '--') return count + words.length - at - 1
    if (optionAwaitingValue(options, word) !== undefined) at++
    else if (!word.startsWith('-')) count++
  }
  return count
}

function parameterAt(parameters: readonly Parameter[], place: number): Parameter | undefined {
  const inOrder = parameters.filter(({ required, isWord = false }) => required || isWord)
  const list = inOrder.findIndex(({ isRepeatable = false }) => isRepeatable)
  return inOrder[list >= 0 && place > list ? list : place]
}

function valuesOf(option: Option, nameKind?: string): Expected {
  if (option.values !== undefined) return oneOf(option.values.map((value) => ({ value })))
  if (nameKind === 'note' || nameKind === 'note or folder' || option.name === 'note' || option.name === 'note_id')
    return { kind: 'notes' }
  if (nameKind === 'place' || option.name === 'folder') return { kind: 'folders' }
  if (option.name === 'vault') return { kind: 'vaults' }
  if (option.name === 'config' || option.name === 'output') return { kind: 'files' }
  return /^tags?$/.test(option.name) ? { kind: 'tags' } : NOTHING
}

async function wordOf(host: Host, { usage, words }: Command, place: number): Promise<Expected> {
  if (place >= words) return NOTHING
  const parts = [...usage.matchAll(/[<[]([^\][<>]*)[\]>]/g)].map(([, text = '']) => text)
  const part = parts[place] ?? (usage.endsWith('…') ? parts.at(-1) : undefined) ?? ''
  if (part === 'command|tool|settings')
    return oneOf([...(await allCommands(host)), { value: 'settings', sentence: 'Every setting.' }])
  if (part === 'tool') return oneOf((await host.tools()).map((tool) => ({ value: tool.name, sentence: tool.definition().title })))
  if (part === 'client') {
    const { CLIENTS } = await import('../../install/clients.ts')
    return oneOf(CLIENTS.map(({ name }) => ({ value: name })))
  }
  if (part.includes('|')) return oneOf(part.split('|').map((value) => ({ value })))
  return part.startsWith('vault') ? { kind: 'vaults' } : NOTHING
}
