import { expect, test } from 'vitest'
import { openEmbedder } from '../../src/embed/open-embedder.ts'
import { TABLES } from './support.ts'

const dependencies = { tables: TABLES, modelsFolder: '/nowhere', workerEntry: '/nowhere/worker.mjs' }

test('opens each kind, and nothing for `none`', async () => {
  expect(await openEmbedder({ kind: 'none', allowDownload: false }, dependencies)).toBeUndefined()
  expect((await openEmbedder({ kind: 'static', allowDownload: false }, dependencies))?.id).toMatch(/^static:/)
  expect((await openEmbedder({ kind: 'static', dimensions: 64, allowDownload: false }, dependencies))?.dimensions).toBe(64)
  await expect(openEmbedder({ kind: 'transformers', allowDownload: false }, dependencies)).rejects.toThrow(/not on this machine/)
  const openai = { kind: 'openai', model: 'x', dimensions: 4, allowDownload: false } as const
  expect((await openEmbedder(openai, dependencies))?.id).toMatch(/^openai:x:4:/)
})
