import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance } from '../../src/core/text/nearest.ts'

test.each([
  ['', '', 0],
  ['a', '', 1],
  ['kitten', 'sitting', 3],
  ['ab', 'ba', 1],
  ['abcd', 'acbd', 1],
  ['ca', 'abc', 3],
  ['dog sitter', 'dog siter', 1],
])('%j and %j: %i', (a, b, distance) => {
  expect(editDistance(a, b, 9)).toBe(distance)
  expect(editDistance(a, b, distance)).toBe(distance)
  if (distance > 0) expect(editDistance(a, b, distance - 1)).toBeUndefined()
})

/** The plain definition, without limits. */
function byDefinition(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (__, j) => (i === 0 ? j : j === 0 ? i : 0)),
  )
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      let least = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, at(i - 2, j - 2) + 1)
      ;(rows[i] as number[])[j] = least
    }
  }
  return at(a.length, b.length)
}

test('matches the definition up to any limit, and is symmetric', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 })
  fc.assert(
    fc.property(text, text, fc.nat(6), (a, b, most) => {
      const distance = byDefinition(a, b)
      expect(editDistance(a, b, most)).toBe(distance <= most ? distance : undefined)
      expect(editDistance(b, a, most)).toBe(editDistance(a, b, most))
    }),
    { numRuns: 2_000 },
  )
})
