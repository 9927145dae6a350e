import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitMap } from '../../app/insight/fit-map.ts'
import { mapVault } from '../../app/insight/map.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens } from './parameters.ts'

export const mapTool = defineTool({
  name: 'map',
  title: 'Map of the vault',
  description:
    'What a vault is about: its communities of notes, by links and words, each with label, key notes and words of its own, and the notes that lie between them. The best first look.',
  group: 'tools.insight',
  annotations: READS,
  names: { scope: 'place', community: 'place' },
  input: () => ({
    scope: z.string().optional().describe('Only this folder.'),
    community: z.string().optional().describe('Look into this one.'),
    level: z.int().min(1).max(2).default(1).describe('2: smaller ones.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  isPictured: true,
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitMap },
  run: mapVault,
})
