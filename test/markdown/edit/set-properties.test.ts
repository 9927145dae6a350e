import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { setTitle } from '../../../src/markdown/edit/section.ts'
import { setProperties, setRelations } from '../../../src/markdown/edit/set-properties.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { DOCS, flavor } from '../check.ts'
import { edited, errorOf, refusal } from './edited.ts'

const set = (text: string, changes: Readonly<Record<string, unknown>>) => edited(text, (given) => setProperties(given, changes))

/** Sets properties of frontmatter, given without its fences. */
function front(yaml: string, changes: Readonly<Record<string, unknown>>): string {
  return set(`---\n${yaml}---\nbody\n`, changes).replace(/^---\n([\s\S]*)---\nbody\n$/, '$1')
}

describe('values', () => {
  const written = (value: unknown) => front('', { k: value })

  test('are written in the usual form', () => {
    expect(written('text')).toBe('k: text\n')
    expect(written(1.5)).toBe('k: 1.5\n')
    expect(written(true)).toBe('k: true\n')
    expect(written(['a', 1, null])).toBe('k:\n  - a\n  - 1\n  - null\n')
    expect(written([])).toBe('k: []\n')
    expect(written({ a: { b: ['c'] }, d: {} })).toBe('k:\n  a:\n    b:\n      - c\n  d: {}\n')
    expect(written('a\nb')).toBe('k: |-\n  a\n  b\n')
    expect(written('long '.repeat(60).trim())).toBe(`k: ${'long '.repeat(60).trim()}\n`)
  })

  test('strings that look like other values are quoted', () => {
    for (const text of [
      '2024-01-02',
      '2024-01-02T10:00:00',
      'yes',
      'No',
      'null',
      '~',
      '12',
      '0x1f',
      '1e3',
      '12:30',
      '',
      ' a',
      'a: b',
      'a #b',
      '[[a]]',
      '@a',
      '- a',
      '#a',
    ]) {
      expect(written(text)).toBe(`k: ${JSON.stringify(text)}\n`)
    }
  })

  test('read back unchanged', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc
        .array(
          fc.constantFrom(
            'a',
            ' ',
            '\n',
            '\r\n',
            '\t',
            ':',
            '#',
            '-',
            '|',
            '>',
            '---',
            '...',
            '"',
            "'",
            '\\',
            '\u0085',
            '\u2028',
            '\ufeff',
            '\0',
            '[[a]]',
            '%',
            '1',
          ),
          { maxLength: 8 },
        )
        .map((parts) => parts.join('')),
    )
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        tie('list'),
        tie('map'),
      ),
      list: fc.array(fc.oneof(tie('value'), fc.constant(null)), { maxLength: 3 }),
      map: fc.dictionary(text, tie('value'), { maxKeys: 3, noNullPrototype: true }),
    }))
    const name = text.filter((key) => key.trim() !== '' && !/[\p{Cc}\u2028\u2029]/u.test(key.trim()))
    fc.assert(
      fc.property(
        name,
        value,
        fc.constantFrom('---\n---\n', 'body', '---\r\na: 1\r\n---\r\n', '---\nk: [x, y]\n---\n', '---\n{"a": 1}\n---\n'),
        (key, put, before) => {
          const after = set(before, { [key]: put })
          const { properties, malformed } = parseNote(after, flavor())
          expect(malformed.filter(({ message }) => message.includes('cannot be read'))).toEqual([])
          const found = Object.entries(properties).find(([each]) => each.toLowerCase() === key.trim().toLowerCase())?.[1]
          expect(found).toEqual(JSON.parse(JSON.stringify(put)))
          // Removing the inserted properties must restore the original.
          if (
            !Object.keys(parseNote(before, flavor()).properties).some(
              (each) => each.toLowerCase() === key.trim().toLowerCase(),
            ) &&
            before !== '---\n---\n'
          ) {
            expect(set(after, { [key]: null })).toBe(before)
          }
        },
      ),
      { numRuns: 1_500 },
    )
  })
})

describe('existing properties', () => {
  test('change only in their value', () => {
    expect(front('a:   1 # c\n"b": x\n', { a: 2 })).toBe('a:   2 # c\n"b": x\n')
    expect(front('a: \'x\'\nB: "y"\n', { a: 'z', b: "it's" })).toBe("a: 'z'\nB: \"it's\"\n")
    expect(front('a:\nb: # c\n', { a: 1, b: 2 })).toBe('a: 1\nb: 2 # c\n')
    expect(front('d: 2024-01-02\n', { d: '2024-02-03' })).toBe('d: 2024-02-03\n')
    expect(front('a: !!str 1 # c\n', { a: 5 })).toBe('a: 5 # c\n')
    expect(front('a: "x\n  y"\nb: 1\n', { a: 'z' })).toBe('a: "z"\nb: 1\n')
    expect(setProperties('---\na: [1, 2] # c\n---\n', { a: [1, 2] })).toEqual([])
  })

  test('lists keep their brackets or dashes', () => {
    expect(front('a: [x] # c\n', { a: ['y', 'z: 1'] })).toBe('a: ["y", "z: 1"] # c\n')
    expect(front('a:\n- x\nb: 1\n', { a: ['v', 'w'] })).toBe('a:\n- v\n- w\nb: 1\n')
    expect(front('a: # c\n  - x\n\nb: 1\n', { a: ['v'] })).toBe('a: # c\n  - v\n\nb: 1\n')
  })

  test('switch between one line and several', () => {
    expect(front('a: # c\n  - x\n  - y\nb: 1\n', { a: 'z' })).toBe('a: z # c\nb: 1\n')
    expect(front('a: x # c\nb: 1\n', { a: ['v'] })).toBe('a: # c\n  - v\nb: 1\n')
    expect(front('a: x # c\nb: 1\n', { a: 'v\nw' })).toBe('a: |- # c\n  v\n  w\nb: 1\n')
    expect(front('a: |\n  x\n\nb: 1\n', { a: 'v' })).toBe('a: v\n\nb: 1\n')
    expect(front('a: >-\n  x\n  y\nb: 1\n', { a: { k: 1 } })).toBe('a:\n  k: 1\nb: 1\n')
    expect(front('a:\n  k: 1\n  # in\n# out\nb: 1\n', { a: true })).toBe('a: true\n  # in\n# out\nb: 1\n')
  })

  test('are removed with their lines, and the last one with the fences', () => {
    expect(front('a: 1 # c\n# d\nb:\n  - x\n\nc: 1\n', { A: null, b: null })).toBe('# d\n\nc: 1\n')
    expect(set('---\na: 1\n---\nbody\n', { a: null })).toBe('body\n')
    expect(set('---\n# c\na: 1\n---\nbody\n', { a: null })).toBe('---\n# c\n---\nbody\n')
    expect(setProperties('x', { a: null })).toEqual([])
    expect(front('a: 1\n', { a: null, b: 2 })).toBe('b: 2\n')
  })

  test("come before new ones, which use the file's style", () => {
    expect(front('z: 1\n# end\n', { b: 1, a: [2] })).toBe('z: 1\n# end\nb: 1\na:\n  - 2\n')
    expect(set('a\r\nb', { k: 'x\ny' })).toBe('---\r\nk: |-\r\n  x\r\n  y\r\n---\r\na\r\nb')
    expect(front('  a: 1\n', { b: [2], c: 'x\n\ny' })).toBe('  a: 1\n  b:\n    - 2\n  c: |-\n    x\n\n    y\n')
    expect(front('{"a": 1, "b": [2]}\n', { a: ['x'], b: null, c: { d: 1 } })).toBe('{"a": ["x"], "c": {"d":1}}\n')
    expect(front('', { 'a: b': 1, '#c': 2, yes: 3, '- d': 4, 'e f': 5 })).toBe('"a: b": 1\n"#c": 2\n"yes": 3\n"- d": 4\ne f: 5\n')
  })
})

test('relations are quoted wikilinks', () => {
  const relate = (text: string, relations: Parameters<typeof setRelations>[1]) =>
    edited(text, (given) => setRelations(given, relations))
  expect(relate('', { up: 'A b', dependsOn: ['C|d', '[[E#f]]'] })).toBe(
    '---\nup: "[[A b]]"\ndependsOn:\n  - "[[C|d]]"\n  - "[[E#f]]"\n---\n',
  )
  expect(relate('---\nup: "[[A]]"\nx: [a]\n---\n', { up: null, x: ['B'] })).toBe('---\nx: ["[[B]]"]\n---\n')
  for (const link of ['', ' ', 'a]]b', '[[a', 'a\nb', '[[]]'])
    expect(errorOf(() => setRelations('', { up: link })).code).toBe('INVALID_PARAMS')
})

describe('titles', () => {
  const title = (text: string, to: string, mode: 'obsidian' | 'docs' = 'obsidian') =>
    edited(text, (given) => setTitle(given, to, { mode }))

  test('are set where the text has one', () => {
    expect(title('---\nTitle: "A" # c\n---\n# A', 'B: c')).toBe('---\nTitle: "B: c" # c\n---\n# A')
    expect(title('# A', 'B')).toBe('# A')
    expect(title('# A #\n', 'B', 'docs')).toBe('# B #\n')
    expect(title('---\ntitle: A\n---\n# A', 'B', 'docs')).toBe('---\ntitle: B\n---\n# A')
    expect(title('---\ntitle: @\n---\n', 'B')).toBe('---\ntitle: @\n---\n')
    expect(errorOf(() => setTitle('# A', 'B\n', DOCS) && setTitle('# A', 'B\nC', DOCS)).code).toBe('INVALID_PARAMS')
  })
})

describe('rejects', () => {
  test('names and values that frontmatter cannot hold', () => {
    const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`)
    for (const changes of [
      { '': 1 },
      { 'a\nb': 1 },
      { a: 1, A: 2 },
      { a: Number.NaN },
      { a: 1n },
      { a: deep },
      { a: '\ud83d' },
      { ['x'.repeat(201)]: 1 },
    ]) {
      expect(errorOf(() => setProperties('', changes)).code).toBe('INVALID_PARAMS')
    }
    expect(errorOf(() => setProperties('---\na: 1\n---\n', { b: 'x\n'.repeat(300_000) })).code).toBe('TOO_LARGE')
  })

  test('malformed frontmatter, with the line', () => {
    expect(refusal(() => setProperties('---\nx: 1\na: *b\n---\n', { c: 1 }))).toMatch(/^EDIT_MISMATCH \| Line 3/)
  })
})

describe('a list that changes in part', () => {
  const LIST = "k: # why\n  - a # one\n  # two\n  - 'b'\n  - >-\n    c\n    d\n  - e # last\n"

  test('keeps the comments and quotes of the other items', () => {
    expect(front(LIST, { k: ['a', 'b', 'c d', 'e', 'f'] })).toBe(`${LIST}  - f\n`)
    expect(front(LIST, { k: ['a', 'b', 'x', 'e'] })).toBe("k: # why\n  - a # one\n  # two\n  - 'b'\n  - x\n  - e # last\n")
    expect(front(LIST, { k: ['0', 'a', 'b', 'c d', 'e'] })).toBe(LIST.replace('  - a', '  - "0"\n  - a'))
    expect(front(LIST, { k: ['b', 'c d', 'e'] })).toBe(LIST.replace('  - a # one\n', ''))
    expect(front('k:\n- a # one\n- b\n', { k: ['a', { x: [1], z: 2 }] })).toBe('k:\n- a # one\n- x:\n  - 1\n  z: 2\n')
    const crlf = '---\r\nk:\r\n  - a\r\n---\r\n'
    expect(set(crlf, { k: ['a', 'b'] })).toBe(crlf.replace('a\r\n', 'a\r\n  - b\r\n'))
  })

  test('reads back as asked, whatever changes', () => {
    const item = fc.constantFrom<unknown>('a', 'b: c', 'x\ny', '', 1, null, ['n', ['m']], { p: 1, q: ['r'] })
    const list = fc.array(item, { maxLength: 5 })
    const comment = fc.constantFrom('', '  # c\n', '\n')
    fc.assert(
      fc.property(list, list, comment, (before, after, note) => {
        const text = `---\n${front('', { k: before })}${note}z: 1\n---\nbody\n`
        expect(parseNote(set(text, { k: after }), flavor()).properties).toEqual({ k: after, z: 1 })
      }),
    )
  })
})
