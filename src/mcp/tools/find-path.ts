import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitPath } from '../../app/answer/fit-path.ts'
import { findPath } from '../../app/links/find-path.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens, nodeName } from './parameters.ts'

export const findPathTool = defineTool({
  name: 'find_path',
  title: 'Path between two notes',
  description: 'The shortest way over links, with the sentence that makes each.',
  annotations: READS,
  names: { source: 'note', target: 'note' },
  input: () => ({
    source: nodeName('Start'),
    target: nodeName('End'),
    direction: z.enum(['any', 'out']).default('any').describe('out: forwards only.'),
    count: z.int().min(1).max(5).default(1).describe('Paths; others come as alternatives.'),
    avoid_hubs: z.boolean().default(false).describe('Go around the best-linked notes.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  isPictured: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitPath },
  run: (core, { avoid_hubs, ...args }, call) => findPath(core, { ...args, avoidHubs: avoid_hubs }, call),
})
