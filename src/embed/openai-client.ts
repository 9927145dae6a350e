import { linkSignals, pause, untilAborted } from './aborting.ts'
import { reasonOf, unavailableError } from './provider-error.ts'

/** The server that is asked. */
export interface OpenAiServer {
  /** Without a slash at the end. */
  readonly baseUrl: string
  readonly apiKey: string | undefined
  readonly timeoutMs: number
  readonly fetch: typeof fetch
  /** A number from 0 to 1: spreads retries. */
  readonly random: () => number
  /** Milliseconds before the first retry; each next one waits twice as long. */
  readonly backoffMs: number
}

/** An answer with its whole body. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/** How often a request is sent again that can wait. */
export const RETRIES = 4
/** A server that asks for more patience than this (ms) is given up. */
const MAX_WAIT = 30_000
/** 64 vectors of 8192 components are 12 MB of JSON. */
const MAX_BODY = 64_000_000

const TOO_LONG = /too (long|large|many (tokens|inputs))|context length|exceed|maximum/i

export interface PostOptions {
  /** How often it may be sent again. */
  readonly retries: number
  readonly signal: AbortSignal | undefined
}

/** An attempt that failed in a way that another one may not. */
interface Transient {
  readonly problem: Error
  /** Milliseconds that the server asks to wait. */
  readonly wait?: number
}

/**
 * Sends a request, where it may be sent again after 429, 5xx, time-outs and broken connections, each time twice as long after the last one.
 * @returns the answer, of any other status.
 * @throws RouxError `PROVIDER_ERROR`, transient, when the last attempt failed; the signal's reason.
 */
export async function post(server: OpenAiServer, request: unknown, { retries, signal }: PostOptions): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    const result = await tryPost(server, JSON.stringify(request), signal)
    if ('status' in result) return result
    const wait = result.wait ?? server.backoffMs * 2 ** attempt * (0.5 + server.random() / 2)
    if (attempt === retries || wait > MAX_WAIT) throw result.problem
    await pause(wait, signal)
  }
}

/**
 * Whether the server finds the texts too long: 413, or an error that says so, e.g. `maximum context length`, `input is too large to
 * process` (llama.cpp, with 500), `exceeds the context length` (Ollama).
 */
export function isTooLong({ status, body }: Answer): boolean {
  return status === 413 || ([400, 422, 500].includes(status) && TOO_LONG.test(body))
}

/** A text without the key, for messages. */
export function withoutKey(text: string, { apiKey }: Pick<OpenAiServer, 'apiKey'>): string {
  return apiKey === undefined || apiKey === '' ? text : text.replaceAll(apiKey, '[key]')
}

async function tryPost(server: OpenAiServer, body: string, signal: AbortSignal | undefined): Promise<Answer | Transient> {
  signal?.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('time-out')), server.timeoutMs)
  const { signal: over, unlink } = linkSignals(late.signal, signal)
  try {
    const response = await untilAborted(send(server, body, over), over)
    const answer = { status: response.status, body: await untilAborted(readBody(response), over) }
    return isTransient(answer) ? refused(server, answer, response.headers) : answer
  } catch (error) {
    signal?.throwIfAborted()
    return { problem: unreachable(server, error, late.signal.aborted) }
  } finally {
    clearTimeout(timer)
    unlink()
  }
}

function send({ baseUrl, apiKey, fetch }: OpenAiServer, body: string, signal: AbortSignal): Promise<Response> {
  return fetch(`${baseUrl}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
    body,
    signal,
    // The key goes to the address that was set and nowhere else.
    redirect: 'manual',
  })
}

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.length > MAX_BODY) throw new Error(`the answer is longer than ${MAX_BODY / 1e6} MB`)
  }
  return text + decoder.decode()
}

function isTransient(answer: Answer): boolean {
  const { status } = answer
  return status === 408 || status === 429 || (status >= 500 && !isTooLong(answer))
}

function refused(server: OpenAiServer, { status, body }: Answer, headers: Headers): Transient {
  const said = withoutKey(reasonOf(body), server)
  const problem = unavailableError(
    `The embedding server at ${server.baseUrl} answers ${status}${said === '' ? '' : `: ${said}`}.`,
    status === 429
      ? 'It limits how much may be asked: wait, or look at your plan there.'
      : 'Look at the log of that server, and try again.',
  )
  const wait = retryAfter(headers.get('retry-after'))
  return wait === undefined ? { problem } : { problem, wait }
}

/** Milliseconds of a `Retry-After`: seconds or a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const wait = /^\d+$/.test(value) ? 1000 * Number(value) : Date.parse(value) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

function unreachable(server: OpenAiServer, error: unknown, late: boolean): Error {
  if (late) {
    return unavailableError(
      `The embedding server at ${server.baseUrl} did not answer within ${server.timeoutMs / 1000} s.`,
      'Try again when it is less busy, or set `embedder.timeout` higher or `embedder.batch` lower.',
      error,
    )
  }
  // fetch wraps what happened: "fetch failed", with the reason as its cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return unavailableError(
    `The embedding server at ${server.baseUrl} cannot be reached: ${withoutKey(reasonOf(cause), server)}.`,
    'Start it, or set `embedder.base_url` to where it listens.',
  )
}
