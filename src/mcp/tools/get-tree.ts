import * as z from 'zod/v4'
import { DEFAULT_TOKENS } from '../../app/answer/budget.ts'
import { fitTree } from '../../app/answer/fit-tree.ts'
import { getTree } from '../../app/read/get-tree.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { limit, maxTokens } from './parameters.ts'

export const getTreeTool = defineTool({
  name: 'get_tree',
  title: 'Folder tree',
  description: 'How a vault is laid out: folders with note counts, notes at the leaves. A flat list: list_nodes.',
  annotations: READS,
  names: { path: 'place' },
  input: () => ({
    path: z.string().optional().describe('Folder to begin at.'),
    depth: z.int().min(1).max(10).default(3).describe('Levels of folders.'),
    limit: limit(1000, 200, 'Notes in the whole tree.'),
    include_archived: z.boolean().default(false).describe('Also archived notes.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'object',
  budget: { tokens: DEFAULT_TOKENS.list, fit: fitTree },
  run: (core, { include_archived, ...args }, call) => getTree(core, { ...args, includeArchived: include_archived }, call),
})
