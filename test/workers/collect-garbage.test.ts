import { expect, test } from 'vitest'
import { collectGarbage } from '../../src/workers/heap.ts'

test('unreachable objects are gone after collecting garbage', async () => {
  const gone = new WeakRef(Array.from({ length: 1_000 }, (_, at) => ({ at })))
  // New objects are held until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage(Number.POSITIVE_INFINITY)
  expect(gone.deref()).toBeUndefined()
  expect((globalThis as { readonly gc?: unknown }).gc).toBeUndefined()
})
