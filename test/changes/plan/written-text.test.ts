import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Operation } from '../../../src/core/operations.ts'
import { writable } from '../../support/writable-vault.ts'

const FILES = { 'a.md': '---\nk: 1\n---\nOne.\nTwo.\nThree. ^x\n', 'b.md': '[[a]]\n' }
const HASH = createHash('sha256').update(FILES['a.md']).digest('hex')

const update = (members: Partial<Operation>): Operation =>
  ({ kind: 'update', id: 'a', updateLinks: false, ...members }) as Operation

async function written(operations: Operation | readonly Operation[]) {
  const vault = await writable(FILES)
  const { text, subjects } = await vault.write(operations)
  const file = vault.files()[subjects[0] ?? ''] ?? ''
  const body = file.slice(file.startsWith('---') ? file.indexOf('---\n', 4) + 4 : 0)
  expect(text?.hash ?? '').toBe(text === undefined ? '' : createHash('sha256').update(file).digest('hex'))
  return { text, changed: text === undefined ? undefined : body.slice(text.changed.start, text.changed.end) }
}

test.each<[Operation, string]>([
  [update({ append: 'Four.' }), 'Four.\n'],
  [update({ replaceText: { find: 'Two', replace: 'Zwei', count: 1 } }), 'Zwei'],
  [update({ replaceText: { find: 'Two.\n', replace: '', count: 1 } }), ''],
  [update({ properties: { k: 2 } }), ''],
  [{ kind: 'create', id: 'n', content: 'New.\n', tags: ['x'] }, 'New.\n'],
  [{ kind: 'manageTags', id: 'a', add: ['x'], remove: [] }, ''],
])('%j reports the changed part of the body', async (operation, changed) => {
  expect((await written(operation)).changed?.trim()).toBe(changed.trim())
})

test.each<[Operation, boolean]>([
  [update({ content: 'All.' }), true],
  [update({ content: 'All.', append: 'More.' }), true],
  [update({ append: 'x', expectedHash: HASH }), true],
  [update({ append: 'x', expectedHash: `partial:${HASH}` }), false],
  [update({ append: 'x' }), false],
  [update({ section: ['^x'], content: 'x' }), false],
  [{ kind: 'create', id: 'n', content: 'New.\n' }, true],
  [{ kind: 'manageTags', id: 'a', add: ['x'], remove: [] }, false],
  [{ kind: 'clone', id: 'a', folder: 'f' }, false],
])('%j: the caller knows the whole text: %j', async (operation, isKnown) => {
  const { text } = await (await writable(FILES)).write(operation)
  expect(text?.isKnown).toBe(isKnown)
})

test('a note whose own links were rewritten is not known, even with a full hash', async () => {
  const vault = await writable({ 'a.md': 'See [[a#Top]].\n# Top\n' })
  const hash = createHash('sha256').update('See [[a#Top]].\n# Top\n').digest('hex')
  const { text } = await vault.write(update({ title: 'z', updateLinks: true, expectedHash: hash }))
  expect(text?.isKnown).toBe(false)
})

test('several operations, deletions and folders have no text', async () => {
  expect((await written([update({ append: 'x' }), update({ append: 'y' })])).text).toBeUndefined()
  expect((await written({ kind: 'delete', id: 'b' })).text).toBeUndefined()
  expect((await written({ kind: 'createFolder', path: 'f' })).text).toBeUndefined()
})
