import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { phraseOf, queryTerms } from '../../../src/search/words/query-terms.ts'
import { snippet } from '../../../src/search/words/snippet.ts'

function find(
  text: string,
  query: string,
  options: { readonly phrase?: string; readonly max?: number; readonly bodyStart?: number } = {},
) {
  const terms = queryTerms(query).map((term) => ({ term, weight: 1 }))
  const phrases = options.phrase === undefined ? [] : [phraseOf(options.phrase)]
  return snippet(text, options.bodyStart ?? 0, { terms, phrases }, options.max === undefined ? {} : { maxLength: options.max })
}

/** The snippet with its highlights in brackets. */
function show(...args: Parameters<typeof find>): string {
  const { text, highlights } = find(...args)
  let out = ''
  let at = 0
  for (const [start, end] of highlights) {
    out += `${text.slice(at, start)}<${text.slice(start, end)}>`
    at = end
  }
  return out + text.slice(at)
}

const filler = 'lorem ipsum dolor sit amet '.repeat(20)

describe('a snippet', () => {
  test('of a short text is all of it, with single spaces and without empty lines', () => {
    expect(show('One  two\n\nthree', 'two')).toBe('One <two>\nthree')
  })

  test('highlights other word forms, phrases and prefixes', () => {
    expect(show('He was running home.', 'runs')).toBe('He was <running> home.')
    expect(show('a b, the black cat; black', 'none', { phrase: 'black cat' })).toBe('a b, the <black cat>; black')
    expect(show('黒猫がいる', '猫')).toBe('黒<猫がい>る'.replace('<猫がい>', '<猫が>い'))
  })

  test('is where different words are close together', () => {
    const text = `cat cat cat ${filler}the black cat sleeps ${filler}black`
    expect(show(text, 'black cat', { max: 40 })).toMatch(/^….*the <black> <cat> .*…$/)
  })

  test('without a match is the beginning of the body', () => {
    const text = `---\ntitle: x\n---\n\nFirst words. ${filler}`
    const { text: shown, highlights, line } = find(text, 'absent', { bodyStart: 17, max: 30 })
    expect(shown).toBe('First words. lorem ipsum…')
    expect(highlights).toEqual([])
    expect(line).toBe(5)
  })

  test('has the line of its first match', () => {
    expect(find(`${'a\n'.repeat(500)}cat\n${'a\n'.repeat(500)}`, 'cat').line).toBe(501)
  })

  test('finds a match at the end of a text of a megabyte, also across parts that are searched one by one', () => {
    const lines = Array.from({ length: 40_000 }, (_, line) => `line of ${line}\n`)
    expect(find(`${lines.join('')}the needle\n${lines.join('')}`, 'needle').line).toBe(40_001)
    expect(show(`${lines.join('')}the needle\n`, 'line needle', { max: 40 })).toContain('<needle>')
    const words = filler.repeat(Math.ceil(1_200_000 / filler.length))
    for (const at of [399_990, 399_995, 400_000, 799_990]) {
      const text = `${words.slice(0, at)} needle ${words.slice(at)}`
      expect(show(text, 'needle')).toContain('<needle>')
    }
  })

  test('does not cut wikilinks', () => {
    for (let shift = 0; shift < 40; shift++) {
      const text = `${filler}${'y'.repeat(shift)} [[Some long note|shown]] cat [[Other long note|too]] ${filler}`
      expect(find(text, 'cat', { max: 60 }).text.replaceAll(/\[\[[^[\]]*\]\]/g, '')).not.toMatch(/[[\]]/)
    }
  })

  test('of an empty text is empty', () => {
    expect(find('  \n', 'x')).toEqual({ text: '', highlights: [], line: 1 })
  })

  test('of any text stays within its limits and keeps words and graphemes', () => {
    const piece = fc.constantFrom(
      'cat ',
      'black',
      ' ',
      '\n',
      '👩‍👩‍👧',
      'e\u0301',
      '[[a b]]',
      '東京',
      'x'.repeat(90),
      'word ',
      '🇩🇪',
      '\r\n',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.nat(40), fc.integer({ min: 20, max: 80 }), (pieces, bodyStart, max) => {
        const text = pieces.join('')
        const shown = find(text, 'black cat', { max, bodyStart, phrase: 'cat word' })
        const plain = shown.text.replace(/^…|…$/g, '')
        expect(shown.text.length).toBeLessThanOrEqual(max)
        const flat = (written: string) => written.replaceAll(/\s+/g, ' ')
        expect(flat(text.slice(Math.min(bodyStart, text.length)))).toContain(flat(plain))
        expect(shown.text).not.toMatch(/\n\s*\n|\S {2,}\S/)
        let last = 0
        for (const [start, end] of shown.highlights) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(shown.text.slice(start, end)).toMatch(/^(black|cat)(\s*(black|cat|word))*/)
          last = end
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('does not cut graphemes in text without spaces', () => {
    const family = '👩‍👩‍👧'
    fc.assert(
      fc.property(fc.nat(30), fc.nat(30), fc.integer({ min: 30, max: 60 }), (before, after, max) => {
        const text = `${family.repeat(before)}cat${family.repeat(after)}`
        expect(find(text, 'cat', { max }).text.replaceAll(family, '')).toMatch(/^…?cat…?$/)
      }),
    )
  })
})
