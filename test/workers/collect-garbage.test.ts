import { expect, test } from 'vitest'
import { collectGarbage } from '../../src/workers/collect-garbage.ts'

test('what nothing holds any more is gone after garbage was collected', async () => {
  const gone = new WeakRef(Array.from({ length: 1_000 }, (_, at) => ({ at })))
  // What was just made is held until the end of the turn.
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage(Number.POSITIVE_INFINITY)
  expect(gone.deref()).toBeUndefined()
  expect((globalThis as { readonly gc?: unknown }).gc).toBeUndefined()
})
