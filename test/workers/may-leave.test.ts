import { expect, test } from 'vitest'
import { mayLeave, unusedPatterns } from '../../src/workers/may-leave.ts'

const leaves = (rules: { allow?: readonly string[]; deny?: readonly string[] }, path: string): boolean =>
  mayLeave({ allow: [], deny: [], ...rules })(path)

test.each([
  'secret',
  'secret/',
  'secret/**',
  '/secret',
  '/secret/**',
  './secret/**',
  'secret\\',
  'secret\\**',
  '.\\secret\\**',
  'SECRET/**',
  '**/secret',
  '/',
])('ai.deny: %s excludes a folder', (pattern) => {
  expect(leaves({ deny: [pattern] }, 'secret/deep/a.md')).toBe(false)
  expect(leaves({ deny: [pattern] }, 'Secret/a.md')).toBe(false)
  if (pattern !== '/') expect(leaves({ deny: [pattern] }, 'secrets/a.md')).toBe(true)
})

test.each(['NFC', 'NFD'] as const)('patterns match in any Unicode normal form: %s', (form) => {
  const other = form === 'NFC' ? 'NFD' : 'NFC'
  expect(leaves({ deny: ['Café/**'.normalize(form)] }, 'Café/a.md'.normalize(other))).toBe(false)
  expect(leaves({ allow: ['Café/**'.normalize(form)] }, 'Café/a.md'.normalize(other))).toBe(true)
})

test('braces match each of their parts', () => {
  expect(leaves({ deny: ['{secret,private}/**'] }, 'private/a.md')).toBe(false)
  expect(leaves({ allow: ['{work,home}/**'] }, 'home/a.md')).toBe(true)
})

test('a path must match every ai.allow list', () => {
  const allow = ['work/**', 'home/**', '', '**/public/**']
  expect(['work/public/a.md', 'work/a.md', 'other/public/a.md'].map((path) => leaves({ allow }, path))).toEqual([
    true,
    false,
    false,
  ])
})

test('patterns without matches are reported', () => {
  const rules = { allow: ['work/**', '', 'none'], deny: ['/work/a.md', 'wrok/**'] }
  expect(unusedPatterns(rules, ['work/a.md', 'b.md'])).toEqual(['ai.allow: "none"', 'ai.deny: "wrok/**"'])
})
