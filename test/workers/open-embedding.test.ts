import { readdirSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { toSettings } from '../../src/config/settings.ts'
import { embedderSettings, openEmbedding } from '../../src/workers/open-embedding.ts'
import { serve } from '../outbound/fake-servers.ts'
import { temporaryFolder } from '../support/temporary.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const said = (values: Readonly<Record<string, unknown>>, apiKey?: string) =>
  embedderSettings(toSettings(new Map(Object.entries(values))).embedder, apiKey)

describe('embedder settings', () => {
  test('defaults leave out what an embedder knows better', () => {
    expect(said({})).toEqual({ kind: 'static', batch: 64, timeoutMs: 60_000, allowDownload: false })
  })

  test('everything else is passed on', () => {
    const values = {
      'embedder.kind': 'openai',
      'embedder.languages': 'english',
      'embedder.model': 'm',
      'embedder.base_url': 'http://127.0.0.1:1/v1',
      'embedder.dimensions': 64,
      'embedder.query_prefix': 'q: ',
      'embedder.max_tokens': 100,
      'embedder.batch': 8,
      'embedder.timeout': 2,
      'embedder.download': true,
    }
    expect(said(values, 'key')).toEqual({
      kind: 'openai',
      languages: 'english',
      model: 'm',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: 'key',
      dimensions: 64,
      queryPrefix: 'q: ',
      maxTokens: 100,
      batch: 8,
      timeoutMs: 2_000,
      allowDownload: true,
    })
  })

  test("an empty prefix means no prefix, not the model's default", () => {
    expect(said({ 'embedder.query_prefix': '', 'embedder.passage_prefix': '' })).toMatchObject({
      queryPrefix: '',
      passagePrefix: '',
    })
  })
})

test('closing does not wait for an embedder that is still opening', async () => {
  vi.stubEnv('XDG_STATE_HOME', temporaryFolder())
  const server = await serve(() => {})
  const { embedder } = toSettings(
    new Map<string, unknown>([
      ['embedder.kind', 'openai'],
      ['embedder.model', 'm'],
      ['embedder.base_url', `${server.baseUrl}`],
    ]),
  )
  const embedding = openEmbedding(embedder)
  const opening = embedding.open().catch((error: Error) => error.message)
  await expect.poll(() => server.requests.length).toBe(1)
  await embedding.close()
  expect(await opening).toBe('the vault was closed')
})

test('sends nothing to a remote embedding server before consent, and writes nothing', async () => {
  const state = temporaryFolder()
  vi.stubEnv('XDG_STATE_HOME', state)
  const { embedder } = toSettings(
    new Map<string, unknown>([
      ['embedder.kind', 'openai'],
      ['embedder.model', 'm'],
      // An address reserved for documentation, where nobody answers.
      ['embedder.base_url', 'http://192.0.2.1/v1'],
    ]),
  )
  const embedding = openEmbedding(embedder)
  await expect(embedding.open()).rejects.toMatchObject({
    code: 'REMOTE_NOT_ALLOWED',
    message: expect.stringContaining('roux ai allow http://192.0.2.1'),
    isTransient: true,
  })
  await embedding.close()
  expect(readdirSync(state)).toEqual([])
})

test('vectors of the built-in embedder with other settings stay comparable', async () => {
  const opened = (values: Readonly<Record<string, unknown>>) =>
    openEmbedding(toSettings(new Map(Object.entries(values))).embedder)
  const embedding = opened({})
  for (const settings of [{ 'embedder.languages': 'english' }, { 'embedder.dimensions': 64 }, {}]) {
    const other = opened(settings)
    const { id } = await other.open()
    expect((await embedding.openFormer(id))?.id).toBe(id)
    await other.close()
  }
  expect(await embedding.openFormer('static:all-minilm-l6-v2+multilingual-e5-small:512:00000000')).toBeUndefined()
  expect(await embedding.openFormer('openai:m:4:12345678')).toBeUndefined()
  await embedding.close()
})
