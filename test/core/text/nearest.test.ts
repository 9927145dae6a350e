import fc from 'fast-check'
import { expect, test } from 'vitest'
import { didYouMean, nearest } from '../../../src/core/text/nearest.ts'

test.each<[string, readonly string[], readonly string[]]>([
  ['get_hub', ['get_hubs', 'get_node'], ['get_hubs']],
  ['get-hubs', ['get_hubs'], ['get_hubs']],
  ['Serev', ['serve', 'search'], ['serve']],
  ['tag', ['tags_any', 'limit'], ['tags_any']],
  ['mode', ['vault.path', 'vault.mode'], ['vault.mode']],
  ['vault.foo', ['vault'], []],
  ['quux', ['serve', 'search'], []],
  ['ag', ['tags_any'], []],
  ['', ['a'], ['a']],
  ['x', [], []],
  ['x'.repeat(101), ['x'.repeat(101)], []],
])('names near %s in %j: %j', (word, names, expected) => {
  expect(nearest(word, names)).toEqual(expected)
})

test('nearer names come first, then alphabetical order', () => {
  expect(nearest('find_nodes', ['find_nodez', 'find_mode', 'find_node', 'a'], 2)).toEqual(['find_node', 'find_nodez'])
  expect(didYouMean(['a', 'b'])).toBe('Did you mean "a" or "b"?')
  expect(didYouMean([])).toBeUndefined()
})

test('one letter wrong, missing, added or swapped still matches any name', () => {
  const name = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 3, maxLength: 12 })
  fc.assert(
    fc.property(name, fc.nat(), fc.constantFrom('wrong', 'missing', 'added', 'swapped'), (text, place, kind) => {
      const at = place % (text.length - 1)
      const [head, letter, next, tail] = [text.slice(0, at), text[at] ?? '', text[at + 1] ?? '', text.slice(at + 2)]
      const typed = { wrong: `x${next}`, missing: next, added: `${letter}x${next}`, swapped: `${next}${letter}` }[kind]
      expect(nearest(`${head}${typed}${tail}`, [text, 'zzzzzzzzzzzzzzzzzzzzzzzz'])).toEqual([text])
    }),
  )
})
