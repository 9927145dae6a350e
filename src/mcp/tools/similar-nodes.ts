import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { similarNodes } from '../../app/find/similar-nodes.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, links, maxTokens, nodeId, page, relevance, tag } from './parameters.ts'

export const similarNodesTool = defineTool({
  name: 'similar_nodes',
  title: 'Notes about the same',
  description: 'Notes about the same, linked or not: for duplicates, further reading.',
  annotations: READS,
  names: { id: 'note', folder: 'place' },
  searchReadiness: () => 'meaning',
  input: () => ({
    id: nodeId('The note'),
    ...page(50, 10),
    folder: folder(),
    tag: tag(),
    relevance: relevance(),
    exclude_linked: z.boolean().default(false).describe('Leave out what it links to or is linked from.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: (core, { exclude_linked, ...args }, call) => similarNodes(core, { ...args, excludeLinked: exclude_linked }, call),
})
