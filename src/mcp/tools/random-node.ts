import * as z from 'zod/v4'
import { randomNode } from '../../app/read/random-node.ts'
import { defineTool, READS } from '../definition/define-tool.ts'

export const randomNodeTool = defineTool({
  name: 'random_node',
  title: 'Random note',
  description: 'Any note, for discovery or review.',
  annotations: { ...READS, idempotentHint: false },
  input: () => ({
    tags: z.array(z.string()).optional().describe('With any of these tags.'),
  }),
  wrap: 'node',
  run: randomNode,
})
