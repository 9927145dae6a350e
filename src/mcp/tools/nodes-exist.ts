import * as z from 'zod/v4'
import { nodesExist } from '../../app/names/nodes-exist.ts'
import { valuesOf } from '../calls/reach.ts'
import { defineTool, READS } from '../definition/define-tool.ts'
import { FLAG, outputSchema } from '../definition/output-schema.ts'

export const nodesExistTool = defineTool({
  name: 'nodes_exist',
  title: 'Do these ids exist',
  description: 'Which ids exist. For names: resolve_nodes.',
  annotations: READS,
  names: { ids: 'note' },
  input: () => ({
    ids: z.array(z.string()).describe('In any case, up to 1,000.'),
  }),
  output: outputSchema({ results: { type: 'object', additionalProperties: FLAG } }),
  wrap: 'results',
  reach: { kind: 'each', merge: (answers) => Object.assign({}, ...valuesOf(answers)) },
  run: (core, { ids }, call) => nodesExist(core, ids, call),
})
