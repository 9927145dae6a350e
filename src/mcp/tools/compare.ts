import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { compare, fitComparison } from '../../app/insight/compare.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens } from './parameters.ts'

export const compareTool = defineTool({
  name: 'compare',
  title: 'Compare notes',
  description: 'What two notes share: links, passages, a path; and what not.',
  annotations: READS,
  group: 'tools.insight',
  names: { a: 'note', b: 'note' },
  searchReadiness: () => 'meaning',
  input: () => ({ a: z.string().describe('Id or title.'), b: z.string().describe('Other.'), max_tokens: maxTokens() }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitComparison },
  run: (core, { a, b }, call) => compare(core, { a, b }, call),
})
