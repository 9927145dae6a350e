import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadSettings } from '../../src/config/load.ts'
import type { ChatEvent } from '../../src/core/chat.ts'
import { AiState, aiStateFile } from '../../src/outbound/consent-ledger.ts'
import { Gate } from '../../src/outbound/gate.ts'
import { type ChatModelSettings, chatPlace, openChatProvider, readKey } from '../../src/outbound/open-chat.ts'
import { openSqlite } from '../../src/store/embedded/sqlite.ts'
import { settled } from '../support/settled.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { type Behavior, holdLimits, openAiSays, openAiStream, reply, serve, slowly } from './fake-servers.ts'

const NOON = Date.parse('2026-03-02T12:00:00Z')
const DAY = 86_400_000
const MODEL: ChatModelSettings = { provider: 'openai', base_url: '', model: 'm', timeout: 60 }
const QUESTION = {
  system: 'Answer.',
  messages: [{ role: 'user', content: 'Why?' }],
  maxTokens: 50,
  temperature: 0,
  feature: 'ask',
} as const

/** A gate with its own ledger; the test sets `clock.now`. */
function openGate({ budget = 'auto' as number | 'auto' } = {}) {
  const state = new AiState(aiStateFile(temporaryFolder()), openSqlite)
  onTestFinished(() => state.close())
  const clock = { now: NOON }
  const gate = new Gate({
    settings: () => ({ allow_remote: false, budget }),
    state: () => state,
    hasConsent: () => false,
    now: () => clock.now,
    env: {},
  })
  return { gate, state, clock }
}

async function asked(behavior: Behavior, settings: Partial<ChatModelSettings> = {}) {
  const server = await serve(behavior)
  const { gate, state } = openGate()
  const given = { ...MODEL, base_url: server.baseUrl, ...settings }
  const provider = await openChatProvider(given, { gate, key: { value: 'sk-canary-9' }, backoffMs: 1 })
  const events: ChatEvent[] = []
  const run = async () => {
    for await (const event of provider.chat(QUESTION)) events.push(event)
  }
  const error: unknown = await run().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const text = events.map((event) => (event.kind === 'text' ? event.text : '')).join('')
  return { server, text, end: events.find((event) => event.kind === 'end'), error, rows: state.usage('2000-01-01') }
}

describe('settings', () => {
  test.each([
    'api.openai.com/v1',
    'ftp://127.0.0.1/v1',
    'http://user:secret@127.0.0.1:1/v1',
    'http://sk-secret@127.0.0.1:1/v1',
    'http://127.0.0.1:1/v1?key=secret',
    'http://127.0.0.1:1/v1#secret',
    '//127.0.0.1/v1',
    'javascript:alert(1)',
    'http://',
  ])('%s is not a valid model server address, and the error does not show it', (base_url) => {
    const run = () => chatPlace({ ...MODEL, base_url })
    expect(run).toThrow(/is not valid/)
    expect(run).not.toThrow(/secret/)
  })

  test('a chat model without a provider or a name says which setting is missing', () => {
    expect(() => chatPlace({ ...MODEL, provider: 'none' })).toThrow(/No chat model is configured/)
    expect(() => chatPlace({ ...MODEL, model: '' })).toThrow(/has no name/)
  })

  test.each([
    ['ai.provider=gemini', /ai\.provider.*none, openai, anthropic/],
    ['ai.budget=-1', /ai\.budget/],
    ['ai.timeout=0', /ai\.timeout/],
    ['ai.context=12', /ai\.context/],
    ['ai.allow_remote=https://api.openai.com/v1', /ai\.allow_remote/],
    ['ai.provder=openai', /ai\.provider/],
  ])('rejects %s and lists the valid values', async (given, said) => {
    const loading = loadSettings({
      cwd: temporaryFolder(),
      env: {},
      set: [given],
      vault: temporaryFolder(),
      toolNames: async () => ['ask'],
    })
    await expect(loading).rejects.toMatchObject({ code: 'INVALID_PARAMS' })
    const error = await loading.catch((reason: unknown) => reason as { message: string; hint?: string })
    expect(`${'message' in error ? error.message : ''} ${'hint' in error ? error.hint : ''}`).toMatch(said)
  })

  test('sends a model name with spaces and special characters unchanged', async () => {
    const { server, text } = await asked(openAiSays('yes'), { model: 'my model: "q4" / ünï 🍞' })
    expect([text, server.requests[0]?.body.model]).toEqual(['yes', 'my model: "q4" / ünï 🍞'])
  })

  test.each(['a\nb', 'a b', 'a\r\nX-Evil: 1', 'schlüssel', '\n', 'a\0b'])(
    'rejects a key %j without showing it',
    async (value) => {
      const file = join(temporaryFolder(), 'key')
      writeFileSync(file, value, { mode: 0o600 })
      for (const source of [{ value }, { file }]) {
        const error = await readKey(source).catch((reason: unknown) => reason)
        expect(error).toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('did not provide a key') })
        if (value.trim().length > 1) expect(JSON.stringify(error)).not.toContain(JSON.stringify(value).slice(1, -1))
      }
    },
  )
})

describe('servers', () => {
  test('gives up after three requests when a server always answers 429, and counts them all', async () => {
    const { error, server, rows } = await asked(reply(429, '{"error":{"message":"slow down"}}'))
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', message: expect.stringContaining('429') })
    expect([server.requests.length, rows]).toMatchObject([3, [{ requests: 3, failed: 3, reserved: 0 }]])
  })

  test('hints at a wrong address if the answer is a web page', async () => {
    const { error } = await asked(reply(200, '<!doctype html><title>Hi</title>', { 'content-type': 'text/html' }))
    expect(error).toMatchObject({ code: 'PROVIDER_ERROR', hint: expect.stringContaining('ai.base_url') })
  })

  test('ai.timeout ends an endless stream, and it is counted', async () => {
    const endLimit = holdLimits(300)
    const endless: Behavior = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"and "}}]}\n\n', () => void settled().then(endLimit))
      const timer = setInterval(() => response.write('data: {"choices":[{"delta":{"content":"and "}}]}\n\n'), 20)
      response.on('close', () => clearInterval(timer))
    }
    const { end, text, error, rows } = await asked(endless, { timeout: 0.3 })
    expect(text).toMatch(/^(and )+$/)
    expect([end, error]).toMatchObject([{ finish: 'late' }, undefined])
    expect(rows).toMatchObject([{ requests: 1, estimated: 1, reserved: 0 }])
    expect(rows[0]?.output).toBeGreaterThan(0)
  })

  test('invalid UTF-8 becomes replacement characters, and the rest is kept', async () => {
    const stream = Buffer.concat([
      Buffer.from('data: {"choices":[{"delta":{"content":"good '),
      Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
      Buffer.from(' rest"}}]}\n\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'),
    ])
    const { text, end } = await asked(slowly(stream, { size: 1 }))
    expect(text).toMatch(/^good \ufffd+\(\ufffd+ rest$/)
    expect(end).toMatchObject({ finish: 'stop' })
  })

  test.each([
    { prompt_tokens: -5, completion_tokens: 3 },
    { prompt_tokens: 5, completion_tokens: -3 },
    { prompt_tokens: 1e15, completion_tokens: 3 },
    { prompt_tokens: 5_000_000, completion_tokens: 3 },
    { prompt_tokens: 5, completion_tokens: 5_000_000 },
    { prompt_tokens: 'many', completion_tokens: null },
    { prompt_tokens: 1.5, completion_tokens: Number.MAX_VALUE },
    {},
  ])('ignores implausible usage of %j', async (usage) => {
    const { end, rows } = await asked(openAiSays({ text: 'yes', usage }))
    expect(end).toMatchObject({ usage: { estimated: true } })
    for (const count of [rows[0]?.input, rows[0]?.output]) {
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThan(1_000)
    }
  })

  const KEY = 'sk-canary-9'
  test.each([
    ['as it is', KEY],
    ['with percent signs', KEY.replaceAll('-', '%2D')],
    ['with percent signs twice', KEY.replaceAll('-', '%252d')],
    ['in base64', Buffer.from(KEY).toString('base64')],
    ['in base64 after "Bearer"', Buffer.from(`Bearer ${KEY}`).toString('base64')],
    ['in base64 after "user:"', Buffer.from(`user:${KEY}:`).toString('base64url')],
    ['in hexadecimal digits', Buffer.from(KEY).toString('hex')],
    ['with escapes', '\\u0073k-canary-9'],
  ])('hides the key when a server echoes it: %s', async (_, shown) => {
    for (const text of [`Incorrect key: ${shown}.`, `{"error":{"message":"Incorrect key: ${shown}."}}`]) {
      const { error } = await asked(reply(401, text))
      expect(error).toMatchObject({ code: 'PROVIDER_ERROR' })
      const all = JSON.stringify(error) + String((error as Error).message)
      for (const part of [KEY, shown.slice(0, 11), 'canary', 'Y2FuYX']) expect(all).not.toContain(part)
    }
  })

  test('events that are not objects, or lack every expected member, are errors with a hint', async () => {
    for (const value of ['null', '[]', '7', '"x"', '{', '{"choices":"no"}']) {
      const { error } = await asked(reply(200, `data: ${value}\n\ndata: [DONE]\n\n`, { 'content-type': 'text/event-stream' }))
      expect(error, value).toMatchObject({ code: 'PROVIDER_ERROR', hint: expect.stringContaining('ai.') })
    }
    const { text } = await asked(
      reply(200, `: comment\n\n\n${openAiStream({ text: 'yes' })}`, { 'content-type': 'text/event-stream' }),
    )
    expect(text).toBe('yes')
  })
})

describe('a clock set back by a day', () => {
  test("finds that day's usage and applies its limit", async () => {
    const { gate, clock, state } = openGate({ budget: 100 })
    const meter = (await gate.admit({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm' })).meterFor('ask')
    clock.now = NOON - DAY
    meter.begin({ input: 80, output: 0 }).end({ input: 80, output: 0, estimated: false })
    clock.now = NOON
    const open = meter.begin({ input: 90, output: 0 })
    clock.now = NOON - DAY
    expect(() => meter.begin({ input: 30, output: 0 })).toThrow(/80 of 100/)
    // A reservation is settled on the day on which it was made.
    open.end({ input: 50, output: 0, estimated: false })
    expect(state.usage('2000-01-01')).toMatchObject([
      { day: '2026-03-02', input: 50, reserved: 0 },
      { day: '2026-03-01', input: 80, reserved: 0 },
    ])
  })
})
