import * as z from 'zod/v4'
import { type ContextPack, contextPack, mergePacks } from '../../app/insight/context-pack.ts'
import { type VaultAnswer, valuesOf } from '../calls/reach.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, tag } from './parameters.ts'

const LEAST_TOKENS = 500
const MOST_TOKENS = 32_000
const MOST_NOTES = 50

export const contextPackTool = defineTool({
  name: 'context_pack',
  title: 'Passages that belong together',
  description:
    'All that a question needs, in one budget: passages that answer, and those that links in them lead to. Or about some notes: ids.',
  annotations: READS,
  group: 'tools.insight',
  names: { ids: 'note', folder: 'place' },
  searchReadiness: () => 'meaning',
  input: () => ({
    query: z.string().max(10_000).optional().describe('The question.'),
    ids: z.array(z.string()).max(MOST_NOTES).optional().describe('These notes first.'),
    max_tokens: z.int().min(LEAST_TOKENS).max(MOST_TOKENS).optional().describe('Budget, 4,000.'),
    folder: folder(),
    tag: tag(),
    cursor: z.string().optional().describe('Goes on; same arguments.'),
  }),
  wrap: 'object',
  reach: {
    kind: 'all',
    merge: (answers: readonly VaultAnswer<ContextPack>[], { cursor }) => mergePacks(valuesOf(answers), cursor),
  },
  check: ({ query = '', ids = [] }) => ({
    messages: query.trim() === '' && ids.length === 0 ? ['query or ids: expected a question, or ids of notes'] : [],
    candidates: [],
  }),
  run: (core, { max_tokens, query = '', ...args }, call) =>
    contextPack(core, { ...args, ...(query.trim() === '' ? {} : { query }), maxTokens: max_tokens }, call),
})
