import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { plainName, SimilarNames } from '../../src/search/similar-names.ts'

/** Textbook Dice: pairs of neighboring characters without white space, counted as often as both have them. */
function dice(a: string, b: string): number {
  const pairs = (text: string) => {
    const chars = text.toLowerCase().normalize('NFC').replace(/\s/g, '')
    return chars.length === 1 ? [chars] : [...chars].slice(1).map((_, at) => chars.slice(at, at + 2))
  }
  const left = pairs(a)
  const right = pairs(b)
  let shared = 0
  for (const pair of left) {
    const at = right.indexOf(pair)
    if (at < 0) continue
    right.splice(at, 1)
    shared++
  }
  return (2 * shared) / (left.length + right.length + shared)
}

const name = fc
  .string({ unit: fc.constantFrom('a', 'b', 'c', ' '), minLength: 1, maxLength: 8 })
  .filter((text) => text.trim() !== '')
const ids = { accept: () => true, id: (key: number) => String(key).padStart(3, '0') }

test('many exact lookups do not index the pairs of a large vault all at once', () => {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 50
    return now
  })
  onTestFinished(() => clock.mockRestore())
  const names = new SimilarNames()
  for (let key = 0; key < 1000; key++) names.set(key, [`Name ${key}`])
  const look = () => names.equal('name 7', { accept: () => true, id: String }).map(({ key }) => key)
  for (let time = 0; time < 32; time++) expect(look()).toEqual([7])
  expect(names.prepare(0)).toBe(false)
  for (let time = 0; time < 60; time++) expect(look()).toEqual([7])
  expect(names.prepare(0)).toBe(true)
})

describe('similar names', () => {
  test('have the highest Dice coefficients', () => {
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 20 }),
        name,
        fc.constantFrom(0.2, 0.5, 0.7, 0.9),
        (names, query, minimum) => {
          const index = new SimilarNames()
          for (const [key, one] of names.entries()) index.set(key, [one])
          const found = index.find(query, ids, { limit: 100, minimum })
          const expected = names
            .map((one, key) => ({ key, name: one, score: one === query ? 1 : Math.min(0.999, dice(one, query)) }))
            .filter(({ score }) => score >= minimum && score > 0)
            .sort((a, b) => b.score - a.score || a.key - b.key)
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('have similar length when only those can match', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 20 }), name, fc.nat(2), (names, query, slips) => {
        const index = new SimilarNames()
        for (const [key, one] of names.entries()) index.set(key, [one])
        const bounds = { limit: 100, minimum: 0.3 }
        const isAsLong = (one: { readonly name: string }) =>
          Math.abs(plainName(one.name).length - plainName(query).length) <= slips
        expect(index.find(query, ids, { ...bounds, slips })).toEqual(index.find(query, ids, bounds).filter(isAsLong))
      }),
    )
  })

  test('equal an exhaustive search, after any changes and for any subset', () => {
    const file = fc.record({ key: fc.nat(9), names: fc.array(name, { maxLength: 3 }) })
    fc.assert(
      fc.property(
        fc.array(file, { maxLength: 30 }),
        name,
        fc.record({ limit: fc.integer({ min: 0, max: 6 }), minimum: fc.constantFrom(0, 0.3, 0.5, 0.7, 0.999, 1) }),
        fc.nat(3),
        (files, query, bounds, skipped) => {
          const index = new SimilarNames()
          for (const { key, names } of files) index.set(key, names)
          const known = new Map(files.map(({ key, names }) => [key, names]))
          const wanted = { ...ids, accept: (key: number) => key % 4 !== skipped }
          const scored = [...known].flatMap(([key, names]) => {
            const scores = names.map((one) => ({ key, name: one, score: one === query ? 1 : Math.min(0.999, dice(one, query)) }))
            const fitting = scores.filter(({ score }) => wanted.accept(key) && score > 0 && score >= bounds.minimum)
            return fitting.sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1)).slice(0, 1)
          })
          const expected = scored.sort((a, b) => b.score - a.score || a.key - b.key)
          expect(index.find(query, wanted, bounds)).toEqual(expected.slice(0, bounds.limit))
          expect(index.equal(query, wanted)).toEqual(expected.filter(({ score }) => score === 1))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  test('follow changes, even very many', () => {
    const index = new SimilarNames()
    for (let round = 0; round < 6_000; round++) index.set(round % 3, [`name ${round}`])
    index.set(1, [])
    expect(index.find('name 5997', ids, { limit: 5, minimum: 0.5 }).map(({ name }) => name)).toEqual(['name 5997', 'name 5999'])
  })

  test('are the same before pairs are indexed, and while some are missing', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'é', 'Σ', 'ß', ' ', '.', '('), maxLength: 6 })
    const files = fc.array(fc.record({ key: fc.nat(9), names: fc.array(letters, { maxLength: 3 }) }), { maxLength: 20 })
    fc.assert(
      fc.property(files, files, letters, fc.nat(2), fc.integer({ min: 1, max: 4 }), (files, later, query, slips, limit) => {
        const answers = (index: SimilarNames) => [
          index.equal(query, ids),
          index.equalPlain(query, ids),
          index.find(query, ids, { limit, minimum: 0.3, slips }),
        ]
        const [unpaired, paired] = [new SimilarNames(), new SimilarNames()]
        for (const { key, names } of files) for (const index of [unpaired, paired]) index.set(key, names)
        expect(paired.prepare()).toBe(true)
        expect(answers(unpaired)).toEqual(answers(paired))
        unpaired.prepare(0)
        for (const { key, names } of later) for (const index of [unpaired, paired]) index.set(key, names)
        expect(answers(unpaired)).toEqual(answers(paired))
        expect(unpaired.find(query, ids, { limit, minimum: 0.3 })).toEqual(paired.find(query, ids, { limit, minimum: 0.3 }))
      }),
      { numRuns: 1_000 },
    )
  })

  test('a typo in a name or alias is found, and each node appears once, under its best name', () => {
    const index = new SimilarNames()
    index.set(1, ['Chicken', 'Chick'])
    index.set(2, ['Kitchen'])
    expect(index.find('chikken', ids, { limit: 1, minimum: 0.5 })).toEqual([{ key: 1, name: 'Chicken', score: 2 / 3 }])
    expect(index.find('CHICK', ids, { limit: 5, minimum: 0.9 })).toEqual([{ key: 1, name: 'Chick', score: 1 }])
  })

  test('a name of a megabyte is handled quickly', () => {
    const index = new SimilarNames()
    index.set(1, ['x'.repeat(1 << 20)])
    expect(index.find('y'.repeat(1 << 20), ids, { limit: 1, minimum: 0.1 })).toEqual([])
    expect(index.find('x'.repeat(1 << 20), ids, { limit: 1, minimum: 0.1 })).toHaveLength(1)
  })
})
