import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { mergeFound, withoutFallbacks } from '../../app/answer/merge.ts'
import { type FoundNode, findNodes } from '../../app/find/find-nodes.ts'
import { type VaultAnswer, valuesOf } from '../calls/reach.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, links, maxTokens, page } from './parameters.ts'

export const findNodesTool = defineTool({
  name: 'find_nodes',
  title: 'Find notes by words and filters',
  description: 'Notes that fit a query of words and filters, with the text around the match. A question: search.',
  annotations: READS,
  names: { folder: 'place' },
  searchReadiness: () => 'words',
  input: () => ({
    query: z
      .string()
      .max(500)
      .describe(
        'Words, "a phrase", pre*, #tag, #property=value #property>=2024-01-01, ~relation=title, links:"a note" linkedfrom:note, task:open, community:c4, title:x path:x type:x, created:>2024-01-01 modified:day-7, -has:backlink has:attachment; OR, -not, ( ). Empty: all notes.',
      ),
    ...page(100, 10),
    folder: folder(),
    order_by: z
      .enum(['relevance', 'title', 'modified', 'created'])
      .default('relevance')
      .describe('relevance: modified without words.'),
    order: z.enum(['asc', 'desc']).optional().describe('desc; titles asc.'),
    include_archived: z.boolean().default(false).describe('Also archived notes.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  reach: {
    kind: 'all',
    counting: (answers: readonly VaultAnswer<readonly FoundNode[]>[]) => withoutFallbacks(answers),
    merge: (answers, { order_by, order }) => mergeFound(valuesOf(answers), { orderBy: order_by, order }),
  },
  run: (core, { order_by, include_archived, ...args }, call) =>
    findNodes(core, { ...args, orderBy: order_by, includeArchived: include_archived }, call),
})
