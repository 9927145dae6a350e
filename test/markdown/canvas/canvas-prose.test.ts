import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canvasProse } from '../../../src/markdown/json-canvas/canvas-json.ts'

test('extracts text cards on their original lines', () => {
  const source = [
    '{"nodes":[',
    '  {"id":"1","type":"text","text":"Plan caf\\u00e9s\\nand \\"more\\"","x":0},',
    '  {"id":"2","type":"file","file":"a.md"},{"id":"3","type":"text","text":"second"}],"edges":[{"label":"no card"}]}',
  ].join('\n')
  const prose = canvasProse(source)
  expect(prose).toHaveLength(source.length)
  expect(prose.split('\n').map((line) => line.trim())).toEqual(['', 'Plan cafés and "more"', 'second'])
})

test.each(['', '{', '[]', '{"nodes":[{"type":"text"}]}', '{"nodes":5}'])('extracts nothing from %j', (source) => {
  expect(canvasProse(source).trim()).toBe('')
})

test('keeps length, lines and all words in order for any cards', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.constantFrom(0, 2), (texts, indent) => {
      const source = JSON.stringify({ nodes: texts.map((text, id) => ({ id: String(id), type: 'text', text })) }, null, indent)
      const prose = canvasProse(source)
      expect(prose).toHaveLength(source.length)
      expect(prose.split('\n').length).toBe(source.split('\n').length)
      expect(prose.split(/\s+/).filter((word) => word !== '')).toEqual(
        texts.flatMap((text) => text.split(/\s+/)).filter((word) => word !== ''),
      )
    }),
  )
})
