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
])('ai.deny: %s keeps a folder back', (pattern) => {
  expect(leaves({ deny: [pattern] }, 'secret/deep/a.md')).toBe(false)
  expect(leaves({ deny: [pattern] }, 'Secret/a.md')).toBe(false)
  if (pattern !== '/') expect(leaves({ deny: [pattern] }, 'secrets/a.md')).toBe(true)
})

test.each(['NFC', 'NFD'] as const)(
  'a pattern fits whatever form of Unicode its letters or those of the path have: %s',
  (form) => {
    const other = form === 'NFC' ? 'NFD' : 'NFC'
    expect(leaves({ deny: ['Café/**'.normalize(form)] }, 'Café/a.md'.normalize(other))).toBe(false)
    expect(leaves({ allow: ['Café/**'.normalize(form)] }, 'Café/a.md'.normalize(other))).toBe(true)
  },
)

test('braces mean each of their parts', () => {
  expect(leaves({ deny: ['{secret,private}/**'] }, 'private/a.md')).toBe(false)
  expect(leaves({ allow: ['{work,home}/**'] }, 'home/a.md')).toBe(true)
})

test('a path must fit every list of ai.allow', () => {
  const allow = ['work/**', 'home/**', '', '**/public/**']
  expect(['work/public/a.md', 'work/a.md', 'other/public/a.md'].map((path) => leaves({ allow }, path))).toEqual([
    true,
    false,
    false,
  ])
})

test('patterns that fit nothing are named', () => {
  const rules = { allow: ['work/**', '', 'none'], deny: ['/work/a.md', 'wrok/**'] }
  expect(unusedPatterns(rules, ['work/a.md', 'b.md'])).toEqual(['ai.allow: "none"', 'ai.deny: "wrok/**"'])
})
