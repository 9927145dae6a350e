import { errorCode } from '../core/error-code.ts'
import { RouxError } from '../core/errors.ts'
import { reasonOf, unavailableError } from '../core/provider-error.ts'
import { estimateTokens } from '../core/text/estimate-tokens.ts'
import { trimEndOf } from '../core/text/trim-characters.ts'
import { linkSignals, pause, untilAborted } from '../core/waiting/aborting.ts'

/** A server that runs models. */
export interface ModelServer {
  /** Its name in messages, e.g. `embedding server`. */
  readonly name: string
  /** Without a slash at the end. */
  readonly baseUrl: string
  /** The key among them. */
  readonly headers: Readonly<Record<string, string>>
  /** The key, which no message shows. */
  readonly secret: string | undefined
  /** How long an answer may take, to its end. */
  readonly timeoutMs: number
  /** The error code for an answer that takes longer. */
  readonly lateCode: 'PROVIDER_ERROR' | 'TIMEOUT'
  readonly advice: Advice
  readonly fetch: typeof fetch
  /** A number from 0 to 1: spreads retries. */
  readonly random: () => number
  /** Milliseconds before the first retry; each next one waits twice as long. */
  readonly backoffMs: number
  /** Asked before each request and told after it; absent where nothing is counted. */
  readonly meter?: Meter | undefined
}

/** Advice for when the server fails. */
interface Advice {
  /** The setting that says where it is. */
  readonly address: string
  /** Advice for a slow server, a clause that follows "or". */
  readonly slow: string
}

export interface ModelRequest {
  /** After the server's `baseUrl`. */
  readonly path: string
  readonly body: unknown
  /** The most tokens of the answer. */
  readonly output: number
  /** Reads the usage that the server reports for a whole answer. */
  usageOf?(body: string): Spent | undefined
}

/** An answer with its whole body. */
export interface Answer {
  readonly status: number
  readonly body: string
}

/** An answer of status 200 that is still coming. */
export interface AnswerStream {
  readonly status: 200
  /** The content type, in lower case, e.g. `text/event-stream`. */
  readonly type: string
  /** @throws RouxError `PROVIDER_ERROR`, `TIMEOUT` when it breaks off; the signal's reason. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Tokens that were reserved for the question. */
  readonly expected: number
  /** Ends it, whole or not, and says what it took; only the first call counts. */
  end(spent: Spent): void
}

/** Retries of a request that can wait. */
export const RETRIES = 4

/** 64 vectors of 8192 components are 12 MB of JSON. */
const MAX_BODY = 64_000_000

/** How much of an error's body to keep. */
const MAX_REFUSAL = 100_000

const TOO_LONG = /too (long|large|many (tokens|inputs))|context (length|size|window)|exceed|maximum/i

export interface SendOptions {
  /** How often it may be sent again. */
  readonly retries: number
  /** A server that asks for more patience than this (ms) is given up; 30 s unless said. */
  readonly patience?: number
  readonly signal: AbortSignal | undefined
}

/** A failed attempt that is worth a retry. */
interface Transient {
  readonly problem: Error
  /** Milliseconds that the server asks to wait. */
  readonly wait?: number
}

/**
 * Sends a request, where it may be sent again after 429, 5xx, time-outs and broken connections, each time twice as long after the last one.
 * @returns the answer, of any other status.
 * @throws RouxError `PROVIDER_ERROR`, transient, when the last attempt failed; what the meter throws; the signal's reason.
 */
export function post(server: ModelServer, request: ModelRequest, options: SendOptions): Promise<Answer> {
  return again(server, options, async () => {
    const sent = await send(server, request, options.signal)
    if ('problem' in sent) return sent
    const body = await sent.text(MAX_BODY)
    if (typeof body !== 'string') return body
    const answer = { status: sent.status, body }
    const said = request.usageOf?.(body)
    const isBelieved = said !== undefined && said.input <= mostTokens(sent.expected)
    const spent = sent.status !== 200 ? REFUSED : isBelieved ? said : sent.estimate()
    sent.end(spent)
    return isTransient(answer) ? refused(server, answer, sent.headers) : answer
  })
}

/**
 * Sends a request as `post` does; an answer of status 200 is handed over while it comes.
 * @throws as `post` does, before anything came.
 */
export function postForStream(server: ModelServer, request: ModelRequest, options: SendOptions): Promise<Answer | AnswerStream> {
  return again<Answer | AnswerStream>(server, options, async () => {
    const sent = await send(server, request, options.signal)
    if ('problem' in sent) return sent
    if (sent.status === 200) return { ...sent, status: 200, type: sent.headers.get('content-type')?.toLowerCase() ?? '' }
    const body = await sent.text(MAX_REFUSAL)
    if (typeof body !== 'string') return body
    sent.end(REFUSED)
    const answer = { status: sent.status, body }
    return isTransient(answer) ? refused(server, answer, sent.headers) : answer
  })
}

/** Tokens that a server may add to a prompt. */
const MOST_ADDED = 10_000

/** The most tokens that a prompt can have. A token has at least one byte, and the estimate assumes three. */
export function mostTokens(expected: number): number {
  return 3 * expected + MOST_ADDED
}

/** Nothing was computed. */
const REFUSED: Spent = { input: 0, output: 0, estimated: false, failed: true }

/**
 * Tells whether the server refused the texts as too long: 413, or such an error message, e.g. `maximum context length`, `input is too large to
 * process` (llama.cpp, with 500), `exceeds the context length` (Ollama).
 */
export function isTooLong({ status, body }: Answer): boolean {
  return status === 413 || ([400, 422, 500].includes(status) && TOO_LONG.test(body))
}

/** Removes the key from a server's message, or drops the message if it repeats the key in another form. */
export function withoutKey(text: string, { secret = '' }: Pick<ModelServer, 'secret'>): string {
  if (secret === '') return text
  const plain = text.replaceAll(secret, '[key]')
  const read = [plain, decodePercent(plain), decodePercent(decodePercent(plain)), decodeEscapes(plain)]
  const isHidden = read.slice(1).some((one) => one.includes(secret)) || encodings(secret).some((one) => plain.includes(one))
  return isHidden ? '(left out, because it repeats the key)' : plain
}

function decodePercent(text: string): string {
  return text.replace(/%([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** `\\u0073` of JSON and `&#115;` of HTML. */
function decodeEscapes(text: string): string {
  return text.replace(/\\u([\da-f]{4})|&#x([\da-f]{1,4});|&#(\d{1,5});/gi, (_, json?: string, hex?: string, decimal?: string) =>
    String.fromCharCode(decimal === undefined ? Number.parseInt(json ?? hex ?? '', 16) : Number(decimal)),
  )
}

/** The key in hexadecimal digits, and in base64 at each of the three places where it may begin. */
function encodings(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString('hex')
  const base64 = [0, 1, 2].flatMap((before) => {
    const whole = Buffer.from('\0'.repeat(before) + secret)
    // Signs at both ends depend on what stands beside the key.
    const [from, to] = [Math.ceil((before * 4) / 3), Math.floor((whole.length * 4) / 3)]
    return (['base64', 'base64url'] as const).map((form) => whole.toString(form).slice(from, to))
  })
  return [hex, hex.toUpperCase(), ...base64]
}

/** An address without slashes at its end; `undefined` for one that cannot be asked, or that holds a name, a key or a question mark. */
export function askableUrl(baseUrl: string): string | undefined {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined
  return url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '' ? undefined : trimEndOf(baseUrl, '/')
}

async function again<T>(
  server: ModelServer,
  { retries, patience = 30_000, signal }: SendOptions,
  attempt: () => Promise<T | Transient>,
): Promise<T> {
  for (let count = 0; ; count++) {
    signal?.throwIfAborted()
    const result = await attempt()
    if (!isFailure(result)) return result
    const wait = result.wait ?? server.backoffMs * 2 ** count * (0.5 + server.random() / 2)
    // Who waited as long as an answer may take does not wait as long again.
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
  /** The whole body, or why it did not come. @throws the signal's reason */
  text(most: number): Promise<string | Transient>
  /** What it took, as far as that can be told from outside. */
  estimate(): Spent
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
        // The key goes to the address that was set and nowhere else.
        redirect: 'manual',
      }),
      attempt.signal,
    )
    return toSent(response, attempt, expected)
  } catch (error) {
    const isHeard = attempt.isLate() || signal?.aborted === true || isHungUp(error)
    // A server that was heard of may have begun to compute.
    attempt.end(isHeard ? { input: expected, output: 0, estimated: true, failed: true } : REFUSED)
    signal?.throwIfAborted()
    return { problem: unreachable(server, error, attempt.isLate()) }
  }
}

/** True if a connection ended that there was: what is not heard of a server may have been read by it. */
function isHungUp(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(errorCode(cause) ?? '')
}

interface Attempt {
  readonly server: ModelServer
  /** The caller's, and the end of the time. */
  readonly signal: AbortSignal
  readonly caller: AbortSignal | undefined
  isLate(): boolean
  end(spent: Spent): void
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
    end(spent) {
      if (isEnded) return
      isEnded = true
      clearTimeout(timer)
      // Whatever still comes is not read: the connection is closed.
      stop.abort(new Error('ended'))
      inTime.unlink()
      all.unlink()
      ticket?.end(spent)
    },
  }
}

function toSent(response: Response, attempt: Attempt, expected: number): Sent {
  const { server, signal, caller } = attempt
  let length = 0
  const estimate = (): Spent => ({ input: expected, output: Math.ceil(length / 3), estimated: true })
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
    end: (spent) => attempt.end(spent),
    estimate,
    async text(most) {
      try {
        const decoder = new TextDecoder()
        let text = ''
        for await (const bytes of chunks()) {
          text += decoder.decode(bytes, { stream: true })
          if (text.length <= most) continue
          if (most === MAX_REFUSAL) break
          throw unreachable(server, new Error(`the answer is longer than ${most / 1e6} MB`), false)
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

function refused(server: ModelServer, { status, body }: Answer, headers: Headers): Transient {
  const said = reasonOf(withoutKey(body, server))
  const problem = unavailableError(
    `The ${server.name} at ${server.baseUrl} answers ${status}${said === '' ? '' : `: ${said}`}.`,
    status === 429 ? 'It limits requests: wait, or check your plan there.' : 'Look at the log of that server, and try again.',
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

function unreachable(server: ModelServer, error: unknown, late: boolean): Error {
  if (error instanceof RouxError) return error
  if (late) {
    return new RouxError(
      server.lateCode,
      `The ${server.name} at ${server.baseUrl} did not answer within ${server.timeoutMs / 1000} s.`,
      { hint: `Try again when it is less busy, or ${server.advice.slow}.`, isTransient: true, cause: error },
    )
  }
  // fetch wraps what happened: "fetch failed", with the reason as its cause.
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return unavailableError(
    `The ${server.name} at ${server.baseUrl} cannot be reached: ${withoutKey(reasonOf(cause), server)}.`,
    `Start it, or set \`${server.advice.address}\` to where it listens.`,
  )
}

/** Tokens that a request may take. */
export interface Expected {
  readonly input: number
  readonly output: number
}

/** Tokens that a request took. */
export interface Spent extends Expected {
  /** Not said by the server, but computed from lengths. */
  readonly estimated: boolean
  /** Nothing that could be used came of it. */
  readonly failed?: boolean
}

/** Lets requests through the gate, one by one. */
export interface Meter {
  /**
   * Reserves what a request may take, before it is sent.
   * @throws RouxError `BUDGET_EXCEEDED`; `REMOTE_NOT_ALLOWED` where consent was taken back.
   */
  begin(expected: Expected): Ticket
}

/** One request that was let through. */
export interface Ticket {
  /** Records the actual cost and releases the rest of the reservation. */
  end(spent: Spent): void
}
