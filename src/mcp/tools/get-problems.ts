import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/budget.ts'
import { fitMember } from '../../app/compose.ts'
import { getProblems } from '../../app/get-problems.ts'
import { PROBLEM_KINDS } from '../../core/store.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, limit, maxTokens, specifiedOffset } from './parameters.ts'

export const getProblemsTool = defineTool({
  name: 'get_problems',
  title: 'Problems in the vault',
  description:
    'What is wrong, with file, line and what may have been meant: broken and ambiguous links, links to headings that are gone, malformed parts, notes without links, names that clash.',
  annotations: READS,
  names: { folder: 'place' },
  input: () => ({
    kind: z.enum(PROBLEM_KINDS).optional().describe('Only this kind.'),
    folder: folder(),
    limit: limit(100, 20),
    offset: specifiedOffset(),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMember('problems') },
  run: getProblems,
})
