import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RouxError } from '../../../src/core/errors.ts'
import { parseQuery } from '../../../src/search/query/parse-query.ts'
import { anyText } from './arbitraries.ts'

const now = new Date(2024, 4, 15, 10, 30)

/** A query with the error position marked by `|`, and the message. */
const CASES: readonly (readonly [marked: string, problem: string])[] = [
  ['a |-', '"-" stands alone'],
  ['a |- b', '"-" stands alone'],
  ['(|-) b', '"-" stands alone'],
  ['|--b', 'this is negated twice'],
  ['|NOT -b', 'this is negated twice'],
  ['a |OR', 'OR needs a condition on both sides'],
  ['|OR a', 'OR needs a condition on both sides'],
  ['a OR |OR b', 'OR needs a condition on both sides'],
  ['(a |OR)', 'OR needs a condition on both sides'],
  ['a |AND', 'AND needs a condition on both sides'],
  ['a |NOT', 'nothing follows NOT'],
  ['a |"b', 'a quote is not closed'],
  ['a |"b”', 'a quote is not closed'],
  ['title:|“b c', 'a quote is not closed'],
  ['a |(b (c)', '"(" is not closed'],
  ['a |(', '"(" is not closed'],
  ['a b|)', '")" has no matching "("'],
  ['|) a', '")" has no matching "("'],
  ['a |( )', 'there is nothing between the parentheses'],
  ['a |""', 'there is no word between the quotes'],
  ['a |"…"', 'there is no word between the quotes'],
  ['|…', 'it contains no word'],
  ['a |*', '"*" can only end a word'],
  ['|*a', '"*" can only end a word'],
  ['a|**', '"*" can only end a word'],
  ['"a b"|*', '"*" can only end a word'],
  ['title:|*', '"*" can only end a word'],
  ['path:a|*', '"*" is not supported here'],
  ['#k=a|*', '"*" is not supported here'],
  ['a #|', 'the name of a tag is missing'],
  ['#| a', 'the name of a tag is missing'],
  ['tag:|', 'the name of a tag is missing'],
  ['#a|,', '"," cannot be in a tag'],
  ['#|#a', '"#" cannot be in a tag'],
  ['#a>|x', '"x" is neither a number nor a date'],
  ['#a<=|2024-13', '"2024-13" is neither a number nor a date'],
  ['#a>=|', 'the number or date after ">=" is missing'],
  ['#|>=3', 'a name is missing after "#"'],
  ['~up|>=3', 'only properties and dates can be compared'],
  ['tag:a|>3', '">" cannot be in a tag'],
  ['links:|', 'the note after links: is missing'],
  ['linkedfrom:|""', 'the note after linkedfrom: is missing'],
  ['links:a|*', '"*" is not supported here'],
  ['a links:|(b', '"(" is not closed'],
  ['links:|(', '"(" is not closed'],
  ['linkedfrom:|()', 'there is nothing between the parentheses'],
  ['links:(a)|)', '")" has no matching "("'],
  ['links:(a |OR )', 'OR needs a condition on both sides'],
  ['links:| (a)', 'the note after links: is missing'],
  ['links:|>(a)', 'only dates can be compared with ">"'],
  ['title:|(a)', 'the text after title: is missing'],
  ['folder:|', 'the folder after folder: is missing'],
  ['folder:|/', 'every note is in the folder "/"'],
  ['folder:a|*', '"*" is not supported here'],
  ['task:|maybe', 'task: has no value "maybe"'],
  ['task:|', 'the word after task: is missing'],
  ['task:|opens', 'task: has no value "opens", did you mean open'],
  ['#|1984', '"1984" is not a tag, because a tag cannot consist only of digits'],
  ['#|=x', 'a name is missing after "#"'],
  ['~|', 'a name is missing after "~"'],
  ['~|=x', 'a name is missing after "~"'],
  ['~up=|', 'the title after "=" is missing'],
  ['~up|*', '"*" is not supported here'],
  ['title:| a', 'the text after title: is missing'],
  ['title:|""', 'the text after title: is missing'],
  ['path:|', 'the text after path: is missing'],
  ['type:|)', 'the text after type: is missing'],
  ['title:|>a', 'only dates can be compared with ">"'],
  ['a |titel:foo', 'there is no field "titel", did you mean title'],
  ['|nonsense:foo', 'there is no field "nonsense"'],
  ['|ähnlich:"a b"', 'there is no field "ähnlich"'],
  ['created:|', 'a date is missing'],
  ['created:>| 2024', 'a date is missing'],
  ['created:|>>2024', 'dates cannot be compared with ">>"'],
  ['created:|yesterday', '"yesterday" is not a date'],
  ['created:|2024-02-30', '"2024-02-30" is not a date'],
  ['created:>=|2024-1', '"2024-1" is not a date'],
  ['has:|', 'the word after has: is missing'],
  ['has:|links', 'has: has no value "links", did you mean link'],
]

describe('an invalid query', () => {
  test.each(CASES)('%s', (marked, problem) => {
    const at = marked.indexOf('|')
    const query = marked.replace('|', '')
    const error = mistakeIn(query)
    expect(error.code).toBe('INVALID_PARAMS')
    expect(error.message).toBe(`The query cannot be read at column ${at + 1}: ${problem}.\n${query}\n${' '.repeat(at)}^`)
    expect(error.hint).toMatch(/^[A-Z].*\.$/)
  })

  test('a property written like a field gets a hint about property syntax', () => {
    expect(mistakeIn('#status:done').message).toContain('column 8: ":" cannot be in a tag')
    expect(mistakeIn('#status:done').hint).toContain('#status=done')
  })

  test('with an operator of another query language', () => {
    expect(mistakeIn('a || b').message).toContain('column 3: "||" is not an operator')
    expect(mistakeIn('a | b').hint).toContain('OR')
  })

  test('too many groups', () => {
    expect(mistakeIn('('.repeat(51)).message).toContain('column 51: groups are nested more than 50 deep')
    expect(mistakeIn('-('.repeat(1_000_000)).message).toContain('column 102: groups are nested more than 50 deep')
  })

  test('sets in more than three sets', () => {
    const nested = (depth: number) => `${'links:('.repeat(depth)}a${')'.repeat(depth)}`
    expect(() => parseQuery(`${nested(3)} ${nested(3)}`, now)).not.toThrow()
    expect(mistakeIn(nested(4)).message).toContain('column 22: sets are nested more than 3 deep')
    expect(mistakeIn(nested(20)).message).toContain('column 22: sets are nested more than 3 deep')
    expect(mistakeIn('links:('.repeat(20)).hint).toContain('links:"a note"')
  })

  test('suggests the intended word', () => {
    expect(mistakeIn('modifed:2024').candidates).toEqual(['modified'])
    expect(mistakeIn('pth:x').candidates).toEqual(['path'])
    expect(mistakeIn('titel:"a b"').hint).toContain('put it in quotes: "titel:a b".')
  })

  test('is shortened around the error position', () => {
    const { message } = mistakeIn(`${'😀 word '.repeat(1000)}titel:foo ${'word '.repeat(1000)}`)
    expect(message.split('\n').slice(1)).toEqual([
      '…word 😀 word 😀 word 😀 word 😀 word 😀 word titel:foo word word word word …',
      `${' '.repeat(41)}^`,
    ])
  })

  test('is shown on one line', () => {
    expect(mistakeIn('a\n\tb\u0000\u2028 -').message).toMatch(/^[^\n]*\na {2}b {3}-\n {7}\^$/)
  })

  test('may be long', () => {
    const word = 'x'.repeat(1 << 20)
    const queries = [`"${word}`, `${word}*${word}`, `#${word},`, `foo:${word}`, `created:${word}`, `has:${word}`]
    const more = [
      `#${'/'.repeat(1 << 20)}`,
      '…'.repeat(1 << 20),
      '#'.repeat(1 << 20),
      `"${'\\'.repeat(1 << 20)}`,
      '~'.repeat(1 << 20),
    ]
    for (const query of [...queries, ...more]) expect(mistakeIn(query).message.length).toBeLessThan(300)
  })

  test('no text causes any other error', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        try {
          parseQuery(text, now)
        } catch (error) {
          if (!(error instanceof RouxError)) throw error
          const [first = '', line = '', caret = '', ...rest] = error.message.split('\n')
          expect(rest).toEqual([])
          expect(first).toMatch(/^The query cannot be read at column \d+: .+\.$/)
          expect([...line].length).toBeGreaterThanOrEqual(caret.length - 1)
          expect(error.hint).toMatch(/\.$/)
        }
      }),
      { numRuns: 3_000 },
    )
  })
})

function mistakeIn(query: string): RouxError {
  try {
    parseQuery(query, now)
  } catch (error) {
    if (error instanceof RouxError) return error
    throw error
  }
  throw new Error(`${query} can be read`)
}
