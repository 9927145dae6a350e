import type { ChatFinish, ChatProvider } from '../../core/chat.ts'
import { isRecord } from '../../core/is-record.ts'
import { type ChatDependencies, type ChatSettings, type Delta, type Dialect, openProvider, type Reader } from './chat-server.ts'
import { toNumber, without } from './openai.ts'

/** Opens a provider for servers that implement Anthropic's `POST /messages`. */
export function openAnthropic(settings: ChatSettings, dependencies: ChatDependencies = {}): ChatProvider {
  return openProvider(ANTHROPIC, settings, dependencies)
}

const ANTHROPIC: Dialect = {
  path: '/messages',
  headers: (apiKey) => ({ 'anthropic-version': '2023-06-01', ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }) }),
  body: ({ system, messages, maxTokens, temperature }, model) => ({
    model,
    system,
    messages,
    max_tokens: maxTokens,
    temperature,
    stream: true,
  }),
  adjust: (body, refusal) =>
    'temperature' in body && refusal.includes('temperature') ? without(body, 'temperature') : undefined,
  reader: () => new AnthropicReader(),
}

const FINISH: Readonly<Record<string, ChatFinish>> = { end_turn: 'stop', stop_sequence: 'stop', max_tokens: 'length' }

class AnthropicReader implements Reader {
  finish: ChatFinish | undefined
  input: number | undefined
  output: number | undefined

  read(value: Readonly<Record<string, unknown>>): readonly Delta[] | string {
    const { type, delta, message, error, usage } = value
    if (type === 'error' || isRecord(error))
      return isRecord(error) ? String(error.message ?? error.type ?? 'an error') : 'an error'
    if (type === 'message_start') this.#count(isRecord(message) ? message.usage : undefined)
    // Servers that do not stream send a whole message.
    if (type === 'message') return this.#wholeAnswer(value)
    if (typeof type !== 'string') return 'it has no `type`'
    if (type === 'message_delta') {
      this.#count(usage)
      this.#end(isRecord(delta) ? delta.stop_reason : undefined)
    }
    if (type === 'content_block_start') return deltasOf(value.content_block)
    return type === 'content_block_delta' ? deltasOf(delta) : []
  }

  #wholeAnswer({ content, usage, stop_reason }: Readonly<Record<string, unknown>>): readonly Delta[] {
    this.#count(usage)
    this.#end(stop_reason)
    return Array.isArray(content) ? content.flatMap(deltasOf) : []
  }

  #end(reason: unknown): void {
    if (typeof reason === 'string') this.finish = FINISH[reason] ?? 'other'
  }

  /** Updates the token counts. Cached tokens are reported separately and added to the input count. The output count is cumulative. */
  #count(usage: unknown): void {
    if (!isRecord(usage)) return
    const parts = [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens].map(toNumber)
    if (parts[0] !== undefined) this.input = parts.reduce<number>((sum, part) => sum + (part ?? 0), 0)
    this.output = toNumber(usage.output_tokens) ?? this.output
  }
}

function deltasOf(part: unknown): readonly Delta[] {
  if (!isRecord(part)) return []
  if (typeof part.text === 'string' && part.text !== '') return [{ kind: 'text', text: part.text }]
  return typeof part.thinking === 'string' && part.thinking !== '' ? [{ kind: 'thinking', text: part.thinking }] : []
}
