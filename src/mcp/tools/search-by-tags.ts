import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { searchByTags } from '../../app/find/search-by-tags.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { links, maxTokens, page } from './parameters.ts'

export const searchByTagsTool = defineTool({
  name: 'search_by_tags',
  title: 'Notes by tags',
  description: 'Notes with any or all of some tags (nested ones count), with their beginnings. list_nodes lists more at once.',
  annotations: READS,
  input: () => ({
    tags: z.array(z.string()).min(1).describe('With or without "#".'),
    mode: z.enum(['any', 'all']).default('any').describe('Any or all.'),
    ...page(100, 20),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: searchByTags,
})
