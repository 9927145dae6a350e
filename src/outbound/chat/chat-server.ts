import type { ChatEvent, ChatFinish, ChatProvider, ChatRequest } from '../../core/chat.ts'
import { providerError, RouxError, reasonOf } from '../../core/errors.ts'
import { isRecord } from '../../core/is-record.ts'
import { parseJson } from '../../core/quietly.ts'
import { estimateTokens } from '../../core/text/estimate-tokens.ts'
import {
  type Answer,
  type AnswerStream,
  type Expected,
  isTooLong,
  type Meter,
  type ModelServer,
  mostTokens,
  postForStream,
  type Usage,
  withoutKey,
} from '../http-client.ts'

export interface ChatSettings {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly location: 'local' | 'remote'
  meterFor(feature: string): Meter | undefined
}

export interface ChatDependencies {
  readonly fetch?: typeof fetch
  readonly backoffMs?: number
}

export interface Dialect {
  readonly path: string
  headers(apiKey: string | undefined): Readonly<Record<string, string>>
  body(request: ChatRequest, model: string): Body
  /** @returns the request without the parameter that the server rejected, or `undefined` for any other error */
  adjust(body: Body, refusal: string): Body | undefined
  reader(): Reader
}

export type Body = Readonly<Record<string, unknown>>

/** A parser that reads the events of a single answer, in order. */
export interface Reader {
  /** @returns the new text, or an error description */
  read(value: Readonly<Record<string, unknown>>): readonly Delta[] | string
  /** The reason why the answer ended. It is `undefined` until then. */
  readonly finish: ChatFinish | undefined
  readonly input: number | undefined
  readonly output: number | undefined
}

export type Delta = Extract<ChatEvent, { readonly text: string }>

/** Few retries, because a person is waiting. */
const RETRIES = 2
/** Maximum `Retry-After`, in milliseconds. */
const MAX_RETRY_DELAY = 8_000

const BACKOFF = 500

export function openProvider(dialect: Dialect, settings: ChatSettings, dependencies: ChatDependencies): ChatProvider {
  const { baseUrl, model, apiKey, location } = settings
  const base: Omit<ModelServer, 'meter'> = {
    name: 'model server',
    baseUrl,
    headers: dialect.headers(apiKey),
    secret: apiKey,
    timeoutMs: settings.timeoutMs,
    lateCode: 'TIMEOUT',
    advice: { address: 'ai.base_url', slow: 'set `ai.timeout` higher' },
    fetch: dependencies.fetch ?? fetch,
    random: Math.random,
    backoffMs: dependencies.backoffMs ?? BACKOFF,
  }
  return {
    id: new URL(baseUrl).host,
    model,
    location,
    chat: (request) => streamAnswer({ ...base, meter: settings.meterFor(request.feature) }, dialect, { model, request }),
  }
}

interface Question {
  readonly model: string
  readonly request: ChatRequest
}

async function* streamAnswer(server: ModelServer, dialect: Dialect, { model, request }: Question): AsyncGenerator<ChatEvent> {
  const stream = await openStream(server, dialect, { model, request })
  const reader = dialect.reader()
  const reply = { text: '', thinking: '' }
  const spent = (): Usage => spentOf(reader, reply, { input: stream.expected, output: request.maxTokens })
  const maxCharacters = MAX_CHARACTERS_PER_TOKEN * request.maxTokens
  let broken: RouxError | undefined
  let isUsable = false
  try {
    try {
      for await (const delta of deltasOf(server, stream, reader)) {
        reply[delta.kind] += delta.text
        yield delta
        if (reply.text.length > maxCharacters) break
      }
    } catch (error) {
      // A partial answer is kept.
      if (reply.text === '' || !(error instanceof RouxError) || request.signal?.aborted === true) throw error
      broken = error
    }
    if (reply.text === '') throw reader.finish === 'length' ? emptyAnswer(server, request.maxTokens) : unusable(server, NO_TEXT)
    isUsable = true
  } finally {
    stream.end({ ...spent(), ...(isUsable ? {} : { failed: true }) })
  }
  const { estimated, input, output } = spent()
  const usage = { input, output, estimated }
  yield {
    kind: 'end',
    ...finishOf(reader, { broken, isEndless: reply.text.length > maxCharacters }),
    usage,
    expected: stream.expected,
  }
}

/** If an answer has more characters per allowed token, the server is ignoring the token limit. */
const MAX_CHARACTERS_PER_TOKEN = 64

interface Ending {
  readonly broken: RouxError | undefined
  readonly isEndless: boolean
}

function finishOf(
  { finish = 'cut' }: Reader,
  { broken, isEndless }: Ending,
): { readonly finish: ChatFinish; readonly reason?: string } {
  if (isEndless) return { finish: 'length' }
  if (broken === undefined) return { finish }
  return broken.code === 'TIMEOUT' ? { finish: 'late' } : { finish: 'cut', reason: broken.message }
}

/** If the server reports no plausible usage, returns an upper estimate. */
function spentOf({ input, output, finish }: Reader, { text, thinking }: AnswerSoFar, expected: Expected): Usage {
  const isRead = isCount(input) && input > 0 && input <= mostTokens(expected.input)
  const isWritten = isCount(output) && output <= expected.output + MAX_REASONING
  const wholeText = text + thinking
  // A count that arrives before the end of the answer is too low.
  const isReported = finish !== undefined && isRead && isWritten && (output > 0 || wholeText === '')
  if (isReported) return { input, output, estimated: false }
  return {
    input: isRead ? input : expected.input,
    output: Math.min(estimateTokens(text), expected.output) + Math.min(estimateTokens(thinking), MAX_REASONING),
    estimated: true,
  }
}

interface AnswerSoFar {
  readonly text: string
  readonly thinking: string
}

/** The limit is needed because some servers do not limit reasoning tokens. */
const MAX_REASONING = 100_000

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0
}

async function openStream(server: ModelServer, dialect: Dialect, { model, request }: Question): Promise<AnswerStream> {
  let body: Body | undefined = dialect.body(request, model)
  for (;;) {
    const { path } = dialect
    const sentBody: Body = body
    const options = { retries: RETRIES, patience: MAX_RETRY_DELAY, signal: request.signal }
    const answer = await postForStream(server, { path, body: sentBody, output: request.maxTokens }, options)
    if ('chunks' in answer) return answer
    body = answer.status === 400 && !isTooLong(answer) ? dialect.adjust(sentBody, answer.body) : undefined
    if (body === undefined) throw refusal(answer, server, model)
  }
}

async function* deltasOf(server: ModelServer, { type, chunks }: AnswerStream, reader: Reader): AsyncGenerator<Delta> {
  const bounded = atMost(chunks, server)
  const values = type.includes('text/event-stream') ? eventData(bounded) : wholeBody(bounded)
  for await (const value of untilSilent(values, () => reader.finish !== undefined)) {
    if (value === '[DONE]') return
    const deltas = reader.read(parse(server, value))
    if (typeof deltas === 'string') throw unusable(server, { what: deltas, hint: ADDRESS_HINT })
    yield* deltas
  }
}

/** The wait for the usage, in milliseconds. Some servers keep the connection open after the answer. */
const LINGER = 2_000

/** Yields values until the answer is finished and no value arrives for `LINGER`. */
async function* untilSilent<T>(values: AsyncGenerator<T>, isFinished: () => boolean): AsyncGenerator<T> {
  try {
    for (;;) {
      const next = values.next()
      const result = isFinished() ? await Promise.race([next, silence()]) : await next
      // This handler prevents an unhandled rejection when the request ends later.
      if (result === undefined) next.catch(() => {})
      if (result === undefined || result.done === true) return
      yield result.value
    }
  } finally {
    values.return(undefined).catch(() => {})
  }
}

function silence(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, LINGER, undefined).unref())
}

/** Maximum stream size in bytes, far above real answers. */
const MAX_STREAM = 4_000_000

async function* atMost(chunks: AsyncIterable<Uint8Array>, server: ModelServer): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const bytes of chunks) {
    length += bytes.length
    if (length > MAX_STREAM) throw unusable(server, { what: `it is longer than ${MAX_STREAM / 1e6} MB`, hint: MODEL_HINT })
    yield bytes
  }
}

async function* wholeBody(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of chunks) text += decoder.decode(bytes, { stream: true })
  yield text + decoder.decode()
}

function parse(server: ModelServer, text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text)
  if (isRecord(value)) return value
  const reason = /^\s*</.test(text) ? 'it is a web page, not JSON' : 'it is not JSON'
  throw unusable(server, { what: reason, hint: ADDRESS_HINT })
}

const ADDRESS_HINT = 'Check that `ai.base_url` is the address of the API (it often ends in `/v1`).'

const MODEL_HINT = 'Check that `ai.model` is a chat model.'

const NO_TEXT = { what: 'it has no text', hint: MODEL_HINT }

function emptyAnswer(server: ModelServer, maxTokens: number): RouxError {
  const hint = 'Raise `ai.max_tokens`, because reasoning models need more, or use a model without reasoning.'
  return unusable(server, { what: `all ${maxTokens} tokens were used up before the answer began`, hint })
}

function unusable(server: ModelServer, { what, hint }: { readonly what: string; readonly hint: string }): RouxError {
  const message = `The ${server.name} at ${server.baseUrl} sent an unusable response: ${withoutKey(what, server)}.`
  return providerError(message, hint)
}

function refusal({ status, body }: Answer, server: ModelServer, model: string): RouxError {
  const serverMessage = reasonOf(withoutKey(messageIn(body), server))
  const hint = isTooLong({ status, body })
    ? "Set `ai.context` to the model's context length, or limit the question to a folder or a tag."
    : hintFor(status)
  return providerError(
    `The ${server.name} at ${server.baseUrl} answered ${status} for the model ${model}${serverMessage === '' ? '' : `: ${serverMessage}`}.`,
    hint,
  )
}

/** Returns the message in an error response, or the whole body if the format is unknown. */
function messageIn(body: string): string {
  const [, message] = /"message"\s*:\s*("(?:[^"\\]|\\.){1,1000}")/.exec(body) ?? []
  try {
    return message === undefined ? body.slice(0, 2_000) : (JSON.parse(message) as string)
  } catch {
    return body.slice(0, 2_000)
  }
}

function hintFor(status: number): string {
  if (status === 401 || status === 403)
    return 'Check the key (ROUX_AI_API_KEY, ai.key_file or ai.key_command) and its access to this model.'
  if (status === 404)
    return 'Check `ai.model` (a local server may have to download it first) and `ai.base_url` (which often ends in `/v1`).'
  if (status >= 300 && status < 400) return 'Redirects are not followed: set `ai.base_url` to the final address.'
  return 'Check `ai.model` and `ai.provider` against what the server offers.'
}

/** Parses a `text/event-stream`. The final event need not end with an empty line. */
export async function* eventData(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let data: string[] = []
  for await (const line of linesOf(chunks)) {
    if (line === '') {
      if (data.length > 0) yield data.join('\n')
      data = []
    } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
  }
  if (data.length > 0) yield data.join('\n')
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  // A chunk may split a character, and lines may end with CR, LF or both.
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of chunks) {
    rest += decoder.decode(bytes, { stream: true })
    const lines = rest.split(/\r\n|\n|\r(?=[\s\S])/)
    rest = lines.pop() ?? ''
    yield* lines
  }
  rest += decoder.decode()
  if (rest !== '') yield* rest.split(/\r\n|\n|\r/)
}
