import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { EmbedderSettings } from '../../src/embed/embedder-settings.ts'
import type { EmbedderDependencies } from '../../src/embed/open-embedder.ts'
import { examineEmbedder } from '../../src/embed/open-embedder.ts'
import { openStaticEmbedder } from '../../src/embed/static-embedder.ts'
import { buildWorker, FAKE_ENGINE, modelFolder, TABLES } from './support.ts'

let folder: string
let workerEntry: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roux-worker-'))
  workerEntry = await buildWorker(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const dependencies = (more: Partial<EmbedderDependencies> = {}): EmbedderDependencies => ({
  tables: TABLES,
  workerEntry,
  modelsFolder: '/nowhere/models',
  engines: [FAKE_ENGINE],
  ...more,
})
const examine = (settings: Partial<EmbedderSettings>, more: Partial<EmbedderDependencies> = {}) =>
  examineEmbedder({ kind: 'static', allowDownload: true, ...settings }, dependencies(more))

test('an embedder of kind none is not a problem', async () => {
  expect(await examine({ kind: 'none' })).toEqual([{ works: true, message: 'none: notes are found by words' }])
})

describe('examining the built-in table', () => {
  test('works', async () => {
    expect(await examine({})).toEqual([{ works: true, message: openStaticEmbedder(TABLES).id }])
  })

  test.each<[string, Partial<EmbedderSettings>, Partial<EmbedderDependencies>, RegExp]>([
    ['a missing file', {}, { tables: { ...TABLES, multilingual: '/nowhere/table.bin' } }, /table\.bin cannot be used/],
    ['another file', {}, { tables: { ...TABLES, english: FAKE_ENGINE } }, /not an embedding table/],
    ['too few dimensions', { dimensions: 3_000 }, {}, /dimensions, but 3000/],
  ])('%s', async (_, settings, more, message) => {
    const [finding] = await examine(settings, more)
    expect(finding).toMatchObject({ works: false, message: expect.stringMatching(message), hint: expect.any(String) })
  })
})

describe('examining a local model', () => {
  const settings = (model: string, more: Partial<EmbedderSettings> = {}) => ({ kind: 'transformers' as const, model, ...more })

  test('works', async () => {
    const [finding, ...more] = await examine(settings(modelFolder({})))
    expect(more).toEqual([])
    expect(finding).toMatchObject({ works: true, message: expect.stringMatching(/^transformers:/) })
  })

  test('reports a missing package and a missing model together, with commands to get them, and downloads nothing', async () => {
    const findings = await examine(settings('some/model'), { engines: ['@nowhere/engine'] })
    expect(findings.map(({ works }) => works)).toEqual([false, false])
    expect(findings[0]?.hint).toContain('npm install -g --ignore-scripts @huggingface/transformers@4.3.1')
    expect(findings[1]).toMatchObject({
      message: expect.stringContaining('some/model'),
      hint: expect.stringContaining('--download'),
    })
  })

  test.each<[string, () => EmbedderSettings, RegExp]>([
    ['a missing folder', () => ({ ...settings('/nowhere/model'), allowDownload: false }), /not complete/],
    [
      'an incomplete folder',
      () => ({ ...settings(modelFolder({}, { 'tokenizer.json': undefined })), allowDownload: false }),
      /tokenizer\.json is missing/,
    ],
    ['other dimensions', () => ({ ...settings(modelFolder({}), { dimensions: 9 }), allowDownload: false }), /instead of 9/],
  ])('%s', async (_, given, message) => {
    const [finding] = await examineEmbedder(given(), dependencies())
    expect(finding).toMatchObject({ works: false, message: expect.stringMatching(message), hint: expect.any(String) })
  })
})

describe('examining an embedding server', () => {
  const served = async (status: number, body: string): Promise<string> => {
    const server = createServer((_, response) => {
      response.statusCode = status
      response.end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  }
  const ask = (baseUrl: string, more: Partial<EmbedderSettings> = {}) =>
    examine({ kind: 'openai', model: 'm', baseUrl, apiKey: 'secret', ...more })
  const VECTOR = JSON.stringify({ data: [{ index: 0, embedding: [1, 2] }] })

  test('works', async () => {
    expect(await ask(await served(200, VECTOR))).toMatchObject([{ works: true, message: expect.stringMatching(/^openai:m:2:/) }])
  })

  test.each<[string, number, string, RegExp]>([
    ['a wrong key', 401, '{"error":"no such key secret"}', /ROUX_EMBEDDER_API_KEY/],
    ['an unknown model', 404, '{"error":"no model m"}', /embedder\.model/],
    ['a web page', 200, '<html>Welcome', /base_url/],
  ])('%s', async (_, status, body, hint) => {
    const [finding] = await ask(await served(status, body))
    expect(finding).toMatchObject({ works: false, hint: expect.stringMatching(hint) })
    expect(JSON.stringify(finding)).not.toContain('secret')
  })

  test('reports vectors with other dimensions than configured', async () => {
    const [finding] = await ask(await served(200, VECTOR), { dimensions: 3 })
    expect(finding).toMatchObject({ works: false, message: expect.stringContaining('2 dimensions instead of 3') })
  })

  test('reports a server that is down', async () => {
    const [finding] = await ask('http://127.0.0.1:1/v1')
    expect(finding).toMatchObject({ works: false, message: expect.stringContaining('cannot be reached') })
  })
})

test('reports an engine that cannot be loaded', async () => {
  const broken = join(FAKE_ENGINE, '..', 'broken.cjs')
  const [finding] = await examine({ kind: 'transformers', model: modelFolder({}) }, { engines: [broken] })
  expect(finding).toMatchObject({ works: false, message: expect.stringContaining('cannot be loaded') })
})
