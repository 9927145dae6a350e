import { ProtocolError } from '@modelcontextprotocol/server'
import { nearest } from '../../core/text/nearest.ts'
import type { ToolIdentity } from '../definition/define-tool.ts'
import { didYouMean, INVALID_PARAMS } from '../protocol.ts'

export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
}

export interface PromptDefinition {
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
}

export type PromptArguments = Readonly<Record<string, string>>

export interface PromptRequest {
  /** The arguments are all declared, and required ones are not empty. */
  readonly args: PromptArguments
  /** Returns false for a disabled tool, which prompts must not mention. */
  isOn(tool: ToolIdentity): boolean
}

export interface Prompt {
  readonly definition: PromptDefinition
  /** The tool on which the prompt is based. If it is disabled, the prompt is not offered. */
  readonly source: ToolIdentity
  /** The arguments that name a note. Clients can complete them. */
  readonly noteArguments: readonly string[]
  /** Returns the text of the prompt. @throws ProtocolError −32602 for an argument out of range */
  text(request: PromptRequest): string | Promise<string>
}

interface FilledPrompt {
  readonly description?: string
  readonly messages: readonly [{ readonly role: 'user'; readonly content: { readonly type: 'text'; readonly text: string } }]
}

/**
 * Finds and fills in a prompt.
 * @throws ProtocolError −32602 for an unknown name, or a required argument that is missing or empty
 */
export async function getPrompt(
  prompts: readonly Prompt[],
  { name, args }: { readonly name: string; readonly args: PromptArguments },
  isOn: PromptRequest['isOn'],
): Promise<FilledPrompt> {
  const prompt = prompts.find(({ definition }) => definition.name === name)
  if (prompt === undefined) throw unknownPrompt(name, prompts)
  const { description } = prompt.definition
  const text = await prompt.text({ args: checked(prompt, args), isOn })
  return { ...(description === undefined ? {} : { description }), messages: [{ role: 'user', content: { type: 'text', text } }] }
}

function checked({ definition }: Prompt, args: PromptArguments): PromptArguments {
  const declared = definition.arguments ?? []
  const entries = Object.entries(args).filter(([, value]) => value.trim() !== '')
  const declaredEntries = entries.filter(([name]) => declared.some((argument) => argument.name === name))
  const missing = declared.filter(
    ({ name, required }) => required === true && !declaredEntries.some(([givenName]) => givenName === name),
  )
  if (missing.length === 0) return Object.fromEntries(declaredEntries)
  const names = missing.map(({ name }) => name)
  const near = nearest(
    names[0] ?? '',
    entries.map(([name]) => name).filter((name) => !declared.some((argument) => argument.name === name)),
  )
  const hint = near.length === 0 ? '' : ` You gave ${near.join(', ')}.`
  throw new ProtocolError(INVALID_PARAMS, `The prompt ${definition.name} needs ${names.join(' and ')}.${hint}`, {
    missing: names,
  })
}

function unknownPrompt(name: string, prompts: readonly Prompt[]): ProtocolError {
  const near = nearest(
    name,
    prompts.map(({ definition }) => definition.name),
    3,
  )
  return new ProtocolError(INVALID_PARAMS, `Unknown prompt: ${name.slice(0, 100)}.${didYouMean(near)}`, { nearest: near })
}
