import { describe, expect, test } from 'vitest'
import { createText } from '../../../src/markdown/edit/create-text.ts'
import { errorOf, refusal } from './edited.ts'

describe('a new note', () => {
  test('consists of its content and the arguments', () => {
    expect(createText({ content: 'a\r\n', fileName: 'n' })).toBe('a\r\n')
    expect(createText({ content: '\ufeffa', fileName: 'n', title: 'n' })).toBe('a')
    expect(createText({ content: 'a', fileName: 'n', tags: ['#x'] })).toBe('---\ntags:\n  - x\n---\na')
    expect(
      createText({
        content: 'a\r\n',
        fileName: 'my note',
        title: 'My Note',
        tags: ['x'],
        properties: { k: 1 },
        relations: { up: 'B' },
      }),
    ).toBe('---\r\ntitle: My Note\r\ntags:\r\n  - x\r\nk: 1\r\nup: "[[B]]"\r\n---\r\na\r\n')
  })

  test('keeps frontmatter in the content; arguments override it', () => {
    const content = '---\n# c\ntitle: Old\ntags: [a, b]\nk: "v" # d\n---\nbody'
    expect(createText({ content, fileName: 'n' })).toBe(content)
    expect(createText({ content, fileName: 'note', title: 'note', tags: ['b', 'c'], properties: { K: 'w', up: null } })).toBe(
      '---\n# c\ntitle: note\ntags: [b, c]\nk: "w" # d\n---\nbody',
    )
  })

  test('rejects unreadable content', () => {
    expect(refusal(() => createText({ content: '---\na: @\n---\n', fileName: 'n' }))).toMatch(
      /^INVALID_PARAMS \| content: line 2/,
    )
    expect(errorOf(() => createText({ content: '---\na: 1\n', fileName: 'n' })).code).toBe('INVALID_PARAMS')
    expect(errorOf(() => createText({ content: 'a', fileName: 'n', title: 'a\nb' })).code).toBe('INVALID_PARAMS')
    expect(errorOf(() => createText({ content: 'a\udc00', fileName: 'n' })).code).toBe('INVALID_PARAMS')
  })
})
