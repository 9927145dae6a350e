import * as z from 'zod/v4'
import { writeNode } from '../../app/write/write-node.ts'
import { defineOperation } from '../definition/define-operation.ts'
import { CREATES } from './annotations.ts'
import { dryRun } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const restoreNodeTool = defineOperation({
  name: 'restore_node',
  title: 'Restore a deleted note',
  description: 'Takes what was deleted last under an id out of the trash, byte for byte.',
  needs: 'tools.write',
  annotations: CREATES,
  names: { id: 'place' },
  unredacted: OF_CHANGES,
  input: () => ({ id: z.string().describe('The id it had.'), dry_run: dryRun() }),
  wrap: 'node',
  operation: ({ id }) => ({ kind: 'restore' as const, id }),
  run: writeNode,
})
