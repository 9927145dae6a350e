import type { Settings } from '../config/settings.ts'
import type { ChatUsage, KeySource, UsageRow } from '../core/chat.ts'
import { RouxError } from '../core/errors.ts'
import type { Admission } from '../outbound/gate.ts'
import { originOf, type Place } from '../outbound/gate.ts'
import { askableUrl } from '../outbound/http-client.ts'
import { chatPlace, openChatProvider } from '../outbound/open-chat.ts'
import { type OpenGate, openGate } from './open-gate.ts'

export interface NamedModel extends Admission {
  readonly use: 'chat' | 'embedding'
  readonly model: string
  readonly baseUrl: string
}

export interface ModelTrial {
  readonly answer: string
  readonly milliseconds: number
  readonly usage: ChatUsage
}

const DAY = 86_400_000

export class AiDesk {
  readonly #settings: Settings
  readonly #key: KeySource | undefined
  readonly #gate: OpenGate

  constructor(settings: Settings, key?: KeySource) {
    this.#settings = settings
    this.#key = key
    this.#gate = openGate(() => settings.ai)
  }

  /** Lists all models without opening a connection. A model that must not be used has a reason. */
  async models(): Promise<readonly NamedModel[]> {
    const { ai, embedder } = this.#settings
    const models: (Place & Pick<NamedModel, 'use'>)[] = []
    if (ai.provider !== 'none' && ai.model !== '') models.push({ use: 'chat', ...chatPlace(ai) })
    const embeddingUrl = embedder.base_url === '' ? 'http://127.0.0.1:11434/v1' : askableUrl(embedder.base_url)
    if (embedder.kind === 'openai' && embeddingUrl !== undefined) {
      models.push({ use: 'embedding', baseUrl: embeddingUrl, model: embedder.model })
    }
    return await Promise.all(models.map(async (model) => ({ ...model, ...(await this.#gate.gate.examine(model)) })))
  }

  consents(): readonly { readonly origin: string; readonly time: number }[] {
    return this.#gate.state().consents()
  }

  /** @returns the origin @throws RouxError `INVALID_PARAMS` */
  allow(address: string): string {
    const origin = requireOrigin(address)
    this.#gate.state().allow(origin, Date.now())
    return origin
  }

  /** Revokes consent, from the next request on. `was` is the previous consent. @throws RouxError `INVALID_PARAMS` */
  revoke(address: string): { readonly origin: string; readonly was: boolean } {
    const origin = requireOrigin(address)
    return { origin, was: this.#gate.state().revoke(origin) }
  }

  usage(days: number): readonly UsageRow[] {
    const since = new Date(Date.now() - (days - 1) * DAY).toISOString().slice(0, 10)
    return this.#gate.state().usage(since)
  }

  async budget() {
    // The budget is shown even for an invalid address.
    const chat = (await this.models().catch(() => [])).find(({ use }) => use === 'chat')
    return this.#gate.gate.budget(chat?.location ?? 'remote')
  }

  /** Asks for a one-word answer. @throws RouxError as `openChatProvider` and `ChatProvider.chat` do */
  async test(signal?: AbortSignal): Promise<ModelTrial> {
    const { ai } = this.#settings
    if (!ai.enabled) throw new RouxError('AI_DISABLED', 'Chat models are switched off.', { hint: 'Set ai.enabled to true.' })
    const provider = await openChatProvider(ai, { gate: this.#gate.gate, key: this.#key })
    const startedAt = performance.now()
    let answer = ''
    let usage: ChatUsage = { input: 0, output: 0, estimated: true }
    for await (const event of provider.chat({ ...QUESTION, maxTokens: ai.max_tokens, signal })) {
      if (event.kind === 'text') answer += event.text
      if (event.kind === 'end') usage = event.usage
    }
    return { answer: answer.trim().slice(0, 200), milliseconds: Math.round(performance.now() - startedAt), usage }
  }

  close(): void {
    this.#gate.close()
  }
}

const QUESTION = {
  system: 'This message tests the connection.',
  messages: [{ role: 'user', content: 'Answer with the one word: ready' }],
  temperature: 0,
  feature: 'test',
} as const

function requireOrigin(address: string): string {
  const url = askableUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`)
  if (url !== undefined) return originOf(url)
  throw new RouxError('INVALID_PARAMS', `"${address}" is not a server address.`, {
    hint: 'Write it as https://api.openai.com, the part of ai.base_url before the path.',
  })
}
