import { expect, test } from 'vitest'
import { recipeOf } from '../../src/embed/model-recipes.ts'

test.each([
  ['Xenova/all-MiniLM-L6-v2', '', '', 'mean', 256],
  ['/models/all-MiniLM-L12-v2/', '', '', 'mean', 128],
  ['C:\\models\\multilingual-e5-small', 'query: ', 'passage: ', 'mean', 512],
  ['Xenova/paraphrase-multilingual-MiniLM-L12-v2', '', '', 'mean', 128],
  ['Xenova/bge-small-en-v1.5', 'Represent this sentence for searching relevant passages: ', '', 'first', 512],
  ['Xenova/bge-m3', '', '', 'first', 512],
  ['nomic-ai/nomic-embed-text-v1.5', 'search_query: ', 'search_document: ', 'mean', 512],
  ['Supabase/gte-small', '', '', 'mean', 512],
  ['Alibaba-NLP/gte-base-en-v1.5', '', '', 'first', 512],
  ['Snowflake/snowflake-arctic-embed-m-v2.0', 'query: ', '', 'first', 512],
  ['someone/anything', '', '', 'mean', 512],
])('%s', (model, queryPrefix, passagePrefix, pooling, maxTokens) => {
  expect(recipeOf(model)).toEqual({ queryPrefix, passagePrefix, pooling, maxTokens })
})
