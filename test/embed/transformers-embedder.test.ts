import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Embedder } from '../../src/core/embedder.ts'
import type { DownloadProgress, EmbedderSettings } from '../../src/embed/embedder-settings.ts'
import { openTransformersEmbedder, type TransformersDependencies } from '../../src/embed/transformers-embedder.ts'
import { dot, testEmbedder } from '../contract/embedder.ts'
import { LONG } from '../support/long.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { BROKEN_ENGINE, buildWorker, ENGINE, FAKE_ENGINE, MISSING, MODEL, modelFolder } from './support.ts'

let folder: string
let workerEntry: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roux-worker-'))
  workerEntry = await buildWorker(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Changes = Partial<EmbedderSettings>

function open(settings: Changes, dependencies: Partial<TransformersDependencies> = {}): Promise<Embedder> {
  return openTransformersEmbedder(
    { kind: 'transformers', allowDownload: false, ...settings },
    { workerEntry, modelsFolder: '/nowhere/models', engines: [FAKE_ENGINE], ...dependencies },
  )
}

/** Opens, uses and closes an embedder. */
async function using<T>(opening: Promise<Embedder>, use: (embedder: Embedder) => Promise<T>): Promise<T> {
  const embedder = await opening
  try {
    return await use(embedder)
  } finally {
    await embedder.close()
  }
}

async function fails(opening: Promise<unknown>, message: RegExp, hint: RegExp): Promise<void> {
  await expect(opening).rejects.toMatchObject({
    code: 'PROVIDER_ERROR',
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
  })
}

testEmbedder('transformers, on a small engine of our own', () => open({ model: modelFolder() }), { knowsMeanings: false })

describe.runIf(LONG && MISSING === '')(`transformers.js itself${MISSING && ` (${MISSING})`}`, () => {
  const real = (settings: Changes = {}) => open({ model: MODEL, ...settings }, { engines: [ENGINE ?? ''] })

  // 8-bit activations share one range per batch, which affects very short texts most.
  testEmbedder('transformers', real, { knowsMeanings: true, tolerance: 0.1, runs: 3 })

  test('a long text is truncated at the limit and keeps its end token', async () => {
    await using(real({ maxTokens: 34 }), async (embedder) => {
      const text = Array.from({ length: 32 }, (_, i) => ['cat', 'dog', 'tree', 'house'][i % 4]).join(' ')
      const [whole, longer] = (await embedder.embed([text, `${text} and much about ships`], 'passage')) as [
        Float32Array,
        Float32Array,
      ]
      expect(dot(whole, longer)).toBeGreaterThan(0.999)
    })
  })

  test("vectors equal those of the library's pipeline", async () => {
    interface Library {
      pipeline(
        task: string,
        model: string,
        options: unknown,
      ): Promise<(texts: string, options: unknown) => Promise<{ data: Float32Array }>>
    }
    const { pipeline } = createRequire(import.meta.url)(ENGINE ?? '') as Library
    const extract = await pipeline('feature-extraction', MODEL, { dtype: 'q8', local_files_only: true })
    await using(real(), async (embedder) => {
      for (const text of ['a cat sleeps', 'Graphs: nodes and edges, e.g. of notes.']) {
        const { data } = await extract(text, { pooling: 'mean', normalize: true })
        expect(dot((await embedder.embed([text], 'passage'))[0] ?? new Float32Array(), data)).toBeCloseTo(1, 5)
      }
    })
  })

  test('downloads from a hub once, and then works offline', async () => {
    const modelsFolder = temporaryFolder()
    const server = createServer((request, response) => {
      const file = join(MODEL, decodeURIComponent(request.url ?? '').replace(/^\/someone\/mini\/resolve\/main\//, ''))
      if (!existsSync(file)) return void response.writeHead(404).end()
      const bytes = readFileSync(file)
      const range = request.headers.range === 'bytes=0-0'
      const headers = range ? { 'content-range': `bytes 0-0/${bytes.length}` } : { 'content-length': bytes.length }
      response.writeHead(range ? 206 : 200, headers).end(range ? bytes.subarray(0, 1) : bytes)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const reports: DownloadProgress[] = []
    const dependencies = {
      engines: [ENGINE ?? ''],
      modelsFolder,
      hubUrl: `http://127.0.0.1:${port}/`,
      onProgress: (progress: DownloadProgress) => void reports.push(progress),
    }
    try {
      const [vector] = await using(open({ model: 'someone/mini', allowDownload: true }, dependencies), (embedder) =>
        embedder.embed(['a cat sleeps'], 'query'),
      )
      expect(vector?.length).toBe(384)
      expect(reports[0]?.total).toBeGreaterThan(23_000_000)
      expect(reports.at(-1)).toEqual({ loaded: reports[0]?.total, total: reports[0]?.total })
      await fails(
        open({ model: 'someone/other', allowDownload: true }, dependencies),
        /other could not be downloaded/,
        /Check its name/,
      )
    } finally {
      server.close()
    }
    await using(open({ model: 'someone/mini' }, dependencies), async ({ dimensions }) => expect(dimensions).toBe(384))
  })

  test('reports damaged weights', async () => {
    const folder = modelFolder({}, { 'config.json': '{"model_type":"bert"}' })
    await fails(open({ model: folder }, { engines: [ENGINE ?? ''] }), /could not be loaded/, /download the model again/)
  })
})

describe('a local model', () => {
  test('takes its weights from the folder and its id from the name', async () => {
    const folder = modelFolder({ dimensions: 12 })
    await using(open({ model: folder }), async ({ id, dimensions }) => {
      expect(dimensions).toBe(12)
      expect(id).toMatch(/^transformers:all-minilm-fake:12:[0-9a-f]{8}$/)
    })
  })

  test('another prefix, limit or precision gives another id', async () => {
    const id = (settings: Changes) => using(open(settings), async (embedder) => embedder.id)
    const model = modelFolder()
    const other = modelFolder({}, { 'onnx/model_quantized.onnx': undefined, 'onnx/model.onnx': 'weights' })
    const ids = await Promise.all([
      id({ model }),
      id({ model, queryPrefix: 'q: ' }),
      id({ model, passagePrefix: 'p: ' }),
      id({ model, maxTokens: 64 }),
      id({ model: other }),
    ])
    expect(new Set(ids).size).toBe(5)
    expect(await id({ model })).toBe(ids[0])
  })

  test('adds prefixes by kind', async () => {
    const model = modelFolder()
    const settings = { model, queryPrefix: 'query: ', passagePrefix: 'passage: ' }
    const plain = await using(open({ model }), (embedder) => embedder.embed(['query: x', 'passage: x'], 'query'))
    await using(open(settings), async (embedder) => {
      expect((await embedder.embed(['x'], 'query'))[0]).toEqual(plain[0])
      expect((await embedder.embed(['x'], 'passage'))[0]).toEqual(plain[1])
    })
  })

  test('reads no more tokens than the limit', async () => {
    await using(open({ model: modelFolder(), maxTokens: 6 }), async (embedder) => {
      const [cut, longer, shorter] = (await embedder.embed(['abcd', 'abcdefgh', 'abc'], 'query')) as Float32Array[]
      expect(longer).toEqual(cut)
      expect(shorter).not.toEqual(cut)
    })
  })

  test('reports a missing folder, a missing file and a damaged description', async () => {
    await fails(
      open({ model: '/nowhere/model' }),
      /\/nowhere\/model is not complete: config\.json, tokenizer/,
      /Copy the missing files/,
    )
    const incomplete = modelFolder({}, { 'tokenizer.json': undefined })
    await fails(open({ model: incomplete }), /not complete: tokenizer\.json is missing/, /Copy/)
    const weightless = modelFolder({}, { 'onnx/model_quantized.onnx': undefined })
    await fails(open({ model: weightless }), /onnx\/model_quantized\.onnx is missing/, /Copy/)
    const damaged = modelFolder()
    writeFileSync(join(damaged, 'config.json'), '{"fake":')
    await fails(open({ model: damaged }), /config\.json is damaged/, /download the model again/)
  })

  test('reports weights that cannot be loaded', () =>
    fails(open({ model: modelFolder({ failsToLoad: true }) }), /could not be loaded: .*Protobuf parsing failed/, /ONNX model/))

  test('reports another dimension than configured', () =>
    fails(open({ model: modelFolder(), dimensions: 384 }), /8 dimensions instead of 384/, /dimensions` to 8/))

  test('reports a dimension that changes', () =>
    using(open({ model: modelFolder({ changesDimensions: true }) }), (embedder) =>
      fails(embedder.embed(['a'], 'query'), /9 dimensions instead of 8/, /dimensions/),
    ))

  test('reports vectors that are not numbers', () =>
    fails(open({ model: modelFolder({ answersNaN: true }) }), /zero or contains NaN/, /download the model/))

  test('reports a failure while it runs', () =>
    using(open({ model: modelFolder({ failsToRun: true }) }), (embedder) =>
      fails(embedder.embed(['a'], 'query'), /failed: out of range/, /Try again/),
    ))

  test('rejects a model that is neither path nor id', () => fails(open({ model: 'a/b/c d' }), /neither/, /Xenova/))
})

describe('the transformers package', () => {
  test('reports that it is not installed', () =>
    fails(
      open({ model: modelFolder() }, { engines: ['no-such-package-of-ours'] }),
      /needs the package @huggingface\/transformers/,
      /npm install -g --ignore-scripts @huggingface\/transformers/,
    ))

  test('reports that it is broken', () =>
    fails(open({ model: modelFolder() }, { engines: [BROKEN_ENGINE] }), /cannot be loaded: Something went wrong/, /Reinstall it/))

  test('the transformers package is searched in several places', () =>
    using(open({ model: modelFolder() }, { engines: ['no-such-package-of-ours', FAKE_ENGINE] }), async ({ dimensions }) => {
      expect(dimensions).toBe(8)
    }))
})

describe('downloading', () => {
  test('happens only if allowed', () =>
    fails(open({ model: 'someone/some-model' }), /someone\/some-model is not on this machine/, /roux index --download/))

  test('reports the total size first, then progress; the second time it downloads nothing', async () => {
    const modelsFolder = temporaryFolder()
    const reports: DownloadProgress[] = []
    const dependencies = { modelsFolder, onProgress: (progress: DownloadProgress) => void reports.push(progress) }
    const model = 'someone/some-model'
    const first = await using(open({ model, allowDownload: true }, dependencies), async ({ id }) => id)
    expect(reports[0]).toEqual({ loaded: 0, total: 1000 })
    expect(reports.at(-1)).toEqual({ loaded: 1000, total: 1000 })
    reports.length = 0
    expect(await using(open({ model }, dependencies), async ({ id }) => id)).toBe(first)
    expect(reports).toEqual([])
  })

  test('reports a model that is missing on the hub or has no weights there', async () => {
    const modelsFolder = temporaryFolder()
    await fails(
      open({ model: 'someone/absent', allowDownload: true }, { modelsFolder }),
      /absent could not be downloaded: Could not locate/,
      /roux index --download/,
    )
    await fails(open({ model: 'someone/weightless', allowDownload: true }, { modelsFolder }), /no ONNX weights/, /ONNX files/)
  })
})

describe("the model's worker", () => {
  test('a crash is an error, and the next call restarts it', () =>
    using(open({ model: modelFolder() }), async (embedder) => {
      const before = await embedder.embed(['word'], 'query')
      await fails(embedder.embed(['💥💥💥'], 'query'), /runs the model .* ended/, /will be restarted/)
      expect(await embedder.embed(['word'], 'query')).toEqual(before)
    }))

  test('a missing worker is an error', () =>
    fails(open({ model: modelFolder() }, { workerEntry: '/nowhere/worker.mjs' }), /runs the model/, /Try again/))

  test('ignores an aborted call and takes the next one', () =>
    using(open({ model: modelFolder() }), async (embedder) => {
      const reason = new Error('enough')
      await expect(embedder.embed(Array(40).fill('🐢 slow'), 'passage', AbortSignal.timeout(20))).rejects.toMatchObject({
        name: 'TimeoutError',
      })
      await expect(embedder.embed(['x'], 'query', AbortSignal.abort(reason))).rejects.toBe(reason)
      expect((await embedder.embed(['x'], 'query')).length).toBe(1)
    }))

  test('a short call does not wait for all of a long one', () =>
    using(open({ model: modelFolder() }), async (embedder) => {
      const done: string[] = []
      const long = embedder.embed(Array(64).fill('🐢'), 'passage').then(() => done.push('long'))
      const short = embedder.embed(['x'], 'query').then(() => done.push('short'))
      await Promise.all([long, short])
      expect(done).toEqual(['short', 'long'])
    }))

  test('opening can be aborted', async () => {
    const aborted = AbortSignal.abort(new Error('enough'))
    await expect(
      openTransformersEmbedder(
        { kind: 'transformers', allowDownload: false, model: modelFolder() },
        { workerEntry, modelsFolder: '/nowhere' },
        aborted,
      ),
    ).rejects.toThrow('enough')
  })

  test('closing ends a running call', () =>
    using(open({ model: modelFolder() }), async (embedder) => {
      const running = embedder.embed(Array(64).fill('🐢'), 'passage')
      const ended = fails(running, /is closed/, /Open it again/)
      await embedder.close()
      await ended
    }))
})
