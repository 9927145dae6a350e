import { deleteFile } from '../../app/write/delete-file.ts'
import { defined, defineOperation } from '../definition/define-operation.ts'
import { SETS } from './annotations.ts'
import { attachmentId, dryRun, expectedHash } from './parameters.ts'
import { OF_ATTACHMENTS } from './unredacted.ts'

export const deleteAttachmentTool = defineOperation({
  name: 'delete_attachment',
  title: 'Delete an attachment',
  description: 'Moves an attachment to the trash of the vault; tells the links that lead nowhere now.',
  needs: 'tools.attach',
  annotations: SETS,
  names: { id: 'note' },
  unredacted: OF_ATTACHMENTS,
  input: () => ({ id: attachmentId(), expected_hash: expectedHash(), dry_run: dryRun() }),
  wrap: 'object',
  operation: ({ id, expected_hash }) => defined({ kind: 'deleteAttachment' as const, id, expectedHash: expected_hash }),
  run: deleteFile,
})
