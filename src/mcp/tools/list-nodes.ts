import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMember } from '../../app/answer/fit-list.ts'
import { listNodes } from '../../app/read/list-nodes.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { COUNT, listOf, outputSchema, TEXT } from '../definition/output-schema.ts'
import { kinds, limit, maxTokens, path, specifiedOffset, tag } from './parameters.ts'

export const listNodesTool = defineTool({
  name: 'list_nodes',
  title: 'List notes',
  description: 'Ids and titles, page by page. As a tree: get_tree; a name: resolve_nodes.',
  annotations: READS,
  names: { path: 'place', community: 'place' },
  input: () => ({
    tag: tag(),
    path: path(),
    limit: limit(1000, 100),
    offset: specifiedOffset(),
    kinds: kinds(),
    community: z.string().optional().describe('Only of this community, from map.'),
    max_tokens: maxTokens(),
  }),
  output: outputSchema({ nodes: listOf({ id: TEXT, title: TEXT }), total: COUNT }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.nodes, fit: fitMember('nodes') },
  run: listNodes,
})
