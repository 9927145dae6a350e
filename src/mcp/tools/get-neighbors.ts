import * as z from 'zod/v4'
import { getNeighbors } from '../../app/get-neighbors.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { includeContent, kinds, limit, nodeId } from './parameters.ts'

export const getNeighborsTool = defineTool({
  name: 'get_neighbors',
  title: 'Linked notes',
  description:
    'Notes that link to a note (backlinks) or that it links to, best linked first. For the note itself use get_node, for a way between two notes find_path.',
  annotations: READS,
  names: { id: 'note' },
  input: () => ({
    id: nodeId('Note'),
    direction: z.enum(['in', 'out', 'both']).default('both').describe('in: notes linking here; out: notes linked to.'),
    limit: limit(50, 20),
    include_content: includeContent(),
    type: z.string().optional().describe('Only links in this property, e.g. "up".'),
    kinds: kinds(),
  }),
  wrap: 'results',
  run: (core, { include_content, ...args }, call) => getNeighbors(core, { ...args, includeContent: include_content }, call),
})
