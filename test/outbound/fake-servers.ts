import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, vi } from 'vitest'

/** A request to a fake server. */
export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they sent
  readonly body: any
}

export interface FakeServer {
  readonly origin: string
  readonly baseUrl: string
  readonly requests: readonly SeenRequest[]
  /** How many connections the other side closed before the answer was complete. */
  readonly closed: number
}

/** Answers one request; `count` begins with 1. */
export type Behavior = (request: SeenRequest, response: ServerResponse, count: number) => void

/** A server in this process on the loopback interface. */
export async function serve(behavior: Behavior): Promise<FakeServer> {
  const requests: SeenRequest[] = []
  let closed = 0
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString()
    const request = { path: incoming.url ?? '', headers: incoming.headers, body: text === '' ? undefined : JSON.parse(text) }
    requests.push(request)
    response.on('close', () => {
      if (!response.writableFinished) closed += 1
    })
    behavior(request, response, requests.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    baseUrl: `${origin}/v1`,
    requests,
    get closed() {
      return closed
    },
  }
}

/** Sends a status and a body. */
export const reply =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Behavior =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

export interface Said {
  readonly text?: string
  readonly thinking?: string
  readonly finish?: string | null
  readonly usage?: object | null
  /** The usage comes in its own chunk, without choices. */
  readonly usageApart?: boolean
}

const EVENTS = { 'content-type': 'text/event-stream' }

function event(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** The stream of a server with OpenAI's protocol. */
export function openAiStream({ text = '', thinking = '', finish = 'stop', usage, usageApart = true }: Said): string {
  const deltas = [
    ...(thinking === '' ? [] : [{ reasoning_content: thinking }]),
    ...[...text.matchAll(/[\s\S]{1,7}/gu)].map(([content]) => ({ content })),
  ]
  const counted = usage === undefined ? { prompt_tokens: 100, completion_tokens: 10 } : usage
  const last = { choices: [{ index: 0, delta: {}, finish_reason: finish }], ...(usageApart ? {} : { usage: counted }) }
  return [
    ...deltas.map((delta) => event({ choices: [{ index: 0, delta, finish_reason: null }] })),
    event(last),
    ...(usageApart && counted !== null ? [event({ choices: [], usage: counted })] : []),
    'data: [DONE]\n\n',
  ].join('')
}

export function openAiSays(said: Said | string): Behavior {
  return reply(200, openAiStream(typeof said === 'string' ? { text: said } : said), EVENTS)
}

/** The stream of a server with Anthropic's protocol. */
export function anthropicStream({ text = '', thinking = '', finish = 'end_turn', usage }: Said): string {
  const input = usage ?? { input_tokens: 60, cache_read_input_tokens: 30, cache_creation_input_tokens: 10, output_tokens: 1 }
  const typed = (value: { readonly type: string } & Readonly<Record<string, unknown>>) => `event: ${value.type}\n${event(value)}`
  return [
    typed({ type: 'message_start', message: { role: 'assistant', content: [], usage: input } }),
    typed({ type: 'ping' }),
    ...(thinking === '' ? [] : [typed({ type: 'content_block_delta', delta: { type: 'thinking_delta', thinking } })]),
    typed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...[...text.matchAll(/[\s\S]{1,7}/gu)].map(([part]) =>
      typed({ type: 'content_block_delta', delta: { type: 'text_delta', text: part } }),
    ),
    typed({ type: 'message_delta', delta: { stop_reason: finish }, usage: { output_tokens: 5 } }),
    typed({ type: 'message_delta', delta: { stop_reason: finish }, usage: { output_tokens: 12 } }),
    typed({ type: 'message_stop' }),
  ].join('')
}

export function anthropicSays(said: Said | string): Behavior {
  return reply(200, anthropicStream(typeof said === 'string' ? { text: said } : said), EVENTS)
}

/** Sends bytes piece by piece, `ms` apart; never ends if `isOpen`. */
export function slowly(
  bytes: Uint8Array,
  { size, ms = 0, isOpen = false }: { size: number; ms?: number; isOpen?: boolean },
): Behavior {
  return (_, response) => {
    response.writeHead(200, EVENTS)
    let at = 0
    const next = (): void => {
      if (response.destroyed) return
      if (at >= bytes.length) {
        if (!isOpen) response.end()
        return
      }
      response.write(bytes.subarray(at, at + size))
      at += size
      if (ms === 0) setImmediate(next)
      else setTimeout(next, ms)
    }
    next()
  }
}

/** Stops the clock for time limits of `ms` milliseconds; the returned function ends those that have begun. */
export function holdLimits(ms: number): () => void {
  const own = globalThis.setTimeout
  const held: (() => void)[] = []
  const hold = (run: () => void, after?: number) => {
    if (after !== ms) return own(run, after)
    held.push(run)
    return own(() => {})
  }
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(hold as typeof setTimeout)
  onTestFinished(() => spy.mockRestore())
  return () => {
    for (const end of held.splice(0)) end()
  }
}

/** Returns this many different words, because a model that repeats itself is stopped. */
export function words(count: number): string {
  return Array.from({ length: count }, (_, at) => `word${at}`).join(' ')
}
