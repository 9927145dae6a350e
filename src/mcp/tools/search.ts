import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitRows } from '../../app/answer/fit-list.ts'
import { mergeRanked } from '../../app/answer/merge.ts'
import { type SearchResult, search } from '../../app/find/search.ts'
import { type VaultAnswer, valuesOf } from '../calls/reach.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, includeContent, links, maxTokens, nodeId, page, relevance, tag } from './parameters.ts'

export const searchTool = defineTool({
  name: 'search',
  title: 'Search by meaning and words',
  description:
    'Notes that answer a question, by words and meaning, with passages and lines. Exact words, tags, dates, properties: find_nodes.',
  annotations: READS,
  names: { folder: 'place', note: 'note' },
  byMeaning: true,
  searchReadiness: ({ mode }) => (mode === 'keyword' ? 'words' : 'meaning'),
  input: () => ({
    query: z.string().min(1).max(10_000).describe('The question.'),
    ...page(50, 10),
    include_content: includeContent(),
    folder: folder(),
    tag: tag(),
    note: nodeId('Only passages of this note').optional(),
    relevance: relevance(),
    mode: z.enum(['hybrid', 'keyword', 'semantic']).default('hybrid').describe('By words, by meaning, or both.'),
    explain: z.boolean().default(false).describe('Show ranks and scores.'),
    links: links(),
    max_tokens: maxTokens(),
  }),
  wrap: 'results',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitRows },
  reach: {
    kind: 'all',
    merge: (answers: readonly VaultAnswer<readonly SearchResult[]>[]) => mergeRanked(valuesOf(answers)),
  },
  run: (core, { include_content, max_tokens, ...args }, call) =>
    search(core, { ...args, includeContent: include_content, maxTokens: max_tokens }, call),
})
