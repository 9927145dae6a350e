import { expect, test, vi } from 'vitest'
import { collectGarbage } from '../../src/workers/heap.ts'

const v8 = vi.hoisted(() => ({ used: 0, flags: [] as string[] }))

vi.mock('node:v8', () => ({
  getHeapStatistics: () => ({ used_heap_size: v8.used }),
  setFlagsFromString: (flag: string) => void v8.flags.push(flag),
}))

test('skips a heap that is too large to collect quickly', () => {
  v8.used = 2 ** 30
  collectGarbage()
  expect(v8.flags).toEqual([])
  v8.used = 2 ** 20
  collectGarbage()
  expect(v8.flags).toEqual(['--expose-gc', '--no-expose-gc'])
})
