import { trimEndOf } from '../core/text/trim-characters.ts'

/** The pooling of token vectors. `mean` averages them, `first` uses the first one. */
export type Pooling = 'mean' | 'first'

export interface ModelRecipe {
  readonly queryPrefix: string
  readonly passagePrefix: string
  readonly pooling: Pooling
  /** The maximum number of tokens, including the start and end tokens. */
  readonly maxTokens: number
}

const PLAIN: ModelRecipe = { queryPrefix: '', passagePrefix: '', pooling: 'mean', maxTokens: 512 }
const BGE_QUERY = 'Represent this sentence for searching relevant passages: '

/**
 * The recipes of known models. The first pattern that matches the model's name wins. Values are from model cards and
 * sentence-transformers configurations.
 */
const KNOWN: readonly (readonly [RegExp, Partial<ModelRecipe>])[] = [
  [
    /^multilingual-e5-.*instruct/,
    { queryPrefix: 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ' },
  ],
  [/^(multilingual-)?e5-/, { queryPrefix: 'query: ', passagePrefix: 'passage: ' }],
  [/^bge-(small|base|large)-en/, { queryPrefix: BGE_QUERY, pooling: 'first' }],
  [/^bge-(small|base|large)-zh/, { queryPrefix: '为这个句子生成表示以用于检索相关文章：', pooling: 'first' }],
  [/^bge-/, { pooling: 'first' }],
  [/^nomic-embed-text/, { queryPrefix: 'search_query: ', passagePrefix: 'search_document: ' }],
  [/^(snowflake-)?arctic-embed-.*v2/, { queryPrefix: 'query: ', pooling: 'first' }],
  [/^(snowflake-)?arctic-embed/, { queryPrefix: BGE_QUERY, pooling: 'first' }],
  [/^mxbai-embed-large/, { queryPrefix: BGE_QUERY, pooling: 'first' }],
  // The first gte models use mean pooling, unlike these.
  [/^gte-(multilingual-base|modernbert-base|(base|large)-en-v1\.5)/, { pooling: 'first' }],
  [/^all-minilm-l6/, { maxTokens: 256 }],
  [/^all-minilm-l12/, { maxTokens: 128 }],
  [/^paraphrase-(multilingual-)?(minilm|mpnet)/, { maxTokens: 128 }],
  [/^all-mpnet-base/, { maxTokens: 384 }],
  [/^multi-qa-mpnet-base-dot/, { pooling: 'first' }],
]

export function recipeOf(model: string): ModelRecipe {
  const name = modelName(model)
  const match = KNOWN.find(([pattern]) => pattern.test(name))
  return { ...PLAIN, ...match?.[1] }
}

/** Returns `all-minilm-l6-v2` for `Xenova/all-MiniLM-L6-v2`. */
export function modelName(model: string): string {
  return trimEndOf(model, '/\\')
    .replace(/^.*[\\/]/, '')
    .toLowerCase()
}

/** Returns `undefined` if the vector is zero or contains NaN or infinity. */
export function unitVector(values: readonly number[] | Float32Array | Float64Array): Float32Array | undefined {
  // Divide by the largest component first, so the sum of squares stays finite.
  let largest = 0
  for (const value of values) {
    const size = Math.abs(value)
    if (!(size <= Number.MAX_VALUE)) return undefined
    if (size > largest) largest = size
  }
  if (largest === 0) return undefined
  let squares = 0
  for (const value of values) squares += (value / largest) ** 2
  const length = Math.sqrt(squares)
  return Float32Array.from(values, (value) => value / largest / length)
}

export function isBlank(text: string): boolean {
  return !/\S/.test(text)
}
