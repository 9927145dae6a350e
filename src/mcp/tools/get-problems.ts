import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMember } from '../../app/answer/fit-list.ts'
import { getProblems, LINK_KINDS, type ProblemList, REPORTED_KINDS } from '../../app/links/get-problems.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { folder, limit, maxTokens, specifiedOffset } from './parameters.ts'

const fitList = fitMember<'problems', ProblemList['problems'][number], ProblemList>('problems')

export const getProblemsTool = defineTool({
  name: 'get_problems',
  title: 'Problems in the vault',
  description: 'What is wrong in notes, links and names, with file, line and what may have been meant.',
  annotations: READS,
  names: { folder: 'place', target: 'note' },
  input: () => ({
    kind: z
      .enum(REPORTED_KINDS)
      .optional()
      .describe(
        'Only this kind. twin: paths that differ in case only. missing_note: most wanted first. duplicate: notes of much the same text.',
      ),
    folder: folder(),
    target: z.string().optional().describe('Only links to this note, by path or title.'),
    summary: z.boolean().default(false).describe('Only counts.'),
    limit: limit(100, 20),
    offset: specifiedOffset(),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: {
    tokens: DEFAULT_TOKENS.list,
    fit: (value, room) => ('problems' in value ? fitList(value, room) : { value, omitted: {} }),
  },
  check: ({ kind, target }) => ({
    messages:
      target === undefined || kind === undefined || LINK_KINDS.some((one) => one === kind)
        ? []
        : [`target: goes with kind ${LINK_KINDS.join(', ')}, or none; ${kind} is not about links to a note`],
    candidates: [],
  }),
  run: getProblems,
})
