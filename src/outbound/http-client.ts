import { errorCode, RouxError, reasonOf, unavailableError } from '../core/errors.ts'
import { estimateTokens } from '../core/text/estimate-tokens.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'
import { linkSignals, pause, untilAborted } from '../core/waiting.ts'

export interface ModelServer {
  /** The name used in messages, such as `embedding server`. */
  readonly name: string
  /** The address without a trailing slash. */
  readonly baseUrl: string
  /** The request headers, including the API key. */
  readonly headers: Readonly<Record<string, string>>
  /** The API key. It must not appear in messages. */
  readonly secret: string | undefined
  /** Maximum time for a complete answer, in milliseconds. */
  readonly timeoutMs: number
  /** The error code if an answer takes longer than `timeoutMs`. */
  readonly lateCode: 'PROVIDER_ERROR' | 'TIMEOUT'
  readonly advice: Advice
  readonly fetch: typeof fetch
  /** Returns a number from 0 to 1, which randomizes retry delays. */
  readonly random: () => number
  /** The delay before the first retry, in milliseconds. It doubles with each retry. */
  readonly backoffMs: number
  /** A meter that is called before and after each request. It is omitted if usage is not recorded. */
  readonly meter?: Meter | undefined
}

interface Advice {
  readonly address: string
  /** The hint for timeouts, as a clause after "or". */
  readonly slow: string
}

export interface ModelRequest {
  /** The path, relative to `baseUrl`. */
  readonly path: string
  readonly body: unknown
  /** Maximum number of tokens in the answer. */
  readonly output: number
  /** Reads the usage that the server reports in a complete answer. */
  usageOf?(body: string): Usage | undefined
}

export interface Answer {
  readonly status: number
  readonly body: string
}

export interface AnswerStream {
  readonly status: 200
  /** The content type in lowercase, such as `text/event-stream`. */
  readonly type: string
  /**
   * The chunks of the body.
   * @throws RouxError `PROVIDER_ERROR` or `TIMEOUT` if the stream is interrupted; the signal's reason if it is aborted
   */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Number of tokens reserved for the prompt. */
  readonly expected: number
  /** Closes the stream and records the usage. Later calls have no effect. */
  end(spent: Usage): void
}

/** The number of retries for background requests. */
export const RETRIES = 4

/** The maximum size of a body in bytes. 64 vectors with 8192 components are 12 MB of JSON. */
const MAX_BODY = 64_000_000

const MAX_REFUSAL = 100_000

const TOO_LONG = /too (long|large|many (tokens|inputs))|context (length|size|window)|exceed|maximum/i

export interface SendOptions {
  readonly retries: number
  /** The longest delay, in milliseconds, that is accepted from the server before giving up. The default is 30 s. */
  readonly patience?: number
  readonly signal: AbortSignal | undefined
}

interface Transient {
  readonly problem: Error
  /** The value of `Retry-After`, in milliseconds. */
  readonly wait?: number
}

/**
 * Sends a request, and retries it after 429, 5xx, timeouts and broken connections, with exponential backoff.
 * @returns the first response with another status
 * @throws RouxError a transient `PROVIDER_ERROR` after the last attempt; errors of the meter; the signal's reason
 */
export function post(server: ModelServer, request: ModelRequest, options: SendOptions): Promise<Answer> {
  return withRetries(server, options, async () => {
    const reply = await send(server, request, options.signal)
    if ('problem' in reply) return reply
    const body = await reply.text(MAX_BODY)
    if (typeof body !== 'string') return body
    const answer = { status: reply.status, body }
    const reported = request.usageOf?.(body)
    const isBelieved = reported !== undefined && reported.input <= mostTokens(reply.expected)
    const usage = reply.status !== 200 ? REFUSED : isBelieved ? reported : reply.estimate()
    reply.end(usage)
    return isTransient(answer) ? refusalOf(server, answer, reply.headers) : answer
  })
}

/**
 * Works like `post`, but streams the body of a response with status 200.
 * @throws the errors of `post`, before the answer starts
 */
export function postForStream(server: ModelServer, request: ModelRequest, options: SendOptions): Promise<Answer | AnswerStream> {
  return withRetries<Answer | AnswerStream>(server, options, async () => {
    const reply = await send(server, request, options.signal)
    if ('problem' in reply) return reply
    if (reply.status === 200) return { ...reply, status: 200, type: reply.headers.get('content-type')?.toLowerCase() ?? '' }
    const body = await reply.text(MAX_REFUSAL)
    if (typeof body !== 'string') return body
    reply.end(REFUSED)
    const answer = { status: reply.status, body }
    return isTransient(answer) ? refusalOf(server, answer, reply.headers) : answer
  })
}

/** Maximum number of tokens that servers add to a prompt. */
const MAX_ADDED = 10_000

/** Returns the maximum number of tokens. `expected` assumes three bytes per token. The worst case is one byte per token. */
export function mostTokens(expected: number): number {
  return 3 * expected + MAX_ADDED
}

/** The usage of a request that was rejected before any computation. */
const REFUSED: Usage = { input: 0, output: 0, estimated: false, failed: true }

/**
 * Checks whether the server refused the input as too long. Servers use status 413 or messages such as `maximum context length`,
 * `input is too large to process` (llama.cpp, with status 500) and `exceeds the context length` (Ollama).
 */
export function isTooLong({ status, body }: Answer): boolean {
  return status === 413 || ([400, 422, 500].includes(status) && TOO_LONG.test(body))
}

/** Removes the API key from an error message. A message that contains the key in another encoding is dropped. */
export function withoutKey(text: string, { secret = '' }: Pick<ModelServer, 'secret'>): string {
  if (secret === '') return text
  const plain = text.replaceAll(secret, '[key]')
  const read = [plain, decodePercent(plain), decodePercent(decodePercent(plain)), decodeEscapes(plain)]
  const isHidden = read.slice(1).some((form) => form.includes(secret)) || encodings(secret).some((one) => plain.includes(one))
  return isHidden ? '(left out, because it repeats the key)' : plain
}

function decodePercent(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** Decodes escape sequences such as `\\u0073` in JSON and `&#115;` in HTML. */
function decodeEscapes(text: string): string {
  return text.replace(/\\u([\da-f]{4})|&#x([\da-f]{1,4});|&#(\d{1,5});/gi, (_, json?: string, hex?: string, decimal?: string) =>
    String.fromCharCode(decimal === undefined ? Number.parseInt(json ?? hex ?? '', 16) : Number(decimal)),
  )
}

/** Returns a secret in hexadecimal, and in base64 at each of the three alignments. */
function encodings(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString('hex')
  const base64 = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.from('\0'.repeat(before) + secret)
    // The ends are cut off, because their characters depend on the adjacent text.
    const [from, to] = [Math.ceil((before * 4) / 3), Math.floor((whole.length * 4) / 3)]
    return (['base64', 'base64url'] as const).map((form) => whole.toString(form).slice(from, to))
  })
  return [hex, hex.toUpperCase(), ...base64]
}

/**
 * Returns the address without trailing slashes.
 * @returns `undefined` if the address is not HTTP or contains credentials, a query or a fragment
 */
export function askableUrl(baseUrl: string): string | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
  return url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' ? undefined : trimEndOf(baseUrl, '/')
}

async function withRetries<T>(
  server: ModelServer,
  { retries, patience = 30_000, signal }: SendOptions,
  attempt: () => Promise<T | Transient>,
): Promise<T> {
  for (let count = 0; ; count++) {
    signal?.throwIfAborted()
    const result = await attempt()
    if (!isFailure(result)) return result
    const wait = result.wait ?? server.backoffMs * 2 ** count * (0.5 + server.random() / 2)
    // After a timeout, the caller has already waited for the maximum time.
    const isOver = result.problem instanceof RouxError && result.problem.code === 'TIMEOUT'
    if (count === retries || wait > patience || isOver) throw result.problem
    await pause(wait, signal)
  }
}

function isFailure(result: unknown): result is Transient {
  return typeof result === 'object' && result !== null && 'problem' in result
}

interface Sent extends Pick<AnswerStream, 'chunks' | 'expected' | 'end'> {
  readonly status: number
  readonly headers: Headers
  /** @returns the body, or the error that interrupted it @throws the signal's reason */
  text(most: number): Promise<string | Transient>
  /** Estimates the usage, for servers that do not report it. */
  estimate(): Usage
}

async function send(server: ModelServer, request: ModelRequest, signal: AbortSignal | undefined): Promise<Sent | Transient> {
  const body = JSON.stringify(request.body)
  const expected = estimateTokens(body)
  const ticket = server.meter?.begin({ input: expected, output: request.output })
  const attempt = openAttempt(server, ticket, signal)
  try {
    const response = await untilAborted(
      server.fetch(`${server.baseUrl}${request.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...server.headers },
        body,
        signal: attempt.signal,
        // Redirects are not followed, because one would send the key to another address.
        redirect: 'manual',
      }),
      attempt.signal,
    )
    return toSent(response, attempt, expected)
  } catch (error) {
    const mayBeReceived = attempt.isLate() || signal?.aborted === true || isHungUp(error)
    // If the server received the request, it may already be computing an answer.
    attempt.end(mayBeReceived ? { input: expected, output: 0, estimated: true, failed: true } : REFUSED)
    signal?.throwIfAborted()
    return { problem: unreachable(server, error, attempt.isLate()) }
  }
}

/** The connection was established, so the server may have received the request. */
function isHungUp(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(errorCode(cause) ?? '')
}

interface Attempt {
  readonly server: ModelServer
  readonly signal: AbortSignal
  readonly caller: AbortSignal | undefined
  isLate(): boolean
  /** Records the actual usage and releases the rest of the reservation. */
  end(spent: Usage): void
}

function openAttempt(server: ModelServer, ticket: Ticket | undefined, caller: AbortSignal | undefined): Attempt {
  const late = new AbortController()
  const stop = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('time-out')), server.timeoutMs)
  const inTime = linkSignals(late.signal, caller)
  const all = linkSignals(stop.signal, inTime.signal)
  let isEnded = false
  return {
    server,
    signal: all.signal,
    caller,
    isLate: () => late.signal.aborted,
    end(usage) {
      if (isEnded) return
      isEnded = true
      clearTimeout(timer)
      // The connection is closed early.
      stop.abort(new Error('ended'))
      inTime.unlink()
      all.unlink()
      ticket?.end(usage)
    },
  }
}

function toSent(response: Response, attempt: Attempt, expected: number): Sent {
  const { server, signal, caller } = attempt
  let length = 0
  const estimate = (): Usage => ({ input: expected, output: Math.ceil(length / 3), estimated: true })
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader()
    try {
      for (;;) {
        const next = await (reader === undefined ? undefined : untilAborted(reader.read(), signal))
        if (next === undefined || next.done) return
        length += next.value.length
        yield next.value
      }
    } catch (error) {
      caller?.throwIfAborted()
      throw unreachable(server, error, attempt.isLate())
    } finally {
      reader?.cancel().catch(() => {})
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    chunks: { [Symbol.asyncIterator]: chunks },
    expected,
    end: (usage) => attempt.end(usage),
    estimate,
    async text(maxBytes) {
      try {
        const decoder = new TextDecoder()
        let text = ''
        for await (const bytes of chunks()) {
          text += decoder.decode(bytes, { stream: true })
          if (text.length <= maxBytes) continue
          if (maxBytes === MAX_REFUSAL) break
          throw unreachable(server, new Error(`the answer is longer than ${maxBytes / 1e6} MB`), false)
        }
        return text + decoder.decode()
      } catch (error) {
        attempt.end({ ...estimate(), failed: true })
        caller?.throwIfAborted()
        return { problem: error instanceof Error ? error : new Error(String(error)) }
      }
    },
  }
}

function isTransient(answer: Answer): boolean {
  const { status } = answer
  return status === 408 || status === 429 || (status >= 500 && !isTooLong(answer))
}

function refusalOf(server: ModelServer, { status, body }: Answer, headers: Headers): Transient {
  const serverMessage = reasonOf(withoutKey(body, server))
  const problem = unavailableError(
    `The ${server.name} at ${server.baseUrl} answered ${status}${serverMessage === '' ? '' : `: ${serverMessage}`}.`,
    status === 429
      ? 'It limits requests: wait, or check your plan with the provider.'
      : "Check that server's log, then try again.",
  )
  const wait = retryAfter(headers.get('retry-after'))
  return wait === undefined ? { problem } : { problem, wait }
}

/** Returns the delay in `Retry-After`, which contains seconds or a date. */
function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const wait = /^\d+$/.test(value) ? 1000 * Number(value) : Date.parse(value) - Date.now()
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined
}

function unreachable(server: ModelServer, error: unknown, late: boolean): Error {
  if (error instanceof RouxError) return error
  if (late) {
    return new RouxError(
      server.lateCode,
      `The ${server.name} at ${server.baseUrl} did not answer within ${server.timeoutMs / 1000} s.`,
      { hint: `Try again later, or ${server.advice.slow}.`, isTransient: true, cause: error },
    )
  }
  // fetch attaches the actual error as its cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return unavailableError(
    `The ${server.name} at ${server.baseUrl} cannot be reached: ${withoutKey(reasonOf(cause), server)}.`,
    `Start it, or set \`${server.advice.address}\` to the address it listens on.`,
  )
}

export interface Expected {
  readonly input: number
  readonly output: number
}

export interface Usage extends Expected {
  /** True if the counts are estimated from text lengths. */
  readonly estimated: boolean
  /** True if there was no usable answer. */
  readonly failed?: boolean
}

export interface Meter {
  /**
   * Reserves tokens for a request that is about to be sent.
   * @throws RouxError `BUDGET_EXCEEDED`; `REMOTE_NOT_ALLOWED` without consent
   */
  begin(expected: Expected): Ticket
}

export interface Ticket {
  end(spent: Usage): void
}
