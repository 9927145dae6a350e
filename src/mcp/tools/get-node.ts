import * as z from 'zod/v4'
import { getNode } from '../../app/read/get-node.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { maxTokens, nodeName } from './parameters.ts'

export const getNodeTool = defineTool({
  name: 'get_node',
  title: 'Read a note',
  description:
    'Reads a note: content, tags, links, properties, outline. Long notes come in parts: go on with offset = next_offset, or ask for a section.',
  annotations: READS,
  names: { id: 'note' },
  input: () => ({
    id: nodeName('Note'),
    depth: z.int().min(0).max(1).default(0).describe('1: also up to 20 linked notes each way.'),
    section: z.array(z.string()).min(1).optional().describe('Only this: headings from the outside in, or one "^block".'),
    offset: z.int().min(0).default(0).describe('Characters to skip.'),
    max_chars: z.int().min(20).max(10_000).default(10_000).describe('Characters of content.'),
    max_tokens: maxTokens(),
  }),
  wrap: 'node',
  run: (core, { max_chars, max_tokens, ...args }, call) =>
    getNode(core, { ...args, maxChars: max_chars, maxTokens: max_tokens }, call),
})
