import fc from 'fast-check'
import { expect, test } from 'vitest'
import { membersToJson, messageToJson, toJson } from '../../../src/mcp/transport/json-rpc.ts'

test('serializes like JSON.stringify, with any remembered text', () => {
  const values = fc.jsonValue({ maxDepth: 3 })
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), values, fc.boolean(), (members, id, early) => {
      const structuredContent = { ...members, node: { a: 1, gone: undefined }, none: undefined }
      if (early) {
        expect(membersToJson(structuredContent)).toBe(JSON.stringify(structuredContent))
        expect(toJson(structuredContent.node)).toBe('{"a":1}')
      }
      const result = { content: [{ type: 'text', text: '"\ud800\n' }], isError: undefined, structuredContent }
      const message = { jsonrpc: '2.0', id, result }
      expect(JSON.parse(messageToJson(message))).toEqual(JSON.parse(JSON.stringify(message)))
    }),
  )
})

test.each([
  { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
  { jsonrpc: '2.0', id: 1, result: {} },
  { jsonrpc: '2.0', id: 1, result: { structuredContent: [1] } },
  { jsonrpc: '2.0', method: 'x', params: {} },
])('%j is unchanged', (message) => {
  expect(JSON.parse(messageToJson(message))).toEqual(message)
})
