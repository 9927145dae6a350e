import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/budget.ts'
import { compare, fitComparison } from '../../app/insight/compare.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens, nodeName } from './parameters.ts'

export const compareTool = defineTool({
  name: 'compare',
  title: 'Compare two notes',
  description: 'What two notes share: links, passages, a path; what only one links.',
  annotations: READS,
  group: 'tools.insight',
  names: { a: 'note', b: 'note' },
  searchReadiness: () => 'meaning',
  input: () => ({ a: nodeName('One'), b: z.string().describe('Other.'), max_tokens: maxTokens() }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitComparison },
  run: (core, { a, b }, call) => compare(core, { a, b }, call),
})
