import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { changesSince } from '../../app/insight/changes-since.ts'
import { fitChanges } from '../../app/insight/fit-changes.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, limit, maxTokens } from './parameters.ts'

export const changesSinceTool = defineTool({
  name: 'changes_since',
  title: 'What changed in the graph',
  description:
    'What anyone changed since a time or an earlier answer, net: notes, links gained and lost, links broken and fixed, new orphans, notes linked to more.',
  group: 'tools.insight',
  annotations: READS,
  names: { cursor: 'place', folder: 'place' },
  input: () => ({
    cursor: z.string().optional().describe('From an earlier answer.'),
    since: z.string().optional().describe('2024-01-31, monday, 12h … Default: 7d.'),
    folder: folder(),
    limit: limit(200, 20, 'Of each list.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitChanges },
  check: ({ cursor, since }) => ({
    messages:
      cursor !== undefined && since !== undefined ? ['since: goes without cursor, which says from where on by itself'] : [],
    candidates: [],
  }),
  run: changesSince,
})
