import { expect, test } from 'vitest'
import { calibrate, keepRelevant, type LEAST_SCORE, traitsOf, UNRELATED_QUERIES } from '../../src/search/relevance.ts'

test('presets let through less, the stricter they are, and exact hits always', () => {
  const hits = [
    { key: 'title', score: 0, exact: true },
    { key: 'sure', score: 0.8, exact: false },
    { key: 'likely', score: 0.4, exact: false },
    { key: 'perhaps', score: 0.1, exact: false },
    { key: 'no', score: 0.01, exact: false },
  ]
  const kept = (relevance: keyof typeof LEAST_SCORE) => keepRelevant(hits, relevance).map((hit) => hit.key)
  expect(kept('strict')).toEqual(['title', 'sure'])
  expect(kept('normal')).toEqual(['title', 'sure', 'likely'])
  expect(kept('loose')).toEqual(['title', 'sure', 'likely', 'perhaps'])
})

test('of what was found by words alone less is asked', () => {
  const hits = [0.35, 0.2, 0.04].map((score) => ({ score, exact: false }))
  const kept = (relevance: keyof typeof LEAST_SCORE) => keepRelevant(hits, relevance, 0).map((hit) => hit.score)
  expect(kept('strict')).toEqual([0.35])
  expect(kept('normal')).toEqual([0.35, 0.2])
  expect(kept('loose')).toEqual([0.35, 0.2, 0.04])
})

test('known embedders are told by their id', () => {
  expect(traitsOf('static:all-minilm-l6-v2:256')).toEqual({ weight: 0.35, certainty: { low: 0.3, high: 0.7 } })
  expect(traitsOf('transformers:Xenova/all-MiniLM-L6-v2:384')).toEqual({ weight: 0.5, certainty: { low: 0.25, high: 0.65 } })
  expect(traitsOf('openai:nomic-embed-text:768')).toBeUndefined()
})

test('an unknown embedder is calibrated by what the vault answers and what not', () => {
  const unrelated = [0.62, 0.58, 0.6, Number.NaN, 0.64, 0.56]
  const related = [0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.82, 0.84, 0.86, 0.88, 0.9]
  expect(calibrate({ unrelated, related })).toEqual({ low: 0.6, high: 0.84 })
})

test('samples that do not tell the two apart, or are nothing but titles, leave a range between them', () => {
  expect(calibrate({ unrelated: [0.5], related: [0.2] })).toEqual({ low: 0.5, high: expect.closeTo(0.65) })
  expect(calibrate({ unrelated: [0.5], related: [1] })).toEqual({ low: 0.5, high: expect.closeTo(0.85) })
  expect(calibrate({ unrelated: [1], related: [1] })?.high).toBeGreaterThan(1)
})

test('without samples of both kinds nothing is calibrated', () => {
  expect(calibrate({ unrelated: [], related: [0.2] })).toBeUndefined()
  expect(calibrate({ unrelated: [0.2], related: [Number.NaN] })).toBeUndefined()
})

test('no two of the unrelated queries share a word', () => {
  const words = UNRELATED_QUERIES.join(' ').split(' ')
  expect(new Set(words).size).toBe(words.length)
})
