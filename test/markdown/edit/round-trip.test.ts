import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TextEdit } from '../../../src/core/changes.ts'
import { RouxError } from '../../../src/core/errors.ts'
import { appendToBody, replaceBody } from '../../../src/markdown/edit/body.ts'
import { editSection } from '../../../src/markdown/edit/section.ts'
import { setProperties } from '../../../src/markdown/edit/set-properties.ts'
import { changeTags, setTags } from '../../../src/markdown/edit/tags.ts'
import { editBytes } from '../../../src/markdown/edit/text-edits.ts'
import { bodyStartOf } from '../../../src/markdown/frontmatter/frontmatter.ts'
import { outlineOf } from '../../../src/markdown/outline.ts'
import { parseNote } from '../../../src/markdown/parse-note.ts'
import { LONG } from '../../support/long.ts'
import { flavor } from '../check.ts'
import { soup } from '../soups.ts'

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8')
}

/** The file after an edit, or `undefined` if it is refused. */
function after(bytes: Uint8Array, edit: (text: string) => readonly TextEdit[]): Uint8Array | undefined {
  try {
    return editBytes(bytes, edit(decode(bytes)))
  } catch (error) {
    if (error instanceof RouxError) return undefined
    throw error
  }
}

function same(found: Uint8Array | undefined, wanted: Uint8Array): void {
  if (found === undefined || !Buffer.from(found).equals(Buffer.from(wanted))) {
    expect(found && JSON.stringify(decode(found))).toBe(JSON.stringify(decode(wanted)))
    expect.fail('the same text in other bytes')
  }
}

const TAG = 'round-trip/x'

/**
 * Checks what must hold for every file. Returns `undefined` if the frontmatter is malformed and edits of tags and properties are refused.
 */
function checkFile(bytes: Uint8Array): boolean {
  const text = decode(bytes)
  const start = bodyStartOf(text)
  same(
    after(bytes, (given) => replaceBody(given, given.slice(start))),
    bytes,
  )
  const appended = after(bytes, (given) => appendToBody(given, 'added'))
  if (appended) same(appended.subarray(0, bytes.length), bytes)
  const tagged = after(bytes, (given) => changeTags(given, { add: [TAG] }))
  if (tagged === undefined) return false
  expect(parseNote(decode(tagged), flavor()).tags.map(({ name }) => name)).toContain(TAG)
  same(
    after(tagged, (given) => changeTags(given, { remove: [TAG] })),
    bytes,
  )
  const named = after(bytes, (given) => setProperties(given, { 'round trip': ['a', { b: '2024-01-01' }] }))
  if (named === undefined) return false
  expect(parseNote(decode(named), flavor()).properties['round trip']).toEqual(['a', { b: '2024-01-01' }])
  same(
    after(named, (given) => setProperties(given, { 'Round Trip': null })),
    bytes,
  )
  return true
}

const lines = fc.constantFrom(
  'title: A note',
  '# a comment',
  '',
  'aliases: [A, "B, c"] # names',
  'tags: [a, b/c]',
  "tags: ['a']",
  'tags: []',
  'tags: a, b',
  'tags: a b # two',
  'tags:',
  'tags:\n  - a\n  - "#b" # why\n  # no more',
  'tags:\n- a\n\n- 2024',
  'Tags: [\n  a, # first\n  b\n]',
  'tag: [a, b,]',
  'up: "[[a]]"',
  'text: |\n  a\n  --- \n\n  b',
  'fold: >+\n  a\n\n',
  'map:\n  k: {a: 1}\n  l:\n    - 1',
  'quoted key : x',
  '"a: b": 1',
  'n: 007',
  'd: 2024-01-02   ',
  'tagged: !!str 1',
  'wide:    x\t# tab',
)

/** Frontmatter of such lines, some malformed, with any mark, fences and body. */
const notes = fc
  .tuple(
    fc.constantFrom('', '\ufeff'),
    fc.option(fc.array(lines, { minLength: 1, maxLength: 6 })),
    fc.constantFrom('---', '--- '),
    soup,
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([mark, yaml, fence, body, ending]) => {
    const front = yaml ? `---\n${yaml.join('\n')}\n${fence}\n`.replaceAll('\n', ending) : ''
    // Decoding ensures that the text has no lone surrogates, which no file contains.
    return decode(Buffer.from(mark + front + body))
  })
  .filter((text) => !/^\ufeff?---[ \t]*\r?\n---/.test(text))

describe('every edit can be undone byte for byte', () => {
  test('in generated notes', () => {
    let edited = 0
    fc.assert(
      fc.property(notes, (text) => {
        if (checkFile(Buffer.from(text))) edited++
      }),
      { numRuns: 600 },
    )
    expect(edited).toBeGreaterThan(LONG ? 250 : 50)
  })

  test('in files that are not UTF-8', () => {
    fc.assert(
      fc.property(notes, fc.uint8Array({ maxLength: 6 }), fc.double({ min: 0, max: 1, noNaN: true }), (text, noise, at) => {
        const bytes = Buffer.from(text)
        const place = Math.floor(at * bytes.length)
        const broken = Buffer.concat([bytes.subarray(0, place), noise, bytes.subarray(place)])
        if (!/^\ufeff?---[ \t]*\r?\n---/.test(decode(broken))) checkFile(broken)
      }),
      { numRuns: 600 },
    )
  })

  test('a written value reads back the same', () => {
    const tags = fc.uniqueArray(fc.constantFrom('a', 'b', 'b/c', 'x', '1e3', 'true'), { maxLength: 4 })
    fc.assert(
      fc.property(notes, tags, (text, wanted) => {
        const bytes = after(Buffer.from(text), (given) => setTags(given, wanted))
        if (bytes === undefined) return
        const before = parseNote(text, flavor())
        const note = parseNote(decode(bytes), flavor())
        const names = note.tags.filter(({ inBody }) => !inBody).map(({ name }) => name)
        expect([...names].sort()).toEqual([...wanted].sort())
        expect(decode(bytes).slice(note.bodyStart)).toBe(text.slice(before.bodyStart))
      }),
      { numRuns: 800 },
    )
  })
})

const vault = fileURLToPath(new URL('../../../../shared/vaults/knowledge', import.meta.url))

test.runIf(LONG && existsSync(vault))('every note of a real vault', () => {
  let refused = 0
  for (const name of readdirSync(vault, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue
    const bytes = readFileSync(join(vault, name))
    if (!checkFile(bytes)) refused++
    const text = decode(bytes)
    const [first] = outlineOf(text, flavor()).headings
    if (!first) continue
    const put = after(bytes, (given) =>
      editSection(given, { section: first.path, mode: 'prepend', content: 'put in', flavor: flavor() }),
    )
    if (put) expect(decode(put).replace(/\n?put in\n\n?/, '').length).toBeLessThanOrEqual(text.length)
  }
  expect(refused).toBeLessThan(10)
})
