import * as z from 'zod/v4'
import { writeNode } from '../../app/write/write-node.ts'
import { defineOperation } from '../definition/define-operation.ts'
import { CREATES } from './annotations.ts'
import { dryRun, nodeId } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const cloneNodeTool = defineOperation({
  name: 'clone_node',
  title: 'Show a note in a second folder',
  description: 'Makes a note in another folder that embeds this one, so that it appears in both: no copy of its text.',
  needs: 'tools.write',
  annotations: CREATES,
  names: { id: 'note' },
  unredacted: OF_CHANGES,
  input: () => ({
    id: nodeId('Note'),
    folder: z.string().describe('Folder to show it in; empty for the top.'),
    dry_run: dryRun(),
  }),
  wrap: 'node',
  operation: ({ id, folder }) => ({ kind: 'clone' as const, id, folder }),
  run: writeNode,
})
