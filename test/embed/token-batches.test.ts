import { expect, test } from 'vitest'
import { encode, padInputs, pool } from '../../src/embed/model-service.ts'

/** The numbers 101 and 102 mark the beginning and the end, and each letter is a token. */
const tokenizer = (text: string) => {
  const input_ids = [101, ...Array.from(text, (letter) => letter.charCodeAt(0)), 102]
  return { input_ids, attention_mask: input_ids.map(() => 1) }
}

test('a truncated text keeps its end token', () => {
  expect(encode(tokenizer, 'abcdef', 5)).toEqual({ input_ids: [101, 97, 98, 99, 102], attention_mask: [1, 1, 1, 1, 1] })
  expect(encode(tokenizer, 'abc', 5).input_ids).toEqual([101, 97, 98, 99, 102])
})

test("a text that ends with the end token's id loses only its end", () => {
  expect(encode(tokenizer, 'fff', 4).input_ids).toEqual([101, 102, 102, 102])
})

test('truncates without end tokens too', () => {
  const bare = (text: string) => ({ input_ids: Array.from(text, (letter) => letter.charCodeAt(0)) })
  expect(encode(bare, 'abcdef', 3).input_ids).toEqual([97, 98, 99])
})

test('cuts a huge text before tokenizing it', () => {
  let longest = 0
  encode(
    (text) => {
      longest = Math.max(longest, text.length)
      return tokenizer(text)
    },
    'x'.repeat(1_000_000),
    256,
  )
  expect(longest).toBeLessThan(10_000)
})

test('pads batches: ids with the padding token, the rest with zeros', () => {
  const inputs = padInputs([tokenizer('ab'), tokenizer('')], 9)
  expect(inputs.input_ids).toEqual({ values: BigInt64Array.of(101n, 97n, 98n, 102n, 101n, 102n, 9n, 9n), dims: [2, 4] })
  expect(inputs.attention_mask?.values).toEqual(BigInt64Array.of(1n, 1n, 1n, 1n, 1n, 1n, 0n, 0n))
})

test('pooling ignores padding', () => {
  const tokens = { data: Float32Array.of(3, 0, 0, 4, 8, 6, 100, 100), dims: [2, 2, 2] }
  const round = (values: Float32Array) => Array.from(values, (value) => Math.round(value * 1000) / 1000)
  expect(round(pool(tokens, [2, 1], 'mean'))).toEqual([0.6, 0.8, 0.8, 0.6])
  expect(round(pool(tokens, [2, 1], 'first'))).toEqual([1, 0, 0.8, 0.6])
  expect(() => pool({ data: new Float32Array(4), dims: [1, 2, 2] }, [2], 'mean')).toThrow('zero')
})
