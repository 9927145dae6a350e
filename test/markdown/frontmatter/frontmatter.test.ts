import fc from 'fast-check'
import matter from 'gray-matter'
import { describe, expect, test } from 'vitest'
import { parse, parseDocument } from 'yaml'
import { readPlainFrontmatter } from '../../../src/markdown/frontmatter/plain-frontmatter.ts'
import { readFullFrontmatter } from '../../../src/markdown/frontmatter/yaml-frontmatter.ts'
import { LineIndex } from '../../../src/markdown/line-index.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { LONG } from '../../support/long.ts'
import { check, flavor, OBSIDIAN } from '../check.ts'

const properties = (yaml: string) => parseNote(`---\n${yaml}\n---\n`, flavor()).properties

describe('fences', () => {
  test('V9: may follow a byte order mark', () => {
    check('\ufeff---\ntags: [x]\n---\n[[a]]', 'link a\n#x')
    expect(parseNote('\ufeff---\na: 1\n---\nx', flavor()).bodyStart).toBe(14)
    expect(parseNote('\ufeffx', flavor()).bodyStart).toBe(1)
  })

  test('V11: only on line 1', () => {
    check('\n---\ntags: [x]\n---\n', 'h2 tags: [x]')
    check('---- \ntags: [x]\n---\n', 'h2 tags: [x]')
  })

  test('V12: may be followed by white space', () => {
    check('---  \t\ntags: [x]\n--- \n#y', '#x\n#y')
  })

  test('with a language after the first one: everything is body, and a problem says so', () => {
    check('---js\ntags: [x]\n---\n[[a]] #y', 'h2 ---js tags: [x]\nlink a\n#y\nbad 1')
    check('\ufeff---toml  \r\nx = 1\r\n---\r\n[[a]]', 'h2 ---toml x = 1\nlink a\nbad 1', OBSIDIAN)
    check('---js\n[[a]]', 'link a')
    check('--- js\n[[a]]\n---\n', 'h2 --- js [[a]]\nlink a')
    check('----\n[[a]]\n---\n', 'h2 [[a]]\nlink a')
    expect(parseNote('---json\n{}\n---\n', flavor()).malformed[0]?.message).toContain('"---json"')
  })

  test('V13: if unclosed, everything is body', () => {
    check('---\ntags: [x]\n\n[[a]]', 'link a\nbad 1')
    check('---\n\n[[a]]', 'link a')
    check('---', '')
  })

  test('may be empty or end the file', () => {
    check('---\n---\n[[a]]', 'link a')
    check('---\n# only a comment\n\n---', '')
    check('---\ntags: x\n---', '#x')
  })

  test('other languages than YAML are text, and never executed', () => {
    const text = '---js\n{ title: (globalThis.ran = true) }\n---\n'
    expect(parseNote(text, flavor())).toMatchObject({ properties: {}, bodyStart: 0 })
    expect(parseNote('---coffee\na: 1\n---\n', flavor()).properties).toEqual({})
    expect(globalThis).not.toHaveProperty('ran')
  })

  test('gives the same data and body as gray-matter', () => {
    for (const text of [
      '---\na: 1\nb: [x, y]\n---\nbody',
      '---\na: "x"\n---\n\nb\n---\n',
      '---\n---\nbody',
      'body',
      '---\na: |\n  x\n---\n',
    ]) {
      const note = parseNote(text, flavor())
      const other = matter(text, { engines: { yaml: (source: string) => parse(source) as object } })
      expect(note.properties).toEqual(other.data)
      expect(text.slice(note.bodyStart)).toBe(other.content)
    }
  })
})

describe('values', () => {
  test('PR2: YAML 1.2 core', () => {
    expect(properties('d: 2024-07-21\ny: yes\nt: true\nn: ~\ni: 007\nx: 0x1F\no: 0o17\nf: 1e3\ntime: 12:30:45\nempty:')).toEqual({
      d: '2024-07-21',
      y: 'yes',
      t: true,
      n: null,
      i: 7,
      x: 31,
      o: 15,
      f: 1000,
      time: '12:30:45',
      empty: null,
    })
  })

  test('plain JSON values only', () => {
    const values = properties(
      'a: .nan\nb: -.inf\nc: 12345678901234567890\nd: !!timestamp 2024-01-02\ne: !!binary aGk=\nf: !!js/function "x"\ng: !!set {x}',
    )
    expect(JSON.parse(JSON.stringify(values))).toEqual(values)
    expect(values).toMatchObject({ a: '.nan', b: '-.inf', d: '2024-01-02', e: 'aGk=' })
  })

  test('V15: JSON', () => {
    check('---\n{"tags": ["j"],\n\t"up": "[[a]]", "x\\u0041": {"y": [1, null]}}\n---\n', 'up: a\n#j')
    expect(properties('{"x\\u0041": {"y": [1, null]}, "s": "\\/\\n"}')).toEqual({ xA: { y: [1, null] }, s: '/\n' })
  })

  test('PR4, PR5: names as written, nested values kept', () => {
    expect(properties('Up To: {a: [b, {c: d}]}\nüber: x')).toEqual({ 'Up To': { a: ['b', { c: 'd' }] }, über: 'x' })
  })

  test('never change a prototype', () => {
    const values = properties('__proto__: {polluted: true}\nconstructor: x')
    expect(Object.keys(values)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(values)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('V14: malformed YAML', () => {
  test('has no properties; lenient mode recovers tags and aliases', () => {
    const text = '---\nx: 1\naliases:\n- @me\n- "You"\ntags: [a, "b"]\n---\n[[l]] #y'
    check(text, 'link l\n#y\nbad 4', OBSIDIAN)
    check(text, 'alias @me\nalias You\nlink l\n#a\n#b\n#y\nbad 4')
    expect(parseNote(text, flavor()).properties).toEqual({})
  })

  test('duplicate keys, tabs, lists at the top, plain text', () => {
    check('---\ntags: x\ntags: y\n---\n', '#x\n#y\nbad 3')
    check('---\na:\n\t- b\ntag: x\n---\n', '#x\nbad 3')
    check('---\n- x\n---\n', 'bad 2')
    check('---\njust text\n---\n', 'bad 2')
    check('---\na: {b: 1, b: 2}\n---\n', 'bad 2')
  })

  test('PR3: aliases are rejected, so anchors have no effect', () => {
    check('---\na: &x 1\nb: *x\n---\n', 'bad 3')
    check('---\na: &x 1\n<<: *x\n---\n', 'bad 3')
    check('---\ntags: &t [y]\n&u up: &v "[[a]]"\n---\n', 'up: a\n#y')
    check('---\na: 1\nb: *x\n---\n', 'bad 3')
    const bomb = Array.from({ length: 30 }, (_, i) => `k${i}: &a${i} [${`*a${i - 1},`.repeat(i === 0 ? 0 : 9)}x]`).join('\n')
    check(`---\n${bomb}\n---\n`, 'bad 3')
  })

  test('limits nesting in any notation', () => {
    const chains = ['- ', '? ', ': ', '!t - ', '&a - ', '- ? ', '[', '{', '[{a: ']
    // One stack overflow may be caught, but the next such note would end the process.
    for (const count of LONG ? [8_000, 4_000, 16_000] : [8_000])
      for (const chain of chains) check(`---\nx:\n  ${chain.repeat(count)}\n---\n[[a]]\n`, 'link a\nbad 3')
    const ladder = (count: number) => Array.from({ length: count }, (_, i) => `${' '.repeat(i)}x:\n`).join('')
    check(`---\n${ladder(64)}---\n[[a]]\n`, 'link a')
    check(`---\n${ladder(65)}---\n[[a]]\n`, 'link a\nbad 66')
    check(`---\n${ladder(700)}---\n[[a]]\n`, 'link a\nbad 66')
  })

  test('says what is wrong', () => {
    const message = (yaml: string) => parseNote(`---\n${yaml}\n---\n`, flavor()).malformed[0]?.message
    expect(message('a: @b')).toMatch(/^The frontmatter cannot be read: .*reserved character @\.$/)
    expect(message('a: 1\na: 2')).toBe('The frontmatter cannot be read: the key "a" occurs twice.')
    expect(message('a: *b')).toBe('The frontmatter cannot be read: aliases (*name) are not supported.')
    expect(message('- a')).toBe('The frontmatter cannot be read: it is not a mapping of properties.')
  })
})

describe('links', () => {
  test('F1–F3: whole values', () => {
    check(
      '---\nup: "[[a]]"\nrel:\n  - "[[b|x]]"\n  - \'[[c#h]]\'\nflow: ["[[d]]", x]\nmd: "[x](e%20f.md#g)"\n---\n',
      'up: a\nrel: b|x\nrel: c#h\nflow: d\nmd: e f.md#g|x (markdown)',
      OBSIDIAN,
    )
  })

  test('F4: inside longer text, leniently', () => {
    const text = '---\nn: see [[a]] and [x](b.md)\nt: |\n  [[c]]\n  `[[x]]`\n---\n'
    check(text, 'n: a\nn: b.md|x (markdown)\nt: c')
    check(text, '', OBSIDIAN)
  })

  test('F5: without quotes, leniently, with a hint', () => {
    const text = '---\nup: [[a b#c|d]]\nrel:\n  - [[e]]\n  - f\n---\n'
    check(text, 'up: a b#c|d\nrel: e\nbad 2\nbad 4')
    check(text, '', OBSIDIAN)
    check('---\nup: [["a"]]\nl: [[a], [b]]\n---\n', '')
  })

  test('F6: key paths', () => {
    check('---\nm:\n  k: "[[a]]"\n  l: [{n: "[[b]]"}]\n---\n', 'm.k: a\nm.l.n: b')
  })

  test('F7, W24: own headings, external ones', () => {
    check('---\nup: "[[#H]]"\nu: "[[https://e.com]]"\nv: "[x](https://e.com)"\n---\n', 'up: #H')
  })

  test('positions', () => {
    const text = '\ufeff---\r\na: 1\r\nup: ["x", "[[b]]", "[[b]]"]\r\nt: >\r\n  see [[c]]\r\nu: "\\x5b[d]]"\r\n---\r\n'
    const places = parseNote(text, flavor()).links.map(({ line, column, start, end }) => [line, column, text.slice(start, end)])
    expect(places).toEqual([
      [3, 12, '[[b]]'],
      [3, 21, '[[b]]'],
      [5, 7, '[[c]]'],
      [6, 4, '"\\x5b[d]]"'],
    ])
  })
})

describe('titles and aliases', () => {
  test('TI1: the property title, in any case', () => {
    check('---\nTitle: T\n---\n', 'title T')
    check('---\ntitle: 2024\n---\n', 'title 2024')
    check('---\ntitle: ""\n---\n', '')
    check('---\ntitle: [x]\n---\n', '')
  })

  test('A1–A4', () => {
    check('---\naliases: A b\n---\n', 'alias A b', OBSIDIAN)
    check('---\naliases: A, B\n---\n', 'alias A, B', OBSIDIAN)
    check('---\naliases: A, B\n---\n', 'alias A, B\nalias A\nalias B')
    check('---\nalias: A\n---\n', 'alias A')
    check('---\nalias: A\n---\n', '', OBSIDIAN)
    check('---\nAliases: [A, "", ~, 2024, A, " B "]\n---\n', 'alias A\nalias 2024\nalias B', OBSIDIAN)
  })
})

describe('the reader for plain frontmatter', () => {
  const plain = (yaml: string) => readPlainFrontmatter(yaml, 0, yaml.length)?.properties

  test('reads what most notes contain', () => {
    const yaml =
      'title: A note - yes\ntags:\n  - a\n  - b/c\naliases: [A, "B, C"]\ndate: 2024-01-02\nn: -1.5\nb: true\nurl: https://e.com/#x\n# comment\nnull_: ~\nempty:\n'
    expect(plain(yaml)).toEqual(parse(yaml))
    expect(plain(yaml)).toBeDefined()
  })

  const fragments = [
    'a: ',
    'b: ',
    'tags:',
    'key two: ',
    '\n',
    '\n',
    '\n  - ',
    '\n- ',
    '- ',
    'x',
    'yes',
    'true',
    'null',
    '~',
    '12',
    '-3.5',
    '0x1f',
    '1e3',
    '.5',
    '007',
    '2024-01-02',
    '"q"',
    "'s'",
    '"',
    "'",
    "''",
    '\\',
    '[',
    ']',
    ', ',
    '[a, b]',
    '[]',
    '{',
    '}',
    ': ',
    ':',
    ' #',
    '# c',
    '&a',
    '*a',
    '!t',
    '|',
    '>',
    '%',
    '@',
    '`',
    '?',
    '-',
    '  ',
    '\t',
    '\r\n',
    '...',
    'é',
    '日本',
    '<<: ',
    '__proto__: ',
    '.inf',
    '+1',
    '-0',
    '1.',
    '1_000',
    '0o7',
    'a:b',
    '\u0085',
    '\ufeff',
    '\u2028',
  ]

  test('reads YAML 1.2 core, or gives up', () => {
    const yaml = fc.array(fc.constantFrom(...fragments), { maxLength: 14 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(yaml, (source) => {
        const found = plain(source)
        if (found === undefined) return
        const document = parseDocument(source, { version: '1.2', schema: 'core' })
        expect(document.errors).toEqual([])
        expect(found).toEqual(document.toJS() ?? {})
      }),
      { numRuns: 20_000 },
    )
  })

  test('agrees with the full reader on links and tags', () => {
    const value = fc.constantFrom(
      '"[[a]]"',
      'x',
      '[a, "[[b]]"]',
      "\n  - '[[c]]'\n  - d",
      'see [[e]]',
      '[x](f.md)',
      '#g',
      '"#h"',
      '1',
    )
    const entry = fc.tuple(fc.constantFrom('up', 'tags', 'Tag', 'rel to'), value)
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ([key]) => key, maxLength: 4 }), (entries) => {
        const source = entries.map(([key, text]) => `${key}: ${text}\n`).join('')
        const found = readPlainFrontmatter(source, 0, source.length)
        if (!found) return
        const { properties: full, texts } = readFullFrontmatter(source, [0, source.length], new LineIndex())
        expect(found).toEqual({ properties: full, texts })
      }),
    )
  })
})
