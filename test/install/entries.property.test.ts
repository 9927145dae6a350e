import fc from 'fast-check'
import { getNodeValue, parseTree } from 'jsonc-parser'
import { expect, test } from 'vitest'
import { putEntry, removeEntry } from '../../src/install/entries.ts'

const PLACE = { file: 'settings.json', key: 'servers', name: 'roux' }
const ENTRY = { command: 'node', args: ['main.js', 'serve', 'vault'] }

/** JSON with white space and comments between tokens, as if typed by hand. */
interface Typed {
  readonly value: Readonly<Record<string, unknown>>
  /** What comes between tokens, in rotation. */
  readonly trivia: readonly string[]
  readonly trailing: boolean
  readonly mark: string
}

const trivia = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('', ' ', '\t', '\n', '\r\n', '\n  ', '\r\n\t\t', '  ') },
    { weight: 1, arbitrary: fc.constantFrom('/* a */', ' /* "b": 1, } */ ', '// c\n', ' // d, }\r\n  ', '/* e\n */') },
  ),
  { minLength: 1, maxLength: 12 },
)
const others = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
const typed = (section: fc.Arbitrary<Readonly<Record<string, unknown>>>): fc.Arbitrary<Typed> =>
  fc.record({
    value: fc
      .tuple(others, section, others)
      .map(([before, middle, after]): Typed['value'] => ({ ...before, ...middle, ...without(after, before) })),
    trivia,
    trailing: fc.boolean(),
    mark: fc.constantFrom('', '\uFEFF'),
  })

const withServers = typed(
  fc
    .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 })
    .map((servers) => ({ servers })),
)
const anything = typed(
  fc.oneof(
    fc.constant({}),
    fc.constant({ servers: {} }),
    others.map((servers) => ({ servers })),
  ),
)

test('removing an added entry restores the file byte for byte', () => {
  fc.assert(
    fc.property(anything, (given) => {
      const before = textOf(given)
      const after = putEntry(before, PLACE, ENTRY)
      expect(jsonOf(after)).toEqual(asJson({ ...given.value, servers: { ...(given.value.servers ?? {}), roux: ENTRY } }))
      expect(removeEntry(after, PLACE, ['{', after, before, '{}'])).toBe(before)
    }),
    { numRuns: 1000 },
  )
})

test('with other servers in the file, removal needs no earlier version, and adding only inserts text', () => {
  fc.assert(
    fc.property(withServers, (given) => {
      const before = textOf(given)
      const after = putEntry(before, PLACE, ENTRY)
      expect(isSubsequence(before, after)).toBe(true)
      expect(removeEntry(after, PLACE)).toBe(before)
    }),
    { numRuns: 1000 },
  )
})

test('without the earlier version, removal still keeps everything except the entry', () => {
  fc.assert(
    fc.property(anything, (given) => {
      const text = removeEntry(putEntry(textOf(given), PLACE, ENTRY), PLACE)
      expect(jsonOf(text)).toEqual(asJson({ ...given.value, servers: given.value.servers ?? {} }))
    }),
    { numRuns: 500 },
  )
})

test('adding the same entry twice changes nothing the second time', () => {
  fc.assert(
    fc.property(anything, (given) => {
      const once = putEntry(textOf(given), PLACE, ENTRY)
      expect(jsonOf(putEntry(once, PLACE, ENTRY))).toEqual(jsonOf(once))
    }),
    { numRuns: 200 },
  )
})

function textOf({ value, trivia: pieces, trailing, mark }: Typed): string {
  let turn = 0
  const gap = (): string => pieces[turn++ % pieces.length] ?? ''
  const list = (items: readonly string[]): string =>
    items.map((item, at) => `${gap()}${item}${gap()}${at < items.length - 1 || trailing ? ',' : ''}`).join('') + gap()
  const write = (each: unknown): string => {
    if (Array.isArray(each)) return `[${list(each.map(write))}]`
    if (typeof each !== 'object' || each === null) return JSON.stringify(each)
    return `{${list(Object.entries(each).map(([key, item]) => `${JSON.stringify(key)}${gap()}:${gap()}${write(item)}`))}}`
  }
  return `${mark}${gap()}${write(value)}${gap()}`
}

function jsonOf(text: string): unknown {
  const root = parseTree(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })
  return root && asJson(getNodeValue(root))
}

/** Returns a value as JSON would. JSON has no −0. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function isSubsequence(short: string, long: string): boolean {
  let at = 0
  for (const sign of long) if (sign === short[at]) at++
  return at >= short.length
}

function without(object: Typed['value'], keys: Typed['value']): Typed['value'] {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !(key in keys) && key !== 'servers'))
}
