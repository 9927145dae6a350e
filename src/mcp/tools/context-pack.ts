import * as z from 'zod/v4'
import { type ContextPack, draftPack, type PackDraft, packOf } from '../../app/insight/context-pack.ts'
import { isRecord } from '../../core/is-record.ts'
import { valuesOf } from '../calls/reach.ts'
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
    cursor: z.string().optional().describe('Goes on; with the same arguments.'),
  }),
  wrap: 'object',
  reach: {
    kind: 'all',
    merge: (answers, { cursor }) => packOf(valuesOf(answers).filter(isDraft), cursor),
  },
  check: ({ query = '', ids = [] }) => ({
    messages: query.trim() === '' && ids.length === 0 ? ['query or ids: expected a question, or ids of notes'] : [],
    candidates: [],
  }),
  run: async (core, { max_tokens, query = '', ...args }, call) => {
    const question = query.trim() === '' ? {} : { query }
    const draft = await draftPack(core, { ...args, ...question, maxTokens: max_tokens }, call)
    // Of several vaults the passages are merged first.
    const value: PackDraft | ContextPack = call.isPart === true ? draft.value : packOf([draft.value], args.cursor)
    return { ...draft, value }
  },
})

function isDraft(value: unknown): value is PackDraft {
  return isRecord(value) && 'passages' in value
}
