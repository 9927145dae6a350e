import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { getHubs } from '../../app/links/get-hubs.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { listOf, NUMBER, outputSchema, TEXT } from '../definition/output-schema.ts'
import { folder, maxTokens, page, tag } from './parameters.ts'

export const getHubsTool = defineTool({
  name: 'get_hubs',
  title: 'Most central notes',
  description: 'The best-linked notes of a vault, folder or tag: a good first look.',
  annotations: READS,
  names: { folder: 'place' },
  input: () => ({
    metric: z
      .enum(['in_degree', 'out_degree', 'pagerank', 'betweenness'])
      .default('in_degree')
      .describe('By notes linking here, notes linked to, rank of what links here, or bridges between parts.'),
    ...page(50, 10),
    folder: folder(),
    tag: tag(),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({ results: listOf({ id: TEXT, title: TEXT, score: NUMBER }) }),
  wrap: 'results',
  isPictured: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: getHubs,
})
