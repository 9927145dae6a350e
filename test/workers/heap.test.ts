import { expect, test } from 'vitest'
import { heapCheck } from '../../src/workers/heap.ts'

/** A heap of 100 bytes. */
class Heap {
  live = 0
  garbage = 0
  collections = 0

  readonly isShort = heapCheck(
    () => ({ used: this.live + this.garbage, limit: 100 }),
    () => {
      this.garbage = 0
      this.collections++
    },
  )
}

test('a heap that is not full is left to V8', () => {
  const heap = new Heap()
  heap.live = 50
  heap.garbage = 10
  expect([heap.isShort(), heap.collections]).toEqual([false, 0])
})

test('garbage does not count', () => {
  const heap = new Heap()
  heap.live = 55
  heap.garbage = 30
  expect([heap.isShort(), heap.collections]).toEqual([false, 1])
})

test('garbage is collected only after every tenth of the limit', () => {
  const heap = new Heap()
  heap.live = 50
  for (let step = 0; step < 200; step++) {
    heap.garbage++
    expect(heap.isShort()).toBe(false)
  }
  expect(heap.collections).toBe(18)
})

test('a heap with growing live data counts as full before it reaches seven tenths of the limit', () => {
  const heap = new Heap()
  for (heap.live = 0; heap.live < 100; heap.live++) {
    heap.garbage += 2
    if (heap.isShort()) break
  }
  expect(heap.live).toBeGreaterThan(60)
  expect(heap.live).toBeLessThan(70)
})

test('a heap that stays full still counts as full', () => {
  const heap = new Heap()
  heap.live = 65
  expect([heap.isShort(), heap.isShort(), heap.isShort()]).toEqual([true, true, true])
})
