import { ProtocolError } from '@modelcontextprotocol/server'
import { nearest } from '../../core/text/nearest.ts'
import type { ToolIdentity } from '../definition/define-tool.ts'
import { didYouMean, INVALID_PARAMS } from '../protocol.ts'

export interface PromptArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
}

/** A prompt as returned by `prompts/list`. */
export interface PromptDefinition {
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly arguments?: readonly PromptArgument[]
}

export type PromptArguments = Readonly<Record<string, string>>

export interface PromptRequest {
  /** Declared arguments only. Required arguments are present and not empty. */
  readonly args: PromptArguments
  /** Checks whether the client may call a tool. Prompts do not mention disabled tools. */
  isOn(tool: ToolIdentity): boolean
}

export interface Prompt {
  readonly definition: PromptDefinition
  /** The main tool that the prompt calls. If it is disabled, the prompt is not offered. */
  readonly source: ToolIdentity
  /** Arguments that name a note by id, title or alias. Clients can complete them. */
  readonly noteArguments: readonly string[]
  /** Returns the user's message. @throws ProtocolError −32602 for an argument out of range */
  text(request: PromptRequest): string | Promise<string>
}

interface FilledPrompt {
  readonly description?: string
  readonly messages: readonly [{ readonly role: 'user'; readonly content: { readonly type: 'text'; readonly text: string } }]
}

/**
 * Returns a prompt with its arguments filled in.
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

/** Returns the declared arguments that are not empty. */
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
