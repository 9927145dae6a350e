import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/budget.ts'
import { fitGaps } from '../../app/insight/fit-gaps.ts'
import { GAP_KINDS, listGaps } from '../../app/insight/gaps.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, limit, maxTokens, specifiedOffset } from './parameters.ts'

export const gapsTool = defineTool({
  name: 'gaps',
  title: 'Gaps in the vault',
  description:
    'What the vault lacks: communities that are alike and hardly linked, notes without which others fall off, missing notes most wanted, notes that lead nowhere.',
  group: 'tools.insight',
  annotations: READS,
  names: { folder: 'place' },
  input: () => ({
    kind: z.enum(GAP_KINDS).optional(),
    folder: folder(),
    limit: limit(100, 20),
    offset: specifiedOffset(),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitGaps },
  run: listGaps,
})
