import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { RouxError } from '../../../src/core/errors.ts'
import { FEATURES } from '../../../src/core/query.ts'
import { parseQuery } from '../../../src/search/query/parse-query.ts'
import { FIELD_NAMES } from '../../../src/search/query/read-token.ts'

const page = readFileSync(new URL('../../../docs/query.md', import.meta.url), 'utf8')
const now = new Date(2024, 4, 15, 10, 30)

/** The code in the cells of a section's table, by row and column. */
function codeIn(heading: string): readonly (readonly string[][])[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\\|', '|'))),
  )
}

const examples = ['Conditions', 'Together', 'Sets', 'Taken literally'].flatMap((heading) =>
  codeIn(heading).flatMap(([first = []]) => first),
)
const mistakes = codeIn('Errors')

describe('docs/query.md', () => {
  test.each(examples)('%s is a query', (query) => {
    expect(parseQuery(query, now).kind).not.toBe('all')
  })

  test.each(mistakes.map(([wrong = [], right = []]) => ({ wrong: wrong.join(), right })))(
    '$wrong is an error',
    ({ wrong, right }) => {
      expect(() => parseQuery(wrong, now)).toThrow(RouxError)
      for (const query of right) expect(() => parseQuery(query, now)).not.toThrow()
    },
  )

  test('literal examples parse as text', () => {
    for (const query of codeIn('Taken literally').flatMap(([first = []]) => first)) {
      const parsed = parseQuery(query, now)
      const parts = parsed.kind === 'and' ? parsed.parts : [parsed]
      expect(parts.map(({ kind }) => kind)).toEqual(parts.map(() => 'text'))
    }
  })

  test('has an example of every field and feature', () => {
    expect(examples.length).toBeGreaterThan(50)
    expect(mistakes.length).toBeGreaterThan(15)
    for (const field of FIELD_NAMES) expect(examples.join(' ')).toContain(`${field}:`)
    for (const feature of FEATURES) expect(examples.join(' ')).toContain(`has:${feature}`)
  })

  test('shows an actual error message', () => {
    const [, shown = ''] = /```text\n(The query[^`]+)```/.exec(page) ?? []
    const { message, hint } = caught('notes titel:foo')
    expect(shown).toBe(`${message}\n${hint}\n`)
  })
})

function caught(query: string): RouxError {
  try {
    parseQuery(query, now)
  } catch (error) {
    if (error instanceof RouxError) return error
    throw error
  }
  throw new Error(`${query} is a query`)
}
