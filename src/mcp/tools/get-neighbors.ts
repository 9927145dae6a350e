import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { getNeighbors } from '../../app/links/get-neighbors.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { includeContent, kinds, links, maxTokens, nodeName, page } from './parameters.ts'

export const getNeighborsTool = defineTool({
  name: 'get_neighbors',
  title: 'Linked notes',
  description: 'Notes that link to a note (backlinks) or that it links to, best linked first.',
  annotations: READS,
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    direction: z.enum(['in', 'out', 'both']).default('both').describe('in: linking here; out: linked to.'),
    ...page(50, 20),
    include_content: includeContent(),
    type: z.string().optional().describe('Only links in this property.'),
    kinds: kinds(),
    evidence: z.boolean().default(false).describe('Add the sentences that link: who mentions it, and how.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  isPictured: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  run: (core, { include_content, ...args }, call) => getNeighbors(core, { ...args, includeContent: include_content }, call),
})
