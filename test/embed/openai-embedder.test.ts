import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Embedder } from '../../src/core/embedder.ts'
import type { EmbedderSettings } from '../../src/embed/embedder-settings.ts'
import { openOpenAiEmbedder } from '../../src/embed/openai-embedder.ts'
import type { Usage } from '../../src/outbound/http-client.ts'
import { testEmbedder } from '../contract/embedder.ts'

const KEY = 'sk-very-secret'

interface Request {
  readonly model: string
  readonly input: readonly string[]
  readonly dimensions?: number
}

interface Seen {
  readonly requests: Request[]
  readonly headers: IncomingMessage['headers'][]
}

type Behavior = (request: Request, response: ServerResponse, count: number) => void

let servers: Server[] = []
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections()
    server.close()
  }
  servers = []
})

/** A local server whose vectors count letters. */
async function serve(behavior: Behavior = answer): Promise<Seen & { readonly baseUrl: string }> {
  const seen: Seen = { requests: [], headers: [] }
  const server = createServer(async (incoming, response) => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part)
    const request: Request = JSON.parse(Buffer.concat(parts).toString())
    seen.requests.push(request)
    seen.headers.push(incoming.headers)
    if (incoming.url === '/v1/embeddings' && incoming.method === 'POST') behavior(request, response, seen.requests.length)
    else response.writeHead(404).end('no such page')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { ...seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

function vectorOf(text: string, dimensions = 8): readonly number[] {
  const vector = Array<number>(dimensions).fill(0.1)
  for (const letter of text) vector[(letter.codePointAt(0) ?? 0) % dimensions]! += 1
  return vector
}

function answer({ input, dimensions }: Request, response: ServerResponse): void {
  const data = input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text, dimensions) }))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ object: 'list', data }))
}

/** A server that answers the first request, which asks for the dimension, and then behaves as given. */
const afterOpening =
  (behavior: Behavior): Behavior =>
  (request, response, count) =>
    count === 1 ? answer(request, response) : behavior(request, response, count)

const reply =
  (status: number, body = '', headers: Readonly<Record<string, string>> = {}): Behavior =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)

function open(settings: Partial<EmbedderSettings>): Promise<Embedder> {
  return openOpenAiEmbedder(
    { kind: 'openai', model: 'letters', apiKey: KEY, allowDownload: false, ...settings },
    { backoffMs: 1, random: () => 0.5 },
  )
}

async function opened(behavior: Behavior, settings: Partial<EmbedderSettings> = {}) {
  const server = await serve(behavior)
  const embedder = await open({ baseUrl: server.baseUrl, ...settings })
  onTestFinished(() => embedder.close())
  return { ...server, embedder }
}

async function fails(work: Promise<unknown>, message: RegExp, hint = /./): Promise<void> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toMatchObject({
    code: 'PROVIDER_ERROR',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  })
  expect(JSON.stringify(error)).not.toContain(KEY)
}

testEmbedder('openai', async () => open({ baseUrl: (await serve()).baseUrl }), { knowsMeanings: false, runs: 10 })

describe('requests', () => {
  test('requests learn the dimension once, and carry model and key', async () => {
    const { embedder, requests, headers } = await opened(answer)
    expect(embedder.dimensions).toBe(8)
    expect(embedder.id).toMatch(/^openai:letters:8:[0-9a-f]{8}$/)
    await embedder.embed(['a', 'b'], 'query')
    expect(requests.map(({ input }) => input.length)).toEqual([1, 2])
    expect(requests[1]).toEqual({ model: 'letters', input: ['a', 'b'] })
    expect(headers.map(({ authorization }) => authorization)).toEqual([`Bearer ${KEY}`, `Bearer ${KEY}`])
  })

  test('requests have no key if none is set', async () => {
    const { baseUrl, headers } = await serve()
    await (await openOpenAiEmbedder({ kind: 'openai', model: 'letters', baseUrl, allowDownload: false })).close()
    expect(headers[0]).not.toHaveProperty('authorization')
  })

  test('requests ask for the configured dimension, and opening sends none', async () => {
    const { embedder, requests } = await opened(answer, { dimensions: 16 })
    expect(requests).toEqual([])
    expect((await embedder.embed(['a'], 'query'))[0]?.length).toBe(16)
    expect(requests[0]?.dimensions).toBe(16)
  })

  test("uses the server's token counts if they are plausible", async () => {
    const settled: Usage[] = []
    const { baseUrl } = await serve(({ input }, response) => {
      const data = input.map((text, index) => ({ index, embedding: vectorOf(text) }))
      response.end(JSON.stringify({ data, usage: { prompt_tokens: input.length === 1 ? 2 : 900_000_000 } }))
    })
    const meter = { begin: () => ({ end: (spent: Usage) => void settled.push(spent) }) }
    const settings = { kind: 'openai', model: 'letters', baseUrl, dimensions: 8, allowDownload: false } as const
    const embedder = await openOpenAiEmbedder(settings, { admit: async () => meter })
    await embedder.embed(['a'], 'query')
    await embedder.embed(['a', 'b'], 'query')
    expect(settled).toMatchObject([{ input: 2, estimated: false }, { estimated: true }])
    expect(settled[1]?.input).toBeLessThan(100)
    await embedder.close()
  })

  test('requests are limited in texts and characters', async () => {
    const { embedder, requests } = await opened(answer, { dimensions: 8, batch: 3 })
    await embedder.embed(['a', 'b', 'c', 'd'], 'query')
    await embedder.embed(['x'.repeat(150_000), 'y'.repeat(60_000), 'z'], 'query')
    expect(requests.map(({ input }) => input.length)).toEqual([3, 1, 1, 2])
  })

  test('requests include known or configured prefixes, and keep to the token limit', async () => {
    const known = await opened(answer, { dimensions: 8, model: 'nomic-embed-text:latest' })
    await known.embedder.embed(['x'], 'query')
    await known.embedder.embed(['x'], 'passage')
    expect(known.requests.map(({ input }) => input)).toEqual([['search_query: x'], ['search_document: x']])
    const set = await opened(answer, { dimensions: 8, queryPrefix: 'q ', maxTokens: 2 })
    await set.embedder.embed(['abcdefgh', 'abc😀'], 'query')
    expect(set.requests[0]?.input).toEqual(['q abcd', 'q abc'])
  })

  test('requests run one after another', async () => {
    let running = 0
    let most = 0
    const { embedder } = await opened(
      (request, response) => {
        most = Math.max(most, ++running)
        setTimeout(() => {
          running--
          answer(request, response)
        }, 5)
      },
      { dimensions: 8, batch: 1 },
    )
    await Promise.all([embedder.embed(['a', 'b', 'c'], 'query'), embedder.embed(['d'], 'query')])
    expect(most).toBe(1)
  })
})

describe('retries', () => {
  test.each([429, 500, 502, 503])('retries after %i', async (status) => {
    const { embedder, requests } = await opened(
      afterOpening((request, response, count) =>
        count < 4 ? reply(status)(request, response, count) : answer(request, response),
      ),
    )
    expect((await embedder.embed(['a'], 'passage')).length).toBe(1)
    expect(requests.length).toBe(4)
  })

  test('retries after a broken connection', async () => {
    const { embedder } = await opened(
      afterOpening((request, response, count) => (count === 2 ? response.destroy() : answer(request, response))),
    )
    expect((await embedder.embed(['a'], 'passage')).length).toBe(1)
  })

  test('does not retry a question or opening, because someone waits', async () => {
    const { embedder, requests } = await opened(afterOpening(reply(503)))
    await fails(embedder.embed(['a'], 'query'), /answer(?:s|ed) 503/)
    expect(requests.length).toBe(2)
    const requested: unknown[] = []
    const fetchDown: typeof fetch = async (url) => {
      requested.push(url)
      throw new TypeError('fetch failed')
    }
    await fails(
      openOpenAiEmbedder({ kind: 'openai', model: 'm', allowDownload: false }, { fetch: fetchDown }),
      /cannot be reached/,
    )
    expect(requested).toHaveLength(1)
  })

  test('waits as long as the server asks, unless that is too long', async () => {
    const soon = await opened(
      afterOpening((request, response, count) =>
        count === 2 ? reply(429, '', { 'retry-after': '0' })(request, response, count) : answer(request, response),
      ),
    )
    expect((await soon.embedder.embed(['a'], 'passage')).length).toBe(1)
    const late = await opened(afterOpening(reply(429, 'quota', { 'retry-after': '86400' })))
    await fails(late.embedder.embed(['a'], 'passage'), /answer(?:s|ed) 429: quota/, /limits requests/)
    expect(late.requests.length).toBe(2)
    await expect(late.embedder.embed(['a'], 'passage')).rejects.toMatchObject({ isTransient: true })
  })

  test('splits a request that is too long, down to parts of a text', async () => {
    const { embedder, requests } = await opened((request, response, count) =>
      request.input.join('').length > 150
        ? reply(400, `{"error": "maximum context length is 150"}`)(request, response, count)
        : answer(request, response),
    )
    const vectors = await embedder.embed(['a'.repeat(100), 'b'.repeat(100), 'c'.repeat(500)], 'query')
    expect(vectors.map((vector) => vector.indexOf(Math.max(...vector)))).toEqual(
      ['a', 'b', 'c'].map((letter) => letter.charCodeAt(0) % 8),
    )
    expect(requests.at(-1)?.input).toEqual(['c'.repeat(125)])
  })

  test.each([413, 500])('does not split forever: %i', async (status) => {
    const { embedder, requests } = await opened(afterOpening(reply(status, 'input is too large to process')))
    await fails(embedder.embed(['a'.repeat(100_000), 'b'], 'query'), new RegExp(`answered ${status}`))
    expect(requests.length).toBeLessThan(20)
  })
})

describe('unusable answers', () => {
  const item = (embedding: unknown, index?: unknown) => ({ embedding, index })
  const eight = vectorOf('a')

  test.each<[string, unknown, RegExp]>([
    ['a web page', '<!doctype html><html>', /web page, not JSON/],
    ['no JSON', 'hello', /not JSON/],
    ['null', null, /no list of vectors/],
    ['no data', { object: 'list' }, /no list of vectors/],
    ['too few vectors', { data: [item(eight, 0)] }, /1 vectors for 2 texts/],
    ['too many vectors', { data: [item(eight, 0), item(eight, 1), item(eight, 2)] }, /3 vectors for 2 texts/],
    ['a repeated index', { data: [item(eight, 0), item(eight, 0)] }, /two vectors for one text/],
    ['an index out of bounds', { data: [item(eight, 0), item(eight, 2)] }, /indexes are invalid/],
    ['NaN', { data: [item(eight, 0), item([...eight.slice(1), null], 1)] }, /not a number/],
    ['text', { data: [item(eight, 0), item('AAAA', 1)] }, /is not a vector/],
    ['zeros', { data: [item(eight, 0), item(Array(8).fill(0), 1)] }, /vector of zeros/],
    ['another dimension', { data: [item(eight, 0), item([1, 2, 3], 1)] }, /3 dimensions instead of 8/],
    ['null for a vector', { data: [null, item(eight, 1)] }, /is not a vector/],
  ])('%s', async (_, body, message) => {
    const { embedder } = await opened(afterOpening(reply(200, typeof body === 'string' ? body : JSON.stringify(body))))
    await fails(embedder.embed(['a', 'b'], 'query'), message)
  })

  test('reorders vectors by index', async () => {
    const { embedder } = await opened(
      afterOpening((_, response) => {
        response.end(JSON.stringify({ data: [item([0, 2, 0, 0, 0, 0, 0, 0], 1), item([3, 0, 0, 0, 0, 0, 0, 0], 0)] }))
      }),
    )
    const vectors = await embedder.embed(['a', 'b'], 'query')
    expect(vectors.map((vector) => vector.indexOf(1))).toEqual([0, 1])
  })

  test('accepts huge components', async () => {
    const { embedder } = await opened(
      afterOpening((_, response) => void response.end(JSON.stringify({ data: [item([1e300, 0, 0, 0, 0, 0, 0, 1e300])] }))),
    )
    expect((await embedder.embed(['a'], 'query'))[0]?.[7]).toBeCloseTo(Math.SQRT1_2, 6)
  })
})

describe('errors of a server', () => {
  test.each<[number, RegExp, RegExp]>([
    [401, /answered 401 .*letters: bad key \[key\]/, /API key/],
    [403, /answered 403/, /API key/],
    [404, /answered 404/, /embedder\.model.*embedder\.base_url/],
    [400, /answered 400/, /embedder\.dimensions/],
    [307, /answered 307/, /redirects/],
  ])('%i', async (status, message, hint) => {
    const { baseUrl, requests } = await serve(reply(status, `bad key ${KEY}`, { location: 'http://127.0.0.1:1/' }))
    await fails(open({ baseUrl }), message, hint)
    expect(requests.length).toBe(1)
  })

  test('a persistent 5xx error', async () => {
    const { baseUrl, requests } = await serve(reply(503, `overloaded ${KEY}`))
    await fails(open({ baseUrl }), /answer(?:s|ed) 503: overloaded \[key\]/, /that server's log/)
    expect(requests.length).toBe(1)
  })

  test('nothing listens at the address', () =>
    fails(open({ baseUrl: 'http://127.0.0.1:1/v1' }), /cannot be reached: .*ECONNREFUSED|bad port/, /Start it/))

  test('a slow server, before and during its answer', async () => {
    const silent = await serve(() => undefined)
    await fails(open({ baseUrl: silent.baseUrl, timeoutMs: 20 }), /did not answer within 0\.02 s/, /embedder\.timeout/)
    const stuck = await serve((_, response) => void response.writeHead(200).write('{"data": ['))
    await fails(open({ baseUrl: stuck.baseUrl, timeoutMs: 20 }), /did not answer within/)
  })

  test('an invalid address', async () => {
    for (const baseUrl of ['localhost:11434', 'ftp://127.0.0.1/', 'http://user:pass@127.0.0.1/', 'http://127.0.0.1/?key=x', '']) {
      await fails(open({ baseUrl }), /cannot be used/, /embedder\.base_url/)
    }
  })

  test('no model is set', () => fails(open({ model: '' }), /has no model/, /embedder\.model/))
})

test('an abort ends a request and a pause between retries', async () => {
  const { embedder } = await opened(afterOpening(reply(429, '', { 'retry-after': '20' })))
  const controller = new AbortController()
  const running = embedder.embed(['a'], 'passage', controller.signal)
  setTimeout(() => controller.abort(new Error('enough')), 20)
  await expect(running).rejects.toThrow('enough')
})
