import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bodyTags, changeTags, setTags } from '../../../src/markdown/edit/tags.ts'
import { flavor } from '../check.ts'
import { edited, errorOf, refusal } from './edited.ts'

const add = (text: string, ...tags: string[]) => edited(text, (given) => changeTags(given, { add: tags }))
const remove = (text: string, ...tags: string[]) => edited(text, (given) => changeTags(given, { remove: tags }))
const set = (text: string, ...tags: string[]) => edited(text, (given) => setTags(given, tags))

/** Frontmatter before and after an edit, given without its fences. */
function front(yaml: string): string {
  return `---\n${yaml}---\nbody #b\n`
}

/** Checks that adding the tags turns the first text into the second, and that removing them turns it back. */
function thereAndBack(before: string, after: string, ...tags: string[]): void {
  expect(add(front(before), ...tags)).toBe(front(after))
  expect(remove(front(after), ...tags)).toBe(front(before))
}

describe('without frontmatter', () => {
  test('frontmatter is created for the first tag and removed with the last', () => {
    expect(add('body\n', 'x')).toBe('---\ntags:\n  - x\n---\nbody\n')
    expect(add('\ufeffa\r\nb', '#x/', 'w', 'X')).toBe('\ufeff---\r\ntags:\r\n  - x\r\n  - w\r\n---\r\na\r\nb')
    for (const text of ['', 'a', '\ufeffa\r\n', '---\n\n[[a]]', '----\nx\n---\n', '\r\n---\na: 1\n---\n', 'a\rb']) {
      expect(remove(add(text, 'x', 'y'), 'X', 'y')).toBe(text)
    }
  })

  test('fences stay if the body would become frontmatter', () => {
    const text = '---\ntags:\n  - x\n---\n---\nb\n---\n'
    expect(remove(text, 'x')).toBe('---\n---\n---\nb\n---\n')
  })
})

describe('lists', () => {
  test('with dashes', () => {
    thereAndBack('tags:\n  - a # c\n  # d\nz: 1\n', 'tags:\n  - a # c\n  - x\n  # d\nz: 1\n', 'x')
    thereAndBack('tags:\n  - >-\n    a\nz: 1\n', 'tags:\n  - >-\n    a\n  - x\nz: 1\n', 'x')
    thereAndBack('tags:\n- "a"\n\nz: 1\n', 'tags:\n- "a"\n- "x"\n- "y"\n\nz: 1\n', 'x', 'y')
    thereAndBack('z: 1\n', 'z: 1\ntags:\n  - x\n', 'x')
    thereAndBack('# only a comment\n', '# only a comment\ntags:\n  - x\n', 'x')
    thereAndBack('tags:\nz: 1\n', 'tags:\n- x\nz: 1\n', 'x')
    thereAndBack('tags:  # c\n', 'tags:  # c\n- x\n', 'x')
    thereAndBack('  a: 1\n  tags:\n    - b\n', '  a: 1\n  tags:\n    - b\n    - x\n', 'x')
    expect(remove(front('tags:\n  # first\n  - a\n  - b # c\n  - d\nz: 1\n'), 'b', 'a')).toBe(
      front('tags:\n  # first\n  - d\nz: 1\n'),
    )
    expect(remove(front('tags: # c\n  - a\n'), 'a')).toBe(front('tags: # c\n'))
    expect(remove(front('a: |+\n  t\n\ntags:\n  - x\n'), 'x')).toBe(front('a: |+\n  t\n\n'))
    expect(remove(front('tags:\n  - "#x"\n  - 2024\n  -\n  - [x]\n'), 'x')).toBe(front('tags:\n  - 2024\n  -\n  - [x]\n'))
  })

  test('in brackets', () => {
    thereAndBack('tags: [a, b] # c\n', 'tags: [a, b, x] # c\n', 'x')
    thereAndBack('tags: []\n', 'tags: [x, w]\n', 'x', 'w')
    thereAndBack('tags: [ "a" ]\n', 'tags: [ "a", "x" ]\n', 'x')
    thereAndBack("tags: ['a',]\n", "tags: ['a', 'x',]\n", 'x')
    thereAndBack('tags: [\n  a, # first\n  b # second\n]\n', 'tags: [\n  a, # first\n  b, x # second\n]\n', 'x')
    expect(remove(front('tags: [a, b, c]\n'), 'a')).toBe(front('tags: [b, c]\n'))
    expect(remove(front('tags: [a, b, c]\n'), 'b', 'c')).toBe(front('tags: [a]\n'))
    expect(remove(front('tags: [\n  a, # first\n  b\n]\n'), 'b')).toBe(front('tags: [\n  a, # first\n]\n'))
    expect(remove(front('tags: [\n  a,\n  b,\n]\n'), 'a', 'b')).toBe(front('tags: [\n  \n]\n'))
    expect(set(front('tags: [a, b, 1]\n'), 'c')).toBe(front('tags: [1, c]\n'))
    expect(set(front('tags: [a, b]\n'), 'c', 'd')).toBe(front('tags: [c, d]\n'))
  })

  test('in JSON', () => {
    thereAndBack('{"tags": ["a"], "z": 1}\n', '{"tags": ["a", "x"], "z": 1}\n', 'x')
    thereAndBack('{\n\t"z": 1\n}\n', '{\n\t"z": 1, "tags": ["x"]\n}\n', 'x')
    thereAndBack('{}\n', '{"tags": ["x"]}\n', 'x')
    expect(remove(front('{"tags": "x", "z": 1}\n'), 'x')).toBe(front('{"tags": "", "z": 1}\n'))
  })
})

describe('anchors that nothing uses', () => {
  test('stay before a list, and go with the value they name', () => {
    thereAndBack('tags: &t [a]\n', 'tags: &t [a, x]\n', 'x')
    thereAndBack('tags: &t\n  - a\nz: &z 1\n', 'tags: &t\n  - a\n  - x\nz: &z 1\n', 'x')
    thereAndBack('{"tags": &t ["a"]}\n', '{"tags": &t ["a", "x"]}\n', 'x')
    expect(add(front('tags: &t a\n'), 'x')).toBe(front('tags:\n  - a\n  - x\n'))
    expect(remove(front('tags: [&a a, &b b]\n'), 'a')).toBe(front('tags: [&b b]\n'))
    expect(remove(front('tags: [&a a]\n'), 'a')).toBe(front('tags: []\n'))
    expect(remove(front('tags: &t a\nz: 1\n'), 'a')).toBe(front('z: 1\n'))
    expect(remove(front('tags:\n  - &a a\n  - &b b\n'), 'a')).toBe(front('tags:\n  - &b b\n'))
  })

  test('but one that another property uses is refused with the line of that property', () => {
    const { code, message } = errorOf(() => changeTags(front('tags: &t [a]\nother: *t\n'), { add: ['x'] }))
    expect([code, message]).toEqual(['EDIT_MISMATCH', expect.stringContaining('Line 3:')])
  })
})

describe('strings', () => {
  test('with several tags keep their style', () => {
    thereAndBack('tags: a, b\n', 'tags: a, b, x\n', 'x')
    thereAndBack('tags: a b # c\n', 'tags: a b x # c\n', 'x')
    thereAndBack('tag: "a,b"\n', 'tag: "a,b, x"\n', 'x')
    thereAndBack('tags: ""\n', 'tags: "x"\n', 'x')
    expect(remove(front('tags: a, b\n'), 'a')).toBe(front('tags: b\n'))
    expect(remove(front('tags: a\nz: 1\n'), 'a')).toBe(front('z: 1\n'))
    expect(remove(front('tags:\n  - a, b\n  - c\n'), 'a')).toBe(front('tags:\n  - b\n  - c\n'))
  })

  test('with one tag become a list, because Obsidian does not read several tags in a string', () => {
    expect(add(front('tags: a # c\n'), 'x')).toBe(front('tags: [a, x] # c\n'))
    expect(add(front("Tag: '#a'\n"), 'x')).toBe(front("Tag: ['#a', 'x']\n"))
    expect(add(front('tags: 2024\n'), 'x')).toBe(front('tags: [2024, x]\n'))
    expect(add(front('tags: |\n  a\n  b\nz: 1\n'), 'x')).toBe(front('tags:\n  - a\n  - b\n  - x\nz: 1\n'))
    expect(set(front('tags: a, b\n'), 'c')).toBe(front('tags: [c]\n'))
  })
})

describe('tags that are added and removed at once', () => {
  const swap = (yaml: string) => edited(front(yaml), (given) => changeTags(given, { add: ['q'], remove: ['c'] }))

  test('keep the place and the comment of the property', () => {
    expect(swap('tags: c # why\nkeywords: a\n')).toBe(front('tags: [q] # why\nkeywords: a\n'))
    expect(swap('tags: [c] # why\nkeywords: a\n')).toBe(front('tags: [q] # why\nkeywords: a\n'))
    expect(swap('tags:\n  - c\nkeywords: a\n')).toBe(front('tags:\n  - q\nkeywords: a\n'))
    expect(swap('tags: "c"\nkeywords: a\n')).toBe(front('tags: ["q"]\nkeywords: a\n'))
  })

  test('keep a tag that is in both lists', () => {
    expect(changeTags(front('tags: [c, d]\n'), { add: ['C'], remove: ['c'] })).toEqual([])
  })
})

describe('names', () => {
  test('are compared without case; existing ones stay', () => {
    expect(changeTags(front('tags: [A, "#b"]\n'), { add: ['a', '#B'] })).toEqual([])
    expect(remove(front('tags: [Über]\n'), 'über')).toBe(front('tags: []\n'))
    expect(changeTags(front('tags: [a/b]\n'), { remove: ['a'] })).toEqual([])
    expect(set(front('tags:\n  - A\n  - b\n'), 'c', 'a')).toBe(front('tags:\n  - A\n  - c\n'))
    expect(set(front('tags:\n  - a\n'))).toBe('body #b\n')
  })

  test('that look like other values are quoted', () => {
    expect(add('', '1e3', 'true', '-', 'no', '日本', '🗂️x')).toBe(
      '---\ntags:\n  - "1e3"\n  - "true"\n  - "-"\n  - "no"\n  - 日本\n  - 🗂️x\n---\n',
    )
  })

  test('are found under both keys, in any spelling', () => {
    expect(remove(front('tag: [x]\nTAGS: [x, y]\n'), 'x')).toBe(front('tag: []\nTAGS: [y]\n'))
    expect(add(front('tag: a\nTags: [b]\n'), 'x', 'a')).toBe(front('tag: a\nTags: [b, x]\n'))
  })

  test('that are not valid tags are rejected', () => {
    for (const tag of ['', '#', '12', 'a b', 'a,b', 'a#b', 'a.b', '[[a]]', 'a\nb', '\ud83d']) {
      expect(errorOf(() => changeTags('', { add: [tag] })).code).toBe('INVALID_PARAMS')
    }
    expect(refusal(() => changeTags('', { add: ['a b'] }))).toMatch(/tags: "a b" is not a valid tag\. \| A tag consists of/)
  })

  test('in the body are listed', () => {
    expect(bodyTags('---\ntags: [x]\n---\n#x #Y `#z` #y', flavor())).toEqual(['x', 'Y'])
  })
})

describe('refused with the line', () => {
  test('malformed frontmatter', () => {
    expect(refusal(() => changeTags('---\na: 1\nb: @x\n---\n', { add: ['x'] }))).toMatch(
      /^EDIT_MISMATCH \| Line 3: .*Fix the frontmatter/,
    )
    expect(refusal(() => changeTags('---\na: 1\na: 2\n---\n', { add: ['x'] }))).toMatch(/Line 3/)
    expect(refusal(() => changeTags('---\na: 1\n', { remove: ['x'] }))).toMatch(/Line 1: .*never closed/)
    expect(refusal(() => setTags('---js\nx\n---\n', ['x']))).toMatch(/Line 1: .*---js/)
    expect(refusal(() => changeTags('---\na: 1\ntags:\n  k: v\n---\n', { add: ['x'] }))).toMatch(/"tags" on line 3 is a mapping/)
    expect(refusal(() => changeTags('---\na: 1\n...\n---\n', { add: ['x'] }))).toMatch(/^EDIT_MISMATCH.*cannot be edited exactly/)
  })
})

describe('a string that separates some tags with commas and others with spaces', () => {
  test('keeps its commas', () => {
    expect(remove(front('tags: alpha, beta gamma\n'), 'beta')).toBe(front('tags: alpha, gamma\n'))
    expect(remove(front('tags: a b, c d\n'), 'b', 'c')).toBe(front('tags: a, d\n'))
    expect(remove(front('tags:\n  - a, b c\n  - d\n'), 'b')).toBe(front('tags:\n  - a, c\n  - d\n'))
    expect(remove(front('tags:\n  - "a, \\u0062 c"\n  - d\n'), 'b')).toBe(front('tags:\n  - "a, c"\n  - d\n'))
    expect(remove(front('tags: "a, \\u0062 c"\n'), 'b')).toBe(front('tags:\n  - "a"\n  - "c"\n'))
  })

  test('stays the same for readers that split at commas, without the removed tags', () => {
    const tag = fc.tuple(fc.constantFrom(', ', ',', ' '), fc.boolean())
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1, maxLength: 8 }), (parts) => {
        const names = parts.map((_, at) => `t${at}`)
        const text = names.map((name, at) => (at === 0 ? '' : (parts[at]?.[0] ?? '')) + name).join('')
        const gone = names.filter((_, at) => parts[at]?.[1])
        fc.pre(gone.length < names.length)
        const groups = (of: string) => of.split(',').map((group) => group.trim().split(/\s+/))
        const left = groups(text).map((group) => group.filter((name) => !gone.includes(name)))
        const [, after = ''] = /^tags: (.*)$/m.exec(remove(front(`tags: ${text}\n`), ...gone)) ?? []
        expect(groups(after)).toEqual(left.filter(({ length }) => length > 0))
      }),
    )
  })
})
