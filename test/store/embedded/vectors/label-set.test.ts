import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LabelSet } from '../../../../src/store/embedded/vectors/hnsw-graph.ts'

test('behaves like a Set of numbers in ascending order', () => {
  const change = fc.tuple(fc.constantFrom('add', 'delete', 'clear'), fc.oneof(fc.nat(40), fc.nat(5000)))
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const labels = new LabelSet()
      const model = new Set<number>()
      for (const [kind, label] of changes) {
        if (kind === 'add') labels.add(label)
        else if (kind === 'delete') expect(labels.delete(label)).toBe(model.has(label))
        else if (label === 0) labels.clear()
        if (kind === 'add') model.add(label)
        else if (kind === 'delete') model.delete(label)
        else if (label === 0) model.clear()
        expect([labels.size, labels.has(label)]).toEqual([model.size, model.has(label)])
      }
      expect([...labels]).toEqual([...model].sort((a, b) => a - b))
    }),
  )
})

test('may change during iteration', () => {
  const labels = new LabelSet()
  labels.addAll([0, 1, 31, 32, 700])
  const seen: number[] = []
  for (const label of labels) {
    seen.push(label)
    labels.delete(label)
    if (label === 1) labels.delete(31)
    if (label === 32) labels.addAll([2, 33, 9000])
  }
  expect(seen).toEqual([0, 1, 32, 33, 700, 9000])
  expect([...labels]).toEqual([2])
})
