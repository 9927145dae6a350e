import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Mentions } from '../../src/indexing/mentions.ts'

test('mentions that were withdrawn are forgotten, however many came and went', () => {
  const mentions = new Mentions()
  mentions.set(2, ['always'])
  for (let edit = 0; edit < 10_000; edit++) mentions.set(1, ['always', `once ${edit}`])
  expect(mentions.entries).toBeLessThan(1_000)
  expect(['always', 'once 9999', 'once 9998'].map((name) => mentions.sources(name))).toEqual([[1, 2], [1], []])
  mentions.set(1, [])
  expect([mentions.sources('always'), mentions.has(1), mentions.has(2), mentions.isEmpty]).toEqual([[2], false, true, false])
  mentions.set(2, [])
  expect(mentions.isEmpty).toBe(true)
})

test('a file that is set again with the same names takes no more room', () => {
  const mentions = new Mentions()
  for (let edit = 0; edit < 10; edit++) mentions.set(1, ['a', 'b'])
  expect(mentions.entries).toBe(2)
})

test('sources are right after any changes, also for names whose hashes are equal', () => {
  // Both words of each pair have the same 32-bit FNV-1a hash.
  const colliding = ['costarring', 'liquor', 'declinate', 'macallums']
  const names = [...colliding, ...Array.from({ length: 40 }, (_, at) => `name ${at}`)]
  const file = fc.record({ key: fc.nat(400), names: fc.subarray(names) })
  fc.assert(
    fc.property(fc.array(file, { maxLength: 300 }), (files) => {
      const mentions = new Mentions()
      const expected = new Map<number, readonly string[]>()
      for (const { key, names } of files) {
        mentions.set(key, names)
        expected.set(key, names)
      }
      for (const name of names) {
        const sources = [...expected].filter(([, own]) => own.includes(name)).map(([key]) => key)
        const found = mentions.sources(name)
        expect(found).toEqual(expect.arrayContaining(sources))
        if (!colliding.includes(name)) expect(found).toEqual(sources.sort((a, b) => a - b))
      }
    }),
    { numRuns: 50 },
  )
})
