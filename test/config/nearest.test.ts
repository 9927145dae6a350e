import { expect, test } from 'vitest'
import { didYouMean, nearest } from '../../src/config/nearest.ts'

test.each<[string, readonly string[], readonly string[]]>([
  ['get_hub', ['get_hubs', 'get_node'], ['get_hubs']],
  ['get-hubs', ['get_hubs'], ['get_hubs']],
  ['Serev', ['serve', 'search'], ['serve']],
  ['quux', ['serve', 'search'], []],
  ['', ['a'], ['a']],
  ['x', [], []],
])('%s of %j is %j', (word, names, expected) => {
  expect(nearest(word, names)).toEqual(expected)
})

test('the nearest come first, then by name', () => {
  expect(nearest('find_nodes', ['find_nodez', 'find_mode', 'find_node', 'a'], 2)).toEqual(['find_node', 'find_nodez'])
  expect(didYouMean(['a', 'b'])).toBe('Did you mean "a" or "b"?')
  expect(didYouMean([])).toBeUndefined()
})
