import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import { eventData } from '../../src/outbound/chat/chat-server.ts'
import { openAnthropic, openOpenAi } from '../../src/outbound/chat/dialects.ts'
import type { Usage } from '../../src/outbound/http-client.ts'
import { PATIENCE } from '../support/patience.ts'
import { settled as clientHasRead } from '../support/settled.ts'
import {
  anthropicSays,
  anthropicStream,
  type Behavior,
  holdLimits,
  openAiSays,
  openAiStream,
  reply,
  serve,
  slowly,
} from './fake-servers.ts'

const KEY = 'sk-canary-7f3a'
const KINDS = { openai: openOpenAi, anthropic: openAnthropic } as const
const SAYS = { openai: openAiSays, anthropic: anthropicSays } as const
const STREAM = { openai: openAiStream, anthropic: anthropicStream } as const
type Kind = keyof typeof KINDS

const QUESTION: ChatRequest = {
  system: 'Answer.',
  messages: [{ role: 'user', content: 'Why?' }],
  maxTokens: 50,
  temperature: 0,
  feature: 'ask',
}

async function asked(
  kind: Kind,
  behavior: Behavior,
  { timeoutMs = PATIENCE, signal }: { timeoutMs?: number; signal?: AbortSignal } = {},
) {
  const server = await serve(behavior)
  const settled: Usage[] = []
  const provider = KINDS[kind](
    {
      baseUrl: server.baseUrl,
      model: 'm',
      apiKey: KEY,
      timeoutMs,
      location: 'local',
      meterFor: () => ({ begin: () => ({ end: (spent) => void settled.push(spent) }) }),
    },
    { backoffMs: 1 },
  )
  const events: ChatEvent[] = []
  const run = async () => {
    for await (const event of provider.chat({ ...QUESTION, signal })) events.push(event)
  }
  const error = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const textOf = (wanted: ChatEvent['kind']) =>
    events.map((one) => (one.kind === wanted && 'text' in one ? one.text : '')).join('')
  const end = events.find((one) => one.kind === 'end')
  return { server, settled, text: textOf('text'), thinking: textOf('thinking'), end, error }
}

describe.each(['openai', 'anthropic'] as const)('%s', (kind) => {
  test('streams an answer completely, with its usage', async () => {
    const { text, end, settled, server } = await asked(kind, SAYS[kind]('Because of the flour. Ünïcödé 🍞.'))
    expect(text).toBe('Because of the flour. Ünïcödé 🍞.')
    const usage = kind === 'openai' ? { input: 100, output: 10 } : { input: 100, output: 12 }
    expect(end).toMatchObject({ finish: 'stop', usage: { ...usage, estimated: false } })
    expect(settled).toEqual([{ ...usage, estimated: false }])
    expect(server.requests[0]?.headers[kind === 'openai' ? 'authorization' : 'x-api-key']).toContain(KEY)
    expect(server.requests[0]?.body).not.toHaveProperty('tools')
  })

  test('bytes may be split anywhere, even within a character', async () => {
    const text = 'Ein Öl – 油 – 🫒 – end.'
    for (const size of [1, 2, 3, 5]) {
      const found = await asked(
        kind,
        slowly(Buffer.from(STREAM[kind]({ text }).replaceAll('\n', size === 2 ? '\r\n' : '\n')), { size }),
      )
      expect(found).toMatchObject({ error: undefined, text })
    }
  })

  test('separates thinking from the answer', async () => {
    const { text, thinking } = await asked(kind, SAYS[kind]({ thinking: 'Hm.', text: 'Yes.' }))
    expect([thinking, text]).toEqual(['Hm.', 'Yes.'])
  })

  test('an answer that spent its tokens on thinking is an error that names the setting', async () => {
    const { error, settled } = await asked(
      kind,
      SAYS[kind]({ thinking: 'Hm.', finish: kind === 'openai' ? 'length' : 'max_tokens' }),
    )
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', hint: expect.stringContaining('ai.max_tokens') })
    expect(settled).toMatchObject([{ failed: true }])
  })

  test('leaves out a temperature that the model refuses, and retries once', async () => {
    const { text, server, settled } = await asked(kind, (request, response, count) => {
      const isWrong = 'temperature' in request.body
      const body = JSON.stringify({ error: { message: "Unsupported value: 'temperature' does not support 0." } })
      ;(isWrong ? reply(400, body) : SAYS[kind]('Yes.'))(request, response, count)
    })
    expect(text).toBe('Yes.')
    expect(server.requests).toHaveLength(2)
    expect(settled).toMatchObject([{ input: 0, output: 0, failed: true }, { estimated: false }])
  })

  test('reports a permanent refusal with its reason and without the key, and does not retry', async () => {
    const { error, server } = await asked(kind, reply(400, JSON.stringify({ error: { message: `bad model for ${KEY}` } })))
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('bad model for [key]') })
    expect(server.requests).toHaveLength(1)
  })

  test('a context that is too long names the setting that limits it', async () => {
    const { error } = await asked(kind, reply(400, '{"error":{"message":"the request exceeds the available context size"}}'))
    expect(error).toMatchObject({ hint: expect.stringContaining('ai.context') })
  })

  test.each([429, 500, 503, 529])('retries %i twice', async (status) => {
    const { text, server, settled } = await asked(kind, (request, response, count) =>
      (count < 3 ? reply(status, 'busy', { 'retry-after': '0' }) : SAYS[kind]('Yes.'))(request, response, count),
    )
    expect(text).toBe('Yes.')
    expect(server.requests).toHaveLength(3)
    expect(settled.map(({ failed }) => failed === true)).toEqual([true, true, false])
  })

  test('gives up at once if the server asks for a long wait', async () => {
    const { error, server } = await asked(kind, reply(429, 'slow down', { 'retry-after': '3600' }))
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', isTransient: true })
    expect(server.requests).toHaveLength(1)
  })

  test('does not follow redirects, so the key goes nowhere else', async () => {
    const other = await serve(SAYS[kind]('Stolen.'))
    const { error } = await asked(kind, reply(307, '', { location: `${other.baseUrl}/chat/completions` }))
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', hint: expect.stringContaining('Redirects') })
    expect(other.requests).toHaveLength(0)
  })

  test('a stream that breaks off keeps the text so far', async () => {
    const whole = Buffer.from(STREAM[kind]({ text: 'It is because of the flour.' }))
    const { text, end, settled, error } = await asked(kind, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(whole.subarray(0, Math.floor(whole.length / 2)), () => response.destroy())
    })
    expect(error).toBeUndefined()
    expect(text.length).toBeGreaterThan(2)
    expect(end).toMatchObject({ finish: 'cut', usage: { estimated: true } })
    expect(settled).toMatchObject([{ estimated: true }])
  })

  test('a stream that breaks off before any text is an error', async () => {
    const { error } = await asked(kind, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(': hello\n\n', () => response.destroy())
    })
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR' })
  })

  test('counts what a server has read before it hangs up', async () => {
    const { error, settled } = await asked(kind, (_, response) => void response.destroy())
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR' })
    expect(settled.length).toBeGreaterThan(0)
    for (const spent of settled) expect(spent).toMatchObject({ input: expect.any(Number), estimated: true, failed: true })
    expect(settled[0]?.input).toBeGreaterThan(10)
  })

  test('a server that does not answer in time is TIMEOUT, and its possible usage is counted', async () => {
    const timeoutMs = 1_000
    const { error, settled, server } = await asked(kind, holdLimits(timeoutMs), { timeoutMs })
    expect(error).toMatchObject({ code: 'TIMEOUT', hint: expect.stringContaining('ai.timeout') })
    // There is no retry, because it would take three times as long as the setting allows.
    expect([server.requests.length, settled.length]).toEqual([1, 1])
    expect(settled[0]).toMatchObject({ estimated: true, failed: true })
    expect(settled[0]?.input).toBeGreaterThan(10)
  })

  test('cancelling closes the connection and settles the usage', async () => {
    const controller = new AbortController()
    const bytes = Buffer.from(STREAM[kind]({ text: 'word '.repeat(50) }))
    const behavior: Behavior = (...asked) => {
      slowly(bytes, { size: 200, ms: 20, isOpen: true })(...asked)
      void clientHasRead().then(() => controller.abort(new Error('enough')))
    }
    const { error, server, settled } = await asked(kind, behavior, { signal: controller.signal })
    expect(error).toMatchObject({ message: 'enough' })
    await expect.poll(() => server.closed).toBe(1)
    expect(settled).toMatchObject([{ estimated: true, failed: true }])
  })

  test('cuts an answer of 10 MB and charges no more than its limit', async () => {
    const { end, text, settled } = await asked(kind, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const piece = STREAM[kind]({ text: 'x'.repeat(50_000) }).replaceAll('[DONE]', '{"choices":[],"type":"ping"}')
      for (let size = 0; size < 10_000_000; size += piece.length) response.write(piece)
      response.end()
    })
    expect(end).toMatchObject({ finish: 'length' })
    expect(text.length).toBeLessThan(100_000)
    expect(settled.at(-1)?.output).toBeLessThan(1_000)
  })

  test('a web page or another invalid answer hints at a wrong address', async () => {
    for (const [body, type] of [
      ['<html>Hello</html>', 'text/html'],
      ['{"models":[]}', 'application/json'],
    ] as const) {
      const { error } = await asked(kind, reply(200, body, { 'content-type': type }))
      expect(error).toMatchObject({ code: 'PROVIDER_ERROR', hint: expect.stringContaining('/v1') })
    }
  })

  test.each([
    [
      'an error in mid-stream',
      'cut',
      (response: ServerResponse) => response.end('data: {"type":"error","error":{"message":"overloaded"}}\n\n'),
    ],
    ['a server that is too slow', 'late', (_: ServerResponse, endLimit: () => void) => void clientHasRead().then(endLimit)],
  ] as const)('%s keeps the text so far', async (_, finish, ends) => {
    const timeoutMs = 1_000
    const endLimit = holdLimits(timeoutMs)
    const words = 'Because of the flour.'
    const said = {
      openai: { choices: [{ delta: { content: words } }] },
      anthropic: { type: 'content_block_delta', delta: { type: 'text_delta', text: words } },
    }[kind]
    const { text, end, error, settled } = await asked(
      kind,
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${JSON.stringify(said)}\n\n`, () => ends(response, endLimit))
      },
      { timeoutMs },
    )
    expect([text, error]).toEqual([words, undefined])
    expect(end).toMatchObject({ finish, ...(finish === 'cut' ? { reason: expect.stringContaining('overloaded') } : {}) })
    expect(settled).toMatchObject([{ estimated: true }])
    expect(settled[0]).not.toHaveProperty('failed')
  })

  test('an answer is complete when finished, even if the connection stays open', async () => {
    const { end, settled } = await asked(kind, (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(STREAM[kind]({ text: 'Yes.' }).replace(/(?:data: \[DONE\]|event: message_stop)[\s\S]*$/, ''))
    })
    expect(end).toMatchObject({ finish: 'stop', usage: { estimated: false } })
    expect(settled).toHaveLength(1)
  })

  test('an error within a stream is an error', async () => {
    const body = 'data: {"type":"error","error":{"message":"overloaded"}}\n\n'
    const { error } = await asked(kind, reply(200, body, { 'content-type': 'text/event-stream' }))
    expect(error).toMatchObject({ message: expect.stringContaining('overloaded') })
  })
})

describe('openai', () => {
  test.each([
    ['max_tokens', "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", { max_completion_tokens: 50 }],
    ['stream_options', 'Extra inputs are not permitted: stream_options', {}],
  ] as const)('removes %s when the server refuses it', async (name, message, instead) => {
    const { text, server } = await asked('openai', (request, response, count) =>
      (name in request.body ? reply(400, JSON.stringify({ error: { message } })) : openAiSays('Yes.'))(request, response, count),
    )
    expect(text).toBe('Yes.')
    expect(server.requests[1]?.body).not.toHaveProperty(name)
    expect(server.requests[1]?.body).toMatchObject(instead)
  })

  test('accepts usage with the last choice, missing, or implausible', async () => {
    const usages = [
      [
        { usage: { prompt_tokens: 7, completion_tokens: 3 }, usageApart: false },
        { input: 7, output: 3, estimated: false },
      ],
      [{ usage: null }, { estimated: true }],
      [{ usage: { prompt_tokens: -5, completion_tokens: 3 } }, { estimated: true }],
      [{ usage: { prompt_tokens: '12', completion_tokens: 'x' } }, { estimated: true }],
      [{ usage: { prompt_tokens: 0, completion_tokens: 0 } }, { estimated: true }],
      [{ usage: { prompt_tokens: 1e12, completion_tokens: 1 } }, { estimated: true }],
    ] as const
    for (const [said, usage] of usages) {
      const { end } = await asked('openai', openAiSays({ text: 'Yes, it is.', ...said }))
      expect(end).toMatchObject({ usage })
    }
  })

  test('understands a server that does not stream', async () => {
    const whole = {
      choices: [{ message: { role: 'assistant', content: 'Yes.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 2 },
    }
    const { text, end } = await asked('openai', reply(200, JSON.stringify(whole), { 'content-type': 'application/json' }))
    expect(text).toBe('Yes.')
    expect(end).toMatchObject({ finish: 'stop', usage: { input: 9, output: 2, estimated: false } })
  })
})

test('the events of a stream do not depend on how its bytes are split', async () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, ' '))
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      async (events, newline, cuts) => {
        const text = events
          .map((lines) => `: x${newline}${lines.map((one) => `data: ${one}${newline}`).join('')}${newline}`)
          .join('')
        const bytes = Buffer.from(text)
        async function* pieces() {
          for (let at = 0, cut = 0; at < bytes.length; cut++) {
            const size = cuts[cut % cuts.length] ?? 1
            yield bytes.subarray(at, at + size)
            at += size
          }
        }
        const found: string[] = []
        for await (const data of eventData(pieces())) found.push(data)
        expect(found).toEqual(events.map((lines) => lines.join('\n')))
      },
    ),
  )
})
