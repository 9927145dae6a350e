import fc from 'fast-check'
import picomatch from 'picomatch'
import { expect, test } from 'vitest'
import { linearGlob } from '../../src/vault/ignore-rules.ts'

test('matches what a regular expression matches', () => {
  const pattern = fc.array(fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', '\\*', '.', '/', '/**/'), {
    minLength: 1,
    maxLength: 7,
  })
  const path = fc.array(fc.constantFrom('a', 'b', 'A', '*', '.x', '/'), { minLength: 1, maxLength: 8 })
  const isPlain = (text: string) => !/^\/|\/$|\/\/|(?:^|\/)\.*(?:\/|$)|\*{3}|[^/]\*\*|\*\*[^/]|\*\*\/\*\*|\/\*\*$/.test(text)
  fc.assert(
    fc.property(pattern, path, fc.boolean(), (parts, names, nocase) => {
      const [glob, name] = [parts.join(''), names.join('')]
      fc.pre(isPlain(glob) && isPlain(name))
      const expected = picomatch(glob, { dot: true, nocase, nonegate: true, noextglob: true, windows: false })(name)
      expect(linearGlob(glob, nocase)(name), `${glob} ${name}`).toBe(expected)
    }),
    { numRuns: 20_000 },
  )
})

test('what is in a folder, at any depth, is not the folder', () => {
  const found = ['f', 'f/a', 'f/a/b', 'g/f/a'].filter(linearGlob('f/**', false))
  expect(found).toEqual(['f/a', 'f/a/b'])
  expect(['a', 'a/b'].filter(linearGlob('**', false))).toEqual(['a', 'a/b'])
})

test('takes time in proportion to pattern and path', () => {
  expect(linearGlob(`${'*a'.repeat(2_000)}b`, false)('a'.repeat(4_000))).toBe(false)
  expect(linearGlob(`${'**/a/'.repeat(500)}b`, false)('a/'.repeat(2_000))).toBe(false)
  expect(linearGlob('['.repeat(100_000), false)('a')).toBe(false)
})
