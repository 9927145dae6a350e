import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RouxError } from '../../../src/core/errors.ts'
import { parseQuery } from '../../../src/search/query/parse-query.ts'
import type { Query } from '../../../src/search/query/query.ts'
import { anyQuery, anyText } from './arbitraries.ts'
import { formatQuery } from './format-query.ts'

const now = new Date(2024, 4, 15, 10, 30)

describe('a formatted query', () => {
  test.each([
    ['((a) AND NOT b)', 'a -b'],
    ['tag:x OR (y OR z)', '#x OR y OR z'],
    ['(x OR y) -(z OR u) -(-v)', '(x OR y) -(z OR u) -(-v)'],
    ['“a \\“b\\””', '"a “b”"'],
    ['#"due date"="" ~"up"="My \\"Home\\""', '#"due date"="" ~up="My \\"Home\\""'],
    ['dateCreated:=2024 PATH:a.b', 'created:2024 path:a.b'],
  ])('%s', (query, written) => {
    expect(formatQuery(parseQuery(query, now))).toBe(written)
  })

  test('parses to the same query', () => {
    fc.assert(
      fc.property(fc.oneof(anyQuery, anyText), (text) => {
        const query = tryParse(text)
        if (query === undefined) return
        const written = formatQuery(query)
        const again = parseQuery(written, now)
        expect(withoutSpans(again)).toEqual(withoutSpans(query))
        expect(formatQuery(again)).toBe(written)
      }),
      { numRuns: 3_000 },
    )
  })
})

function tryParse(text: string): Query | undefined {
  try {
    return parseQuery(text, now)
  } catch (error) {
    if (error instanceof RouxError) return undefined
    throw error
  }
}

function withoutSpans(query: Query): unknown {
  return JSON.parse(JSON.stringify(query, (key, value) => (key === 'span' ? undefined : value)))
}
