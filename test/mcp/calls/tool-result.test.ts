import { expect, test } from 'vitest'
import { toolResult } from '../../../src/mcp/calls/tool-result.ts'

function sentencesOf(extent: Omit<Parameters<typeof toolResult>[0], 'value' | 'warnings'>): string {
  const [, second] = toolResult({ value: [], warnings: [], ...extent }, { wrap: 'results' }).content
  return second?.type === 'text' ? second.text : ''
}

test('omissions caused by the budget are counted separately from those of fixed limits', () => {
  const omitted = { maxTokens: 2_000, counts: { results: 1, passages: 2 }, capped: { tags: 5 } }
  expect(sentencesOf({ omitted })).toBe(
    'Left out to fit max_tokens 2000: 1 result, 2 passages.\nLeft out regardless of max_tokens: 5 tags.',
  )
  expect(sentencesOf({ omitted: { maxTokens: 100, counts: {}, capped: { tags: 1 } } })).toBe(
    'Left out regardless of max_tokens: 1 tag.',
  )
  expect(toolResult({ value: [], warnings: [], omitted }, { wrap: 'results' }).structuredContent.omitted).toEqual({
    results: 1,
    passages: 2,
    tags: 5,
  })
})

test('counts of one are in the singular', () => {
  const counts = { results: 1, properties: 1, candidates: 1, snippet: 1, content: 1, outline: 1 }
  expect(sentencesOf({ omitted: { maxTokens: 100, counts } })).toBe(
    'Left out to fit max_tokens 100: 1 result, 1 property, 1 candidate, 1 snippet, 1 content, 1 heading.',
  )
  expect(sentencesOf({ list: { offset: 5, shown: 0, count: 1, counted: 'all' } })).toBe('Nothing at offset 5: there is 1.')
})
