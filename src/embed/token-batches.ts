import type { Encoding, EngineTensor, EngineTokenizer } from './model-engine.ts'
import type { Pooling } from './model-recipes.ts'
import { unitVector } from './vectors.ts'

/**
 * A text is cut here before it is tokenised: no tokeniser of the hub makes tokens that are longer in the mean, and most cost more than
 * linear time on a text without blanks.
 */
const CHARACTERS_PER_TOKEN = 32

/** Tokenises a text, cut to `maxTokens` with the marks at its end kept. */
export function encode(tokenizer: EngineTokenizer, text: string, maxTokens: number): Encoding {
  const encoding = tokenizer(text.slice(0, maxTokens * CHARACTERS_PER_TOKEN), { return_tensor: false })
  const ids = encoding.input_ids ?? []
  if (ids.length <= maxTokens) return encoding
  const kept = endMarks(ids, tokenizer('', { return_tensor: false }).input_ids ?? [])
  const cut = (values: readonly number[]) => [...values.slice(0, maxTokens - kept), ...values.slice(values.length - kept)]
  return Object.fromEntries(Object.entries(encoding).map(([key, values]) => [key, cut(values)]))
}

/** How many marks an encoding ends with: what it has in common with the end of an empty text's. */
function endMarks(ids: readonly number[], empty: readonly number[]): number {
  let marks = 0
  while (marks < empty.length && ids.at(-1 - marks) === empty.at(-1 - marks)) marks++
  return marks
}

/** One row of numbers a text, filled up to the longest. */
export interface PaddedInput {
  readonly values: BigInt64Array
  readonly dims: readonly [texts: number, tokens: number]
}

/** What a model is given, by name. `pad` fills `input_ids`, zeros the rest. */
export function padInputs(encodings: readonly Encoding[], pad: number): Readonly<Record<string, PaddedInput>> {
  const tokens = Math.max(...encodings.map((encoding) => encoding.input_ids?.length ?? 0))
  const names = Object.keys(encodings[0] ?? {})
  return Object.fromEntries(
    names.map((name) => {
      const values = new BigInt64Array(encodings.length * tokens).fill(BigInt(name === 'input_ids' ? pad : 0))
      for (const [row, encoding] of encodings.entries()) {
        for (const [column, value] of (encoding[name] ?? []).entries()) values[row * tokens + column] = BigInt(value)
      }
      return [name, { values, dims: [encodings.length, tokens] as const }]
    }),
  )
}

/**
 * Unit vectors of the texts, one after the other, from their tokens' vectors (`dims`: texts, tokens, dimensions; padding at the end).
 * @throws Error when a vector is no number or zero.
 */
export function pool({ data, dims }: EngineTensor, lengths: readonly number[], pooling: Pooling): Float32Array {
  const [, tokens = 0, dimensions = 0] = dims
  const values = new Float32Array(lengths.length * dimensions)
  for (const [text, length] of lengths.entries()) {
    const counted = pooling === 'first' ? 1 : length
    const sum = new Float64Array(dimensions)
    for (let token = 0; token < counted; token++) {
      const start = (text * tokens + token) * dimensions
      for (let i = 0; i < dimensions; i++) sum[i] = (sum[i] as number) + (data[start + i] as number)
    }
    const vector = unitVector(sum)
    if (vector === undefined) throw new Error('the model answered with a vector that is zero or no number')
    values.set(vector, text * dimensions)
  }
  return values
}
