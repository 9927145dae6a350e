import { expect, test } from 'vitest'
import { RecentBytes } from '../../src/indexing/search-document.ts'

const SIXTEENTH = 1 << 16

test('returns the bytes for a hash only once', () => {
  const recent = new RecentBytes()
  recent.keep('one', Uint8Array.of(1))
  expect(recent.take('two')).toBeUndefined()
  expect(recent.take('one')).toEqual(Uint8Array.of(1))
  expect(recent.take('one')).toBeUndefined()
})

test('keeps nothing beyond its limit until other bytes are taken', () => {
  const recent = new RecentBytes()
  recent.keep('large', new Uint8Array(15 * SIXTEENTH))
  recent.keep('second', new Uint8Array(2 * SIXTEENTH))
  recent.keep('small', new Uint8Array(SIXTEENTH))
  expect(recent.take('second')).toBeUndefined()
  expect(recent.take('small')).toHaveLength(SIXTEENTH)
  expect(recent.take('large')).toHaveLength(15 * SIXTEENTH)
  recent.keep('second', new Uint8Array(2 * SIXTEENTH))
  recent.clear()
  recent.keep('all', new Uint8Array(16 * SIXTEENTH))
  expect(recent.take('second')).toBeUndefined()
  expect(recent.take('all')).toHaveLength(16 * SIXTEENTH)
})
