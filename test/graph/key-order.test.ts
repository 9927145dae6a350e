import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyOrder } from '../../src/graph/file-ids.ts'

test('the order equals a full sort after any moves', () => {
  const move = fc.record({ key: fc.nat(40), text: fc.option(fc.string({ maxLength: 3 }), { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(fc.array(move, { maxLength: 20 }), { maxLength: 8 }), (rounds) => {
      const texts = new Map<number, string>()
      const order = new KeyOrder((key) => texts.get(key))
      for (const moves of rounds) {
        for (const { key, text } of moves) {
          // Every text is unique, as ids are.
          if (text === undefined) texts.delete(key)
          else texts.set(key, `${text}\u0000${key}`)
          order.move(key)
        }
        const expected = [...texts].sort(([, a], [, b]) => (a < b ? -1 : 1)).map(([key]) => key)
        expect(order.list()).toEqual(expected)
      }
    }),
  )
})

test('a returned list does not change later', () => {
  const texts = new Map([
    [0, 'b'],
    [1, 'c'],
  ])
  const order = new KeyOrder((key) => texts.get(key))
  for (const key of [0, 1]) order.move(key)
  const given = order.list()
  texts.set(2, 'a')
  order.move(2)
  expect([given, order.list()]).toEqual([
    [0, 1],
    [2, 0, 1],
  ])
})
