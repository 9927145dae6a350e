import type { Chat, ChatFinish, ChatMessage, ChatProvider, ChatUsage } from '../../core/chat.ts'
import { invalid, RouxError } from '../../core/errors.ts'
import type { Call } from '../answer/answer-when-ready.ts'
import type { GraphCore } from '../graph-core.ts'

export interface PluginMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface ChatOptions {
  /** The maximum length in tokens. The setting `ai.max_tokens` is both the default and the upper limit. */
  readonly maxTokens?: number | undefined
  /** The sampling temperature, from 0 to 2. The default is 0. */
  readonly temperature?: number | undefined
}

export interface ChatReply {
  readonly text: string
  readonly finish: ChatFinish
  readonly usage: ChatUsage
  readonly model: string
  readonly location: ChatProvider['location']
}

/**
 * Calls the configured chat model.
 * @throws RouxError `AI_DISABLED`, `INVALID_PARAMS`; `REMOTE_NOT_ALLOWED`, `BUDGET_EXCEEDED`, `PROVIDER_ERROR` or `TIMEOUT` when
 * calling the model
 */
export async function chatWith(
  core: GraphCore,
  { messages, maxTokens, temperature = 0 }: ChatOptions & { readonly messages: readonly PluginMessage[] },
  { signal }: Pick<Call, 'signal'> = {},
): Promise<ChatReply> {
  const chat = requireChat(core)
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [content] : [])).join('\n\n')
  const turns = messages.flatMap(({ role, content }): readonly ChatMessage[] => (role === 'system' ? [] : [{ role, content }]))
  requireSound({ turns, maxTokens, temperature })
  const provider = await chat.open()
  const request = {
    system,
    messages: turns,
    maxTokens: Math.min(maxTokens ?? chat.maxTokens, chat.maxTokens),
    temperature,
    feature: 'chat',
    signal,
  }
  const { model, location } = provider
  let text = ''
  for await (const event of provider.chat(request)) {
    if (event.kind === 'text') text += event.text
    if (event.kind === 'end') return { text, finish: event.finish, usage: event.usage, model, location }
  }
  throw new Error('The stream from the provider ended without an end event.')
}

interface ChatRequest extends ChatOptions {
  readonly turns: readonly ChatMessage[]
}

function requireSound({ turns, maxTokens = 1, temperature = 0 }: ChatRequest): void {
  const wrong = [
    ...(turns.at(-1)?.role === 'user' ? [] : ['messages: expected the last one to have the role "user"']),
    ...(turns.every(({ role, content }) => ['user', 'assistant'].includes(role) && typeof content === 'string')
      ? []
      : ['messages: expected { role, content }, where role is system, user or assistant and content is a string']),
    ...(Number.isInteger(maxTokens) && maxTokens > 0 ? [] : ['maxTokens: expected a whole number above 0']),
    ...(temperature >= 0 && temperature <= 2 ? [] : ['temperature: expected a number from 0 to 2']),
  ]
  if (wrong.length > 0) throw invalid(`${wrong.join('; ')}.`)
}

/** Returns the chat model. @throws RouxError `AI_DISABLED`, with the setting that enables it */
export function requireChat({ chat }: GraphCore): Chat {
  if (chat !== undefined) return chat
  throw new RouxError('AI_DISABLED', 'Chat models are switched off.', {
    hint: 'Set ai.enabled to true; docs/ai.md explains how.',
  })
}
