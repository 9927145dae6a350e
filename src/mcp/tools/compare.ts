import { DEFAULT_TOKENS } from '../../app/budget.ts'
import { compare, fitComparison } from '../../app/insight/compare.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens, nodeName } from './parameters.ts'

export const compareTool = defineTool({
  name: 'compare',
  title: 'Two notes side by side',
  description: 'What two notes have in common: links, passages, the path between them; and what only one links with.',
  annotations: READS,
  group: 'tools.insight',
  names: { a: 'note', b: 'note' },
  searchReadiness: () => 'meaning',
  input: () => ({ a: nodeName('Note'), b: nodeName('Other'), max_tokens: maxTokens() }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitComparison },
  run: (core, { a, b }, call) => compare(core, { a, b }, call),
})
