import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { listTags } from '../../app/read/list-tags.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { COUNT, listOf, outputSchema, TEXT } from '../definition/output-schema.ts'
import { maxTokens, offset } from './parameters.ts'

export const listTagsTool = defineTool({
  name: 'list_tags',
  title: 'List tags',
  description: 'Tags with how many notes carry them or one nested in them, most used first.',
  annotations: READS,
  input: () => ({
    prefix: z.string().optional().describe('Only tags that begin with this.'),
    offset: offset(),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({ results: listOf({ tag: TEXT, count: COUNT }) }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: listTags,
})
