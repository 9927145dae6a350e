import type { Embedder, EmbedKind } from '../core/embedder.ts'
import { closedError, providerError, reasonOf } from '../core/errors.ts'
import { parseJson } from '../core/quietly.ts'
import { wholeCharacterEnd } from '../core/text/graphemes.ts'
import { linkSignals, untilAborted } from '../core/waiting.ts'
import {
  type Answer,
  askableUrl,
  isTooLong,
  type Meter,
  type ModelServer,
  post,
  RETRIES,
  type SendOptions,
  type Usage,
  withoutKey,
} from '../outbound/http-client.ts'
import { type EmbedderSettings, embedderId } from './embedder-settings.ts'
import { isBlank, recipeOf, unitVector } from './model-recipes.ts'

const DEFAULT_URL = 'http://127.0.0.1:11434/v1'

const DEFAULT_BATCH = 64

const DEFAULT_TIMEOUT = 60_000

const BACKOFF = 500

/** The number of characters per request. OpenAI allows 300,000 tokens and rejects longer requests. */
const REQUEST_CHARACTERS = 200_000

const CHARACTERS_PER_TOKEN = 3

/** A string this short is not truncated further, even if the server rejects it. */
const MIN_CHARACTERS = 64

export interface OpenAiDependencies {
  readonly fetch?: typeof fetch
  readonly random?: () => number
  readonly backoffMs?: number
  /**
   * Checks permission before the first request. The meter counts the usage of all requests. If omitted, all servers are allowed.
   * @throws RouxError `REMOTE_NOT_ALLOWED`
   */
  admit?(place: { readonly baseUrl: string; readonly model: string }): Promise<Meter>
}

/**
 * Opens an embedder on any server that implements OpenAI's `POST /embeddings`. Without `settings.dimensions`, one vector is
 * requested first. Only passages are retried, because callers wait for queries.
 * @throws RouxError `PROVIDER_ERROR`, or the signal's reason
 */
export async function openOpenAiEmbedder(
  settings: EmbedderSettings,
  dependencies: OpenAiDependencies = {},
  signal?: AbortSignal,
): Promise<Embedder> {
  const { model } = settings
  if (model === undefined || model === '') {
    throw providerError('The embedder `openai` has no model.', 'Set `embedder.model` to the name of a model on the server.')
  }
  const { apiKey } = settings
  const baseUrl = checkedUrl(settings.baseUrl ?? DEFAULT_URL)
  const server: ModelServer = {
    name: 'embedding server',
    baseUrl,
    headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
    secret: apiKey,
    timeoutMs: settings.timeoutMs ?? DEFAULT_TIMEOUT,
    lateCode: 'PROVIDER_ERROR',
    advice: { address: 'embedder.base_url', slow: 'set `embedder.timeout` higher or `embedder.batch` lower' },
    meter: await dependencies.admit?.({ baseUrl, model }),
    fetch: dependencies.fetch ?? fetch,
    random: dependencies.random ?? Math.random,
    backoffMs: dependencies.backoffMs ?? BACKOFF,
  }
  const requestedModel: RequestedModel = {
    model,
    ...(settings.dimensions === undefined ? {} : { dimensions: settings.dimensions }),
  }
  const dimensions = settings.dimensions ?? (await learnDimensions(server, requestedModel, signal))
  return new OpenAiEmbedder(server, requestedModel, { settings, dimensions })
}

interface RequestedModel {
  readonly model: string
  /** The requested number of dimensions. It is sent only if configured, because some servers reject the field. */
  readonly dimensions?: number
}

interface Choices {
  readonly settings: EmbedderSettings
  readonly dimensions: number
}

class OpenAiEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly batch: number
  readonly #server: ModelServer
  readonly #requestedModel: RequestedModel
  readonly #prefixes: Readonly<Record<'query' | 'passage', string>>
  readonly #characters: number
  /** The last request. Requests run one at a time, so a query waits for one request only. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #closing = new AbortController()

  constructor(server: ModelServer, requestedModel: RequestedModel, { settings, dimensions }: Choices) {
    const knownRecipe = recipeOf(requestedModel.model.replace(/:[\s\S]*/, ''))
    this.#server = server
    this.#requestedModel = requestedModel
    this.#prefixes = {
      query: settings.queryPrefix ?? knownRecipe.queryPrefix,
      passage: settings.passagePrefix ?? knownRecipe.passagePrefix,
    }
    this.#characters = settings.maxTokens === undefined ? REQUEST_CHARACTERS : settings.maxTokens * CHARACTERS_PER_TOKEN
    this.dimensions = dimensions
    this.batch = settings.batch ?? DEFAULT_BATCH
    const recipe = { ...this.#prefixes, characters: this.#characters }
    this.id = embedderId({ kind: 'openai', model: requestedModel.model, dimensions, recipe })
  }

  async embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<readonly Float32Array[]> {
    if (this.#closing.signal.aborted) throw closedError(this.id)
    signal?.throwIfAborted()
    const vectors: Float32Array[] = texts.map(() => new Float32Array(this.dimensions))
    const filled = [...texts.keys()].filter((index) => !isBlank(texts[index] ?? ''))
    const inputs = filled.map((index) =>
      truncate(this.#prefixes[kind === 'passage' ? 'passage' : 'query'] + texts[index], this.#characters),
    )
    const requests = this.#batches(inputs)
    const options = { retries: kind === 'passage' ? RETRIES : 0, signal }
    let next = 0
    for (const batch of requests) {
      for (const vector of await this.#request(batch, options)) vectors[filled[next++] ?? 0] = vector
    }
    return vectors
  }

  async close(): Promise<void> {
    this.#closing.abort(closedError(this.id))
    await this.#last
  }

  #batches(texts: readonly string[]): readonly (readonly string[])[] {
    const batches: string[][] = []
    let room = 0
    for (const text of texts) {
      const batch = batches.at(-1)
      room -= text.length
      if (batch !== undefined && batch.length < this.batch && room >= 0) batch.push(text)
      else {
        batches.push([text])
        room = REQUEST_CHARACTERS - text.length
      }
    }
    return batches
  }

  /** Splits a batch that the server rejects as too long. A single string is truncated by half. */
  async #request(texts: readonly string[], options: SendOptions): Promise<readonly Float32Array[]> {
    const answer = await this.#inTurn(texts, options)
    if (!isTooLong(answer))
      return vectorsOf(answer, this.#server, { texts, model: this.#requestedModel, dimensions: this.dimensions })
    const [text = ''] = texts
    if (texts.length === 1 && text.length <= MIN_CHARACTERS) throw refusal(answer, this.#server, this.#requestedModel)
    if (texts.length === 1) return this.#request([truncate(text, text.length >> 1)], options)
    const half = texts.length >> 1
    return [...(await this.#request(texts.slice(0, half), options)), ...(await this.#request(texts.slice(half), options))]
  }

  #inTurn(texts: readonly string[], { retries, signal }: SendOptions): Promise<Answer> {
    const turn = this.#last.then(async () => {
      const { signal: combined, unlink } = linkSignals(this.#closing.signal, signal)
      try {
        return await post(this.#server, embedRequest(this.#requestedModel, texts), { retries, signal: combined })
      } finally {
        unlink()
      }
    })
    this.#last = turn.catch(() => undefined)
    return untilAborted(turn, signal)
  }
}

async function learnDimensions(server: ModelServer, model: RequestedModel, signal: AbortSignal | undefined): Promise<number> {
  const texts = ['dimensions']
  const answer = await post(server, embedRequest(model, texts), { retries: 0, signal })
  return vectorsOf(answer, server, { texts, model: model, dimensions: undefined })[0]?.length ?? 0
}

function embedRequest(requestedModel: RequestedModel, texts: readonly string[]) {
  return { path: '/embeddings', body: { ...requestedModel, input: texts }, output: 0, usageOf: usageIn }
}

/** Parses only the end of the response, because the vectors before it are long. */
function usageIn(body: string): Usage | undefined {
  const [, tokens] = /"usage"\s*:\s*\{[^{}]*"(?:prompt|total)_tokens"\s*:\s*(\d{1,9})\b/.exec(body.slice(-2_000)) ?? []
  return tokens === undefined || Number(tokens) === 0 ? undefined : { input: Number(tokens), output: 0, estimated: false }
}

interface Question {
  readonly texts: readonly string[]
  readonly model: RequestedModel
  readonly dimensions: number | undefined
}

function vectorsOf(answer: Answer, server: ModelServer, { texts, model, dimensions }: Question): readonly Float32Array[] {
  if (answer.status !== 200) throw refusal(answer, server, model)
  const vectors = readAnswer(answer.body, { count: texts.length, dimensions })
  if (typeof vectors !== 'string') return vectors
  throw providerError(
    `The embedding server at ${server.baseUrl} sent an unusable response: ${vectors}.`,
    /dimensions/.test(vectors)
      ? "Set `embedder.dimensions` to the model's dimensions, or remove it, and open the embedder again."
      : 'Check that `embedder.base_url` is an API address (often ending in `/v1`) and `embedder.model` an embedding model.',
  )
}

function refusal({ status, body }: Answer, server: ModelServer, { model }: RequestedModel): Error {
  const serverMessage = reasonOf(withoutKey(body.slice(0, 2000), server))
  return providerError(
    `The embedding server at ${server.baseUrl} answered ${status} for the model ${model}${serverMessage === '' ? '' : `: ${serverMessage}`}.`,
    hintFor(status),
  )
}

function hintFor(status: number): string {
  if (status === 401 || status === 403)
    return 'Check the API key, which is read from ROUX_EMBEDDER_API_KEY, and that it may use this model.'
  if (status === 404) return 'Check `embedder.model` (a local server may have to pull it first) and `embedder.base_url`.'
  if (status >= 300 && status < 400) return 'Set `embedder.base_url` to the address that it redirects to.'
  if (status === 413) return 'Reduce `embedder.max_tokens`.'
  return 'Check `embedder.model`, `embedder.dimensions` and `embedder.max_tokens` against what the server offers.'
}

function truncate(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, wholeCharacterEnd(text, length))
}

function checkedUrl(baseUrl: string): string {
  const url = askableUrl(baseUrl)
  if (url !== undefined) return url
  throw providerError(
    'The address of the embedding server cannot be used.',
    'Set `embedder.base_url` to a URL such as http://127.0.0.1:11434/v1, without user name, key or query string.',
  )
}

export interface Expected {
  readonly count: number
  /** If `undefined`, all vectors must have equal dimensions. */
  readonly dimensions: number | undefined
}

/**
 * Parses a body of the form `{data: [{index, embedding: [number, …]}, …]}`.
 * @returns unit vectors in request order, or what is wrong
 */
function readAnswer(body: string, { count, dimensions }: Expected): readonly Float32Array[] | string {
  const data = parseData(body)
  if (typeof data === 'string') return data
  if (data.length !== count) return `it contains ${data.length} vectors for ${count} texts`
  const vectors: Float32Array[] = []
  let length = dimensions
  for (const [position, item] of data.entries()) {
    const { index = position, embedding } = (item ?? {}) as { readonly index?: unknown; readonly embedding?: unknown }
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return 'its indexes are invalid'
    if (vectors[index] !== undefined) return 'it contains two vectors for one text'
    const vector = readVector(embedding)
    if (typeof vector === 'string') return vector
    length ??= vector.length
    if (vector.length !== length) return `its vectors have ${vector.length} dimensions instead of ${length}`
    vectors[index] = vector
  }
  return vectors
}

function parseData(body: string): readonly unknown[] | string {
  const value = parseJson(body)
  if (value === undefined) return /^\s*</.test(body) ? 'it is a web page, not JSON' : 'it is not JSON'
  const { data } = (value ?? {}) as { readonly data?: unknown }
  return Array.isArray(data) ? data : 'it holds no list of vectors (`data`)'
}

function readVector(embedding: unknown): Float32Array | string {
  if (!Array.isArray(embedding) || embedding.length === 0) return 'it contains an `embedding` that is not a vector'
  if (!embedding.every((value) => typeof value === 'number' && Number.isFinite(value))) {
    return 'it contains a vector with a component that is not a number'
  }
  return unitVector(embedding) ?? 'it contains a vector of zeros'
}
