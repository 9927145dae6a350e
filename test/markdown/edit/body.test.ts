import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { appendToBody, prependToBody, replaceBody } from '../../../src/markdown/edit/body.ts'
import { replaceText } from '../../../src/markdown/edit/replace-text.ts'
import { bodyStartOf } from '../../../src/markdown/frontmatter/frontmatter.ts'
import { soup } from '../soups.ts'
import { edited, errorOf, refusal } from './edited.ts'

/** What a caller may send, without a final carriage return, which would become half of a line ending. */
const given = soup.filter((text) => !/\p{Cs}/u.test(text)).map((text) => text.replace(/\r(?!\n)/g, ''))

const FRONT = '---\r\na: 1\r\n---\r\n'

describe('append', () => {
  const append = (text: string, content: string) => edited(text, (given) => appendToBody(given, content))

  test('adds lines after a blank line', () => {
    expect(append('a\n', 'b')).toBe('a\n\nb\n')
    expect(append('a', 'b')).toBe('a\n\nb')
    expect(append('a\n\n', 'b\n')).toBe('a\n\nb\n')
    expect(append('a\n', '\nb')).toBe('a\n\nb\n')
    expect(append('', 'b')).toBe('b')
    expect(append('a\n', '')).toBe('a\n')
  })

  test('continues lists, quotes and tables', () => {
    expect(append('- a\n', '- b')).toBe('- a\n- b\n')
    expect(append('- [ ] a', '* b\n')).toBe('- [ ] a\n* b\n')
    expect(append('> a\n', '> b')).toBe('> a\n> b\n')
    expect(append('|a|\n|-|\n|b|\n', '| c |')).toBe('|a|\n|-|\n|b|\n| c |\n')
    expect(append('- a\n', '1) b')).toBe('- a\n1) b\n')
    expect(append('- a\n', 'b')).toBe('- a\n\nb\n')
  })

  test("uses the file's line ending, and goes after its frontmatter", () => {
    expect(append(`${FRONT}a`, 'b\nc')).toBe(`${FRONT}a\r\n\r\nb\r\nc`)
    expect(append(FRONT, 'b')).toBe(`${FRONT}b\r\n`)
    expect(append('---\na: 1\n---', 'b')).toBe('---\na: 1\n---\nb')
    expect(append('\ufeff', 'b')).toBe('\ufeffb')
    expect(append('a\rb', 'c')).toBe('a\rb\n\nc')
  })

  test('never turns the body into frontmatter', () => {
    expect(refusal(() => appendToBody('---\nx\n', '---'))).toMatch(/^INVALID_PARAMS.*into frontmatter/)
    expect(refusal(() => appendToBody('x', 'a\ud83d'))).toMatch(/^INVALID_PARAMS \| append: .*surrogate/)
  })

  test('keeps any existing text', () => {
    fc.assert(
      fc.property(soup, given, (text, content) => {
        const result = attempt(() => append(text, content))
        if (result === undefined) return
        expect(result.startsWith(text)).toBe(true)
        expect(plain(result)).toContain(plain(content))
        expect(bodyStartOf(result) >= bodyStartOf(text)).toBe(true)
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('prepend', () => {
  const prepend = (text: string, content: string) => edited(text, (given) => prependToBody(given, content))

  test('goes before the first line of the body', () => {
    expect(prepend('a\n', 'b')).toBe('b\n\na\n')
    expect(prepend('\n# A\n', 'b\n')).toBe('b\n\n# A\n')
    expect(prepend(`${FRONT}- a`, '- b')).toBe(`${FRONT}- b\r\n- a`)
    expect(prepend('---\na: 1\n---', 'b')).toBe('---\na: 1\n---\nb')
    expect(prepend('\ufeffa', '\ufeffb')).toBe('\ufeff\ufeffb\n\na')
    expect(prepend('a', '\ufeffb')).toBe('b\n\na')
    expect(prepend('', 'b')).toBe('b')
  })

  test('never creates frontmatter', () => {
    expect(refusal(() => prependToBody('a', '---\nb: 1\n---\n'))).toMatch(/^INVALID_PARAMS/)
    expect(prepend('---\na: 1\n---\nx', '---\ny\n---')).toBe('---\na: 1\n---\n---\ny\n---\n\nx')
  })
})

describe('replace the body', () => {
  const replace = (text: string, content: string) => edited(text, (given) => replaceBody(given, content))

  test('keeps the frontmatter', () => {
    expect(replace(`${FRONT}a\r\n`, 'b\nc')).toBe(`${FRONT}b\r\nc`)
    expect(replace('---\na: 1\n---', 'b')).toBe('---\na: 1\n---\nb')
    expect(replace('a', '')).toBe('')
    expect(replace('\ufeffa', 'b')).toBe('\ufeffb')
  })

  test('keeps unchanged lines byte for byte', () => {
    expect(replaceBody('a\r\nb\nc\r\nd\r\n', 'a\nb\nx\nd\n')).toEqual([{ start: 5, end: 8, text: 'x\r\n' }])
    expect(replaceBody('a\r\nb\n', 'a\nb\r\n')).toEqual([])
  })

  test('rejects content that is frontmatter', () => {
    const front = '---\nb: 1\n---\nx'
    expect(refusal(() => replaceBody('a', front))).toBe(
      'INVALID_PARAMS | content: it starts with frontmatter. | Send only the body, and send frontmatter as `properties` and `tags`.',
    )
    expect(refusal(() => replaceBody(FRONT, front))).toMatch(/^INVALID_PARAMS/)
    expect(refusal(() => replaceBody('a', '---\n---\nx'))).toMatch(/^INVALID_PARAMS/)
    expect(refusal(() => replaceBody('a', `\ufeff${front}`))).toMatch(/^INVALID_PARAMS/)
    // After frontmatter, two thematic breaks have no special meaning.
    expect(replace('---\na: 1\n---\nx', '---\ny\n---\nx')).toBe('---\na: 1\n---\n---\ny\n---\nx')
    expect(replaceBody(`---\na: 1\n---\n${front}`, `${front}y`)).toHaveLength(1)
  })

  test('makes the content the body and changes nothing else', () => {
    fc.assert(
      fc.property(soup, given, (text, content) => {
        const start = bodyStartOf(text)
        expect(attempt(() => replace(text, text.slice(start))) ?? text).toBe(text)
        const result = attempt(() => replace(text, content))
        if (result === undefined) return
        expect(result.slice(0, start)).toBe(text.slice(0, start))
        expect(plain(result.slice(start)).replace(/^\n/, '')).toBe(
          plain(start === 0 ? content.replace(/^\ufeff/, '') : content).replace(/^\n/, ''),
        )
      }),
      { numRuns: 3_000 },
    )
  })
})

describe('replace text', () => {
  const replace = (text: string, find: string, put: string, count?: number) =>
    edited(text, (given) => replaceText(given, { find, replace: put, ...(count === undefined ? {} : { count }) }))

  test('finds exact matches in the body only', () => {
    expect(replace('---\na: x\n---\nx', 'x', 'y')).toBe('---\na: x\n---\ny')
    expect(replace('aXa', 'X', '$&')).toBe('a$&a')
    expect(replace('abababa', 'aba', 'c', 2)).toBe('cbc')
  })

  test('a line break matches either line ending', () => {
    expect(replace('a\r\nb\r\nc', 'a\nb', 'x\ny')).toBe('x\r\ny\r\nc')
    expect(replace('a\r\nb\nc\r\n', '\n', '|\n', 3)).toBe('a|\r\nb|\r\nc|\r\n')
    expect(replace('a\nb', 'a\r\nb', 'c')).toBe('c')
    expect(errorOf(() => replaceText('a\r\nb', { find: '\r', replace: '' })).code).toBe('EDIT_MISMATCH')
  })

  test('rejects a different number of matches and lists their lines', () => {
    const error = errorOf(() => replaceText('---\nk: v\n---\nx\n\nx x\n', { find: 'x', replace: 'y' }))
    expect(error.message).toBe('The text to find is in the body 3 times, on lines 4, 6; expected 1.')
    expect(error.candidates).toEqual([{ line: 4 }, { line: 6 }])
    expect(refusal(() => replaceText('---\nk: v\n---\nx', { find: 'v', replace: '' }))).toMatch(/not in the body.*frontmatter/)
    expect(refusal(() => replaceText('X', { find: 'x', replace: '' }))).toMatch(/^EDIT_MISMATCH.*copy the text exactly/)
    expect(refusal(() => replaceText('x', { find: 'x', replace: '', count: 2 }))).toMatch(/once, on line 1; expected 2/)
  })

  test('rejects bad arguments', () => {
    for (const given of [
      { find: '' },
      { find: 'x', count: 0 },
      { find: 'x', count: 1.5 },
      { find: '\ud83d' },
      { find: 'x', replace: '\ude00' },
    ]) {
      expect(errorOf(() => replaceText('x', { replace: '', ...given })).code).toBe('INVALID_PARAMS')
    }
    expect(refusal(() => replaceText('a\n---\nb: 1\n---\n', { find: 'a\n', replace: '' }))).toMatch(
      /^INVALID_PARAMS.*frontmatter/,
    )
  })

  test('finds what indexOf finds', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 30 })
    fc.assert(
      fc.property(
        letters,
        letters.filter((find) => find !== '').map((find) => find.slice(0, 4)),
        (text, find) => {
          const count = text.split(find).length - 1
          if (count === 0) return
          expect(replace(text, find, '<>', count)).toBe(text.split(find).join('<>'))
          expect(replace(text.replaceAll('\n', '\r\n'), find, '<>', count)).toBe(
            text.split(find).join('<>').replaceAll('\n', '\r\n'),
          )
        },
      ),
      { numRuns: 3_000 },
    )
  })

  test('is fast on repetitive texts', () => {
    const text = 'a'.repeat(1_000_000)
    expect(errorOf(() => replaceText(text, { find: `${'a'.repeat(500_000)}b`, replace: '' })).code).toBe('EDIT_MISMATCH')
    expect(errorOf(() => replaceText(text, { find: `b${'a'.repeat(500_000)}`, replace: '' })).code).toBe('EDIT_MISMATCH')
  })
})

/** The result of an edit, or `undefined` if it is refused. */
function attempt(call: () => string): string | undefined {
  try {
    return call()
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError) throw error
    return undefined
  }
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

describe('choosing one of several equal passages', () => {
  const text = '---\nk: one\n---\none two\nthree one one\n\none\n'
  const at = (line: number, rest: object = {}) =>
    edited(text, (given) => replaceText(given, { find: 'one', replace: '1', line, ...rest }))

  test('uses the line number, counted from the start of the file', () => {
    expect(at(4)).toBe(text.replace('one two', '1 two'))
    expect(at(7)).toBe(text.replace('\none\n', '\n1\n'))
    expect(at(5, { count: 2 })).toBe(text.replace('one one', '1 1'))
    const crlf = text.replaceAll('\n', '\r\n')
    const replacement = { find: 'one\n', replace: '1\n', line: 7 }
    expect(edited(crlf, (given) => replaceText(given, replacement))).toBe(crlf.replace('\r\none\r\n', '\r\n1\r\n'))
  })

  test('works if an overlapping match begins earlier', () => {
    const over = 'a\na\na\nb\n'
    expect(edited(over, (given) => replaceText(given, { find: 'a\na', replace: 'x', line: 2 }))).toBe('a\nx\nb\n')
  })

  test('rejects a line without a match', () => {
    expect(refusal(() => at(5))).toMatch(
      /^EDIT_MISMATCH \| The text to find is in the body 4 times, on lines 4, 5, 7; expected it once on line 5, where it is 2 times\. \| .*`line`/,
    )
    expect(refusal(() => at(2))).toMatch(/expected it once on line 2, where it is not/)
    expect(refusal(() => at(99))).toMatch(/expected it once on line 99, where it is not/)
    expect(errorOf(() => at(0)).code).toBe('INVALID_PARAMS')
    expect(errorOf(() => at(6)).candidates).toEqual([{ line: 4 }, { line: 5 }, { line: 7 }])
  })
})
