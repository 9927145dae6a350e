import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import { linearGlob, matchAny } from '../../src/vault/ignore-rules.ts'

test('globs match the same names as a regular expression', () => {
  const part = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', '\\*', '.', '/', '/**/', '{a,b}', '{a,{b/a,?}}')
  const isShort = (parts: readonly string[]) => parts.filter((each) => each.startsWith('{')).length <= 5
  const pattern = fc
    .array(part, { minLength: 1, maxLength: 7 })
    .filter(isShort)
    .map((parts) => parts.join(''))
  const path = fc.array(fc.constantFrom('a', 'b', 'A', '*', '.x', '/'), { minLength: 1, maxLength: 8 })
  const isPlain = (text: string) => !/^\/|\/$|\/\/|(?:^|\/)\.*(?:\/|$)|\*{3}|[^/]\*\*|\*\*[^/]|\*\*\/\*\*|\/\*\*$/.test(text)
  fc.assert(
    fc.property(pattern, path, fc.boolean(), (glob, names, nocase) => {
      const name = names.join('')
      fc.pre(isPlain(glob.replace(/[{},]/g, 'a')) && isPlain(name))
      const expected = picomatch(glob, { dot: true, nocase, nonegate: true, noextglob: true, windows: false })(name)
      expect(matchAny([glob], nocase)(name, false), `${glob} ${name}`).toBe(expected)
    }),
    { numRuns: 10_000 },
  )
})

test('a file in a folder, at any depth, does not match a glob for a file of that name', () => {
  const matches = matchAny(['f/**'], false)
  expect(['f', 'f/a', 'f/a/b', 'g/f/a'].filter((path) => matches(path, false))).toEqual(['f/a', 'f/a/b'])
  expect(matches('f', true)).toBe(true)
  expect(['a', 'a/b'].filter((path) => matchAny(['**'], false)(path, false))).toEqual(['a', 'a/b'])
})

test('nested braces expand to many alternatives within a memory limit', () => {
  const glob = '{a,{b/a,?}}'.repeat(4)
  expect(matchAny([glob], false)('aaaa', false)).toBe(true)
  expect(matchAny([glob], false)('b/ab/ab/ab/a', false)).toBe(true)
  expect(matchAny(['{a,{b/a,?}}'.repeat(5)], false)('aaa.x', false)).toBe(true)
  expect(matchAny([`{${'a,'.repeat(60)}b}`.repeat(8)], false)('aaaaaaaa', false)).toBe(false)
})

test('matching a .gitignore line is linear in pattern and path', () => {
  expect(linearGlob(`${'*a'.repeat(2_000)}b`, false)(['a'.repeat(4_000)])).toBe(false)
  expect(linearGlob(`${'**/a/'.repeat(500)}b`, false)('a/'.repeat(2_000).split('/'))).toBe(false)
  expect(linearGlob('['.repeat(100_000), false)(['a'])).toBe(false)
})
