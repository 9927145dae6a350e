import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requireContent } from '../../../src/changes/plan/attachment-type.ts'

test('decodes the base64 of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      expect(requireContent(Buffer.from(bytes).toString('base64'))).toEqual(Buffer.from(bytes))
    }),
  )
})

test('accepts only canonical base64', () => {
  const text = fc.string({ unit: fc.constantFrom('A', 'B', '/', '+', '=', '-', ' '), minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(text, (content) => {
      const written = Buffer.from(content, 'base64').toString('base64')
      if (written === content) requireContent(content)
      else expect(() => requireContent(content)).toThrow(/not valid base64 at position \d+/)
    }),
  )
})

test.each([
  ['QUJD RA==', 4, /spaces/],
  ['QUJD\nRA==', 4, /line breaks/],
  ['data:image/png;base64,QUJD', 4, /"base64,"/],
  ['QUJ_', 3, /instead of/],
  ['QUJé', 3, /"é" is not allowed/],
  ['QU=D', 2, /"=" is not allowed/],
  ['QUJDRA', 6, /truncated/],
  ['====', 0, /"=" is not allowed/],
  ['QUJDRB==', 5, /belong to no byte/],
  ['QUJDREV=', 6, /belong to no byte/],
])('rejects %j at position %i', (content, position, hint) => {
  expect(() => requireContent(content)).toThrow(
    expect.objectContaining({
      code: 'INVALID_PARAMS',
      message: `content is not valid base64 at position ${position}.`,
      hint: expect.stringMatching(hint),
    }),
  )
})

test('rejects empty content', () => {
  expect(() => requireContent('')).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }))
})

test('limits content to 5 MB before decoding', () => {
  const limit = 5 << 20
  const written = (size: number) => Buffer.alloc(size).toString('base64')
  expect(requireContent(written(limit))).toHaveLength(limit)
  expect(() => requireContent(written(limit + 1))).toThrow(
    expect.objectContaining({ code: 'TOO_LARGE', message: expect.stringContaining('5242881') }),
  )
  expect(() => requireContent('!'.repeat(8 << 20))).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})
