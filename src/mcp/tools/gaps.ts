import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitGaps } from '../../app/insight/fit-gaps.ts'
import { GAP_KINDS, listGaps } from '../../app/insight/gaps.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, maxTokens, page } from './parameters.ts'

export const gapsTool = defineTool({
  name: 'gaps',
  title: 'Gaps',
  description: 'What is lacking: alike communities hardly linked, notes others hang on, missing notes, dead ends.',
  group: 'tools.insight',
  annotations: READS,
  names: { folder: 'place' },
  input: () => ({
    kind: z.enum(GAP_KINDS).optional().describe('Default: all.'),
    folder: folder(),
    ...page(100, 20),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitGaps },
  run: listGaps,
})
