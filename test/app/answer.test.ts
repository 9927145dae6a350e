import { expect, test } from 'vitest'
import { answer, plain } from '../../src/app/answer.ts'
import { fakeCore, fakeStore } from '../support/fake-store.ts'

const store = fakeStore({ 'a.md': {} })
const empty = { ...store, state: async () => ({ generation: 0, files: 0 }) }

test('every call begins the index and waits up to ten seconds for it', async () => {
  const core = fakeCore(store)
  expect(await answer(core, {}, async () => plain(1))).toEqual({ value: 1, warnings: [] })
  expect(core.calls).toEqual(['begin', 'ready 10000'])
})

test.each(['waiting', 'building', 'verifying'] as const)('while %s, the answer says so', async (phase) => {
  const core = fakeCore(store, { phase, done: 3, total: 9 })
  const { value, warnings } = await answer(core, {}, async () => plain([]))
  expect(value).toEqual([])
  expect(warnings).toEqual([{ code: 'INDEX_BUILDING', message: expect.stringContaining('(3 of 9 files)') }])
})

test('work that ended while the answer was made was not in it, and is said', async () => {
  const core = fakeCore(store)
  const idle = core.indexing.status()
  let phase: 'building' | 'idle' = 'building'
  const changing = { ...core, indexing: { ...core.indexing, status: () => ({ ...idle, phase }) } }
  const { warnings } = await answer(changing, {}, async () => {
    phase = 'idle'
    return plain(1)
  })
  expect(warnings).toHaveLength(1)
})

test('a missing vault is an error that ends when the folder is there', async () => {
  const missing = fakeCore(store, { phase: 'missing' })
  await expect(answer(missing, {}, async () => plain(1))).rejects.toMatchObject({ code: 'VAULT_NOT_FOUND' })
})

test('after indexing failed the last good state answers; without one it is an error', async () => {
  const failed = { phase: 'failed', message: 'disk full' } as const
  const { warnings } = await answer(fakeCore(store, failed), {}, async () => plain(1))
  expect(warnings).toEqual([{ code: 'STALE', message: expect.stringContaining('disk full') }])
  const run = answer(fakeCore(empty, failed), {}, async () => plain(1))
  await expect(run).rejects.toMatchObject({ code: 'PROVIDER_ERROR' })
})

test('a cancelled call does no work', async () => {
  let ran = false
  const run = answer(fakeCore(store), { signal: AbortSignal.abort() }, async () => {
    ran = true
    return plain(1)
  })
  await expect(run).rejects.toThrow()
  expect(ran).toBe(false)
})
