import type { ChatFinish, ChatProvider } from '../../core/chat.ts'
import { isRecord } from '../../core/is-record.ts'
import {
  type Body,
  type ChatDependencies,
  type ChatSettings,
  type Delta,
  type Dialect,
  openProvider,
  type Reader,
} from './chat-server.ts'

/** Opens OpenAI and compatible servers, such as Ollama, LM Studio, vLLM, llama.cpp and OpenRouter. */
export function openOpenAi(settings: ChatSettings, dependencies: ChatDependencies = {}): ChatProvider {
  return openProvider(OPENAI, settings, dependencies)
}

const OPENAI: Dialect = {
  path: '/chat/completions',
  headers: (apiKey) => (apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  body: ({ system, messages, maxTokens, temperature }, model) => ({
    model,
    messages: [{ role: 'system', content: system }, ...messages],
    max_tokens: maxTokens,
    temperature,
    stream: true,
    stream_options: { include_usage: true },
  }),
  adjust: adjusted,
  reader: () => new OpenAiReader(),
}

/**
 * Returns the request with the rejected parameter renamed or left out, or `undefined` if there is none. Newer OpenAI models
 * reject `max_tokens` and `temperature`, and older servers reject `stream_options`.
 */
function adjusted(body: Body, refusal: string): Body | undefined {
  if ('max_tokens' in body && /max_tokens|max_completion_tokens/.test(refusal)) {
    const { max_tokens, ...rest } = body
    return { ...rest, max_completion_tokens: max_tokens }
  }
  if ('temperature' in body && refusal.includes('temperature')) return without(body, 'temperature')
  return 'stream_options' in body && refusal.includes('stream_options') ? without(body, 'stream_options') : undefined
}

function without(body: Body, name: string): Body {
  const { [name]: _, ...rest } = body
  return rest
}

class OpenAiReader implements Reader {
  finish: ChatFinish | undefined
  input: number | undefined
  output: number | undefined

  read(value: Readonly<Record<string, unknown>>): readonly Delta[] | string {
    const { choices, usage, error } = value
    if (error !== undefined && error !== null) return isRecord(error) ? String(error.message ?? 'an error') : String(error)
    if (isRecord(usage)) {
      this.input = toNumber(usage.prompt_tokens) ?? this.input
      this.output = toNumber(usage.completion_tokens) ?? this.output
    }
    // The chunk that contains the usage has no choices.
    if (!Array.isArray(choices)) return isRecord(usage) ? [] : 'it has no `choices`'
    const [choice] = choices
    if (!isRecord(choice)) return []
    if (typeof choice.finish_reason === 'string') this.finish = finishOf(choice.finish_reason)
    const message = isRecord(choice.delta) ? choice.delta : choice.message
    return isRecord(message) ? deltas(message) : []
  }
}

function deltas({ content, reasoning_content, reasoning }: Readonly<Record<string, unknown>>): readonly Delta[] {
  const thinking = textOf(reasoning_content) || textOf(reasoning)
  const text = textOf(content)
  return [
    ...(thinking === '' ? [] : [{ kind: 'thinking', text: thinking } as const]),
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
  ]
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part) => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join('')
}

function finishOf(reason: string): ChatFinish {
  if (reason === 'stop' || reason === 'eos') return 'stop'
  return reason === 'length' || reason === 'max_tokens' ? 'length' : 'other'
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

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
    // A server that does not stream sends a whole message.
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

  /** Adds up token counts. Cached tokens are not part of `input_tokens`, and output tokens are cumulative. */
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
