import type { ChatProvider, KeySource } from '../core/chat.ts'
import { providerError } from '../core/errors.ts'
import type { ChatDependencies } from './chat/chat-server.ts'
import type { Gate } from './gate.ts'
import { askableUrl } from './http-client.ts'
import { readKey } from './keys.ts'
import type { Place } from './location.ts'

export interface ChatModelSettings {
  readonly provider: 'none' | 'openai' | 'anthropic'
  /** Empty to use the provider's default address. */
  readonly base_url: string
  readonly model: string
  /** Timeout in seconds. */
  readonly timeout: number
}

const DEFAULT_URLS = { openai: 'http://127.0.0.1:11434/v1', anthropic: 'https://api.anthropic.com/v1' } as const

/**
 * Returns the address and name of the chat model.
 * @throws RouxError `PROVIDER_ERROR` that explains what to configure
 */
export function chatPlace({ provider, base_url, model }: ChatModelSettings): Place {
  if (provider === 'none') {
    throw providerError(
      'No chat model is configured.',
      'Set ai.provider and ai.model: docs/ai.md has examples for common servers.',
    )
  }
  if (model === '') throw providerError('The chat model has no name.', 'Set `ai.model` to the name of a model on the server.')
  const baseUrl = askableUrl(base_url === '' ? DEFAULT_URLS[provider] : base_url)
  if (baseUrl !== undefined) return { baseUrl, model }
  throw providerError(
    'The address of the model server is not valid.',
    'Set `ai.base_url` to something like http://127.0.0.1:11434/v1, without user name, key or query string.',
  )
}

/**
 * Creates the chat provider behind the gate, without opening a connection.
 * @throws RouxError from `chatPlace`, `Gate.admit` and `readKey`
 */
export async function openChatProvider(
  settings: ChatModelSettings,
  { gate, key, ...dependencies }: { readonly gate: Gate; readonly key: KeySource | undefined } & ChatDependencies,
): Promise<ChatProvider> {
  const place = chatPlace(settings)
  const { location, meterFor } = await gate.admit(place)
  const apiKey = await readKey(key)
  const server = { ...place, apiKey, location, timeoutMs: settings.timeout * 1_000, meterFor }
  if (settings.provider === 'anthropic') {
    const { openAnthropic } = await import('./chat/anthropic.ts')
    return openAnthropic(server, dependencies)
  }
  const { openOpenAi } = await import('./chat/openai.ts')
  return openOpenAi(server, dependencies)
}
