import { describe, expect, test } from 'vitest'
import { listEntries, putEntry, removeEntry } from '../../src/install/entries.ts'

const PLACE = { file: 'settings.json', key: 'servers', name: 'roux' }
const ENTRY = { command: 'n' }

/**
 * Checks that a text with the new entry is as expected, and that removing the entry restores the first text. The removal is tried
 * with and without `before`.
 */
function check(before: string, after: string, { restores = true } = {}): void {
  expect(putEntry(before, PLACE, ENTRY)).toBe(after)
  expect(removeEntry(after, PLACE, [before])).toBe(before)
  expect(removeEntry(after, PLACE) === before).toBe(restores)
}

describe('adding an entry', () => {
  test('appends it after the others', () => {
    check(
      '{\n  "servers": {\n    "a": {}\n  }\n}\n',
      '{\n  "servers": {\n    "a": {},\n    "roux": {\n      "command": "n"\n    }\n  }\n}\n',
    )
  })

  test('keeps trailing commas, and comments next to their entries', () => {
    check(
      '{\n  "servers": {\n    "a": {}, // mine\n  },\n}',
      '{\n  "servers": {\n    "a": {}, // mine\n    "roux": {\n      "command": "n"\n    },\n  },\n}',
    )
    check(
      '{\n  "servers": {\n    "a": {} // mine \n  }\n}',
      '{\n  "servers": {\n    "a": {}, // mine \n    "roux": {\n      "command": "n"\n    }\n  }\n}',
    )
  })

  test("uses the file's indentation and line ends", () => {
    check(
      '\uFEFF{\r\n\t"servers": {\r\n\t\t"a": {}\r\n\t}\r\n}\r\n',
      '\uFEFF{\r\n\t"servers": {\r\n\t\t"a": {},\r\n\t\t"roux": {\r\n\t\t\t"command": "n"\r\n\t\t}\r\n\t}\r\n}\r\n',
    )
  })

  test('uses one line in a one-line file', () => {
    check('{"servers":{"a":1}}', '{"servers":{"a":1,"roux":{"command":"n"}}}')
    check('{"servers":{"a":1 /*c*/,}}', '{"servers":{"a":1 /*c*/,"roux":{"command":"n"},}}')
    check('{"servers":{}}', '{"servers":{"roux":{"command":"n"}}}')
  })

  test('fills an object that is empty or has only comments', () => {
    check('{\n  "servers": {}\n}', '{\n  "servers": {\n    "roux": {\n      "command": "n"\n    }\n  }\n}')
    check('{\n  "servers": {\n  }\n}', '{\n  "servers": {\n    "roux": {\n      "command": "n"\n    }\n  }\n}', {
      restores: false,
    })
    check(
      '{\n  "servers": {\n    // none yet\n  }\n}',
      '{\n  "servers": {\n    // none yet\n    "roux": {\n      "command": "n"\n    }\n  }\n}',
    )
  })

  test('creates the containing object, or the file, if missing', () => {
    const file = '{\n  "servers": {\n    "roux": {\n      "command": "n"\n    }\n  }\n}'
    check('{}', file, { restores: false })
    check('', `${file}\n`, { restores: false })
    check('// Zed settings', `// Zed settings\n${file}\n`, { restores: false })
    check('{"a":1}', '{"a":1,"servers":{"roux":{"command":"n"}}}', { restores: false })
  })

  test('replaces an entry of the same name', () => {
    const before = '{\n  "servers": {\n    "roux": { "command": "o" }, // mine\n    "b": 1,\n  }\n}'
    expect(putEntry(before, PLACE, ENTRY)).toBe(before.replace('{ "command": "o" }', '{\n      "command": "n"\n    }'))
  })
})

describe('removing an entry', () => {
  test.each([
    ['the first', '{\n  "servers": {\n    "roux": {},\n    "b": 1\n  }\n}', '{\n  "servers": {\n    "b": 1\n  }\n}'],
    ['from the middle', '{"servers":{"a":1, "roux":{}, "b":1}}', '{"servers":{"a":1, "b":1}}'],
    ['the last', '{"servers":{"a":1, /* b */ "roux":{} /* c */}}', '{"servers":{"a":1 /* b */ /* c */}}'],
    ['the only one', '{"servers": { "roux": {}, } }', '{"servers": {} }'],
    [
      'without pulling what follows into a comment',
      '{"servers":{"a":1, // c\n"roux":{}, "b":1}}',
      '{"servers":{"a":1, // c\n "b":1}}',
    ],
    ['where there is none', '{"servers":{"a":1}}', '{"servers":{"a":1}}'],
  ])('%s', (_, before, after) => expect(removeEntry(before, PLACE)).toBe(after === before ? before : after))

  test('ignores an earlier version that already contains the name', () => {
    const old = '{"servers":{"roux":{"command":"o"}}}'
    expect(removeEntry(putEntry(old, PLACE, ENTRY), PLACE, [old])).toBe('{"servers":{}}')
  })
})

test('servers are listed by name', () => {
  expect([...listEntries('{"servers":{"a":{"x":1},"b":2,},}', PLACE)]).toEqual([
    ['a', expect.objectContaining({ x: 1 })],
    ['b', 2],
  ])
  for (const empty of ['', ' \n', '// c', '{}', '{"servers":{}}']) expect(listEntries(empty, PLACE).size).toBe(0)
})

describe('invalid settings are refused with the position only', () => {
  test.each([
    ['{\n  "a": 1', 'settings.json is not valid JSON: line 2, column 9: missing }.'],
    ['{\r\n  "a" 1}', 'settings.json is not valid JSON: line 2, column 7: expected a colon.'],
    ['{"a": nope}', 'settings.json is not valid JSON: line 1, column 7: invalid keyword.'],
    ['{"a": "b}', 'settings.json is not valid JSON: line 1, column 7: unterminated string.'],
    ['{} {}', 'settings.json is not valid JSON: line 1, column 4: unexpected text after the end.'],
    ['['.repeat(100_000), 'settings.json is not valid JSON: nested too deeply.'],
    ['[]', 'settings.json, line 1, column 1: the content is a list, not an object.'],
    ['null', 'settings.json, line 1, column 1: the content is null, not an object.'],
    ['{"servers": "none"}', 'settings.json, line 1, column 13: "servers" is a string, not an object.'],
    ['{"servers": {}, "servers": {}}', 'settings.json, line 1, column 17: "servers" occurs twice.'],
    ['{"servers": {"roux": 1, "roux": 2}}', 'settings.json, line 1, column 25: "roux" occurs twice.'],
  ])('%.40s', (text, message) => {
    for (const act of [() => putEntry(text, PLACE, ENTRY), () => removeEntry(text, PLACE)]) {
      expect(act).toThrow(expect.objectContaining({ code: 'INVALID_SETTINGS', message }))
    }
  })
})
