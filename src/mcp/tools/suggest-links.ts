import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMember } from '../../app/answer/fit-list.ts'
import { SUGGESTION_KINDS, type SuggestionList, suggestLinks } from '../../app/insight/suggest-links.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, limit, maxTokens, offset } from './parameters.ts'

export const suggestLinksTool = defineTool({
  name: 'suggest_links',
  title: 'Links that are missing',
  description:
    'Links that should be there, likeliest first, of one note or the whole vault. named: a title or alias stands in the text; has line and edit, an operation for apply_changes. related: notes that belong together.',
  group: 'tools.insight',
  annotations: READS,
  names: { id: 'note', folder: 'place' },
  input: () => ({
    id: z.string().optional().describe('From this note.'),
    folder: folder(),
    kind: z.enum(SUGGESTION_KINDS).default('both').describe('Only such.'),
    limit: limit(100, 10),
    offset: offset(),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: {
    tokens: DEFAULT_TOKENS.list,
    fit: fitMember<'suggestions', SuggestionList['suggestions'][number], SuggestionList>('suggestions'),
  },
  run: suggestLinks,
})
