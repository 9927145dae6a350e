import { expect, test } from 'vitest'
import { languageOf } from '../../src/search/languages/language-of.ts'
import {
  calibrate,
  isOnTopic,
  keepRelevant,
  knowsLanguageOf,
  type MIN_SCORE,
  queryKind,
  traitsIn,
  traitsOf,
  UNRELATED_QUERIES,
} from '../../src/search/relevance.ts'

const NOTHING = { matched: 0, cosine: 0 }

test('stricter presets let fewer hits through, but always exact ones', () => {
  const hits = [
    { key: 'title', score: 0, exact: true },
    { key: 'sure', score: 0.8, exact: false },
    { key: 'likely', score: 0.4, exact: false },
    { key: 'perhaps', score: 0.1, exact: false },
    { key: 'no', score: 0.01, exact: false },
  ]
  const kept = (relevance: keyof typeof MIN_SCORE) => keepRelevant(hits, relevance).map((hit) => hit.key)
  expect(kept('strict')).toEqual(['title', 'sure'])
  expect(kept('normal')).toEqual(['title', 'sure', 'likely'])
  expect(kept('loose')).toEqual(['title', 'sure', 'likely', 'perhaps'])
})

test('hits found by words only have a lower threshold', () => {
  const hits = [0.35, 0.2, 0.04].map((score) => ({ score, exact: false }))
  const kept = (relevance: keyof typeof MIN_SCORE) => keepRelevant(hits, relevance, 0).map((hit) => hit.score)
  expect(kept('strict')).toEqual([0.35])
  expect(kept('normal')).toEqual([0.35, 0.2])
  expect(kept('loose')).toEqual([0.35, 0.2, 0.04])
})

const ENGLISH = { weight: 0.35, certainty: { low: 0.3, high: 0.7 }, enoughWords: 0.7 }

test.each([
  ['many of its words', [{ matched: 0.7, cosine: 0.1 }], true],
  ['some words, and near', [{ matched: 0.2, cosine: 0.7 }], true],
  ['a word, and a vague likeness', [{ matched: 0.2, cosine: 0.5 }], false],
  ['certain nearness', [{ matched: 0, cosine: 0.7 }], true],
  ['only a vague likeness', [{ matched: 0, cosine: 0.5 }], false],
  ['words of one note and nearness of another', [NOTHING, { matched: 0.3, cosine: 0 }, { matched: 0, cosine: 0.6 }], true],
  ['nothing', [NOTHING], false],
  ['no note', [], false],
])('a question is on topic if the first notes have %s: %j is %s', (_, first, isOn) => {
  expect(isOnTopic(first, ENGLISH)).toBe(isOn)
})

test('without a measured share, every question is on topic', () => {
  const { enoughWords: _, ...traits } = ENGLISH
  expect(isOnTopic([NOTHING], traits)).toBe(true)
})

test('known embedders are recognized by id', () => {
  expect(traitsOf('static:all-minilm-l6-v2:256')).toEqual({
    weight: 0.35,
    certainty: { low: 0.3, high: 0.7 },
    enoughWords: 0.7,
  })
  expect(traitsOf('transformers:Xenova/all-MiniLM-L6-v2:384')).toEqual({ weight: 0.5, certainty: { low: 0.25, high: 0.65 } })
  expect(traitsOf('openai:nomic-embed-text:768')).toBeUndefined()
})

test.each([
  ['how do I prune roses', 'query', 0.35, 0.7],
  ['wie schneide ich die Rosen', 'across', 0.55, undefined],
  ['バラの剪定', 'across', 0.55, undefined],
  ['Rosen', 'across', 0.5, 1],
  ['2024', 'query', 0.35, 0.7],
])(
  'the language of a question decides how it is embedded and how much meaning and words count: %s',
  (question, kind, ...counts) => {
    const both = traitsOf('static:all-minilm-l6-v2+multilingual-e5-small:512:1')
    const language = languageOf(question)
    expect(queryKind(language)).toBe(kind)
    const { weight, enoughWords } = traitsIn(both as NonNullable<typeof both>, language)
    expect([weight, enoughWords]).toEqual(counts)
  },
)

test('an embedder without a language table weighs meaning the same in all languages', () => {
  const traits = traitsOf('transformers:Xenova/all-MiniLM-L6-v2:384')
  expect(traits && traitsIn(traits, languageOf('wie schneide ich die Rosen'))).toEqual(traits)
})

test.each([
  ['wie schneide ich die Rosen', ['en', 'de'], true],
  ['wie schneide ich die Rosen', ['en'], false],
  ['Rosen', ['en'], true],
  ['розы', ['en', 'de'], false],
  ['розы', ['en', 'uk'], true],
  ['ako strihať ruže a kedy', ['cs'], true],
  ['2024', ['en'], true],
  ['ដំឡើងកម្មវិធី', ['en', 'th'], false],
  ['ដំឡើងកម្មវិធី', undefined, true],
])('whether a model knows the language of a text: %s, %s', (text, languages, isKnown) => {
  expect(knowsLanguageOf(languages, languageOf(text))).toBe(isKnown)
})

test('calibrates an unknown embedder with related and unrelated samples from the vault', () => {
  const unrelated = [0.62, 0.58, 0.6, Number.NaN, 0.64, 0.56]
  const related = [0.7, 0.72, 0.74, 0.76, 0.78, 0.8, 0.82, 0.84, 0.86, 0.88, 0.9]
  expect(calibrate({ unrelated, related })).toEqual({ low: 0.6, high: 0.84 })
})

test('samples that overlap, or consist of titles only, leave a range between them', () => {
  expect(calibrate({ unrelated: [0.5], related: [0.2] })).toEqual({ low: 0.5, high: expect.closeTo(0.65) })
  expect(calibrate({ unrelated: [0.5], related: [1] })).toEqual({ low: 0.5, high: expect.closeTo(0.85) })
  expect(calibrate({ unrelated: [1], related: [1] })?.high).toBeGreaterThan(1)
})

test('calibrates nothing without samples of both kinds', () => {
  expect(calibrate({ unrelated: [], related: [0.2] })).toBeUndefined()
  expect(calibrate({ unrelated: [0.2], related: [Number.NaN] })).toBeUndefined()
})

test('unrelated queries have no word in common', () => {
  const words = UNRELATED_QUERIES.join(' ').split(' ')
  expect(new Set(words).size).toBe(words.length)
})
