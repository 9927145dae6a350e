import { deleteFile } from '../../app/write/delete-file.ts'
import { defined, defineOperation } from '../definition/define-operation.ts'
import { FLAG, outputSchema, TEXT } from '../definition/output-schema.ts'
import { SETS } from './annotations.ts'
import { dryRun, expectedHash, nodeId } from './parameters.ts'
import { OF_CHANGES } from './unredacted.ts'

export const deleteNodeTool = defineOperation({
  name: 'delete_node',
  title: 'Delete a note',
  description: 'Moves a note to the trash of the vault; tells the links that lead nowhere now. restore_node brings it back.',
  needs: 'tools.write',
  annotations: SETS,
  names: { id: 'note' },
  unredacted: OF_CHANGES,
  input: () => ({ id: nodeId('Note'), expected_hash: expectedHash(), dry_run: dryRun() }),
  output: outputSchema({ deleted: FLAG, change_id: TEXT }),
  wrap: 'object',
  operation: ({ id, expected_hash }) => defined({ kind: 'delete' as const, id, expectedHash: expected_hash }),
  run: deleteFile,
})
