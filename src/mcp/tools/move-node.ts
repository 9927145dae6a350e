import * as z from 'zod/v4'
import { moveNode } from '../../app/write/move-node.ts'
import { defined, defineOperation } from '../definition/define-operation.ts'
import { CHANGES } from './annotations.ts'
import { dryRun, expectedHash } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const moveNodeTool = defineOperation({
  name: 'move_node',
  title: 'Move or rename a file or folder',
  description:
    'Moves or renames a note, an attachment or a whole folder. Every link to it follows; the answer tells each line that was rewritten.',
  needs: 'tools.write',
  annotations: CHANGES,
  names: { id: 'note or folder', to: 'place' },
  unredacted: OF_CHANGES,
  input: () => ({
    id: z.string().describe('Path of the note, file or folder, in any case.'),
    to: z.string().describe('New path, spelled as wanted. A folder that is there, or "/" at its end: to put it into.'),
    expected_hash: expectedHash(),
    dry_run: dryRun(),
  }),
  wrap: 'object',
  operation: ({ id, to, expected_hash }) => defined({ kind: 'move' as const, id, to, expectedHash: expected_hash }),
  run: moveNode,
})
