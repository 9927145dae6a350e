import { expect, test } from 'vitest'
import { endingOf, isTextual, mediaTypeOf } from '../../src/core/media-types.ts'

test.each([
  ['a.png', 'png'],
  ['Folder.x/A.TAR.GZ', 'gz'],
  ['folder.x/a', ''],
  ['.png', ''],
  ['x/.png', ''],
  ['a.', ''],
  ['', ''],
])('the extension of %j is %j', (name, ending) => {
  expect(endingOf(name)).toBe(ending)
})

test.each([
  ['Files/a.PNG', 'image/png'],
  ['a.svg', 'image/svg+xml'],
  ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['a.ts', undefined],
  ['a.q42', undefined],
  ['png', undefined],
  ['a.constructor', undefined],
])('the media type of %j is %s', async (name, type) => {
  expect(await mediaTypeOf(name)).toBe(type)
})

test.each(['text/csv', 'image/svg+xml', 'application/json', 'application/geo+json', 'application/toml'])('%s is text', (type) => {
  expect(isTextual(type)).toBe(true)
})

test.each(['image/png', 'application/pdf', 'application/octet-stream', 'audio/mpeg', 'nothing'])('%s is not text', (type) => {
  expect(isTextual(type)).toBe(false)
})
