import { expect, test } from 'vitest'
import { Mentions } from '../../src/indexing/mentions.ts'

test('names that no file mentions any more are forgotten, however many came and went', () => {
  const mentions = new Mentions()
  mentions.set(2, ['always'])
  for (let edit = 0; edit < 1_000; edit++) mentions.set(1, ['always', `once ${edit}`])
  expect(mentions.names).toBe(2)
  expect(['always', 'once 999', 'once 998'].map((name) => [...mentions.sources(name)])).toEqual([[2, 1], [1], []])
  mentions.set(1, [])
  expect([mentions.names, [...mentions.sources('always')]]).toEqual([1, [2]])
})
