import { describe, expect, test } from 'vitest'
import { checkOperation } from '../../../src/app/write/operation-arguments.ts'
import { RouxError } from '../../../src/core/errors.ts'
import type { Operation } from '../../../src/core/operations.ts'

const refusal = (operation: Operation): RouxError => {
  try {
    checkOperation(operation)
  } catch (error) {
    if (error instanceof RouxError) return error
    throw error
  }
  throw new Error('it was accepted')
}
const update = (more: object): Operation => ({ kind: 'update', id: 'a', updateLinks: false, ...more })
const MB = 1 << 20
const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

describe('limits', () => {
  test.each<[string, Operation, string]>([
    ['a title', update({ title: 'x'.repeat(201) }), 'title has 201 characters'],
    ['the title of a new note', { kind: 'create', id: 'a', content: '', title: 'é'.repeat(201) }, 'title has 201'],
    ['content', { kind: 'create', id: 'a', content: 'x'.repeat(MB + 1) }, `content has ${MB + 1} bytes`],
    ['content in bytes', update({ content: 'é'.repeat(MB / 2 + 1) }), `content has ${MB + 2} bytes`],
    ['append', update({ append: 'x'.repeat(MB + 1) }), 'append has'],
    ['prepend', update({ prepend: 'x'.repeat(MB + 1) }), 'prepend has'],
    ['replace', update({ replaceText: { find: 'a', replace: 'x'.repeat(MB + 1), count: 1 } }), 'replace_text.replace has'],
  ])('rejects %s that is too large', (_, operation, message) => {
    expect(refusal(operation)).toMatchObject({ code: 'TOO_LARGE', message: expect.stringContaining(message) })
  })

  test.each<[Operation, string]>([
    [{ kind: 'delete', id: '' }, 'id is empty'],
    [{ kind: 'move', id: 'a', to: '  ' }, 'to is empty'],
    [{ kind: 'renameTag', tag: '', to: 'b' }, 'tag is empty'],
    [{ kind: 'renameHeading', id: 'a', heading: ['A', ''], to: 'b' }, 'heading is empty'],
    [{ kind: 'createFolder', path: '' }, 'path is empty'],
    [update({ section: [''], content: '' }), 'section is empty'],
    [{ kind: 'delete', id: 'x'.repeat(100_000) }, 'id has 100000 characters'],
    [{ kind: 'clone', id: 'a', folder: 'x'.repeat(5000) }, 'folder has 5000 characters'],
    [{ kind: 'manageTags', id: 'a', add: ['ok', 'x'.repeat(5000)], remove: [] }, 'add has 5000 characters'],
    [update({ mode: 'append', content: 'x' }), 'mode append requires a section'],
    [update({ properties: { a: deep(100_000) } }), 'properties are nested deeper than 32 levels'],
  ])('%#: rejects empty or oversized input', (operation, message) => {
    const { code, message: text } = refusal(operation)
    expect(code).toBe('INVALID_PARAMS')
    expect(text).toContain(message)
    expect(text.length).toBeLessThan(250)
  })

  test.each<[string, Operation]>([
    ['a title of 200', update({ title: 'x'.repeat(200) })],
    ['1 MB', update({ content: 'x'.repeat(MB) })],
    ['properties in properties', update({ properties: { a: deep(30), b: null } })],
    ['a mode with its section', update({ mode: 'append', section: ['A'], content: 'x' })],
    ['the top folder', { kind: 'clone', id: 'a', folder: '' }],
    ['no tag at all', update({ tags: [] })],
  ])('accepts %s', (_, operation) => expect(() => checkOperation(operation)).not.toThrow())
})
